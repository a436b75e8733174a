/** How an ask ended, in words, with the colour and the icon that go with it. */

import type { Answer, Ask, By } from '../api/schema';
import { ago, span } from './time';
import { filled, words as w } from '../words/words';

export type Tone = 'primary' | 'success' | 'error' | 'expired' | 'wait';
export type End = { tone: Tone; icon: string; badge: string };

export function whoOf(by: By | undefined): string {
  if (by?.person) return by.person;
  if (by?.rule) return filled(w.ends.rule, { rule: by.rule });
  if (by?.agent) return by.agent;
  return w.ends.nobody;
}

/** The labels and words of an answer, for a line. */
export function answerWords(answer: Answer | null | undefined): string[] {
  if (!answer) return [];
  if ('replies' in answer) {
    return answer.replies.flatMap((reply) => [...(reply.labels ?? []), ...(reply.other ? [`“${reply.other}”`] : [])]);
  }
  if ('verdict' in answer) {
    const { allow, scope, input, stop } = answer.verdict;
    if (!allow) return [stop ? w.ends.stopped : w.ends.denied];
    if (input) return [w.ends.edited];
    return [scope === 'always' ? w.ends.always : scope === 'conversation' ? w.ends.conversation : w.ends.once];
  }
  return [w.ends.filled];
}

/** The badge of an ask that ended. */
export function endOf(ask: Ask): End {
  const outcome = ask.outcome;
  switch (outcome?.kind) {
    case 'answered': {
      if (outcome.by.rule) return { tone: 'success', icon: 'shield-check', badge: w.ends.byRule };
      const words = answerWords(outcome.answer).join(', ');
      if (outcome.answer && 'verdict' in outcome.answer) {
        return outcome.answer.verdict.allow
          ? { tone: 'success', icon: outcome.answer.verdict.input ? 'pencil' : 'check', badge: words }
          : { tone: 'error', icon: 'x', badge: words };
      }
      return { tone: 'primary', icon: 'check', badge: words };
    }
    case 'dismissed':
      return { tone: 'expired', icon: 'skip-forward', badge: outcome.stop ? w.ends.skippedStopped : w.ends.skipped };
    case 'expired': {
      const late = ask.late;
      if (late && ask.deadline) {
        return { tone: 'expired', icon: 'hourglass', badge: filled(w.ends.late, { span: span(Date.parse(late.at) - Date.parse(ask.deadline)) }) };
      }
      return { tone: 'expired', icon: 'clock', badge: w.ends.expired };
    }
    case 'withdrawn':
      return { tone: 'expired', icon: 'undo-2', badge: w.ends.withdrawn };
    case undefined:
      return { tone: 'wait', icon: 'hourglass', badge: w.ends.waits };
  }
}

/** The end in a sentence, to be read out. */
export function endSentence(ask: Ask, now: number): string {
  const outcome = ask.outcome;
  if (!outcome) return '';
  const who = whoOf(outcome.by);
  const at = ago(new Date(outcome.at), now);
  switch (outcome.kind) {
    case 'answered': {
      const device = outcome.by.device ? filled(w.ends.on, { device: outcome.by.device }) : '';
      return filled(w.ends.saidAnswered, { who, device, at, answer: answerWords(outcome.answer).join(', ') });
    }
    case 'dismissed':
      return filled(outcome.stop ? w.ends.saidSkippedStopped : w.ends.saidSkipped, { who, device: '', at });
    case 'expired':
      return ask.matter === 'approval' ? w.ends.expiredNo : filled(w.ends.saidExpired, { at });
    case 'withdrawn':
      return filled(w.ends.saidWithdrawn, { agent: ask.agent.name, at });
  }
}
