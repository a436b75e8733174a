/** A rule in the words of a list: what it is about, for whom, by whom. */

import type { AgentRow, NewRule, RuleOnly, RuleRow, SuggestionRow } from '../api/schema';
import { dialectName } from '../lib/lines';
import type { Tone } from '../lib/ends';
import { rules as rulesWords } from '../words/rules';
import { filled } from '../words/words';

/** What a rule and a suggestion have in common. */
type What = Omit<SuggestionRow, 'asks' | 'says'>;

export function badgeOf(rule: RuleRow): { tone: Tone; icon: string; text: string } {
  if (!rule.live) return { tone: 'expired', icon: 'clock', text: rulesWords.over };
  if (rule.idle) return { tone: 'expired', icon: 'triangle-alert', text: rulesWords.idle };
  if (rule.shadow) return { tone: 'wait', icon: 'clock', text: rule.effect === 'allow' ? rulesWords.shadow.allow : rule.effect === 'deny' ? rulesWords.shadow.deny : rulesWords.level };
  if (rule.effect === 'allow') return { tone: 'success', icon: 'check', text: rulesWords.allow };
  if (rule.effect === 'deny') return { tone: 'error', icon: 'x', text: rulesWords.deny };
  return { tone: rule.level === 'full' ? 'error' : 'wait', icon: 'person', text: rulesWords.level };
}

function onlyWords(only: RuleOnly): string {
  const { input, schema, file, below, at, text, path, host, min, max, boolean } = only;
  if (schema) return filled(rulesWords.schema, { digest: schema.slice(-8) });
  if (input) return input;
  if (file) return file;
  if (below && !at) return `${below}/…`;
  const value = text ?? path ?? host ?? (below ? `${below}/…` : undefined) ?? (boolean === undefined || boolean === null ? `${min}–${max}` : String(boolean));
  return `${at} ${value}`;
}

/** What it is about, as code: the command, the words, the tool, or the preset. */
export function codeOf(rule: What): string {
  if (rule.command) return rule.command;
  if (rule.words) return rule.words.join(' ');
  if (rule.preset) return rule.preset.replaceAll('-', ' ');
  if (rule.level) return [rule.level, rule.mode].filter(Boolean).join(', ');
  return [rule.tool, ...(rule.only ?? []).map(onlyWords)].filter(Boolean).join(' ');
}

export function whoOf(rule: What, agents: AgentRow[]): string {
  if (rule.agent) return agents.find((agent) => agent.id === rule.agent)?.name ?? rule.agent;
  if (rule.dialect) return filled(rulesWords.speaking, { dialect: dialectName(rule.dialect) });
  return rulesWords.anyAgent;
}

export function whereOf(rule: What): string {
  const places = [rule.workspace, rule.cwd, rule.conversation ? filled(rulesWords.inConversation, { conversation: rule.conversation }) : undefined];
  return places.filter(Boolean).join(' · ') || rulesWords.everywhere;
}

export function appliesTo(rule: What, agents: AgentRow[]): string {
  return `${whoOf(rule, agents)}, ${whereOf(rule)}`;
}

export function makerOf({ by }: RuleRow): string {
  if (by.person) return by.device ? filled(rulesWords.onDevice, { person: by.person, device: by.device }) : by.person;
  return filled(rulesWords.admin, { name: by.admin ?? '' });
}

/** What an offer with the rule of a suggestion is called. */
export function presetOf({ preset, only }: What): string {
  if (preset) return preset;
  if (only?.some(({ host }) => host)) return 'host';
  if (only?.some(({ file }) => file)) return 'this-file';
  return only?.some(({ below }) => below) ? 'folder' : 'exact';
}

/** The rule of a suggestion, as it is made. */
export function ruleOf({ asks: _asks, says: _says, ...rule }: SuggestionRow): NewRule {
  return rule;
}
