/**
 * Answers given with a single key. They stay on the page for a few seconds, in which they can be
 * undone, and are never shown as given. Leaving the page sends them, or drops them where the person
 * set it so; what became of them is told on the next visit. An answer that is held when the page
 * dies is not sent.
 */

import { serverAheadMs } from '../api/call';
import type { Ask } from '../api/schema';
import { endSentence } from '../lib/ends';
import { plainLine } from '../lib/escape';
import { matterLine } from '../lib/lines';
import { announce } from './announce.svelte';
import { clock } from './clock.svelte';
import { feed } from './feed.svelte';
import { inbox } from './inbox.svelte';
import { login } from './login.svelte';
import { news } from './news.svelte';
import { outgoing, type Sending } from './outgoing.svelte';
import { place } from './place.svelte';
import { drop, keep, kept, keptAs, keptNames, mine } from './storage';
import { filled, words } from '../words/words';

const w = words.held;
/** How long an answer can be undone, as people may choose. */
export const UNDO_S = [0, 3, 5, 10] as const;
const UNDO_S_USUAL = 3;
/** With less than this to the deadline, nothing is held back. */
const DEADLINE_MS = 5000;
/** More than this would cover the ask; the oldest goes out then. */
const HELD_MAX = 3;
/** So long after its time a record still counts as that of a page which is open elsewhere. */
const DEAD_MS = 3000;
const TICK_MS = 200;
const LINE_CHARS_MAX = 120;

export type Deed = 'allow' | 'deny' | 'dismiss' | 'answer';
export type Held = { id: string; asks: Ask[]; what: Sending['what']; bodies: Map<string, string>; words: string[]; deed: Deed; from: number; until: number };
/** What is written down about one, for the next visit. */
type Record = { id: string; deed: Deed; line: string; agent: string; device: string; until: number; left?: 'sent' | 'dropped' };

const isRecord = (value: unknown): value is Record => typeof value === 'object' && value !== null && 'id' in value && 'deed' in value && 'until' in value;
const nameOf = (id: string) => mine(`held.${id}`);

/** What a body says, by the shape all answers have. */
function deedOf(what: Sending['what'], body: string): Deed {
  if (what === 'dismiss') return 'dismiss';
  const { verdict } = JSON.parse(body) as { verdict?: { allow: boolean } };
  return verdict ? (verdict.allow ? 'allow' : 'deny') : 'answer';
}

class HeldAnswers {
  all = $state.raw<Held[]>([]);
  now = $state(Date.now());
  seconds = $state(this.read());
  whenLeaving = $state<'send' | 'drop'>(kept('undo_leave') === 'drop' ? 'drop' : 'send');
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private ticking: ReturnType<typeof setInterval> | undefined;

  constructor() {
    inbox.onEnd((ask) => this.overtaken(ask));
    login.onLeave(() => this.leave());
    addEventListener('pagehide', () => this.leave());
    feed.on('ready', () => void this.report());
    if (feed.link === 'live') void this.report();
  }

  private read(): number {
    const seconds = Number(kept('undo_s') ?? UNDO_S_USUAL);
    return UNDO_S.find((one) => one === seconds) ?? UNDO_S_USUAL;
  }

  setSeconds(seconds: number): void {
    this.seconds = seconds;
    keep('undo_s', String(seconds));
  }

  setWhenLeaving(what: 'send' | 'drop'): void {
    this.whenLeaving = what;
    keep('undo_leave', what);
  }

  /** Holds an answer to these asks and shows the next one; without time to undo it goes at once. */
  send(asks: Ask[], what: Sending['what'], bodyOf: (ask: Ask) => string, said: string[]): void {
    const first = asks[0];
    if (!first) return;
    const ms = Math.min(this.seconds * 1000, ...asks.map(untilHurry));
    if (ms <= 0) {
      outgoing.send(asks, what, bodyOf, said);
      return;
    }
    const oldest = this.all[0];
    if (oldest && this.all.length >= HELD_MAX) this.release(oldest);
    const bodies = new Map(asks.map((ask) => [ask.id, bodyOf(ask)]));
    const from = Date.now();
    const held: Held = { id: first.id, asks, what, bodies, words: said, deed: deedOf(what, bodies.get(first.id) ?? '{}'), from, until: from + ms };
    this.all = [...this.all, held];
    for (const { id } of asks) inbox.deciding.set(id, { doing: w.doing[held.deed], until: held.until + serverAheadMs() });
    keep(nameOf(held.id), JSON.stringify(recordOf(held)));
    this.timers.set(held.id, setTimeout(() => this.release(held), ms));
    this.tick();
    announce.say(filled(w.announced, { doing: w.doing[held.deed], agent: first.agent.name }));
    // In a conversation a person stays in it.
    if (place.room === 'inbox') place.go('inbox', inbox.following(first.id)?.id);
  }

