/** Conversations and what stands in them: the list, and the one that is open. */

import { get, post, Refused, remove, whyNot } from '../api/call';
import type { ConversationList, ConversationRow, Entries, Entry, MessageSent, Turn } from '../api/schema';
import { feed } from './feed.svelte';
import { place } from './place.svelte';
import { talk } from '../words/talk';

/** What stands instead of an id while a conversation is begun. */
export const NEW = 'new';
const ROWS = 100;
/** For one that is looked for in the list, the longest page there is, and not more of them than this. */
const SEEK_ROWS = 200;
const SEEK_PAGES_MAX = 25;
/** To come back to where somebody stopped reading, not more pages than this. */
const BACK_PAGES_MAX = 10;

/** The bytes of a text in UTF-8, by which the feed counts pieces of what is being said. */
const bytesOf = (text: string) => new TextEncoder().encode(text);

class Talks {
  rows = $state.raw<ConversationRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');
  /** Where the list goes on, as far as it was read. */
  older = $state<number | undefined>();
  olderProblem = $state('');
  openId = $state<string | undefined>();
  /** What the open one is called, which its entries say before its row is found. */
  name = $state('');
  /** The row of the open one when it is older than the list. */
  private found = $state.raw<ConversationRow | undefined>();
  entries = $state.raw<Entry[]>([]);
  saying = $state('');
  turn = $state<Turn>('idle');
  earlier = $state<number | undefined>();
  problem = $state('');
  /** Since when the agent works, as far as that was seen. */
  workingSince = $state<number | undefined>();
  /** Earlier entries that are being read. */
  private reading: Promise<void> | undefined;
  /** Whether the open one is still read back to where somebody stopped. */
  opening = $state(false);
  /** Where somebody stopped reading: the first entry in view, and how far down it stood. At the end nothing is kept. */
  places = new Map<string, { seq: number; top: number }>();
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
    feed.on('turn', ({ at, conversation, turn }) => {
      this.rows = this.rows.map((row) => (row.id === conversation.id ? { ...row, turn } : row));
      if (conversation.id === this.openId) {
        this.turn = turn;
        this.workingSince = turn === 'running' ? Date.parse(at) : undefined;
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
    feed.on('agent', ({ agent }) => {
      if (this.rows.some((row) => row.agent.id === agent.id)) this.soon();
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

  /** The open conversation as the list has it. */
  row = $derived(this.rows.find(({ id }) => id === this.openId) ?? (this.found?.id === this.openId ? this.found : undefined));
  /** Who speaks in it, as far as it is known. */
  agent = $derived(this.row?.agent.name ?? this.entries.find(({ ask }) => ask)?.ask?.agent.name ?? talk.agent);

  async load(): Promise<void> {
    try {
      const page = await get<ConversationList>('/v1/conversations', { limit: ROWS });
      // What was read of the older ones stays, unless something has happened in it.
      const fresh = new Set(page.conversations.map(({ id }) => id));
      const rest = this.rows.filter(({ id }) => !fresh.has(id));
      if (rest.length === 0) this.older = page.next ?? undefined;
      this.rows = [...page.conversations, ...rest];
      this.state = 'read';
    } catch {
      if (this.state === 'reading') this.state = 'failed';
    }
  }

  /** Reads on in the list. */
  async more(): Promise<void> {
    const after = this.older;
    if (after === undefined) return;
    try {
      const page = await get<ConversationList>('/v1/conversations', { limit: ROWS, after });
      const known = new Set(this.rows.map(({ id }) => id));
      this.rows = [...this.rows, ...page.conversations.filter(({ id }) => !known.has(id))];
      this.older = page.next ?? undefined;
      this.olderProblem = '';
    } catch (error) {
      this.olderProblem = whyNot(error);
    }
  }

  /** Looks for the row of one that may be older than the list. */
  private async seek(id: string): Promise<void> {
    let after: number | undefined;
    for (let pages = 0; pages < SEEK_PAGES_MAX && this.openId === id && !this.row; pages += 1) {
      const page = await get<ConversationList>('/v1/conversations', { limit: SEEK_ROWS, after });
      this.found = page.conversations.find((row) => row.id === id) ?? this.found;
      if (!page.next) return;
      after = page.next;
    }
  }

  async open(id: string): Promise<void> {
    if (this.openId !== id) {
      this.entries = [];
      this.earlier = undefined;
      [this.saying, this.name] = ['', ''];
    }
    this.openId = id;
    this.problem = '';
    this.opening = true;
    try {
      const page = await get<Entries>(`/v1/conversations/${encodeURIComponent(id)}/entries`, { before: 'end', limit: ROWS });
      if (this.openId !== id) return;
      this.fill(page);
      this.turn = page.turn;
      const last = page.entries.at(-1);
      this.workingSince = page.turn === 'running' && last ? Date.parse((page.entries.findLast(({ kind }) => kind === 'message') ?? last).at) : undefined;
      this.saying = page.saying ?? '';
      this.name = page.conversation.name;
      // A name is on the page already; who speaks may follow.
      this.seek(id).catch(() => {});
      await this.backTo(this.places.get(id)?.seq);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : talk.unread;
    } finally {
      if (this.openId === id) this.opening = false;
    }
  }

  /** Takes in the latest entries; earlier ones that somebody has read stay when nothing is missing in between. */
  private fill(page: Entries): void {
    const first = page.entries[0]?.seq ?? 0;
    const before = this.entries.filter(({ seq }) => seq < first);
    const joins = before.length > 0 && before.length < this.entries.length;
    this.entries = joins ? [...before, ...page.entries] : page.entries;
    if (!joins) this.earlier = page.next ?? undefined;
  }

  /** Reads on to the entry where somebody stopped reading. */
  private async backTo(seq: number | undefined): Promise<void> {
    const id = this.openId;
    for (let pages = 0; seq !== undefined && pages < BACK_PAGES_MAX; pages += 1) {
      if (this.openId !== id || this.earlier === undefined || (this.entries[0]?.seq ?? 0) <= seq) return;
      await this.before();
    }
  }

  /** Reads what stands before the entries that are shown; once, whoever wants it. */
  before(): Promise<void> {
    this.reading ??= this.readBefore().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readBefore(): Promise<void> {
    const [id, earlier] = [this.openId, this.earlier];
    if (id === undefined || earlier === undefined) return;
    try {
      const page = await get<Entries>(`/v1/conversations/${encodeURIComponent(id)}/entries`, { before: earlier, limit: ROWS });
      // Another one was opened meanwhile.
      if (this.openId !== id || this.earlier !== earlier) return;
      this.entries = [...page.entries, ...this.entries];
      this.earlier = page.next ?? undefined;
      this.problem = '';
    } catch (error) {
      if (this.openId === id) this.problem = whyNot(error);
    }
  }

  /** Says something; says why when it could not. */
  async say(id: string, text: string): Promise<string | undefined> {
    try {
      await post<MessageSent>(`/v1/conversations/${encodeURIComponent(id)}/messages`, { text });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : talk.unsent;
    }
  }

  /** Begins a conversation with an agent and opens it; says why when it could not. */
  async begin(agent: string, text: string): Promise<string | undefined> {
    try {
      const { conversation } = await post<MessageSent>(`/v1/conversations/${NEW}/messages`, { agent, text });
      await this.load();
      if (place.room === 'conversations' && place.id === NEW) place.go('conversations', conversation.id);
      return undefined;
    } catch (error) {
      return whyNot(error);
    }
  }

  /** Stops what the agent does in the open one; says why when it did not. */
  async stop(): Promise<string | undefined> {
    if (this.openId === undefined) return undefined;
    try {
      await post(`/v1/conversations/${encodeURIComponent(this.openId)}/stop`, {});
      return undefined;
    } catch (error) {
      return whyNot(error);
    }
  }

  /** Removes a message that waits; says why when it could not. */
  async remove(id: string): Promise<string | undefined> {
    try {
      await remove(`/v1/messages/${encodeURIComponent(id)}`);
      this.entries = this.entries.filter((entry) => entry.id !== id);
      return undefined;
    } catch (error) {
      return error instanceof Refused && error.problem.code === 'not_found' ? talk.tooLate : error instanceof Error ? error.message : talk.unsent;
    }
  }

  close(): void {
    this.openId = undefined;
    this.entries = [];
  }
}

export const talks = new Talks();
