/**
 * Answers on their way. What could not be sent is kept and tried again until the server has it: a
 * second try is safe, because an ask takes one answer and says whose it was. What someone else
 * answered first is kept to be shown. An answer with a secret is never kept on disk, and one person's
 * answers never go out under another's name.
 */

import { SvelteMap } from 'svelte/reactivity';
import { postLast, postText, Refused, serverAheadMs } from '../api/call';
import type { Ask } from '../api/schema';
import { feed } from './feed.svelte';
import { inbox } from './inbox.svelte';
import { login } from './login.svelte';
import { dropDraft } from './drafts';
import { drop, keep, keptAs, keptNames, mine } from './storage';

export type Sending = {
  id: string;
  what: 'answer' | 'dismiss';
  body: string;
  /** What it says, in words. */
  words: string[];
  state: 'sending' | 'waiting';
  secret: boolean;
  /** Every ask that gets the same, when there are several. */
  together?: string[];
};

/** An answer that did not become the outcome. */
export type Missed = { words: string[]; why: 'first' | 'late' | 'changed' | 'refused'; sentence: string };

const SETTLED_MS = 250;
/** How long after a failure the next try comes, and the one after that. */
const WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 30_000];
const nameOf = (id: string) => mine(`outgoing.${id}`);
const pathOf = ({ id, what }: Sending) => `/v1/asks/${encodeURIComponent(id)}/${what}`;
const isSending = (value: unknown): value is Sending =>
  typeof value === 'object' && value !== null && 'id' in value && 'body' in value && 'words' in value;

class Outgoing {
  sendings = new SvelteMap<string, Sending>();
  missed = new SvelteMap<string, Missed>();
  /** For an ask that was answered together with others: all of them. */
  together = new SvelteMap<string, string[]>();
  /** When the next try comes. */
  nextTryAt = $state<number | undefined>();
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.load();
    feed.on('ready', () => {
      this.load();
      this.sendNow();
    });
    addEventListener('online', this.sendNow);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.sendNow();
    });
  }

  /** Takes up what this person could not send on an earlier visit. */
  private load(): void {
    for (const name of keptNames(nameOf(''))) {
      const sending = keptAs(name, isSending);
      if (!sending || this.sendings.has(sending.id)) continue;
      this.sendings.set(sending.id, { ...sending, state: 'waiting' });
      if (sending.together) this.together.set(sending.id, sending.together);
    }
  }

  /** Sends what a person said about an ask, or about several that ask the same. */
  send(asks: Ask[], what: Sending['what'], bodyOf: (ask: Ask) => string, words: string[], secret = false): void {
    for (const sending of this.pack(asks, what, bodyOf, words, secret)) void this.deliver(sending);
  }

  /** Sends while the page closes. What does not get through goes out on the next visit. Says whether it will. */
  sendLast(asks: Ask[], what: Sending['what'], bodyOf: (ask: Ask) => string, words: string[], secret: boolean): boolean {
    const all = this.pack(asks, what, bodyOf, words, secret);
    const tried = all.map((sending) => {
      this.sendings.set(sending.id, { ...sending, state: 'waiting' });
      if (!secret) keep(nameOf(sending.id), JSON.stringify(sending));
      return postLast(pathOf(sending), sending.body) || !secret;
    });
    return tried.every(Boolean);
  }

  private pack(asks: Ask[], what: Sending['what'], bodyOf: (ask: Ask) => string, words: string[], secret: boolean): Sending[] {
    const together = asks.length > 1 ? asks.map(({ id }) => id) : undefined;
    return asks.map((ask) => {
      this.missed.delete(ask.id);
      if (together) this.together.set(ask.id, together);
      else this.together.delete(ask.id);
      return { id: ask.id, what, body: bodyOf(ask), words, state: 'sending', secret, ...(together ? { together } : {}) };
    });
  }

  /** Waits until nothing of this ask is on its way any more. */
  async settled(id: string): Promise<void> {
    while (this.sendings.has(id)) await new Promise((done) => setTimeout(done, SETTLED_MS));
  }

  private async deliver(sending: Sending): Promise<void> {
    this.sendings.set(sending.id, { ...sending, state: 'sending' });
    if (!sending.secret) keep(nameOf(sending.id), JSON.stringify(sending));
    try {
      const ask = await postText<Ask>(pathOf(sending), sending.body);
      this.failures = 0;
      dropDraft(sending.id);
      inbox.learn(ask);
      this.done(sending.id);
    } catch (error) {
      if (error instanceof Refused) this.refused(sending, error);
      else this.waits(sending);
    }
  }

  /** Keeps what did not get through for the next try; one clock for all, as they go to one server. */
  private waits(sending: Sending): void {
    this.sendings.set(sending.id, { ...sending, state: 'waiting' });
    if (this.timer !== undefined) return;
    const wait = WAITS_MS[Math.min(this.failures, WAITS_MS.length - 1)] ?? 30_000;
    this.failures += 1;
    // As the clock of the page has it, which is the server's.
    this.nextTryAt = Date.now() + serverAheadMs() + wait;
    this.timer = setTimeout(() => this.sendWaiting(), wait);
  }

  private refused(sending: Sending, { problem, message }: Refused): void {
    if (problem.code === 'try_later' || problem.code === 'slow_down') {
      this.waits(sending);
      return;
    }
    this.done(sending.id);
    if (problem.ask) inbox.learn(problem.ask);
    else if (problem.code === 'expired' || problem.code === 'not_found') void inbox.look(sending.id).catch(() => {});
    const same = problem.code === 'already_closed' && saysTheSame(problem.ask, sending);
    if (same || problem.kept) dropDraft(sending.id);
    if (same) return;
    const why = { already_closed: 'first', expired: 'late', digest_mismatch: 'changed' }[problem.code as string] ?? 'refused';
    const details = problem.violations?.map((violation) => violation.message).join('; ');
    this.missed.set(sending.id, {
      words: sending.words,
      why: why as Missed['why'],
      sentence: [message, details, why === 'refused' ? problem.hint : ''].filter(Boolean).join(' '),
    });
  }

  /** Tries at once: somebody wants it, or there is a sign that it will work. */
  sendNow = (): void => {
    this.failures = 0;
    this.sendWaiting();
  };

  private sendWaiting(): void {
    clearTimeout(this.timer);
    [this.timer, this.nextTryAt] = [undefined, undefined];
    // Whoever is not logged in has nobody to speak for.
    if (!login.badge) return;
    for (const sending of this.sendings.values()) {
      if (sending.state === 'waiting') void this.deliver(sending);
    }
  }

  /** Takes back what has not gone out. */
  takeBack(id: string): void {
    if (this.sendings.get(id)?.state === 'waiting') this.done(id);
  }

  private done(id: string): void {
    this.sendings.delete(id);
    drop(nameOf(id));
  }
}

/** Whether an ask was closed by the very answer we were sending, whose reply was lost on the way. */
function saysTheSame(ask: Ask | null | undefined, sending: Sending): boolean {
  const outcome = ask?.outcome;
  if (!outcome?.by.device) return false;
  const badge = login.badge;
  if (sending.what !== (outcome.kind === 'dismissed' ? 'dismiss' : 'answer')) return false;
  return outcome.by.person === badge?.person && outcome.by.device === badge?.device;
}

export const outgoing = new Outgoing();
