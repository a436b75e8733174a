/** What an edit changes, line by line. */

import { pairsOf } from './marks';
import { matches } from './match';

/** `other` is the line it became or came from, where a line changed only in part. */
export type Line = { sign: ' ' | '-' | '+'; before: number | undefined; after: number | undefined; text: string; other?: string };

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));
const ends = (text: string) => text.endsWith('\n');
const without = (text: string) => (text.length > 1 ? text.slice(0, -1) : text);


/** The edit as lines. */
export function diff(old: string, now: string): Line[] {
  // A line break at the end of both ends the last line; one that only one of them has is shown.
  const both = (ends(old) || old === '') && (ends(now) || now === '');
  const a = linesOf(both ? without(old) : old);
  const b = linesOf(both ? without(now) : now);
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...matches(a, b), [a.length, b.length] as [number, number]]) {
    if (x > i || y > j) out.push(...change(a.slice(i, x), b.slice(j, y), i, j));
    if (x < a.length) out.push({ sign: ' ', before: x + 1, after: y + 1, text: a[x] ?? '' });
    [i, j] = [x + 1, y + 1];
  }
  return out;
}

/** What goes and what comes in one place. */
function change(gone: string[], come: string[], i: number, j: number): Line[] {
  const pairs = pairsOf(gone, come);
  const [into, from] = [new Map(pairs), new Map(pairs.map(([x, y]) => [y, x]))];
  const line = (sign: '-' | '+', text: string, at: number, other: string | undefined): Line => ({
    sign,
    before: sign === '-' ? i + at + 1 : undefined,
    after: sign === '+' ? j + at + 1 : undefined,
    text,
    ...(other === undefined ? {} : { other }),
  });
  return [
    ...gone.map((text, at) => line('-', text, at, come[into.get(at) ?? -1])),
    ...come.map((text, at) => line('+', text, at, gone[from.get(at) ?? -1])),
  ];
}

export function counts(lines: Line[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.sign === '+').length,
    removed: lines.filter((line) => line.sign === '-').length,
  };
}
