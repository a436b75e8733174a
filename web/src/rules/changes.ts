/** What a person does to a rule on the Rules page, and what is said of it. */

import { post, Refused, remove } from '../api/call';
import type { RuleRow } from '../api/schema';
import { announce } from '../state/announce.svelte';
import { rulebook } from '../state/rulebook.svelte';
import { rules as rulesWords } from '../words/rules';
import { filled } from '../words/words';

export async function revoke(id: string): Promise<void> {
  await change(id, rulesWords.notRevoked, async () => {
    await remove(`/v1/rules/${encodeURIComponent(id)}`);
    rulebook.rules = rulebook.rules.filter((rule) => rule.id !== id);
    announce.say(filled(rulesWords.revoked, { rule: id }));
  });
}

/** Activates a shadow rule. */
export async function activate(id: string): Promise<void> {
  await change(id, rulesWords.shadow.notArmed, async () => {
    const activated = await post<RuleRow>(`/v1/rules/${encodeURIComponent(id)}/activate`, {});
    rulebook.rules = rulebook.rules.map((rule) => (rule.id === id ? activated : rule));
    announce.say(filled(rulesWords.shadow.armed, { rule: id }));
  });
}

/** Does it, or says what did not come of it and why. */
async function change(id: string, not: string, work: () => Promise<void>): Promise<void> {
  rulebook.problem = '';
  try {
    await work();
  } catch (error) {
    const hint = error instanceof Refused ? [error.message, error.problem.hint].filter(Boolean).join(' ') : rulesWords.try.failed;
    rulebook.problem = `${filled(not, { rule: id })} ${hint}`;
  }
}
