/**
 * Whether what is drawn of an act is what its input says. The agent may have told us both apart,
 * and only the input goes back to it; whatever the drawing leaves out is shown beside it.
 */

import type { Action } from '../api/schema';

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
  return { text: others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n'), differs: false };
}
