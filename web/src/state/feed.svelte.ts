/**
 * The one live stream from the server. It tells everyone who listens, resumes where it left off,
 * and says when it is offline. It keeps no asks; those who listen do.
 */

import { post, Refused } from '../api/call';
import type { FeedEvent, Ticket } from '../api/schema';
import { login } from './login.svelte';
import { words } from '../words/words';

export type Link = 'connecting' | 'live' | 'offline';
type Name = FeedEvent['event'];
type Told<N extends Name> = Extract<FeedEvent, { event: N }>;
type Listener = (event: FeedEvent) => void;

const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000];
/** The server pings every 20 s of quiet; a browser does not show pings, so silence is no sign. */
const REVOKED = 4001;
/** A server that is cut off from its database closes with this number, and names it. */
const TRY_LATER = 1013;

class Feed {
  link = $state<Link>('connecting');
  /** Since when nothing is heard. */
  offlineSince = $state<number | undefined>();
  /** Why the server takes nobody now, in its own words; empty where it does not answer. */
  refusal = $state('');
  /** When the next try comes. */
  nextTryAt = $state<number | undefined>();

  private socket: WebSocket | undefined;
  private after: number | undefined;
  /** Which life of the state `after` is a place in. */
  private epoch: string | undefined;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private listeners = new Map<Name, Set<Listener>>();
  private reload: (() => Promise<number>) | undefined;
  private running = false;

  on<N extends Name>(name: N, hear: (event: Told<N>) => void): () => void {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all);
    const listener = hear as Listener;
    all.add(listener);
    return () => all.delete(listener);
  }

  /** Begins to follow. `reload` reads the lists and says the place in the feed they stand for. */
  start(reload: () => Promise<number>): void {
    this.reload = reload;
    this.running = true;
    addEventListener('online', this.tryNow);
    addEventListener('offline', this.lost);
    void this.connect();
  }

  stop(): void {
    this.running = false;
    removeEventListener('online', this.tryNow);
    removeEventListener('offline', this.lost);
    clearTimeout(this.timer);
    [this.after, this.epoch] = [undefined, undefined];
    this.socket?.close();
    this.socket = undefined;
  }

  tryNow = (): void => {
    if (!this.running || this.link === 'live') return;
    clearTimeout(this.timer);
    this.failures = 0;
    void this.connect();
  };

  private lost = (): void => {
    this.socket?.close();
    this.fail();
  };

  private async connect(): Promise<void> {
    this.nextTryAt = undefined;
    if (this.socket) return;
    try {
      this.after ??= await this.reload?.();
      const { ticket } = await post<Ticket>('/v1/tickets', { for: 'feed' });
      if (this.running && !this.socket) this.open(ticket);
    } catch (error) {
      if (error instanceof Refused && error.problem.code === 'unauthorized') {
        login.leave(words.door.loggedOut);
      } else {
        const refused = error instanceof Refused && error.problem.code === 'try_later';
        // A load balancer that has no server left answers without a detail.
        this.refusal = refused ? (error.problem.detail ?? words.offline.nobody) : '';
        this.fail();
      }
    }
  }

  private open(ticket: string): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const after = this.after === undefined ? '' : `&after=${this.after}`;
    const socket = new WebSocket(`${scheme}://${location.host}/v1/feed?ticket=${encodeURIComponent(ticket)}${after}`);
    this.socket = socket;
    socket.onmessage = (message) => this.hear(String(message.data));
    socket.onclose = ({ code, reason }) => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      if (code === TRY_LATER && /database/.test(reason)) this.refusal = words.offline.cutOff;
      if (code === REVOKED) login.leave(words.door.loggedOut);
      else if (this.running) this.fail();
    };
  }

  private fail(): void {
    this.link = 'offline';
    this.offlineSince ??= Date.now();
    clearTimeout(this.timer);
    const wait = WAITS_MS[Math.min(this.failures, WAITS_MS.length - 1)] ?? 8000;
    this.failures += 1;
    this.nextTryAt = Date.now() + wait;
    this.timer = setTimeout(() => void this.connect(), wait);
  }

  /** Reads the lists again, and goes on from here. */
  private again(seq: number): void {
    this.after = seq;
    void this.reload?.().catch(() => this.lost());
  }

  private hear(text: string): void {
    let event: FeedEvent;
    try {
      event = JSON.parse(text) as FeedEvent;
    } catch {
      return;
    }
    if (event.event === 'reset') this.again(event.seq);
    if (event.event === 'ready') {
      // A backup was restored: what is known may be of a time that never was.
      if (this.epoch !== undefined && this.epoch !== event.epoch) this.again(event.seq);
      this.epoch = event.epoch;
      login.learn(event.person, event.device);
      this.failures = 0;
      this.link = 'live';
      this.offlineSince = undefined;
      this.refusal = '';
    }
    if ('seq' in event) this.after = Math.max(this.after ?? 0, event.seq);
    for (const listener of this.listeners.get(event.event) ?? []) listener(event);
  }
}

export const feed = new Feed();
