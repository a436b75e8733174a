/** The rules that hold, and what each has done; live by the feed. */

import { get, post, Refused, remove } from '../api/call';
import type { RuleRow, Rules } from '../api/schema';
import { filled, words } from '../words/words';
import { announce } from './announce.svelte';
import { feed } from './feed.svelte';

/** Changes that come together are read once. */
const TOGETHER_MS = 150;

class Rulebook {
  rules = $state.raw<RuleRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');
  problem = $state('');
  /** Rules that let everything pass which no rule denies. */
  full = $derived(this.rules.filter((rule) => rule.live && !rule.idle && !rule.shadow && rule.level === 'full'));
  /** Rules that only stand by, and all others. */
  shadows = $derived(this.rules.filter((rule) => rule.shadow));
  held = $derived(this.rules.filter((rule) => !rule.shadow));
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    feed.on('rule', () => this.soon());
    feed.on('ready', () => this.soon());
    feed.on('closed', ({ at, ask }) => {
      const id = ask.outcome?.by.rule;
      if (!id) return;
      this.rules = this.rules.map((rule) => (rule.id === id ? { ...rule, hits: rule.hits + 1, last_used_at: at } : rule));
    });
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), TOGETHER_MS);
  }

  async load(): Promise<void> {
    try {
      this.rules = (await get<Rules>('/v1/rules')).rules;
      this.state = 'read';
    } catch {
      if (this.state === 'reading') this.state = 'failed';
    }
  }

  find(id: string): RuleRow | undefined {
    return this.rules.find((rule) => rule.id === id);
  }

  async revoke(id: string): Promise<void> {
    await this.change(id, words.rules.notRevoked, async () => {
      await remove(`/v1/rules/${encodeURIComponent(id)}`);
      this.rules = this.rules.filter((rule) => rule.id !== id);
      announce.say(filled(words.rules.revoked, { rule: id }));
    });
  }

  /** Puts a rule in force that only stood by. */
  async arm(id: string): Promise<void> {
    await this.change(id, words.rules.shadow.notArmed, async () => {
      const armed = await post<RuleRow>(`/v1/rules/${encodeURIComponent(id)}/arm`, {});
      this.rules = this.rules.map((rule) => (rule.id === id ? armed : rule));
      announce.say(filled(words.rules.shadow.armed, { rule: id }));
    });
  }

  /** Does it, or says what did not come of it and why. */
  private async change(id: string, not: string, work: () => Promise<void>): Promise<void> {
    this.problem = '';
    try {
      await work();
    } catch (error) {
      const hint = error instanceof Refused ? [error.message, error.problem.hint].filter(Boolean).join(' ') : words.rules.try.failed;
      this.problem = `${filled(not, { rule: id })} ${hint}`;
    }
  }
}

export const rulebook = new Rulebook();
