/** The head of an ask that ended: what happened and what happens next, never more than is true. */

import type { Ask } from '../api/schema';
import { whoOf, type Tone } from '../lib/ends';
import { ago, span } from '../lib/time';
import type { Missed } from '../state/outgoing.svelte';

export type Ending = { tone: Tone; icon: string; title: string; sentence: string };

/** How far the news has got. "Recorded" is not "confirmed". */
export function newsOf(ask: Ask): string {
  const name = ask.agent.name;
  switch (ask.delivery) {
    case 'confirmed':
      return `${name} has it`;
    case 'sent':
      return `Sent to ${name}, not yet confirmed`;
    case 'owed':
      return ask.agent.connected ? `Recorded, on its way to ${name}` : `Recorded. ${name} gets it when it is back.`;
  }
}

export function endingOf(ask: Ask, me: { person: string; device: string } | undefined, missed: Missed | undefined, now: number): Ending {
  const outcome = ask.outcome;
  const name = ask.agent.name;
  if (!outcome) return { tone: 'wait', icon: 'hourglass', title: 'It waits', sentence: '' };
  const at = ago(new Date(outcome.at), now);
  const mine = outcome.by.person === me?.person && outcome.by.device === me?.device;
  const who = mine ? 'You' : whoOf(outcome.by);
  const device = !mine && outcome.by.device ? ` on ${outcome.by.device}` : '';
  switch (outcome.kind) {
    case 'answered': {
      if (outcome.by.rule) return { tone: 'success', icon: 'shield-check', title: `Answered by rule ${outcome.by.rule}`, sentence: 'Nobody was asked.' };
      if (missed?.why === 'first') return { tone: 'primary', icon: 'person', title: `${who} answered first, ${at}`, sentence: 'Your answer was not sent. It is kept below.' };
      const verdict = outcome.answer && 'verdict' in outcome.answer ? outcome.answer.verdict : undefined;
      if (verdict) {
        const title = `${who} ${verdict.allow ? 'allowed' : 'denied'} it${device}, ${at}`;
        return { tone: verdict.allow ? 'success' : 'error', icon: verdict.allow ? 'check' : 'x', title, sentence: newsOf(ask) };
      }
      return { tone: 'primary', icon: 'check', title: `${who} answered${device}, ${at}`, sentence: newsOf(ask) };
    }
    case 'dismissed':
      return { tone: 'expired', icon: 'skip-forward', title: `${who} skipped it${device}, ${at}`, sentence: newsOf(ask) };
    case 'expired': {
      const waited = ask.deadline ? span(Date.parse(ask.deadline) - Date.parse(ask.asked_at)) : '';
      const late = ask.late && ask.deadline ? span(Date.parse(ask.late.at) - Date.parse(ask.deadline)) : undefined;
      if (late) return { tone: 'expired', icon: 'hourglass', title: `Too late by ${late}`, sentence: `${name} stopped waiting after ${waited}. Your answer is kept.` };
      if (ask.matter === 'approval') return { tone: 'expired', icon: 'clock', title: 'Expired: that counts as no', sentence: `${name} waited ${waited} and went on without it.` };
      return { tone: 'expired', icon: 'clock', title: 'Expired, nobody answered', sentence: `${name} waited ${waited}.` };
    }
    case 'withdrawn':
      return { tone: 'expired', icon: 'undo-2', title: `${name} took it back, ${at}`, sentence: outcome.note ?? '' };
  }
}
