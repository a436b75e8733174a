/**
 * Every ask this device knows: the open ones, and those it has seen end. Rows for the list come
 * from here, in their order, equal asks together.
 */

import { SvelteMap } from 'svelte/reactivity';
import { get, Refused } from '../api/call';
import type { Ask, AskPage, Delivery, Matter } from '../api/schema';
import { announce } from './announce.svelte';
import { clock } from './clock.svelte';
import { feed } from './feed.svelte';
import { keepKnown, knownAsks } from './known';
import { login } from './login.svelte';
import { notices } from './notices.svelte';
import { endSentence } from '../lib/ends';
import { differenceOf, signaturesOf } from '../lib/groups';
import { matterLine } from '../lib/lines';
import { riskSentence } from '../lib/risk';
import { filled, words } from '../words/words';

export type Row = { key: string; asks: Ask[]; ended: boolean };
export type Sections = { deadline: Row[]; none: Row[] };

/** How long an ask that ended stays in its place. */
const STAYS_MS = 4000;
/** Asks that come in one go are kept in one go. */
const KEEP_MS = 300;
const PAGE_ROWS = 200;
/** Pages read at the start: 20,000 open asks are more than anybody looks through. */
const PAGES_MAX = 100;
/** Ended asks that are remembered for whoever looks at them. */
const ENDED_MAX = 200;

class Inbox {
  asks = new SvelteMap<string, Ask>();
  /** Where in the journal those ended that ended while we listened. */
  private places = new Map<string, number>();
  /** When each was seen to end, for those still in their place. */
  private leaving = new SvelteMap<string, number>();
  /** What arrived while the pointer was in the list; it waits so that nothing moves under it. */
  held = new SvelteMap<string, true>();
  pointerInside = $state(false);
  loaded = $state(false);
  search = $state('');
  matter = $state<Matter | 'all'>('all');
  agent = $state('');
  conversation = $state('');
  fresh = new SvelteMap<string, true>();
  /** Asks that were answered with a key a moment ago, which can still be undone: what is done, and until when. */
  deciding = new SvelteMap<string, { doing: string; until: number }>();
  private endings = new Set<(ask: Ask) => void>();

  constructor() {
    // What this device knew when it was last here stands until the server says more.
    for (const ask of knownAsks()) this.asks.set(ask.id, ask);
    feed.on('asked', ({ ask }) => this.arrives(ask));
    feed.on('closed', ({ seq, ask }) => {
      this.places.set(ask.id, seq);
      this.ends(ask);
    });
    feed.on('delivery', ({ asks }) => {
      for (const { id, delivery } of asks) this.delivered(id, delivery);
    });
    feed.on('agent', ({ agent }) => {
      for (const ask of this.asks.values()) {
        if (ask.agent.id === agent.id && ask.agent.connected !== agent.connected) {
          this.asks.set(ask.id, { ...ask, agent: { ...ask.agent, connected: agent.connected } });
        }
      }
    });
  }

  /** What ended behind this place, newest first: a list that was read right then does not have it. */
  endedAfter(place: number): Ask[] {
    const at = (ask: Ask): number => this.places.get(ask.id) ?? 0;
    return [...this.asks.values()].filter((ask) => ask.state === 'closed' && at(ask) > place).sort((one, other) => at(other) - at(one));
  }

  open = $derived([...this.asks.values()].filter((ask) => ask.state === 'open'));
  agents = $derived([...new Set(this.open.map((ask) => ask.agent.name))].sort());
  /** The conversations something waits in, by name. */
  conversations = $derived.by(() => {
    const found = new Map(this.open.flatMap(({ conversation }) => (conversation ? [[conversation.id, conversation.name] as const] : [])));
    return [...found].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
  });
  counts = $derived.by(() => {
    const waiting = this.open.filter((ask) => !this.deciding.has(ask.id));
    const approval = waiting.filter((ask) => ask.matter === 'approval').length;
    return { all: waiting.length, questions: waiting.length - approval, approval };
  });
  sections = $derived.by(() => this.arranged());

