/** The rows of an edit as they are drawn: changes with a few lines around them, the rest folded. */

import type { Line } from './diff';

/** One row. Side by side it has two halves; in one column the line is its left one. */
export type Row = { key: number; left: Line | undefined; right: Line | undefined; change: number | undefined; /** Whether its change begins here. */ first: boolean; /** The lines in it that must have been seen. */ must: number[] };
/** Lines in one go: drawn, or folded and told by their number and what they are part of. */
export type Stretch = { key: number; rows: Row[]; folded: number; name: string };

/** Lines that stay around a change. */
const AROUND = 3;
/** So few lines between two changes make them one. */
const BETWEEN = 2;
/** Fewer lines than this are not worth a fold. */
const FOLD_MIN = 4;
/** So far back is looked for the name of what a line is part of. */
const LOOK_BACK = 400;
const NAME_CHARS_MAX = 60;
const OPENS = /^\s*(?:(?:pub(?:\([\w:]+\))?|export|default|async|static|abstract|final|public|private|protected|internal|open|override|unsafe|const|declare|data|sealed)\s+)*(?:fn|function|func|fun|def|class|impl|struct|enum|trait|interface|mod|module|namespace|type|record|object|describe|test)\b/;

const indent = (text: string) => /^\s*/.exec(text)?.[0].length ?? 0;

/** What the line at this place is part of, as it is written above it among the folded lines. */
function nameAt(lines: Line[], at: number, from: number): string {
  const next = lines.slice(at, at + AROUND).find(({ text }) => text.trim());
  if (!next) return '';
  let least = indent(next.text);
  for (let place = at - 1; place >= Math.max(from, at - LOOK_BACK) && least > 0; place -= 1) {
    const text = lines[place]?.text ?? '';
    if (!text.trim() || indent(text) >= least) continue;
    least = indent(text);
    if (OPENS.test(text)) return text.trim().replace(/\s*[{:(]+$/, '').slice(0, NAME_CHARS_MAX);
  }
  return '';
}

/** Which change each line is part of. */
function changesOf(lines: Line[]): (number | undefined)[] {
  let change = -1;
  let last = -Infinity;
  return lines.map(({ sign }, at) => {
    if (sign === ' ') return undefined;
    if (at - last > BETWEEN + 1) change += 1;
    last = at;
    return change;
  });
}

export function changeCount(lines: Line[]): number {
  return (changesOf(lines).findLast((change) => change !== undefined) ?? -1) + 1;
}

function rowsOf(lines: Line[], from: number, to: number, changes: (number | undefined)[], split: boolean): Row[] {
  const out: Row[] = [];
  let gone: number[] = [];
  let come: number[] = [];
  const row = (left: number | undefined, right: number | undefined): Row => {
    const key = left ?? right ?? 0;
    const must = [left, right].filter((at) => at !== undefined && lines[at]?.sign !== ' ') as number[];
    return { key, left: left === undefined ? undefined : lines[left], right: right === undefined ? undefined : lines[right], change: changes[key], first: false, must };
  };
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) out.push(row(gone[at], come[at]));
    [gone, come] = [[], []];
  };
  for (let at = from; at < to; at += 1) {
    const sign = lines[at]?.sign;
    if (!split) out.push(row(at, undefined));
    else if (sign === '-') gone.push(at);
    else if (sign === '+') come.push(at);
    else {
      flush();
      out.push(row(at, at));
    }
  }
  flush();
  return out;
}

/** The edit in stretches; `opened` are the keys of folds that were shown. */
export function stretchesOf(lines: Line[], split: boolean, opened: ReadonlySet<number>): Stretch[] {
  const changes = changesOf(lines);
  const out: Stretch[] = [];
  const shown = (from: number, to: number) => {
    if (from < to) out.push({ key: from, rows: rowsOf(lines, from, to, changes, split), folded: 0, name: '' });
  };
  let done = 0;
  let at = 0;
  while (at < lines.length) {
    if (changes[at] !== undefined) {
      at += 1;
      continue;
    }
    let end = at;
    while (end < lines.length && changes[end] === undefined) end += 1;
    const from = at === 0 ? 0 : at + AROUND;
    const to = end === lines.length ? end : end - AROUND;
    if (to - from >= FOLD_MIN) {
      shown(done, from);
      if (opened.has(from)) shown(from, to);
      else out.push({ key: from, rows: [], folded: to - from, name: to < lines.length ? nameAt(lines, to, from) : '' });
      done = to;
    }
    at = end;
  }
  shown(done, lines.length);
  let last: number | undefined;
  for (const row of out.flatMap(({ rows }) => rows)) {
    row.first = row.change !== undefined && row.change !== last;
    last = row.change ?? last;
  }
  return out;
}
