/**
 * What was chosen and typed and not yet recorded, kept on this device for the person who typed it,
 * until it is recorded or discarded. Secrets are never kept.
 */

import type { Ask, Field } from '../api/schema';
import { drop, keep, keptAs, keptNames, mine } from './storage';

export type ReplyDraft = { labels: string[]; other: string; otherOn: boolean; note: string };
export type Value = string | boolean | string[];
export type Draft = {
  digest: string;
  kept_at: number;
  at: number;
  replies: ReplyDraft[];
  values: Record<string, Value>;
  note: string;
  input: string | undefined;
};

const DRAFTS_MAX = 100;
const AGE_MS_MAX = 14 * 86_400_000;

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && 'digest' in value && 'replies' in value && 'values' in value;

function firstValue(field: Field): Value {
  if (field.kind === 'boolean') return field.default === true;
  if (field.kind === 'many_of') return Array.isArray(field.default) ? field.default : [];
  if (field.kind === 'secret' || field.default === undefined || field.default === null) return '';
  return String(field.default);
}

const nameOf = (id: string) => mine(`draft.${id}`);

/** The replies as the agent set them beforehand. */
export function defaultReplies(ask: Ask): ReplyDraft[] {
  return (ask.questions ?? []).map((question) => ({
    labels: question.pick === 'text' ? [] : [...question.default],
    other: question.pick === 'text' ? (question.default[0] ?? '') : '',
    otherOn: false,
    note: '',
  }));
}

/** The replies to start from: those of a late answer to an equal question, else the agent's. */
function firstReplies(ask: Ask): ReplyDraft[] {
  const replies = defaultReplies(ask);
  const late = ask.prefill?.answer;
  if (!late || !('replies' in late)) return replies;
  return replies.map((reply, at) => {
    const said = late.replies.find(({ question }) => question === at);
    const labels = said?.labels?.filter((label) => ask.questions?.[at]?.choices.some((choice) => choice.label === label)) ?? [];
    return said ? { ...reply, labels, other: said.other ?? '', note: said.note ?? '' } : reply;
  });
}

/** Whether a draft is still what a late answer to an equal question put there. */
export function isPrefilled(ask: Ask, draft: Draft): boolean {
  return Boolean(ask.prefill) && JSON.stringify(draft.replies) === JSON.stringify(firstReplies(ask)) && JSON.stringify(draft.replies) !== JSON.stringify(defaultReplies(ask));
}

/** What stands there before a person does anything. What an approval is answered with is never set beforehand. */
function freshOf(ask: Ask): Draft {
  return {
    digest: ask.digest,
    kept_at: 0,
    at: 0,
    replies: firstReplies(ask),
    values: Object.fromEntries((ask.form?.fields ?? []).map((field) => [field.name, firstValue(field)])),
    note: '',
    input: undefined,
  };
}

/** What still fits of a draft that was typed before the ask changed: the person's own words. */
function carried(ask: Ask, fresh: Draft, before: Draft): Draft {
  return {
    ...fresh,
    note: before.note,
    replies: fresh.replies.map((reply, at) => ({ ...reply, other: before.replies[at]?.other || reply.other, note: before.replies[at]?.note ?? '' })),
    values: { ...fresh.values, ...Object.fromEntries(Object.entries(before.values).filter(([name, value]) => ask.form?.fields?.some((field) => field.name === name && field.kind === 'text') && typeof value === 'string')) },
  };
}

/** The draft of an ask: what was kept, else what the agent set beforehand. */
export function draftOf(ask: Ask): Draft {
  const fresh = freshOf(ask);
  const kept = keptAs(nameOf(ask.id), isDraft);
  if (!kept) return fresh;
  if (kept.digest !== ask.digest) return carried(ask, fresh, kept);
  return { ...fresh, ...kept, values: { ...fresh.values, ...kept.values } };
}

/** Whether a person has put anything into it. */
function isTouched(draft: Draft, fresh: Draft): boolean {
  const said = ({ replies, values, note, input }: Draft) => JSON.stringify([replies.map(({ labels, other, note: own }) => [labels, other.trim(), own.trim()]), Object.entries(values).sort(), note.trim(), input ?? null]);
  return said(draft) !== said(fresh);
}

export function keepDraft(ask: Ask, draft: Draft): void {
  const secrets = new Set((ask.form?.fields ?? []).filter((field) => field.kind === 'secret').map((field) => field.name));
  const open = (values: Draft['values']) => Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name)));
  const fresh = freshOf(ask);
  const kept = { ...draft, values: open(draft.values), kept_at: Date.now() };
  if (isTouched(kept, { ...fresh, values: open(fresh.values) }) || draft.at > 0) keep(nameOf(ask.id), JSON.stringify(kept));
  else dropDraft(ask.id);
}

/** What a person typed for an ask that has ended and was not sent; nothing when they typed nothing. */
export function leftDraft(ask: Ask): Draft | undefined {
  const kept = keptAs(nameOf(ask.id), isDraft);
  if (!kept) return undefined;
  const fresh = freshOf(ask);
  return isTouched({ ...kept, values: { ...fresh.values, ...kept.values } }, fresh) ? kept : undefined;
}

/** The draft of an ask that is no longer to be had. */
export function orphanDraft(id: string): Draft | undefined {
  return keptAs(nameOf(id), isDraft);
}

export function dropDraft(id: string): void {
  drop(nameOf(id));
}

/** Forgets drafts that nobody came back to. */
export function tidyDrafts(): void {
  const all = keptNames(mine('draft.')).map((name) => ({ name, at: keptAs(name, isDraft)?.kept_at ?? 0 }));
  all.sort((a, b) => b.at - a.at);
  all.forEach(({ name, at }, place) => {
    if (place >= DRAFTS_MAX || Date.now() - at > AGE_MS_MAX) drop(name);
  });
}
