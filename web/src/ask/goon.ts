/** After an answer: to the next ask that wants one, or back to the list. */

import { inbox } from '../state/inbox.svelte';
import { place } from '../state/place.svelte';

export function goOn(id: string, back: () => void): void {
  const next = inbox.following(id);
  if (next) place.go('inbox', next.id);
  else back();
}
