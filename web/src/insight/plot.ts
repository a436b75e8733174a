/** Scales and sums for plots; nothing here draws. */

import type { StatsRow } from '../api/schema';

/** Marks of the time axis, in seconds. */
const MARKS = [1, 10, 60, 600, 3600, 36_000, 86_400, 864_000];

/** The marks a log axis needs to hold this many milliseconds; never fewer than to a minute. */
export function marksFor(maxMs: number): number[] {
  const top = MARKS.findIndex((mark) => mark >= maxMs / 1000);
  return MARKS.slice(0, Math.max(2, top < 0 ? MARKS.length - 1 : top) + 1);
}

/** Where on an axis from 0 (the first mark) to 1 (the last) a time stands. */
export function logPlace(ms: number, marks: number[]): number {
  const [first, last] = [marks[0] ?? 1, marks.at(-1) ?? 10];
  const at = Math.log(Math.max(ms / 1000, first) / first) / Math.log(last / first);
  return Math.min(1, at);
}

/** Runs of places that have a value, so that a gap stays a gap. */
export function runs<T>(values: (T | undefined)[]): { at: number; value: T }[][] {
  const out: { at: number; value: T }[][] = [];
  let run: { at: number; value: T }[] = [];
  values.forEach((value, at) => {
    if (value !== undefined) run.push({ at, value });
    else if (run.length) {
      out.push(run);
      run = [];
    }
  });
  if (run.length) out.push(run);
  return out;
}

/** A round number at or above, for the end of a plain axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const step = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((times) => times * step >= value) ?? 10) * step;
}

export type Ends = { rule: number; yes: number; no: number; expired: number };

/** What became of asks, in four heaps. */
export function endsOf(row: StatsRow): Ends {
  const yes = row.answered - row.by_rule - row.denied;
  return { rule: row.by_rule, yes: Math.max(0, yes), no: row.denied, expired: row.expired + row.dismissed + row.withdrawn };
}

export type HourRow = 'rule' | 'allowed' | 'answered' | 'denied' | 'expired';

export function hourValue(row: StatsRow | undefined, which: HourRow): number {
  if (!row) return 0;
  switch (which) {
    case 'rule':
      return row.by_rule;
    case 'allowed':
      return row.allowed;
    case 'answered':
      return Math.max(0, row.answered - row.by_rule - row.allowed - row.denied);
    case 'denied':
      return row.denied;
    case 'expired':
      return row.expired + row.dismissed + row.withdrawn;
  }
}

/** The largest few, and the rest as one. */
export function largest<T>(rows: T[], size: (row: T) => number, most: number): { shown: T[]; rest: T[] } {
  const sorted = rows.filter((row) => size(row) > 0).sort((a, b) => size(b) - size(a));
  return { shown: sorted.slice(0, most), rest: sorted.slice(most) };
}
