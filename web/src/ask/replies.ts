/** From a draft to the answer that goes out, and what still keeps it from going. */

import type { Ask, Question } from '../api/schema';
import type { Draft, ReplyDraft } from '../state/drafts';
import { filled, words } from '../words/words';

export function isAnswered(reply: ReplyDraft | undefined): boolean {
  return reply !== undefined && (reply.labels.length > 0 || reply.other.trim() !== '');
}

/** What was chosen, in words. */
export function replyWords(reply: ReplyDraft | undefined): string[] {
  if (!reply) return [];
  return [...reply.labels, ...(reply.other.trim() ? [`“${reply.other.trim()}”`] : [])];
}

export function tagOf(question: Question, at: number): string {
  return question.tag ?? filled(words.question.nth, { n: at + 1 });
}

/** Whether it can be sent, and which questions have no answer. */
export function standing(ask: Ask, draft: Draft): { ready: boolean; missing: string[]; required: string[] } {
  const questions = ask.questions ?? [];
  const open = questions.map((question, at) => ({ question, at })).filter(({ at }) => !isAnswered(draft.replies[at]));
  const required = open.filter(({ question }) => question.required).map(({ question, at }) => tagOf(question, at));
  const missing = open.map(({ question, at }) => tagOf(question, at));
  return { ready: required.length === 0 && open.length < questions.length, missing, required };
}

/** The body of the answer. */
export function repliesBody(ask: Ask, draft: Draft): string {
  const replies = draft.replies
    .map((reply, question) => ({ reply, question }))
    .filter(({ reply }) => isAnswered(reply))
    .map(({ reply, question }) => ({
      question,
      labels: reply.labels,
      ...(reply.other.trim() ? { other: reply.other } : {}),
      ...(reply.note.trim() ? { note: reply.note } : {}),
    }));
  return JSON.stringify({ digest: ask.digest, replies });
}
