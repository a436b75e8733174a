/**
 * Markdown inside a line: emphasis, code, links and pictures. It reads each character a bounded
 * number of times, whatever is written, and what it does not understand stays text. Where common
 * readers would eat a sign of a path or of a name (`src/**`, `__init__.py`), it stays as well.
 */

import { pieces } from '../escape';

export type Span =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; inner: Span[] }
  | { kind: 'link'; href: string; host: string; inner: Span[] }
  | { kind: 'picture'; alt: string; address: string };

/** How much may still be drawn, and how many signs looked at; what comes after that is text. */
export type Budget = { left: number; signs: number };

/** Blocks and spans of one text that are drawn as such. */
export const NODES_MAX = 3000;
const SIGNS_MAX = 12_000;

export const newBudget = (): Budget => ({ left: NODES_MAX, signs: SIGNS_MAX });

const DEPTH_MAX = 8;
const ADDRESS_MAX = 2048;
/** Brackets inside an address. */
const BRACKETS_MAX = 3;
/** More signs in a row than this mean a line, not emphasis. */
const RUN_MAX = 3;
/** Signs that wait for their other half. */
const OPEN_MAX = 500;

/** What may be something else than text; a backslash only before a sign that it takes the meaning from. */
const SPECIAL = /\\(?=[*_`~[\]<>|#])|[`*_~[\]<]|!\[|https?:\/\//g;
const ANGLED = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2048})>/y;
const BARE = /https?:\/\/[^\s<>"`[\]]*/y;
const WORD = /[\p{L}\p{N}_]/u;
const STEM = /[A-Za-z0-9/\\]/;

type Frame = { sign: string; count: number; at: number; from: number; depth: number; inner: Span[] };
type Opener = '*' | '_' | '~' | '[';

/** Whether a link may lead there, and where that is: the host, or whom a mail goes to. */
export function hostOf(href: string): string | undefined {
  if (!/^(?:https?:\/\/[^/?#]|mailto:.)/i.test(href) || pieces(href, false).some(({ kind }) => kind === 'hidden')) return undefined;
  try {
    const url = new URL(href);
    return url.protocol === 'mailto:' ? url.pathname : url.host || undefined;
  } catch {
    return undefined;
  }
}

function add(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (span.kind === 'text' && last?.kind === 'text') last.text += span.text;
  else if (span.kind !== 'text' || span.text) spans.push(span.kind === 'text' ? { ...span } : span);
}

/** The same without links, for what is a link as a whole. */
const unlinked = (spans: Span[]): Span[] =>
  spans.flatMap((span) => (span.kind === 'link' ? unlinked(span.inner) : 'inner' in span ? [{ ...span, inner: unlinked(span.inner) }] : [span]));

class Reader {
  private at = 0;
  private frames: Frame[] = [{ sign: '', count: 0, at: 0, from: 0, depth: 0, inner: [] }];
  private open: Record<Opener, Frame[]> = { '*': [], _: [], '~': [], '[': [] };
  /** Where runs of backticks begin, by their length, the first one last. */
  private ticks: Map<number, number[]> | undefined;
  private readonly source: string;
  private readonly budget: Budget;

  constructor(source: string, budget: Budget) {
    this.source = source;
    this.budget = budget;
  }

  read(): Span[] {
    for (;;) {
      SPECIAL.lastIndex = this.at;
      const found = this.budget.left > 0 && (this.budget.signs -= 1) >= 0 ? SPECIAL.exec(this.source) : null;
      this.text(this.source.slice(this.at, found?.index));
      if (!found) break;
      this.at = found.index;
      this.sign(found[0]);
    }
    this.flatten(0);
    return this.frames[0]?.inner ?? [];
  }

  private get top(): Frame {
    return this.frames[this.frames.length - 1] as Frame;
  }

  private text(text: string): void {
    add(this.top.inner, { kind: 'text', text });
  }

  private put(span: Span, depth: number): void {
    this.budget.left -= 1;
    this.top.depth = Math.max(this.top.depth, depth);
    add(this.top.inner, span);
  }

  /** Leaves the next characters as text. */
  private plain(count: number): void {
    this.text(this.source.slice(this.at, this.at + count));
    this.at += count;
  }

  private sign(sign: string): void {
    if (sign === '\\') {
      this.at += 1;
      this.plain(1);
    } else if (sign === '`') this.code();
    else if (sign === '[' || sign === '![') this.push(sign, 1, '[');
    else if (sign === ']') this.bracket();
    else if (sign === '<') this.angled();
    else if (sign.startsWith('http')) this.bare();
    else this.run(sign as Exclude<Opener, '['>);
  }

  private push(sign: string, count: number, kind: Opener): void {
    if (this.frames.length > OPEN_MAX) return this.plain(sign.length * count);
    const frame = { sign, count, at: this.frames.length, from: this.at + sign.length, depth: 0, inner: [] };
    this.frames.push(frame);
    this.open[kind].push(frame);
    this.at += sign.length * count;
  }

  /** Everything above a frame becomes part of it, its signs as text. */
  private flatten(to: number): void {
    const into = this.frames[to];
    if (!into) return;
    for (const frame of this.frames.splice(to + 1)) {
      add(into.inner, { kind: 'text', text: frame.sign.repeat(frame.count) });
      for (const span of frame.inner) add(into.inner, span);
      into.depth = Math.max(into.depth, frame.depth);
    }
    for (const stack of Object.values(this.open)) while ((stack.at(-1)?.at ?? -1) > to) stack.pop();
  }

  private code(): void {
    const { source } = this;
    if (!this.ticks) {
      this.ticks = new Map();
      for (const { 0: { length }, index } of [...source.matchAll(/`+/g)].reverse()) {
        const places = this.ticks.get(length);
        if (places) places.push(index);
        else this.ticks.set(length, [index]);
      }
    }
    let { at } = this;
    while (source[at] === '`') at += 1;
    const length = at - this.at;
    const places = this.ticks.get(length) ?? [];
    while ((places.at(-1) ?? Infinity) < at) places.pop();
    const end = places.at(-1);
    if (end === undefined) return this.plain(length);
    const text = source.slice(at, end);
    this.put({ kind: 'code', text: /^ .*\S.* $/s.test(text) ? text.slice(1, -1) : text }, 1);
    this.at = end + length;
  }

  private run(sign: '*' | '_' | '~'): void {
    const { source } = this;
    let end = this.at;
    while (source[end] === sign) end += 1;
    let count = end - this.at;
    const before = source[this.at - 1] ?? ' ';
    const [after, beyond] = [source[end] ?? ' ', source[end + 1] ?? ' '];
    const tilde = sign === '~';
    if (count > RUN_MAX || (tilde && count !== 2)) return this.plain(count);
    const inside = sign === '_' ? WORD : STEM;
    const opens = /[^\s/]/.test(after) && !inside.test(before);
    const ends = sign === '_' ? /[\s,;:!?)\]}"'”’*~—–]/.test(after) || (after === '.' && /\s/.test(beyond)) : !inside.test(after) || (count > 1 && after !== '/');
    if (/[^\s/]/.test(before) && ends) count = this.close(sign, count);
    this.at = end - count;
    if (!count) return;
    if (opens) this.push(sign, count, sign);
    else this.plain(count);
  }

  /** Closes what was opened with this sign; gives how many signs are left. */
  private close(sign: '*' | '_' | '~', count: number): number {
    let left = count;
    for (;;) {
      const frame = this.open[sign].at(-1);
      if (!frame || !left || frame.depth >= DEPTH_MAX) return left;
      this.flatten(frame.at);
      if (frame.depth >= DEPTH_MAX || !frame.inner.length) return left;
      const used = Math.min(2, left, frame.count);
      const kind = sign === '~' ? 'del' : used === 2 ? 'strong' : 'em';
      const [inner, depth] = [frame.inner, frame.depth + 1];
      frame.count -= used;
      left -= used;
      if (frame.count) [frame.inner, frame.depth] = [[], 0];
      else {
        this.frames.pop();
        this.open[sign].pop();
      }
      this.put({ kind, inner }, depth);
    }
  }

  private bracket(): void {
    const frame = this.open['['].at(-1);
    if (!frame) return this.plain(1);
    const [address, end] = this.source[this.at + 1] === '(' ? this.address(this.at + 2) : ['', 0];
    const isPicture = frame.sign === '![';
    const host = isPicture ? undefined : hostOf(address);
    if (end) this.budget.left -= 1;
    if (!end || frame.depth >= DEPTH_MAX || (!isPicture && host === undefined)) {
      this.open['['].pop();
      return this.plain(1);
    }
    const alt = this.source.slice(frame.from, this.at);
    this.flatten(frame.at);
    this.frames.pop();
    // No link stands in another.
    this.open['['] = [];
    if (isPicture) this.put({ kind: 'picture', alt, address }, 1);
    else this.put({ kind: 'link', href: address, host: host ?? '', inner: unlinked(frame.inner) }, frame.depth + 1);
    this.at = end;
  }

  /** The address in round brackets, and where it ends. */
  private address(from: number): [string, number] {
    let depth = 0;
    for (let at = from; at < this.source.length && at - from <= ADDRESS_MAX; at += 1) {
      const c = this.source[at] ?? '';
      if (c <= ' ' || (c === '(' && (depth += 1) > BRACKETS_MAX)) break;
      if (c === ')' && (depth -= 1) < 0) return [this.source.slice(from, at), at + 1];
    }
    return ['', 0];
  }

  private angled(): void {
    ANGLED.lastIndex = this.at;
    const href = ANGLED.exec(this.source)?.[1] ?? '';
    if (!this.link(href, href.replace(/^mailto:/, ''))) return this.plain(1);
    this.at += href.length + 2;
  }

  private bare(): void {
    BARE.lastIndex = this.at;
    const found = BARE.exec(this.source)?.[0] ?? '';
    const href = trimmed(found);
    if (WORD.test(this.source[this.at - 1] ?? ' ') || !this.link(href, href)) this.plain(found.length);
    else this.at += href.length;
  }

  private link(href: string, text: string): boolean {
    const host = href.length > ADDRESS_MAX ? undefined : hostOf(href);
    // Looking at an address costs as much as drawing it.
    this.budget.left -= 1;
    if (host === undefined) return false;
    this.put({ kind: 'link', href, host, inner: [{ kind: 'text', text }] }, 1);
    return true;
  }
}

/** An address without the signs of the sentence around it. */
function trimmed(address: string): string {
  let open = address.split('(').length - address.split(')').length;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const c = address[end - 1] ?? '';
    if (c === ')' ? open >= 0 : !/[.,;:!?'*_~]/.test(c)) break;
    if (c === ')') open += 1;
  }
  return address.slice(0, end);
}

export function spansOf(source: string, budget: Budget): Span[] {
  return new Reader(source, budget).read();
}
