/** What became of an ask, step by step, with the entry of the journal for each. */

import type { Ask, StepRow, Story } from '../api/schema';
import { newsOf } from '../ask/ending';
import { whoOf } from '../lib/ends';
import { dialectName } from '../lib/lines';
import { exact, soon, span, took } from '../lib/time';
import { story as storyWords } from '../words/story';
import { filled, words } from '../words/words';

export type Step = { icon: string; what: string; note: string; at: string; entry: StepRow | undefined };

/** A hash in groups, as far as a person compares it. */
export function shortHash(hash: string): string {
  return (hash.slice(0, 12).match(/.{4}/g) ?? []).join(' ');
}

export function stepsOf(ask: Ask, story: Story | undefined): Step[] {
  const w = storyWords;
  const entry = (what: StepRow['what']) => story?.steps.find((step) => step.what === what);
  const at = (row: StepRow | undefined, moment?: string) => (row || moment ? exact(new Date(row?.at ?? moment ?? '')) : '');
  const asked = Date.parse(ask.asked_at);
  const agent = ask.agent.name;
  const limit = ask.deadline ? filled(w.waits, { span: span(Date.parse(ask.deadline) - asked) }) : w.noDeadline;
  const out: Step[] = [
    { icon: 'ask', what: filled(w.asked, { agent }), note: filled(w.over, { dialect: dialectName(ask.agent.dialect), limit }), at: at(entry('asked'), ask.asked_at), entry: entry('asked') },
  ];
  const shown = (story?.steps ?? []).filter((step) => step.what === 'shown');
  const outcome = ask.outcome;
  const ended = outcome ? Date.parse(outcome.at) : Infinity;
  out.push(...shown.filter((step) => Date.parse(step.at) <= ended).map((step) => shownStep(step, asked)));
  if (outcome) {
    out.push({
      icon: outcome.by.rule ? 'shield-check' : outcome.by.person ? 'person' : outcome.by.agent ? 'undo-2' : 'clock',
      what: endWords(ask),
      note: `${filled(w.after, { span: took(Date.parse(outcome.at) - asked) })}${outcome.note ? `: ${outcome.note}` : ''}`,
      at: at(undefined, outcome.at),
      entry: entry('closed'),
    });
  }
  out.push(...shown.filter((step) => Date.parse(step.at) > ended).map((step) => shownStep(step, asked)));
  const [sent, confirmed] = [entry('sent'), entry('confirmed')];
  if (sent) out.push({ icon: 'send', what: filled(w.sent, { agent }), note: '', at: at(sent), entry: sent });
  if (confirmed) out.push({ icon: 'circle-check', what: filled(w.confirmed, { agent }), note: '', at: at(confirmed), entry: confirmed });
  // What the journal does not have yet is said without a moment.
  if (outcome && !confirmed && !(sent && ask.delivery === 'sent')) {
    out.push({ icon: ask.delivery === 'confirmed' ? 'circle-check' : ask.delivery === 'sent' ? 'send' : 'refresh-cw', what: newsOf(ask), note: '', at: '', entry: undefined });
  }
  if (ask.late) {
    const by = ask.deadline ? filled(w.lateBy, { span: span(Date.parse(ask.late.at) - Date.parse(ask.deadline)) }) : w.lateKept;
    out.push({ icon: 'hourglass', what: filled(w.late, { who: whoOf(ask.late.by) }), note: by, at: at(undefined, ask.late.at), entry: entry('answered_late') });
  }
  return out;
}

function shownStep(step: StepRow, asked: number): Step {
  const w = storyWords;
  const what = filled(w.shown, { device: step.device ?? '' });
  const person = step.person ?? words.talk.somebody;
  return { icon: 'eye', what, note: filled(w.shownAfter, { person, span: soon(Date.parse(step.at) - asked) }), at: exact(new Date(step.at)), entry: step };
}

function endWords(ask: Ask): string {
  const w = storyWords;
  const by = ask.outcome?.by;
  const who = by?.device ? filled(w.onDevice, { who: whoOf(by), device: by.device }) : whoOf(by);
  switch (ask.outcome?.kind) {
    case 'answered':
      return by?.rule ? filled(w.byRule, { rule: by.rule }) : filled(w.answered, { who: whoOf(by), device: by?.device ? filled(w.on, { device: by.device }) : '' });
    case 'dismissed':
      return filled(w.skipped, { who });
    case 'expired':
      return w.expired;
    case 'withdrawn':
      return filled(w.withdrawn, { agent: ask.agent.name });
    case undefined:
      return '';
  }
}
