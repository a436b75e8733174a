/** A draft of an ask that has ended: what is in it, and how the agent can still be told. */

import { get, post, postText, Refused } from '../api/call';
import type { Ask, Entries, MessageSent } from '../api/schema';
import { matterLine } from '../lib/lines';
import type { Draft } from '../state/drafts';
import { filled, words } from '../words/words';
import { faultOf, fieldsBody, titleOf } from './fields';
import { repliesBody, standing, tagOf } from './replies';
import { editable } from './verdicts';

const w = words.draft;
const MATTER_CHARS_MAX = 200;

/** One thing that was chosen or typed. `name` is there when there are several. */
export type Piece = { name: string; labels: string[]; text: string; note: string };

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Everything a person put into a draft. */
export function piecesOf(ask: Ask | undefined, draft: Draft): Piece[] {
  const several = draft.replies.length > 1;
  const replies = draft.replies.map((reply, at) => {
    const question = ask?.questions?.[at];
    return { name: several && question ? tagOf(question, at) : '', labels: reply.labels, text: reply.other.trim(), note: reply.note.trim() };
  });
  const values = Object.entries(draft.values).map(([name, value]) => {
    const field = ask?.form?.fields?.find((one) => one.name === name);
    return { name: field ? titleOf(field) : name, labels: [], text: shown(value), note: '' };
  });
  const edited = draft.input !== undefined && (!ask || draft.input !== editable(ask).text) ? [{ name: w.edit, labels: [], text: draft.input, note: '' }] : [];
  const note = draft.note.trim() ? [{ name: '', labels: [], text: '', note: draft.note.trim() }] : [];
  return [...replies, ...values, ...edited, ...note].filter(({ labels, text, note: own }) => labels.length || text || own);
}

/** The draft as plain text. */
export function textOf(ask: Ask | undefined, draft: Draft): string {
  const lines = piecesOf(ask, draft).map(({ name, labels, text, note }) => {
    const said = [[...labels, ...(text ? [text] : [])].join(', '), note].filter(Boolean).join('\n');
    return name ? `${name}: ${said}` : said;
  });
  return lines.join('\n');
}

export type Way = 'message' | 'late' | undefined;

/** How the agent can still be told: a message where it takes them, else a late answer. Never a late yes. */
export async function wayTo(ask: Ask, draft: Draft): Promise<Way> {
  if (ask.conversation) {
    const read = await get<Entries>(`/v1/conversations/${encodeURIComponent(ask.conversation.id)}/entries`, { before: 'end', limit: 1 }).catch(() => undefined);
    if (read?.takes_messages) return 'message';
  }
  if (ask.outcome?.kind !== 'expired' || ask.late) return undefined;
  switch (ask.matter) {
    case 'questions':
      return standing(ask, draft).ready ? 'late' : undefined;
    case 'form':
      return ask.form?.fields?.every((field) => !faultOf(field, draft.values[field.name] ?? '')) ? 'late' : undefined;
    case 'approval':
      return undefined;
  }
}

/** Tells the agent; says what became of it. */
export async function tell(ask: Ask, draft: Draft, way: Way): Promise<string> {
  const agent = ask.agent.name;
  if (way === 'message') {
    const matter = matterLine(ask).slice(0, MATTER_CHARS_MAX);
    const text = filled(w.message, { matter, text: textOf(ask, draft) });
    const { state } = await post<MessageSent>(`/v1/conversations/${encodeURIComponent(ask.conversation?.id ?? '')}/messages`, { text });
    return filled(state === 'queued' ? w.queued : w.sent, { agent });
  }
  try {
    await postText(`/v1/asks/${encodeURIComponent(ask.id)}/answer`, ask.matter === 'form' ? fieldsBody(ask, draft.values) : repliesBody(ask, draft));
  } catch (error) {
    // An answer after the deadline is always refused; the refusal says that it was kept.
    if (!(error instanceof Refused && error.problem.kept)) throw error;
  }
  return w.late;
}
