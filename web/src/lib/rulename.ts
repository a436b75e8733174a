/** What a rule is called where there is room for a few words. */

import type { RuleRow } from '../api/schema';

const CHARS_MAX = 40;

export function ruleName(rule: RuleRow | undefined, id: string): string {
  const name = rule?.preset?.replaceAll('-', ' ') ?? rule?.command ?? rule?.words?.join(' ') ?? rule?.tool ?? id;
  return name.length > CHARS_MAX ? `${name.slice(0, CHARS_MAX)}…` : name;
}