  /** The one that holds this ask. */
  of(id: string): Held | undefined {
    return this.all.find(({ asks }) => asks.some((ask) => ask.id === id));
  }

  /** Whole seconds in which it can still be undone. */
  left({ until }: Held): number {
    return Math.max(1, Math.ceil((until - this.now) / 1000));
  }

  /** Takes back the latest, or this one, and shows its ask again. */
  undo(held = this.all.at(-1)): void {
    if (!held || !this.all.includes(held)) return;
    this.remove(held);
    announce.say(w.undone);
    const conversation = held.asks[0]?.conversation?.id;
    if (place.room !== 'conversations' || place.id !== conversation) place.go('inbox', held.id);
  }

  private release(held: Held): void {
    if (!this.all.includes(held)) return;
    this.remove(held);
    outgoing.send(held.asks, held.what, ({ id }) => held.bodies.get(id) ?? '', held.words);
  }

  private remove(held: Held): void {
    clearTimeout(this.timers.get(held.id));
    this.timers.delete(held.id);
    this.all = this.all.filter((other) => other !== held);
    for (const { id } of held.asks) inbox.deciding.delete(id);
    drop(nameOf(held.id));
  }

  /** An ask ended while its answer was held: that answer never goes out, and the person is told. */
  private overtaken(ask: Ask): void {
    const held = this.of(ask.id);
    if (!held) return;
    inbox.deciding.delete(ask.id);
    const rest = held.asks.filter(({ id }) => id !== ask.id);
    if (rest.length) this.all = this.all.map((other) => (other === held ? Object.assign(held, { asks: rest }) : other));
    else this.remove(held);
    const why = endSentence(ask, clock.now);
    outgoing.missed.set(ask.id, { words: held.words, why: 'first', sentence: why });
    news.tell(ask.id, filled(w.overtaken, { what: whatOf(recordOf({ ...held, asks: [ask] })), why }));
  }

  private leave(): void {
    for (const held of this.all) {
      const sends = this.whenLeaving === 'send' && outgoing.sendLast(held.asks, held.what, ({ id }) => held.bodies.get(id) ?? '', held.words, false);
      const record: Record = { ...recordOf(held), left: sends ? 'sent' : 'dropped' };
      this.remove(held);
      keep(nameOf(held.id), JSON.stringify(record));
    }
  }

  /** Says what became of those that an earlier visit left behind. */
  private async report(): Promise<void> {
    for (const name of keptNames(nameOf(''))) {
      const record = keptAs(name, isRecord);
      if (!record) drop(name);
      else if (record.left !== undefined || Date.now() > record.until + DEAD_MS) await this.tellLeft(name, record).catch(() => {});
    }
  }

  private async tellLeft(name: string, record: Record): Promise<void> {
    await outgoing.settled(record.id);
    const found = await inbox.look(record.id);
    drop(name);
    const ask = inbox.asks.get(record.id);
    const by = ask?.outcome?.by;
    const what = whatOf(record);
    if (found === 'missing' || !ask) news.tell(record.id, filled(w.notSent, { what }));
    else if (ask.state === 'open') news.tell(record.id, filled(record.left === 'dropped' ? w.dropped : w.notSent, { what }));
    else if (record.left === 'sent' && by?.person === login.badge?.person && by?.device === record.device) news.tell(record.id, filled(w.sentWhenLeft, { what }));
    else news.tell(record.id, filled(w.overtaken, { what, why: endSentence(ask, clock.now) }));
  }

  private tick(): void {
    this.now = Date.now();
    this.ticking ??= setInterval(() => {
      this.now = Date.now();
      if (this.all.length) return;
      clearInterval(this.ticking);
      this.ticking = undefined;
    }, TICK_MS);
  }
}

/** Milliseconds until the deadline is too near to hold anything back. */
function untilHurry(ask: Ask): number {
  return ask.deadline ? Date.parse(ask.deadline) - (Date.now() + serverAheadMs()) - DEADLINE_MS : Infinity;
}

function recordOf({ id, asks, deed, until }: Held): Record {
  const ask = asks[0];
  return { id, deed, until, line: ask ? matterLine(ask).slice(0, LINE_CHARS_MAX) : '', agent: ask?.agent.name ?? '', device: login.badge?.device ?? '' };
}

function whatOf({ deed, line, agent }: Record): string {
  return filled(w.what[deed], { line: plainLine(line), agent: plainLine(agent) });
}

export const held = new HeldAnswers();
