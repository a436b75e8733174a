/**
 * Asks that ended, newest first, page by page as somebody scrolls. Pages far from what is looked
 * at are let go and read again when somebody comes back, so that a million take no more room than
 * a few hundred.
 */

import { get, Refused } from '../api/call';
import type { Ask, AskPage, Matter } from '../api/schema';
import { feed } from './feed.svelte';
import { inbox } from './inbox.svelte';

const PAGE_ROWS = 60;
/** Pages kept on either side of what is looked at. */
const PAGES_KEPT = 10;
/** Asks that end while the list is open and stand above its pages. */
const FRESH_MAX = 500;
/** Pause after the last letter before the search goes out. */
const TYPING_MS = 200;

/** Rows of one day that follow each other. */
export type Run = { day: number; count: number };
type Page = { after: string | undefined; asks: Ask[] | undefined; count: number; runs: Run[] };

function dayOf(ask: Ask): number {
  const at = new Date(ask.outcome?.at ?? ask.asked_at);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** Joins runs of the same day. */
function joined(runs: Run[]): Run[] {
  const out: Run[] = [];
  for (const { day, count } of runs) {
    const last = out.at(-1);
    if (last?.day === day) last.count += count;
    else out.push({ day, count });
  }
  return out;
}

function pageOf(after: string | undefined, asks: Ask[]): Page {
  return { after, asks, count: asks.length, runs: joined(asks.map((ask) => ({ day: dayOf(ask), count: 1 }))) };
}

class History {
  /** What ended since the first page was read. */
  private fresh = $state.raw<Ask[]>([]);
  private pages = $state.raw<Page[]>([]);
  search = $state('');
  agent = $state('');
  matter = $state<Matter | ''>('');
  state = $state<'idle' | 'reading' | 'end' | 'failed'>('idle');
  tookMs = $state(0);
  private next: string | undefined;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readingAgain = new Set<string | undefined>();

  count = $derived(this.fresh.length + this.pages.reduce((sum, page) => sum + page.count, 0));
  /** The days in order, with how many rows each has. */
  days = $derived(joined([...this.fresh.map((ask) => ({ day: dayOf(ask), count: 1 })), ...this.pages.flatMap((page) => page.runs)]));

  constructor() {
    feed.on('closed', ({ ask }) => {
      if (this.isNarrow() || !this.pages.length || this.known(ask.id)) return;
      this.fresh = [ask, ...this.fresh];
      // Too many to stand above the pages: they are read anew, with those in them.
      if (this.fresh.length > FRESH_MAX) this.again(false);
    });
    feed.on('delivery', ({ asks }) => {
      const news = new Map(asks.map(({ id, delivery }) => [id, delivery]));
      const told = (list: Ask[]) => list.map((ask) => ({ ...ask, delivery: news.get(ask.id) ?? ask.delivery }));
      const has = (list: Ask[] | undefined) => list?.some((ask) => news.has(ask.id)) ?? false;
      if (has(this.fresh)) this.fresh = told(this.fresh);
      if (this.pages.some((page) => has(page.asks))) this.pages = this.pages.map((page) => (page.asks && has(page.asks) ? { ...page, asks: told(page.asks) } : page));
    });
  }

  private isNarrow(): boolean {
    return Boolean(this.search || this.agent || this.matter);
  }

  private known(id: string): Ask | undefined {
    const here = (list: Ask[] | undefined) => list?.find((ask) => ask.id === id);
    return here(this.fresh) ?? this.pages.map((page) => here(page.asks)).find(Boolean);
  }

  /** Begins anew, a moment after the last letter. */
  again(wait = true): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.turn += 1;
      this.next = undefined;
      this.state = 'idle';
      this.readingAgain.clear();
      void this.more(true);
    }, wait ? TYPING_MS : 0);
  }

  private read(after: string | undefined): Promise<AskPage> {
    return get<AskPage>('/v1/asks', {
      state: 'closed',
      search: this.search.trim() || undefined,
      agent: this.agent || undefined,
      matter: this.matter || undefined,
      limit: PAGE_ROWS,
      after,
    });
  }

  async more(fresh = false): Promise<void> {
    if (this.state === 'reading' || (this.state === 'end' && !fresh)) return;
    this.state = 'reading';
    const [turn, after, begun] = [this.turn, this.next, performance.now()];
    try {
      const page = await this.read(after);
      if (turn !== this.turn) return;
      this.tookMs = performance.now() - begun;
      if (fresh) this.fresh = this.isNarrow() ? [] : inbox.endedAfter(page.as_of);
      const above = new Set(this.fresh.map((ask) => ask.id));
      const read = pageOf(after, page.asks.filter((ask) => !above.has(ask.id)));
      this.pages = fresh ? [read] : [...this.pages, read];
      this.next = page.next ?? undefined;
      this.state = page.next ? 'idle' : 'end';
    } catch (error) {
      if (turn !== this.turn) return;
      // A word the search cannot read finds nothing; everything else is worth another try.
      this.state = error instanceof Refused && error.problem.code === 'invalid' ? 'end' : 'failed';
      if (fresh) [this.fresh, this.pages] = [[], []];
    }
  }

  /** The asks of these rows; nothing for those that are being read again. */
  rows(from: number, to: number): (Ask | undefined)[] {
    const out: (Ask | undefined)[] = this.fresh.slice(from, to);
    let start = this.fresh.length;
    for (const { asks, count } of this.pages) {
      if (start >= to) break;
      for (let at = Math.max(from, start); at < Math.min(to, start + count); at += 1) out.push(asks?.[at - start]);
      start += count;
    }
    return out;
  }

  /** Sees to it that the pages around these rows are here, and lets go of those far from them. */
  look(from: number, to: number): void {
    let start = this.fresh.length;
    const near = this.pages.map(({ count }) => {
      const [first, last] = [start, start + count];
      start = last;
      const reach = PAGES_KEPT * PAGE_ROWS;
      return { seen: last > from && first < to, kept: last > from - reach && first < to + reach };
    });
    if (this.pages.some(({ asks }, at) => asks && !near[at]?.kept)) this.pages = this.pages.map((page, at) => (near[at]?.kept ? page : { ...page, asks: undefined }));
    for (const [at, { asks, after }] of this.pages.entries()) if (!asks && near[at]?.seen) void this.readAgain(after);
  }

  private async readAgain(after: string | undefined): Promise<void> {
    if (this.readingAgain.has(after)) return;
    this.readingAgain.add(after);
    const turn = this.turn;
    try {
      const page = await this.read(after);
      const above = new Set(this.fresh.map((ask) => ask.id));
      if (turn === this.turn) this.pages = this.pages.map((one) => (one.after === after && !one.asks ? pageOf(after, page.asks.filter((ask) => !above.has(ask.id))) : one));
    } catch {
      // Whoever scrolls on asks for it again.
    } finally {
      this.readingAgain.delete(after);
    }
  }

  /** The row that stands so many steps from the one of this ask; the first when it has none. */
  neighbour(id: string | undefined, step: number): Ask | undefined {
    const here = [...this.fresh, ...this.pages.flatMap((page) => page.asks ?? [])];
    const at = here.findIndex((ask) => ask.id === id);
    return here[Math.max(0, Math.min(here.length - 1, at < 0 ? 0 : at + step))];
  }

  find(id: string): Ask | undefined {
    return this.known(id) ?? inbox.asks.get(id);
  }
}

export const past = new History();
