/**
 * Whether what is drawn of an act is what its input says. The agent may have told us both apart,
 * and only the input goes back to it; whatever the drawing leaves out is shown beside it.
 */

import type { Action } from '../api/schema';

/** Names under which agents tell the number of the first line of what they change. */
const START_NAMES = ['start_line', 'startLine'];

/** The number of the first line in the file: told by the agent for an edit, known for a whole file. */
export function startOf({ act, input }: Action): number | undefined {
  if (act.kind === 'write') return 1;
  if (act.kind !== 'edit') return undefined;
  try {
    const read: unknown = JSON.parse(input);
    if (typeof read !== 'object' || read === null) return undefined;
    const told = START_NAMES.map((name) => (read as Record<string, unknown>)[name]).find((value) => Number.isSafeInteger(value));
    return typeof told === 'number' && told > 0 ? told : undefined;
  } catch {
    return undefined;
  }
}

export type Rest = { text: string; differs: boolean };

/** What of the input is not drawn, and whether the drawing says something that the input does not. */
export function restOf(action: Action): Rest {
  const { kind, command, path, old, new: now, content } = action.act;
  if (kind === 'other') return { text: '', differs: false };
  const drawn = [command, path, old, now, content].filter((value): value is string => typeof value === 'string');
  if (drawn.length === 1 && drawn[0] === action.input) return { text: '', differs: false };
  let read: unknown;
  try {
    read = JSON.parse(action.input);
  } catch {
    return { text: action.input, differs: true };
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return { text: action.input, differs: true };
  const entries = Object.entries(read);
  const missing = drawn.some((value) => value !== '' && !entries.some(([, other]) => other === value));
  if (missing) return { text: action.input, differs: true };
  const others = entries.filter(([, value]) => typeof value !== 'string' || !drawn.includes(value));
  try {
    return { text: others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n'), differs: false };
  } catch {
    // Too deep to be written again: it is shown as it came.
    return { text: action.input, differs: false };
  }
}
