/** The English sentences about undoing an answer, and about what was typed and not sent. */

export const held = {
  label: 'Answers you can still undo',
  doing: { allow: 'Allowing…', deny: 'Denying…', dismiss: 'Dismissing…', answer: 'Sending…' },
  announced: '{doing} {agent} has not been told yet. Press u to undo.',
  notTold: '{agent} has not been told yet',
  several: '{n} asks',
  undo: 'Undo ({n} s)',
  undone: 'Undone. Nothing was sent.',
  row: '{doing} {n} s',
  card: 'Not sent yet. You can undo it for {n} s.',
  what: {
    allow: 'Allow “{line}” ({agent})',
    deny: 'Deny “{line}” ({agent})',
    dismiss: 'Dismiss “{line}” ({agent})',
    answer: 'Answer “{line}” ({agent})',
  },
  sentWhenLeft: 'Sent when you left: {what}.',
  dropped: 'Not sent because you left: {what}. It is still waiting.',
  notSent: 'Not sent: {what}. The page closed too early.',
  overtaken: 'Not sent: {what}. {why}.',
};

export const news = { label: 'News about your answers', open: 'Open', close: 'Close', draft: '{why}. Your draft for {agent} is kept.' };

export const draft = {
  title: 'Your draft',
  kept: 'Kept on this device.',
  keptOther: 'Kept on this device. It does not change {who}’s answer.',
  chosen: 'chosen, not sent',
  note: 'Note',
  edit: 'Edited input',
  secrets: 'Secret fields are not kept.',
  tell: 'Tell the agent anyway',
  telling: 'Sending…',
  copy: 'Copy',
  discard: 'Discard draft',
  asMessage: '“Tell the agent anyway” sends the draft as a message from you in {conversation}.',
  asLate: '“Tell the agent anyway” records the draft as a late answer. {agent} gets it if it asks the same again.',
  message: 'About “{matter}”: {text}',
  sent: 'Sent to {agent} as a message.',
  queued: 'Queued. {agent} gets it with its next turn.',
  late: 'Recorded as a late answer.',
  gone: 'The ask is gone, but your draft is kept on this device.',
};

export const prefill = {
  yours: 'Your late answer to the same question from {clock}',
  other: '{who}’s late answer to the same question from {clock}',
  clear: 'Clear',
};

export const undo = {
  title: 'Answers given with a key',
  note: 'Keys such as y and d can be undone for a moment. Buttons send at once.',
  span: 'Time to undo',
  off: 'Off, send at once',
  seconds: (n: number) => `${n} seconds`,
  leaving: 'When you close the page before that',
  send: 'Send the answer',
  drop: 'Drop it, the ask keeps waiting',
};

export const risk = {
  level: { low: 'Low risk', medium: 'Medium risk', high: 'High risk' },
  why: '{level}: {reason}',
  also: 'Also: {reasons}.',
  hold: 'Hold to allow.',
  requests: '{agent} requests approval: {matter}. {risk}',
  notice: '{agent} requests approval',
};

export const search = {
  inbox: 'Search',
  talks: 'Search conversations',
  rules: 'Search rules',
  agents: 'Search agents and devices',
  none: 'No matches.',
};
