/** What an edit changes, line by line and inside changed lines word by word. */

export type Span = { text: string; changed: boolean };
export type Line = { sign: ' ' | '-' | '+'; before: number | undefined; after: number | undefined; spans: Span[] };

/** Work that a comparison may cost; beyond it everything counts as replaced. */
const STEPS_MAX = 4_000_000;

/** The longest common run of two lists, as pairs of places; undefined when it costs too much. */
function matches<T>(a: T[], b: T[]): [number, number][] | undefined {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const rows = a.length - start - end;
  const columns = b.length - start - end;
  if (rows * columns > STEPS_MAX) return undefined;
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  const at = (r: number, c: number) => best[r * width + c] ?? 0;
  for (let r = rows - 1; r >= 0; r -= 1) {
    for (let c = columns - 1; c >= 0; c -= 1) {
      best[r * width + c] =
        a[start + r] === b[start + c] ? at(r + 1, c + 1) + 1 : Math.max(at(r + 1, c), at(r, c + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i += 1) pairs.push([i, i]);
  let r = 0;
  let c = 0;
  while (r < rows && c < columns) {
    if (a[start + r] === b[start + c]) {
      pairs.push([start + r, start + c]);
      r += 1;
      c += 1;
    } else if (at(r + 1, c) >= at(r, c + 1)) r += 1;
    else c += 1;
  }
  for (let i = end; i > 0; i -= 1) pairs.push([a.length - i, b.length - i]);
  return pairs;
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));
const plain = (text: string): Span[] => [{ text, changed: false }];

/** Marks the words in which two lines differ; two lines with little in common are not marked. */
function inside(before: string, after: string): [Span[], Span[]] {
  const a = before.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const b = after.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const pairs = matches([...a], [...b]) ?? [];
  const same = pairs.reduce((sum, [i]) => sum + (a[i]?.trim().length ?? 0), 0);
  if (same * 3 < Math.min(before.trim().length, after.trim().length)) return [plain(before), plain(after)];
  const mark = (words: readonly string[], kept: Set<number>): Span[] => {
    const spans: Span[] = [];
    words.forEach((text, i) => {
      const changed = !kept.has(i);
      const last = spans.at(-1);
      if (last && last.changed === changed) last.text += text;
      else spans.push({ text, changed });
    });
    return spans;
  };
  return [mark(a, new Set(pairs.map(([i]) => i))), mark(b, new Set(pairs.map(([, j]) => j)))];
}

/** The edit as lines. */
export function diff(old: string, now: string): Line[] {
  // A line break at the end of both ends the last line; one that only one of them has is shown.
  const both = old.endsWith('\n') && now.endsWith('\n');
  const a = linesOf(both ? old.slice(0, -1) : old);
  const b = linesOf(both ? now.slice(0, -1) : now);
  const pairs = matches(a, b) ?? [];
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...pairs, [a.length, b.length] as [number, number]]) {
    const removed = a.slice(i, x);
    const added = b.slice(j, y);
    const marked = removed.map((text, at) => inside(text, added[at] ?? ''));
    removed.forEach((text, at) => {
      const spans = added[at] === undefined ? plain(text) : (marked[at]?.[0] ?? plain(text));
      out.push({ sign: '-', before: i + at + 1, after: undefined, spans });
    });
    added.forEach((text, at) => {
      const spans = removed[at] === undefined ? plain(text) : (marked[at]?.[1] ?? plain(text));
      out.push({ sign: '+', before: undefined, after: j + at + 1, spans });
    });
    if (x < a.length) out.push({ sign: ' ', before: x + 1, after: y + 1, spans: plain(a[x] ?? '') });
    i = x + 1;
    j = y + 1;
  }
  return out;
}

export type Pair = { left: Line | undefined; right: Line | undefined };

/** The edit side by side: what goes at the left, what comes at the right, what stays on both. */
export function sideBySide(lines: Line[]): Pair[] {
  const out: Pair[] = [];
  let gone: Line[] = [];
  let come: Line[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) out.push({ left: gone[at], right: come[at] });
    gone = [];
    come = [];
  };
  for (const line of lines) {
    if (line.sign === '-') gone.push(line);
    else if (line.sign === '+') come.push(line);
    else {
      flush();
      out.push({ left: line, right: line });
    }
  }
  flush();
  return out;
}

export function counts(lines: Line[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.sign === '+').length,
    removed: lines.filter((line) => line.sign === '-').length,
  };
}
