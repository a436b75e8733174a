/**
 * Whether an act may be allowed yet: all of it was on screen, in one run from its beginning, and
 * 600 ms have gone by since it appeared or changed.
 */

import { words } from '../words/words';

const ARM_MS = 600;
/** A border or a half pixel at the end hides nothing. */
const SLACK_PX = 4;
/** The height of a line of an act. */
const LINE_PX = 28;

export class Arming {
  /** How far down the act has been seen, of how much. */
  seenPx = $state(0);
  heightPx = $state(1);
  armed = $state(false);

  /** Whether what is drawn now leaves something of the act out. */
  partial = $state(false);

  seen = $derived(!this.partial && this.seenPx + SLACK_PX >= this.heightPx);
  /** The part that is still to be seen. */
  restPx = $derived(Math.max(0, this.heightPx - this.seenPx));
  /** What keeps it from being allowed, apart from the wait. */
  why = $derived.by(() => {
    if (this.seen) return '';
    if (this.partial) return words.approval.partial;
    const lines = Math.max(1, Math.ceil(this.restPx / LINE_PX));
    return words.approval.unseen(lines);
  });

  /** Watches a block inside what scrolls. Call it in an effect and call back what it returns. */
  watch(block: HTMLElement, scroller: HTMLElement): () => void {
    const look = () => {
      const around = scroller.getBoundingClientRect();
      const own = block.getBoundingClientRect();
      if (own.height !== this.heightPx) {
        this.heightPx = own.height;
        this.seenPx = 0;
      }
      const from = around.top - own.top;
      const to = Math.min(own.height, around.bottom - own.top);
      // What was jumped over has not been seen.
      if (from <= this.seenPx + SLACK_PX) this.seenPx = Math.max(this.seenPx, to);
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(block);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      scroller.removeEventListener('scroll', look);
    };
  }

  /** Begins the wait anew. Call it in an effect that reads what must not change. */
  wait(): () => void {
    this.armed = false;
    const timer = setTimeout(() => (this.armed = true), ARM_MS);
    return () => clearTimeout(timer);
  }

  /** Begins to look anew: something else is shown. */
  forget(): void {
    this.seenPx = 0;
  }
}
