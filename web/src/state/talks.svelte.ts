/** Conversations and what stands in them: the list, and the one that is open. */

import { get, post, Refused, remove } from '../api/call';
import type { ConversationList, ConversationRow, Entries, Entry, MessageSent, Turn } from '../api/schema';
import { feed } from './feed.svelte';
import { words } from '../words/words';

const ROWS = 100;

/** The bytes of a text in UTF-8, by which the feed counts pieces of what is being said. */
const bytesOf = (text: string) => new TextEncoder().encode(text);

class Talks {
  rows = $state.raw<ConversationRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');
  openId = $state<string | undefined>();
  entries = $state.raw<Entry[]>([]);
  saying = $state('');
  turn = $state<Turn>('idle');
  earlier = $state<number | undefined>();
  problem = $state('');
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    feed.on('entry', ({ entry }) => {
      this.soon();
      if (entry.conversation !== this.openId) return;
      this.add(entry);
      if (entry.kind === 'said') this.saying = '';
    });
    feed.on('saying', ({ conversation, from, text }) => {
      if (conversation.id !== this.openId) return;
      const before = bytesOf(this.saying).slice(0, from);
      this.saying = new TextDecoder().decode(before) + text;
    });
    feed.on('turn', ({ conversation, turn }) => {
      this.rows = this.rows.map((row) => (row.id === conversation.id ? { ...row, turn } : row));
      if (conversation.id === this.openId) {
        this.turn = turn;
        if (turn === 'idle') this.saying = '';
      }
    });
    feed.on('asked', ({ seq, at, ask }) => {
      this.soon();
      if (ask.conversation?.id === this.openId) this.add({ seq, at, conversation: ask.conversation?.id ?? '', kind: 'ask', ask });
    });
    feed.on('closed', ({ ask }) => {
      this.soon();
      this.entries = this.entries.map((entry) => (entry.ask?.id === ask.id ? { ...entry, ask } : entry));
    });
    feed.on('ready', () => {
      if (this.openId !== undefined) void this.open(this.openId);
    });
  }

  private add(entry: Entry): void {
    if (entry.state === 'removed') {
      this.entries = this.entries.filter((other) => other.seq !== entry.seq);
      return;
    }
    const rest = this.entries.filter((other) => other.seq !== entry.seq && !(entry.ask && other.ask?.id === entry.ask.id));
    this.entries = [...rest, entry].sort((a, b) => a.seq - b.seq);
  }

  /** Reads the list again in a moment, once for everything that happens together. */
  private soon(): void {
    if (this.state !== 'read') return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), 300);
  }

  async load(): Promise<void> {
    try {
      this.rows = (await get<ConversationList>('/v1/conversations', { limit: ROWS })).conversations;
      this.state = 'read';
    } catch {
      if (this.state === 'reading') this.state = 'failed';
    }
  }

  async open(id: string): Promise<void> {
    if (this.openId !== id) {
      this.entries = [];
      this.saying = '';
    }
    this.openId = id;
    this.problem = '';
    try {
      const page = await get<Entries>(`/v1/conversations/${encodeURIComponent(id)}/entries`, { before: 'end', limit: ROWS });
      if (this.openId !== id) return;
      this.entries = page.entries;
      this.turn = page.turn;
      this.saying = page.saying ?? '';
      this.earlier = page.next ?? undefined;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : words.talk.unread;
    }
  }

  async before(): Promise<void> {
    if (this.openId === undefined || this.earlier === undefined) return;
    const page = await get<Entries>(`/v1/conversations/${encodeURIComponent(this.openId)}/entries`, { before: this.earlier, limit: ROWS });
    this.entries = [...page.entries, ...this.entries];
    this.earlier = page.next ?? undefined;
  }

  /** Says something; the words are given back when it fails. */
  async say(text: string): Promise<string | undefined> {
    if (this.openId === undefined) return undefined;
    try {
      await post<MessageSent>(`/v1/conversations/${encodeURIComponent(this.openId)}/messages`, { text });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : words.talk.unsent;
    }
  }

  /** Removes a message that waits; says why when it could not. */
  async remove(id: string): Promise<string | undefined> {
    try {
      await remove(`/v1/messages/${encodeURIComponent(id)}`);
      this.entries = this.entries.filter((entry) => entry.id !== id);
      return undefined;
    } catch (error) {
      return error instanceof Refused && error.problem.code === 'not_found' ? words.talk.tooLate : error instanceof Error ? error.message : words.talk.unsent;
    }
  }

  close(): void {
    this.openId = undefined;
    this.entries = [];
  }
}

export const talks = new Talks();
