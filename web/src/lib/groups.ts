/** Asks that want the same but for one field: told together, each with an answer of its own. */

import type { Action, Ask } from '../api/schema';

/** The one field in which an ask differs from another, and what it says there. */
export type Difference = { field: string; was: string; is: string };

/** Longer inputs are compared as a whole alone. */
const INPUT_CHARS_MAX = 16_000;
const FIELDS_MAX = 24;
/** A longer value is not read in a row of a list. */
const VALUE_CHARS_MAX = 300;
const KNOWN_MAX = 30_000;
/** What parts one field from the next in a text of JSON. */
const QUOTE = '"';

/** Reading an input costs time, so each is read once for the lists. */
const known = new Map<string, string[]>();

/** A number for a text; two texts that share it are compared in full before anything hangs on it. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}

/** Everything in which asks of one group must not differ. */
function sameIn({ agent, title, workspace, action }: Ask): string {
  const { tool, act, risk, reasons, flags, reason, cwd, tool_schema: schema } = action ?? ({} as Partial<Action>);
  return JSON.stringify([agent.id, title, workspace, tool, act?.kind, act?.command, act?.old, act?.new, act?.content, risk, reasons, flags, reason, cwd, schema]);
}

/** The fields of an input that is an object, each as the text it is shown as. */
function fieldsOf(ask: Ask): Map<string, string> | undefined {
  const input = ask.action?.input ?? '';
  if (ask.matter !== 'approval' || ask.unreadable || input.length > INPUT_CHARS_MAX) return undefined;
  try {
    const object: unknown = JSON.parse(input);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
    const fields = new Map(Object.entries(object).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));
    return fields.size > FIELDS_MAX ? undefined : fields;
  } catch {
    return undefined;
  }
}

function signed(ask: Ask): string[] {
  const numbers = [...(fieldsOf(ask) ?? [])].map(([name, value]) => [name, value, hash(`${name}:${value}`)] as const);
  const sum = numbers.reduce((total, [, , number]) => total + number, 0);
  const base = hash(sameIn(ask));
  return numbers.flatMap(([name, value, number]) => (value.length > VALUE_CHARS_MAX ? [] : [`${base} ${name} ${sum - number}`]));
}

/** What asks have in common that differ in one field only: one for each field it could be. */
export function signaturesOf(ask: Ask): string[] {
  const key = `${ask.agent.id} ${ask.shape} ${ask.action?.risk}`;
  const before = known.get(key);
  if (before) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const fresh = signed(ask);
  known.set(key, fresh);
  return fresh;
}

/** Whether two texts differ in a place that is inside one value. */
function inOneValue(one: string, other: string): boolean {
  const most = Math.min(one.length, other.length);
  let from = 0;
  while (from < most && one[from] === other[from]) from += 1;
  let end = 0;
  while (end < most - from && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return ![one, other].some((text) => text.slice(from, text.length - end).includes(QUOTE));
}

/** The one field in which an ask differs from another; nothing when they differ in more, or not at all. */
export function differenceOf(base: Ask, ask: Ask): Difference | undefined {
  const [was, is] = [fieldsOf(base), fieldsOf(ask)];
  if (!was || !is || was.size !== is.size || sameIn(base) !== sameIn(ask)) return undefined;
  if (!inOneValue(base.action?.input ?? '', ask.action?.input ?? '')) return undefined;
  const found = [...is].filter(([name, value]) => was.get(name) !== value);
  const [field, value] = found[0] ?? [];
  if (found.length !== 1 || field === undefined || value === undefined) return undefined;
  const before = was.get(field);
  if (before === undefined || before.length > VALUE_CHARS_MAX || value.length > VALUE_CHARS_MAX) return undefined;
  const [from, to] = [base.action?.act.path, ask.action?.act.path];
  if (from === to) return { field, was: before, is: value };
  // What is drawn as the path is what the input says.
  return from === before && to === value ? { field: 'path', was: before, is: value } : undefined;
}
