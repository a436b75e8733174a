/** A rule in the words of a list: what it is about, for whom, by whom. */

import type { AgentRow, NewRule, RuleOnly, RuleRow, SuggestionRow } from '../api/schema';
import { dialectName } from '../lib/lines';
import type { Tone } from '../lib/ends';
import { filled, words } from '../words/words';

/** What a rule and a suggestion have in common. */
type What = Omit<SuggestionRow, 'asks' | 'says'>;

export function badgeOf(rule: RuleRow): { tone: Tone; icon: string; text: string } {
  if (!rule.live) return { tone: 'expired', icon: 'clock', text: words.rules.over };
  if (rule.idle) return { tone: 'expired', icon: 'triangle-alert', text: words.rules.idle };
  if (rule.shadow) return { tone: 'wait', icon: 'clock', text: rule.effect === 'allow' ? words.rules.shadow.allow : rule.effect === 'deny' ? words.rules.shadow.deny : words.rules.level };
  if (rule.effect === 'allow') return { tone: 'success', icon: 'check', text: words.rules.allow };
  if (rule.effect === 'deny') return { tone: 'error', icon: 'x', text: words.rules.deny };
  return { tone: rule.level === 'full' ? 'error' : 'wait', icon: 'person', text: words.rules.level };
}

function onlyWords(only: RuleOnly): string {
  const { input, schema, file, below, at, text, path, host, min, max, boolean } = only;
  if (schema) return filled(words.rules.schema, { digest: schema.slice(-8) });
  if (input) return input;
  if (file) return file;
  if (below && !at) return `${below}/…`;
  const value = text ?? path ?? host ?? (below ? `${below}/…` : undefined) ?? (boolean === undefined || boolean === null ? `${min}–${max}` : String(boolean));
  return `${at} ${value}`;
}

/** What it is about, as code: the command, the words, the tool, or the form. */
export function codeOf(rule: What): string {
  if (rule.command) return rule.command;
  if (rule.words) return rule.words.join(' ');
  if (rule.form) return rule.form.replaceAll('-', ' ');
  if (rule.level) return [rule.level, rule.mode].filter(Boolean).join(', ');
  return [rule.tool, ...(rule.only ?? []).map(onlyWords)].filter(Boolean).join(' ');
}

export function whoOf(rule: What, agents: AgentRow[]): string {
  if (rule.agent) return agents.find((agent) => agent.id === rule.agent)?.name ?? rule.agent;
  if (rule.dialect) return filled(words.rules.speaking, { dialect: dialectName(rule.dialect) });
  return words.rules.anyAgent;
}

export function whereOf(rule: What): string {
  const places = [rule.workspace, rule.cwd, rule.conversation ? filled(words.rules.inConversation, { conversation: rule.conversation }) : undefined];
  return places.filter(Boolean).join(' · ') || words.rules.everywhere;
}

export function reachOf(rule: What, agents: AgentRow[]): string {
  return `${whoOf(rule, agents)}, ${whereOf(rule)}`;
}

export function makerOf({ by }: RuleRow): string {
  if (by.person) return by.device ? filled(words.rules.onDevice, { person: by.person, device: by.device }) : by.person;
  return filled(words.rules.admin, { name: by.admin ?? '' });
}

/** What an offer with the rule of a suggestion is called. */
export function formOf({ form, only }: What): string {
  if (form) return form;
  if (only?.some(({ host }) => host)) return 'host';
  if (only?.some(({ file }) => file)) return 'this-file';
  return only?.some(({ below }) => below) ? 'folder' : 'exact';
}

/** The rule of a suggestion, as it is made. */
export function ruleOf({ asks: _asks, says: _says, ...rule }: SuggestionRow): NewRule {
  return rule;
}
