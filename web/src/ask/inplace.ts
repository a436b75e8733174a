/** Where an ask is drawn: on a page of its own, or in place, between what was said in a conversation. */

import { getContext, setContext, type Component, type Snippet } from 'svelte';
import type { Ask } from '../api/schema';

const KEY = Symbol('in-place');

export type CardProps = { ask: Ask; means: unknown; children: Snippet; above?: Snippet | undefined; bar?: Snippet | undefined };
/** What scrolls around it, and the frame it has there. */
export type Around = { scroller: HTMLElement | undefined; Card: Component<CardProps> };

/** Everything inside the component that calls this is drawn in place. */
export function drawInPlace(around: () => Around): void {
  setContext(KEY, around);
}

/** What stands around an ask that is drawn in place. */
export function inPlace(): (() => Around) | undefined {
  return getContext<(() => Around) | undefined>(KEY);
}