  private arranged(): Sections {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = [...this.asks.values()].filter(
      (ask) => (ask.state === 'open' || this.leaving.has(ask.id)) && !this.held.has(ask.id) && this.fits(ask, words),
    );
    const rows = grouped(shown).sort((a, b) => byUrgency(a.asks[0], b.asks[0]));
    return { deadline: rows.filter((row) => row.asks[0]?.deadline), none: rows.filter((row) => !row.asks[0]?.deadline) };
  }

  private fits(ask: Ask, words: string[]): boolean {
    if (this.matter === 'approval' ? ask.matter !== 'approval' : this.matter !== 'all' && ask.matter === 'approval') return false;
    if (this.agent && ask.agent.name !== this.agent) return false;
    if (this.conversation && ask.conversation?.id !== this.conversation) return false;
    if (!words.length) return true;
    const text = `${ask.agent.name} ${ask.conversation?.name ?? ''} ${matterLine(ask)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  /** Reads every open ask; returns the place in the feed that this stands for. */
  async load(): Promise<number> {
    const found = new Map<string, Ask>();
    let after: string | undefined;
    let asOf: number | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const read: AskPage = await get('/v1/asks', { state: 'open', limit: PAGE_ROWS, after });
      for (const ask of read.asks) found.set(ask.id, ask);
      asOf ??= read.as_of;
      if (!read.next) break;
      after = read.next;
    }
    const gone = [...this.asks.values()].filter((ask) => ask.state === 'open' && !found.has(ask.id));
    for (const ask of found.values()) this.asks.set(ask.id, ask);
    // What ended while nobody told us is asked for, so that it can be said how.
    await Promise.all(gone.slice(0, ENDED_MAX).map((ask) => this.look(ask.id)));
    this.loaded = true;
    this.keepSoon();
    return asOf ?? 0;
  }

  /** Reads one ask anew. */
  async look(id: string): Promise<'found' | 'missing'> {
    try {
      this.learn(await get<Ask>(`/v1/asks/${encodeURIComponent(id)}`));
      return 'found';
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.drop(id);
      return 'missing';
    }
  }

  private arrives(ask: Ask): void {
    if (this.asks.has(ask.id)) return;
    this.asks.set(ask.id, ask);
    if (ask.state !== 'open') return;
    this.keepSoon();
    if (this.pointerInside) this.held.set(ask.id, true);
    this.fresh.set(ask.id, true);
    setTimeout(() => this.fresh.delete(ask.id), 700);
    announce.say(arrivalOf(ask));
    notices.arrived(ask);
  }

  /** Takes in an ask as somebody told it. */
  learn(ask: Ask): void {
    if (ask.state === 'closed') this.ends(ask);
    else this.asks.set(ask.id, ask);
  }

  /** Is told of every open ask that ends, however this device hears of it. */
  onEnd(hear: (ask: Ask) => void): () => void {
    this.endings.add(hear);
    return () => this.endings.delete(hear);
  }

  /** The ask to show after this one: the next in the list that still wants an answer. */
  following(id: string): Ask | undefined {
    const rows = this.order;
    const at = rows.findIndex((row) => row.asks.some((ask) => ask.id === id));
    const round = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at + 1))];
    return round.flatMap((row) => row.asks).find((ask) => ask.state === 'open' && ask.id !== id && !this.deciding.has(ask.id));
  }

  private ends(ask: Ask): void {
    const before = this.asks.get(ask.id);
    this.asks.set(ask.id, ask);
    if (before?.state !== 'open') return;
    this.keepSoon();
    this.held.delete(ask.id);
    this.leaving.set(ask.id, Date.now());
    setTimeout(() => this.leaving.delete(ask.id), STAYS_MS);
    const mine = ask.outcome?.by.person === login.badge?.person && ask.outcome?.by.device === login.badge?.device;
    if (!mine) announce.say(endSentence(ask, clock.now));
    for (const hear of this.endings) hear(ask);
    this.forget();
  }

  private keeping: ReturnType<typeof setTimeout> | undefined;

  private keepSoon(): void {
    this.keeping ??= setTimeout(() => {
      this.keeping = undefined;
      if (login.badge) keepKnown(this.open);
    }, KEEP_MS);
  }

  private delivered(id: string, delivery: Delivery): void {
    const ask = this.asks.get(id);
    if (ask) this.asks.set(id, { ...ask, delivery });
  }

  private forget(): void {
    const ended = [...this.asks.values()].filter((ask) => ask.state === 'closed');
    for (const ask of ended.slice(0, Math.max(0, ended.length - ENDED_MAX))) this.drop(ask.id);
  }

  private drop(id: string): void {
    this.asks.delete(id);
    this.places.delete(id);
  }

  get isFiltered(): boolean {
    return this.search !== '' || this.matter !== 'all' || this.agent !== '' || this.conversation !== '';
  }

  showAll(): void {
    [this.search, this.matter, this.agent, this.conversation] = ['', 'all', '', ''];
  }

  showHeld(): void {
    this.held.clear();
  }

  /** The rows in the order they stand, for moving with the keyboard. */
  order = $derived.by(() => [...this.sections.deadline, ...this.sections.none]);

  /** The other open asks that ask exactly the same as this one, of whichever agent. */
  identical(ask: Ask): Ask[] {
    return this.open.filter((other) => other.shape === ask.shape && other.id !== ask.id);
  }

  /** The open asks that differ from this one in one field of their input. */
  alike(ask: Ask): Ask[] {
    const mine = new Set(signaturesOf(ask));
    if (!mine.size) return [];
    return this.open.filter((other) => other.shape !== ask.shape && signaturesOf(other).some((one) => mine.has(one)) && differenceOf(ask, other) !== undefined);
  }
}

/** What is read out when an ask arrives. */
function arrivalOf(ask: Ask): string {
  const [agent, matter] = [ask.agent.name, matterLine(ask)];
  return ask.action ? filled(words.risk.requests, { agent, matter, risk: riskSentence(ask.action) }) : filled(words.inbox.asks, { agent, matter });
}

/** The soonest deadline first, then what has waited longest. */
function byUrgency(one: Ask | undefined, other: Ask | undefined): number {
  const due = (ask: Ask | undefined) => (ask?.deadline ? Date.parse(ask.deadline) : Number.MAX_SAFE_INTEGER);
  const asked = (ask: Ask | undefined) => Date.parse(ask?.asked_at ?? '');
  return due(one) - due(other) || asked(one) - asked(other);
}

/** Rows of asks that differ in one field join the row of those that are identical, when there are several. */
function joined(rows: Row[]): Row[] {
  const bases = new Map<string, Row>();
  for (const row of rows) {
    const [ask] = row.asks;
    if (!ask || row.ended || row.asks.length < 2) continue;
    for (const one of signaturesOf(ask)) bases.set(one, row);
  }
  if (!bases.size) return rows;
  const gone = new Set<Row>();
  for (const row of rows) {
    const [ask] = row.asks;
    if (!ask || row.ended || row.asks.length > 1) continue;
    const base = signaturesOf(ask).map((one) => bases.get(one)).find((one) => one?.asks[0] && differenceOf(one.asks[0], ask));
    if (!base) continue;
    base.asks.push(ask);
    gone.add(row);
  }
  return rows.filter((row) => !gone.has(row));
}

/** Open asks of one shape share a row, the most urgent first; an ended one stands alone. */
function grouped(asks: Ask[]): Row[] {
  const rows = new Map<string, Row>();
  for (const ask of asks) {
    const ended = ask.state === 'closed';
    const key = ended ? ask.id : ask.shape;
    const row = rows.get(key);
    if (row) row.asks.push(ask);
    // Named by the one that came first, so that the row stays the same row when others join it.
    else rows.set(key, { key: ask.id, asks: [ask], ended });
  }
  const all = joined([...rows.values()]);
  for (const row of all) row.asks.sort(byUrgency);
  return all;
}

export const inbox = new Inbox();
