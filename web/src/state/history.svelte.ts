/** Asks that ended, newest first, page by page as somebody scrolls. */

import { get, Refused } from '../api/call';
import type { Ask, AskPage, Matter } from '../api/schema';
import { feed } from './feed.svelte';
import { inbox } from './inbox.svelte';

const PAGE_ROWS = 60;
/** Pause after the last letter before the search goes out. */
const TYPING_MS = 200;

class History {
  asks = $state.raw<Ask[]>([]);
  search = $state('');
  agent = $state('');
  matter = $state<Matter | ''>('');
  state = $state<'idle' | 'reading' | 'end' | 'failed'>('idle');
  tookMs = $state(0);
  private next: string | undefined;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    feed.on('closed', ({ ask }) => {
      if (!this.search && !this.agent && !this.matter && this.state !== 'idle' && !this.asks.some((one) => one.id === ask.id)) {
        this.asks = [ask, ...this.asks];
      }
    });
    feed.on('delivery', ({ asks }) => {
      const news = new Map(asks.map(({ id, delivery }) => [id, delivery]));
      if (this.asks.some((ask) => news.has(ask.id))) {
        this.asks = this.asks.map((ask) => ({ ...ask, delivery: news.get(ask.id) ?? ask.delivery }));
      }
    });
  }

  /** Begins anew, a moment after the last letter. */
  again(wait = true): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.turn += 1;
      this.next = undefined;
      this.state = 'idle';
      void this.more(true);
    }, wait ? TYPING_MS : 0);
  }

  async more(fresh = false): Promise<void> {
    if (this.state === 'reading' || (this.state === 'end' && !fresh)) return;
    this.state = 'reading';
    const turn = this.turn;
    const begun = performance.now();
    try {
      const page = await get<AskPage>('/v1/asks', {
        state: 'closed',
        search: this.search.trim() || undefined,
        agent: this.agent || undefined,
        matter: this.matter || undefined,
        limit: PAGE_ROWS,
        after: this.next,
      });
      if (turn !== this.turn) return;
      this.tookMs = performance.now() - begun;
      const known = new Set(fresh ? [] : this.asks.map((ask) => ask.id));
      this.asks = fresh ? page.asks : [...this.asks, ...page.asks.filter((ask) => !known.has(ask.id))];
      this.next = page.next ?? undefined;
      this.state = page.next ? 'idle' : 'end';
    } catch (error) {
      if (turn !== this.turn) return;
      // A word the search cannot read finds nothing; everything else is worth another try.
      this.state = error instanceof Refused && error.problem.code === 'invalid' ? 'end' : 'failed';
      if (fresh) this.asks = [];
    }
  }

  find(id: string): Ask | undefined {
    return this.asks.find((ask) => ask.id === id) ?? inbox.asks.get(id);
  }
}

export const past = new History();
