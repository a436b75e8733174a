/**
 * Whether an ask may be decided yet: all of it was on screen, in one run from its beginning, and
 * 600 ms have gone by since it appeared or changed. In a conversation it must be in view as well.
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

  /** Whether the card is out of view, in a conversation that goes on around it. */
  away = $state(false);

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

  /** Watches a block inside what scrolls. */
  private watch(block: HTMLElement, scroller: HTMLElement): () => void {
    const card = block.closest('[data-in-place]');
    const look = () => {
      const around = scroller.getBoundingClientRect();
      const whole = card?.getBoundingClientRect();
      this.away = whole !== undefined && (whole.bottom <= around.top || whole.top >= around.bottom);
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

  /** Begins the wait anew; time on a hidden page does not count. */
  wait(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      this.armed = false;
      clearTimeout(timer);
      if (document.visibilityState !== 'hidden') timer = setTimeout(() => (this.armed = true), ARM_MS);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', begin);
    };
  }

  /**
   * Follows what a component shows, from its beginning to its end. `stands` reads everything that
   * must have stood still for the wait.
   */
  follow(block: () => HTMLElement | undefined, scroller: () => HTMLElement | undefined, stands: () => unknown): void {
    $effect(() => {
      const [shown, around] = [block(), scroller()];
      return shown && around ? this.watch(shown, around) : undefined;
    });
    $effect(() => {
      stands();
      return this.seen && !this.away ? this.wait() : undefined;
    });
    $effect(() => {
      if (!this.seen || this.away) this.armed = false;
    });
  }
}
