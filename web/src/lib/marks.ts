/** Which part of a changed line changed, and which line that goes belongs to which that comes. */

import { matches } from './match';

/** A part of a text, from one place up to another. */
export type Part = { from: number; to: number };

/** The words of names, too: of `load_reads_twice` three. */
const TOKEN = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+|\p{N}+|\s+|./gsu;
/** Lines with more words than this are compared at their ends alone. */
const TOKENS_MAX = 600;
/** Pairs of lines that are held against each other in one change. */
const PAIRS_MAX = 2500;
/** Lines with less in common than this are not the same line. */
const ALIKE_MIN = 0.5;
/** More parts than this are noise: the line changed from the first to the last of them. */
const PARTS_MAX = 4;
const LINE_CHARS_MAX = 2000;

function tokensOf(text: string): string[] {
  return text.length > LINE_CHARS_MAX ? [] : (text.match(TOKEN) ?? []);
}

function countsOf(text: string): { counts: Map<string, number>; size: number } {
  const counts = new Map<string, number>();
  let size = 0;
  for (const token of tokensOf(text)) {
    if (!token.trim()) continue;
    counts.set(token, (counts.get(token) ?? 0) + token.length);
    size += token.length;
  }
  return { counts, size };
}

type Counts = ReturnType<typeof countsOf>;

/** How much two lines have in common, from 0 to 1. */
function alike(one: Counts, other: Counts): number {
  let shared = 0;
  for (const [token, length] of one.counts) shared += Math.min(length, other.counts.get(token) ?? 0);
  return one.size && other.size ? shared / Math.max(one.size, other.size) : 0;
}

/** Which of the lines that go became which of those that come, in order; what is new as a whole is in no pair. */
export function pairsOf(gone: readonly string[], come: readonly string[]): [number, number][] {
  if (!gone.length || !come.length || gone.length * come.length > PAIRS_MAX) return [];
  const [one, other] = [gone.map(countsOf), come.map(countsOf)];
  const score = one.map((a) => other.map((b) => Math.max(0, alike(a, b) - ALIKE_MIN)));
  // The best sum of pairs in order.
  const best = Array.from({ length: gone.length + 1 }, () => new Float64Array(come.length + 1));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  for (let i = gone.length - 1; i >= 0; i -= 1) {
    const row = best[i];
    if (!row) continue;
    for (let j = come.length - 1; j >= 0; j -= 1) row[j] = Math.max(at(i + 1, j), at(i, j + 1), at(i + 1, j + 1) + (score[i]?.[j] ?? 0));
  }
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < gone.length && j < come.length) {
    const own = score[i]?.[j] ?? 0;
    if (own > 0 && at(i, j) === at(i + 1, j + 1) + own) pairs.push([i++, j++]);
    else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** What of a text is at the beginning and at the end of another one, too; the rest is the part that differs. */
function middle(text: string, other: string): Part[] {
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from += 1;
  let end = 0;
  while (end < most - from && text[text.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return from < text.length - end ? [{ from, to: text.length - end }] : [];
}

/** The parts of a text that differ from another one. */
export function changedParts(text: string, other: string): Part[] {
  const [a, b] = [tokensOf(text), tokensOf(other)];
  if (!a.length || !b.length || a.length > TOKENS_MAX || b.length > TOKENS_MAX) return middle(text, other);
  const same = new Set(matches(a, b).map(([i]) => i));
  const parts: Part[] = [];
  let at = 0;
  a.forEach((token, place) => {
    const to = at + token.length;
    const last = parts.at(-1);
    if (!same.has(place)) {
      // A gap of space or a single sign is no island.
      if (last && /^(\s*|\S)$/u.test(text.slice(last.to, at))) last.to = to;
      else parts.push({ from: at, to });
    }
    at = to;
  });
  const [first, last] = [parts[0], parts.at(-1)];
  return first && last && parts.length > PARTS_MAX ? [{ from: first.from, to: last.to }] : parts;
}
