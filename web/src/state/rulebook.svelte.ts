/** The rules that hold, and what each has done; live by the feed. */

import { get } from '../api/call';
import type { RuleRow, Rules } from '../api/schema';
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
}

export const rulebook = new Rulebook();
