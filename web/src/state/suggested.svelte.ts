/** What could be a rule, going by what people decided; read while somebody looks. */

import { get, post, Refused } from '../api/call';
import type { NewRule, RuleRow, SuggestionRow, Suggestions } from '../api/schema';
import { rules as rulesWords } from '../words/rules';
import { filled } from '../words/words';
import { announce } from './announce.svelte';
import { feed } from './feed.svelte';
import { rulebook } from './rulebook.svelte';

/** What ends together is read once; history is looked through for it. */
const TOGETHER_MS = 1000;

class Suggested {
  rows = $state.raw<SuggestionRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');
  problem = $state('');
  private watched = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    for (const event of ['rule', 'closed', 'ready'] as const) feed.on(event, () => this.soon());
  }

  private soon(): void {
    if (!this.watched) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), TOGETHER_MS);
  }

  /** Keeps it fresh until what is given back is called. */
  watch(): () => void {
    this.watched += 1;
    void this.load();
    return () => {
      this.watched -= 1;
    };
  }

  async load(): Promise<void> {
    try {
      this.rows = (await get<Suggestions>('/v1/rules/suggestions')).suggestions;
      this.state = 'read';
    } catch {
      if (this.state === 'reading') this.state = 'failed';
    }
  }

  /** Makes the rule; whether it was made. */
  async make(rule: NewRule): Promise<boolean> {
    this.problem = '';
    try {
      const made = await post<RuleRow>('/v1/rules', rule);
      announce.say(filled(rule.shadow ? rulesWords.suggest.stands : rulesWords.suggest.made, { rule: made.id }));
      await Promise.all([rulebook.load(), this.load()]);
      return true;
    } catch (error) {
      this.problem = error instanceof Refused ? [error.message, error.problem.hint].filter(Boolean).join(' ') : rulesWords.try.failed;
      return false;
    }
  }
}

export const suggested = new Suggested();
