/**
 * What two lists have in common, in order, as pairs of places. The shortest edit where it is found
 * quickly; else the lists are cut at what occurs once in both; else they have nothing in common.
 * The time is bounded whatever the lists are, which agents decide.
 */

type Pairs = [number, number][];
type Range = { a0: number; a1: number; b0: number; b1: number };

/** Lines that may go and come in the shortest edit that is looked for. */
const EDITS_MAX = 400;
/** How often lists are cut at what occurs once in both. */
const CUTS_MAX = 8;
/** Comparisons for one pair of lists. */
const STEPS_MAX = 20_000_000;

/** Numbers for values, so that comparing them costs the same for all. */
function numbered(lists: readonly (readonly string[])[]): number[][] {
  const known = new Map<string, number>();
  return lists.map((list) =>
    list.map((value) => {
      const number = known.get(value) ?? known.size;
      known.set(value, number);
      return number;
    }),
  );
}

class Matcher {
  private readonly a: number[];
  private readonly b: number[];
  private steps = 0;
  readonly pairs: Pairs = [];

  constructor(a: number[], b: number[]) {
    this.a = a;
    this.b = b;
  }

  run(range: Range, cuts = 0): void {
    const { a, b } = this;
    let { a0, a1, b0, b1 } = range;
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) this.pairs.push([a0++, b0++]);
    const tail: Pairs = [];
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) tail.push([--a1, --b1]);
    const inner = { a0, a1, b0, b1 };
    if (a0 < a1 && b0 < b1 && !this.shortest(inner)) this.cut(inner, cuts);
    this.pairs.push(...tail.reverse());
  }

  /** The shortest edit after Myers; false when it is not found soon. */
  private shortest({ a0, a1, b0, b1 }: Range): boolean {
    const { a, b } = this;
    const [n, m] = [a1 - a0, b1 - b0];
    const most = Math.min(EDITS_MAX, n + m);
    const far = new Int32Array(2 * most + 3);
    const trail: Int32Array[] = [];
    for (let d = 0; d <= most; d += 1) {
      // What a step back looks at: the diagonals of the step before.
      trail.push(far.slice(most + 1 - d, most + 2 + d));
      for (let k = -d; k <= d; k += 2) {
        const at = most + 1 + k;
        const down = k === -d || (k !== d && (far[at - 1] ?? 0) < (far[at + 1] ?? 0));
        let x = d === 0 ? 0 : down ? (far[at + 1] ?? 0) : (far[at - 1] ?? 0) + 1;
        let y = x - k;
        const from = x;
        while (x < n && y < m && a[a0 + x] === b[b0 + y]) {
          x += 1;
          y += 1;
        }
        this.steps += x - from + 1;
        far[at] = x;
        if (x >= n && y >= m) {
          this.back(trail, d, { a0, a1, b0, b1 });
          return true;
        }
      }
      if (this.steps > STEPS_MAX) return false;
    }
    return false;
  }

  /** Walks the shortest edit back from its end. */
  private back(trail: Int32Array[], edits: number, { a0, a1, b0, b1 }: Range): void {
    const found: Pairs = [];
    let [x, y] = [a1 - a0, b1 - b0];
    for (let d = edits; d > 0; d -= 1) {
      const before = trail[d] ?? new Int32Array();
      const at = (k: number) => before[k + d] ?? 0;
      const k = x - y;
      const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
      const from = down ? k + 1 : k - 1;
      const fromX = at(from);
      const start = down ? fromX : fromX + 1;
      while (x > start) found.push([a0 + --x, b0 + --y]);
      [x, y] = [fromX, fromX - from];
    }
    while (x > 0 && y > 0) found.push([a0 + --x, b0 + --y]);
    this.pairs.push(...found.reverse());
  }

  /** Cuts at what occurs once in both, and matches what is between. */
  private cut({ a0, a1, b0, b1 }: Range, cuts: number): void {
    if (cuts >= CUTS_MAX || this.steps > STEPS_MAX) return;
    this.steps += a1 - a0 + b1 - b0;
    const rows = anchors(this.a, this.b, { a0, a1, b0, b1 });
    if (!rows.length) return;
    let [i, j] = [a0, b0];
    for (const [x, y] of rows) {
      this.run({ a0: i, a1: x, b0: j, b1: y }, cuts + 1);
      this.pairs.push([x, y]);
      [i, j] = [x + 1, y + 1];
    }
    this.run({ a0: i, a1, b0: j, b1 }, cuts + 1);
  }
}

/** What occurs once in both ranges, the longest run of it that is in the same order in both. */
function anchors(a: number[], b: number[], { a0, a1, b0, b1 }: Range): Pairs {
  const once = (list: number[], from: number, to: number) => {
    const places = new Map<number, number>();
    for (let at = from; at < to; at += 1) {
      const value = list[at] ?? -1;
      places.set(value, places.has(value) ? -1 : at);
    }
    return places;
  };
  const there = once(b, b0, b1);
  const both: Pairs = [];
  for (const [value, x] of once(a, a0, a1)) {
    const y = there.get(value) ?? -1;
    if (x >= 0 && y >= 0) both.push([x, y]);
  }
  return rising(both);
}

/** The longest run of pairs that rise on both sides; they come in the order of the first. */
function rising(pairs: Pairs): Pairs {
  const ends: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, y], at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  });
  const out: Pairs = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair) out.push(pair);
  }
  return out.reverse();
}

/** The places of what both lists have, in order. */
export function matches(one: readonly string[], other: readonly string[]): Pairs {
  const [a = [], b = []] = numbered([one, other]);
  // What only one of them has is in no match, and makes every edit longer.
  const [hasA, hasB] = [new Set(a), new Set(b)];
  const shared = (list: number[], has: Set<number>) => list.flatMap((value, at) => (has.has(value) ? [at] : []));
  const [fromA, fromB] = [shared(a, hasB), shared(b, hasA)];
  const matcher = new Matcher(fromA.map((at) => a[at] ?? -1), fromB.map((at) => b[at] ?? -1));
  matcher.run({ a0: 0, a1: fromA.length, b0: 0, b1: fromB.length });
  return matcher.pairs.map(([x, y]) => [fromA[x] ?? 0, fromB[y] ?? 0]);
}
