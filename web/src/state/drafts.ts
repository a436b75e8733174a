/** What was chosen and typed and not yet sent, kept on this device. Secrets are never kept. */

import type { Ask, Field } from '../api/schema';
import { drop, keep, keptAs, keptNames } from './storage';

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

/** The draft of an ask: what was kept, else what the agent set beforehand. */
export function draftOf(ask: Ask): Draft {
  const kept = keptAs(`draft.${ask.id}`, isDraft);
  const values = Object.fromEntries((ask.form?.fields ?? []).map((field) => [field.name, firstValue(field)]));
  const fresh: Draft = {
    digest: ask.digest,
    kept_at: 0,
    at: 0,
    // What an approval is answered with is never set beforehand.
    replies: (ask.questions ?? []).map((question) => ({
      labels: question.pick === 'text' ? [] : [...question.default],
      other: question.pick === 'text' ? (question.default[0] ?? '') : '',
      otherOn: false,
      note: '',
    })),
    values,
    note: '',
    input: undefined,
  };
  if (kept?.digest !== ask.digest) return fresh;
  return { ...fresh, ...kept, values: { ...values, ...kept.values } };
}

export function keepDraft(ask: Ask, draft: Draft): void {
  const secrets = new Set((ask.form?.fields ?? []).filter((field) => field.kind === 'secret').map((field) => field.name));
  const values = Object.fromEntries(Object.entries(draft.values).filter(([name]) => !secrets.has(name)));
  keep(`draft.${ask.id}`, JSON.stringify({ ...draft, values, kept_at: Date.now() }));
}

export function dropDraft(id: string): void {
  drop(`draft.${id}`);
}

/** Forgets drafts that nobody came back to. */
export function tidyDrafts(): void {
  const all = keptNames('draft.').map((name) => ({ name, at: keptAs(name, isDraft)?.kept_at ?? 0 }));
  all.sort((a, b) => b.at - a.at);
  all.forEach(({ name, at }, place) => {
    if (place >= DRAFTS_MAX || Date.now() - at > AGE_MS_MAX) drop(name);
  });
}
