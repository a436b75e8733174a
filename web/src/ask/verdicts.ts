/** What goes out for an approval, and how its input can be edited. */

import type { Ask } from '../api/schema';
import type { Choice } from './always/always';
import { words } from '../words/words';

/** Whether the agent can be told another input than it asked with. */
export function canEdit(ask: Ask): boolean {
  return ask.edit !== false;
}

/** Whether a no to all of these may also end their agents' turns. */
export function canStop(asks: Ask[]): boolean {
  return asks.length > 0 && asks.every((ask) => ask.stop === true);
}

/** The object around a command, when the input is one whose `command` is what is shown. */
function around(ask: Ask): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(ask.action?.input ?? '');
    if (typeof read !== 'object' || read === null || !('command' in read)) return undefined;
    // What is too deep to be written again cannot be edited in part.
    JSON.stringify(read);
    return read.command === ask.action?.act.command ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The text a person edits: the command alone, or the whole input. */
export function editable(ask: Ask): { text: string; isCommand: boolean } {
  const object = ask.action?.act.kind === 'shell' ? around(ask) : undefined;
  if (object) return { text: ask.action?.act.command ?? '', isCommand: true };
  return { text: ask.action?.input ?? '', isCommand: false };
}

/** The input as it goes back, from the text that was edited. */
export function editedInput(ask: Ask, text: string): string {
  const object = editable(ask).isCommand ? around(ask) : undefined;
  return object ? JSON.stringify({ ...object, command: text }) : text;
}

/** What was changed by an edit, as a person reads it: the command where there is one, else the whole input. */
export function changeOf(ask: Ask, input: string): { old: string; now: string } {
  const { text, isCommand } = editable(ask);
  try {
    const now: unknown = isCommand ? JSON.parse(input)?.command : undefined;
    if (typeof now === 'string') return { old: text, now };
  } catch {
    // It is compared as text then.
  }
  return { old: ask.action?.input ?? '', now: input };
}

/** Why an edited input cannot be sent, when it cannot. */
export function editFault(ask: Ask, text: string | undefined): string {
  if (text === undefined || editable(ask).isCommand) return '';
  try {
    JSON.parse(ask.action?.input ?? '');
  } catch {
    return '';
  }
  try {
    JSON.parse(text);
    return '';
  } catch {
    return words.approval.noJson;
  }
}

/** The body of a no that ends the agent's turn. */
export function stopBody(ask: Ask, note: string): string {
  return JSON.stringify({ digest: ask.digest, verdict: { allow: false, ...(note.trim() ? { note } : {}), stop: true } });
}

/** The body of putting an ask aside; with `stop` the agent's turn ends too. */
export function asideBody(ask: Ask, stop: boolean): string {
  return JSON.stringify({ digest: ask.digest, ...(stop ? { stop: true } : {}) });
}

/** The body of the answer; with a choice, the one that also makes a rule. */
export function verdictBody(ask: Ask, allow: boolean, note: string, text: string | undefined, rule?: Choice): string {
  const changed = allow && !rule && text !== undefined && text !== editable(ask).text;
  return JSON.stringify({
    digest: ask.digest,
    verdict: {
      allow,
      ...(allow ? { scope: rule ? (rule.applies_to === 'conversation' ? 'conversation' : 'always') : 'once' } : {}),
      ...(note.trim() ? { note } : {}),
      ...(changed ? { input: editedInput(ask, text) } : {}),
    },
    ...(rule ? { rule } : {}),
  });
}
