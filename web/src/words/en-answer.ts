/** The English sentences about giving an answer: forms, sending it, and whom it goes to. */

import { count } from './count';

export const missed = { changed: 'This ask has changed since you saw it', refused: 'The server did not take that', kept: 'What you chose is kept below.' };

export const same = {
  label: 'Identical asks',
  title: (n: number) => count(n, 'other identical ask', 'other identical asks'),
  whose: '{agent} in {conversation}',
  also: 'Also answer…',
  ticked: '{n} ticked',
  see: 'See',
  all: 'Also answer these {n}',
  open: 'Open',
  openOf: 'Open the ask of {whose}',
  note: 'Identical to the byte; each gets its own answer and record.',
  secret: 'A secret goes to one ask at a time. Only {agent} gets what you type here.',
  receivers: (n: number) => `One answer to ${count(n, 'ask', 'asks')}`,
  takenBack: 'taken back',
};

export const group = {
  alike: (n: number) => `${n} alike`,
  differ: (n: number) => count(n, 'differs', 'differ'),
  in: 'in',
  ticked: '{n} of {all} ticked',
  all: 'Tick all',
  open: 'shown',
  note: 'Each ask gets its own answer and its own record. An ask that differs starts without a tick.',
};

export const sending = {
  waits: 'Not sent yet',
  waitsNote: 'Goes out by itself once the server answers. You will be told if someone else was first.',
  goes: 'Sending',
  goesNote: 'It is recorded in a moment.',
  takeBack: 'Take back',
  now: 'Send now',
};

export const send = {
  one: 'Send answer',
  many: 'Send {n} answers',
  next: 'Next: {name}',
  without: 'Send without {names}',
  manyWithout: 'Send {n} without {names}',
  sure: 'No answer for {names}. Send anyway?',
  needs: '{names} needs an answer.',
  atLeastOne: 'Answer at least one.',
  skip: 'Skip',
  skipAll: 'Skip all',
  skipMany: 'Skip {n} asks',
  stop: 'Skip and stop',
  stopMany: 'Skip {n} asks and stop',
};

export const form = {
  visit: '{agent} asks you to visit a page',
  details: '{agent} needs a few details',
  fields: (n: number, needed: number) => `${count(n, 'field', 'fields')}, ${needed} needed.`,
  exact: '{agent} gets exactly what you type.',
  exactMany: '{n} asks get exactly what you type.',
  send: 'Send',
  sendMany: 'Send {n}',
  fix: 'Send, {n} to fix',
  toFix: 'To fix: {names}',
  decline: 'Decline',
  declineMany: 'Decline {n}',
  done: 'I have done it',
  doneMany: 'I have done it, {n} asks',
};
