/** Which rule a yes makes, and why none may be made. */

import type { Ask, OfferChoice, OfferRow, RuleAppliesTo, RulingRow } from '../../api/schema';
import { plainLine } from '../../lib/escape';
import { when } from '../../lib/time';
import { filled, words } from '../../words/words';

export type Choice = { preset: string; applies_to: RuleAppliesTo; expires_s: number };

const DAY_S = 86_400;
/** How long a rule may hold; the third is what the server takes by itself. */
export const LASTS = [3600, DAY_S, 7 * DAY_S, 30 * DAY_S, 90 * DAY_S, 365 * DAY_S];
export const USUAL_S = 30 * DAY_S;

export function lastsWords(seconds: number): string {
  if (seconds === 3600) return words.always.hour;
  if (seconds === DAY_S) return words.always.day;
  return words.always.days(seconds / DAY_S);
}

/** The end of a rule as a day, or as an hour when it is near. */
export function untilWords(seconds: number, now: number): string {
  const at = new Date(now + seconds * 1000);
  if (seconds < DAY_S) return when(at, now);
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Whether a yes to the ask may make a rule. */
export function mayMakeRule(ask: Ask): boolean {
  return ask.scopes.some((scope) => scope !== 'once');
}

/** What the rule of an offer may apply to, as far as the ask allows. */
export function choicesOf(ask: Ask, offer: OfferRow): OfferChoice[] {
  return offer.choices.filter(({ applies_to }) => ask.scopes.includes(applies_to === 'conversation' ? 'conversation' : 'always'));
}

export function titleOf(ask: Ask, offer: OfferRow): string {
  const kind = ask.action?.act.kind;
  if (offer.preset === 'exact') return kind === 'shell' ? words.always.exactCommand : words.always.exactInput;
  if (offer.preset === 'this-file') return words.always.exactFile;
  if (offer.preset === 'folder') return words.always.folder;
  if (offer.preset === 'host') return words.always.host;
  return filled(words.always.vetted, { form: offer.preset.replaceAll('-', ' ') });
}

/** For whom, in words. */
export function whoWords(ask: Ask, appliesTo: RuleAppliesTo): string {
  const values = {
    agent: plainLine(ask.agent.name),
    workspace: plainLine(ask.workspace ?? ''),
    conversation: plainLine(ask.conversation?.name ?? ''),
  };
  switch (appliesTo) {
    case 'agent':
      return filled(ask.workspace ? words.always.agentHere : words.always.agentAlone, values);
    case 'workspace':
      return filled(words.always.everyAgent, values);
    case 'conversation':
      return filled(words.always.conversation, values);
  }
}

/** Why no rule can be made of a yes to this; nothing while one can. */
export function whyNot(ask: Ask, edited: boolean, ruling: RulingRow | undefined): { sentence: string; values: Record<string, string> } | undefined {
  const why = words.always.why;
  const agent = ask.agent.name;
  if (mayMakeRule(ask)) return edited ? { sentence: why.edited, values: {} } : undefined;
  const flags = ask.action?.flags ?? [];
  if (flags.includes('no_always')) return { sentence: why.no_always, values: { agent } };
  if (flags.includes('needs_person')) return { sentence: why.needs_person, values: { agent } };
  if (ask.action?.act.kind === 'shell') {
    if (ruling && !ruling.parts.length) return { sentence: why.notPlain, values: { reason: ruling.because[0]?.why ?? ruling.reason } };
    return { sentence: why.program, values: {} };
  }
  return { sentence: ask.action?.tool.toLowerCase().startsWith('mcp__') ? why.server : why.other, values: {} };
}
