/** The head of an ask that ended: what happened and what happens next, never more than is true. */

import type { Ask } from '../api/schema';
import { whoOf, type Tone } from '../lib/ends';
import { ruleName } from '../lib/rulename';
import { ago, span } from '../lib/time';
import type { Missed, Sending } from '../state/outgoing.svelte';
import { rulebook } from '../state/rulebook.svelte';
import { filled, words } from '../words/words';

const e = words.ending;

/** `untold`: the title does not say what was answered. */
export type Ending = { tone: Tone; icon: string; title: string; sentence: string; untold?: boolean };

/** How far the news has got. "Recorded" is not "confirmed". */
export function newsOf(ask: Ask): string {
  const name = ask.agent.name;
  switch (ask.delivery) {
    case 'confirmed':
      return filled(e.has, { name });
    case 'sent':
      return filled(e.sent, { name });
    case 'owed':
      return filled(ask.agent.connected ? e.onItsWay : e.gone, { name });
  }
}

/** How far an answer to several got with one of them. */
export function receiverNews(ask: Ask, sending: Sending | undefined, missed: Missed | undefined): string {
  if (sending) return sending.state === 'waiting' ? words.inbox.notSent : words.inbox.sending;
  if (missed?.why === 'first' && ask.outcome) return filled(e.other, { who: whoOf(ask.outcome.by) });
  if (missed) return missed.sentence;
  return ask.state === 'closed' ? newsOf(ask) : words.same.takenBack;
}

/** How far a yes goes, in the title. */
function allowed({ input, scope }: { input?: string | null; scope?: string | null }): string {
  if (input) return e.allowedEdit;
  return scope === 'always' ? e.allowedAlways : scope === 'conversation' ? e.allowedHere : e.allowed;
}

/** `unsent`: something of this person's was on its way or half typed when it ended. */
export function endingOf(ask: Ask, me: { person: string; device: string } | undefined, unsent: boolean, now: number): Ending {
  const outcome = ask.outcome;
  const name = ask.agent.name;
  if (!outcome) return { tone: 'wait', icon: 'hourglass', title: e.waits, sentence: '' };
  const at = ago(new Date(outcome.at), now);
  const mine = outcome.by.person === me?.person && outcome.by.device === me?.device;
  const who = mine ? e.you : whoOf(outcome.by);
  const device = !mine && outcome.by.device ? filled(words.ends.on, { device: outcome.by.device }) : '';
  switch (outcome.kind) {
    case 'answered': {
      const verdict = outcome.answer && 'verdict' in outcome.answer ? outcome.answer.verdict : undefined;
      if (outcome.by.rule) {
        const rule = ruleName(rulebook.find(outcome.by.rule), outcome.by.rule);
        const denied = verdict?.allow === false;
        return { tone: denied ? 'error' : 'success', icon: 'shield-check', title: filled(denied ? e.deniedByRule : e.byRule, { rule }), sentence: e.nobody };
      }
      if (unsent && !mine) return { tone: 'primary', icon: 'person', title: filled(e.first, { who, device, at }), sentence: filled(e.firstKept, { name }), untold: verdict !== undefined };
      if (verdict) {
        const title = filled(verdict.allow ? allowed(verdict) : verdict.stop ? e.deniedStopped : e.denied, { who, device, at });
        return { tone: verdict.allow ? 'success' : 'error', icon: verdict.allow ? 'check' : 'x', title, sentence: newsOf(ask) };
      }
      return { tone: 'primary', icon: 'check', title: filled(e.answered, { who, device, at }), sentence: newsOf(ask) };
    }
    case 'dismissed':
      return { tone: 'expired', icon: 'skip-forward', title: filled(outcome.stop ? words.ends.saidSkippedStopped : words.ends.saidSkipped, { who, device, at }), sentence: newsOf(ask) };
    case 'expired': {
      const waited = ask.deadline ? span(Date.parse(ask.deadline) - Date.parse(ask.asked_at)) : '';
      const late = ask.late && ask.deadline ? span(Date.parse(ask.late.at) - Date.parse(ask.deadline)) : undefined;
      if (late) return { tone: 'expired', icon: 'hourglass', title: filled(words.ends.late, { span: late }), sentence: filled(e.stopped, { name, span: waited }) };
      if (ask.matter === 'approval') return { tone: 'expired', icon: 'clock', title: words.ends.expiredNo, sentence: filled(e.wentOn, { name, span: waited }) };
      return { tone: 'expired', icon: 'clock', title: e.expired, sentence: filled(e.waited, { name, span: waited }) };
    }
    case 'withdrawn':
      return { tone: 'expired', icon: 'undo-2', title: filled(words.ends.saidWithdrawn, { agent: name, at }), sentence: outcome.note ?? '' };
  }
}
