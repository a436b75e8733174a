/** Where an ask is drawn: on a page of its own, or in place, between what was said in a conversation. */

import { getContext, setContext } from 'svelte';

const KEY = Symbol('in-place');

/** What scrolls around it. */
export type Around = { scroller: HTMLElement | undefined };

/** Everything inside the component that calls this is drawn in place. */
export function drawInPlace(around: () => Around): void {
  setContext(KEY, around);
}

/** What stands around an ask that is drawn in place. */
export function inPlace(): (() => Around) | undefined {
  return getContext<(() => Around) | undefined>(KEY);
}
