/**
 * Whether an ask may be decided yet: all of it was on screen, each piece in one run from its
 * beginning, and 600 ms have gone by since it appeared or changed. Of an edit, every changed line must
 * have been on screen, in whatever order; lines that stay as they are need not be looked at. In a conversation it
 * must be in view as well.
 *
 * Pieces are the elements with `data-see`, else the whole block; rows of an edit name the changed lines in them in `data-must`.
 */

import { filled, words } from '../words/words';

const ARM_MS = 600;
/** A border or a half pixel at the end hides nothing. */
const SLACK_PX = 4;
/** The height of a line of an act. */
const LINE_PX = 28;

/** How far down something has been seen, of how much. */
type Progress = { seenPx: number; heightPx: number };

/** Takes in what of an element is on screen now; says how much is still to be seen. */
function look(progress: Progress, { top, height }: DOMRect, around: DOMRect): number {
  if (height !== progress.heightPx) [progress.heightPx, progress.seenPx] = [height, 0];
  const from = around.top - top;
  const to = Math.min(height, around.bottom - top);
  // What was jumped over has not been seen.
  if (from <= progress.seenPx + SLACK_PX) progress.seenPx = Math.max(progress.seenPx, to);
  const rest = height - progress.seenPx;
  return rest <= SLACK_PX ? 0 : rest;
}

export class Arming {
  /** How much of the pieces is still to be seen. */
  restPx = $state(1);
  armed = $state(false);
  /** How many lines an edit changes, and how many of them were on screen. */
  lines = $state(0);
  private seenLines = $state(0);
  /** Characters that are folded away, by where. */
  private foldedIn = $state.raw<Record<string, number>>({});

  /** Whether the card is out of view, in a conversation that goes on around it. */
  away = $state(false);

  /** How many characters are folded away. */
  folded = $derived(Object.values(this.foldedIn).reduce((sum, count) => sum + count, 0));
  /** Changed lines that were not on screen yet. */
  restLines = $derived(Math.max(0, this.lines - this.seenLines));
  seen = $derived(this.folded === 0 && this.restPx === 0 && this.restLines === 0);
  /** What keeps it from being allowed, apart from the wait. */
  why = $derived.by(() => {
    if (this.seen) return '';
    if (this.folded) return filled(words.approval.folded, { n: this.folded.toLocaleString(words.locale) });
    return words.approval.unseen(Math.max(1, this.restLines + Math.ceil(this.restPx / LINE_PX)));
  });

  private pieces = new WeakMap<Element, Progress>();
  /** Rows come and go with what is drawn, so they are known by their lines. */
  private rows = new Map<string, Progress | 'seen'>();
  private known = new Set<string>();

  /** Says how many characters are folded away in one place. */
  fold(where: string, count: number): void {
    if ((this.foldedIn[where] ?? 0) === count) return;
    this.foldedIn = { ...this.foldedIn, [where]: count };
  }

  private lookAtRow(row: HTMLElement, around: DOMRect): void {
    const key = row.dataset['must'] ?? '';
    const before = this.rows.get(key);
    if (before === 'seen') return;
    const progress = before ?? { seenPx: 0, heightPx: 0 };
    const box = row.getBoundingClientRect();
    if (look(progress, box, around) > 0 || box.height === 0) {
      this.rows.set(key, progress);
      return;
    }
    this.rows.set(key, 'seen');
    for (const line of key.split(' ')) this.known.add(line);
  }

  /** Watches what is in a block inside what scrolls. */
  private watch(block: HTMLElement, scroller: HTMLElement): () => void {
    const card = block.closest('[data-in-place]');
    const lookAtAll = () => {
      const around = scroller.getBoundingClientRect();
      const whole = card?.getBoundingClientRect();
      this.away = whole !== undefined && (whole.bottom <= around.top || whole.top >= around.bottom);
      let rest = 0;
      const found = [...block.querySelectorAll<HTMLElement>('[data-see]')];
      for (const piece of found.length ? found : [block]) {
        const progress = this.pieces.get(piece) ?? { seenPx: 0, heightPx: 0 };
        this.pieces.set(piece, progress);
        rest += look(progress, piece.getBoundingClientRect(), around);
      }
      for (const row of block.querySelectorAll<HTMLElement>('[data-must]')) this.lookAtRow(row, around);
      this.restPx = rest;
      this.seenLines = this.known.size;
    };
    // Once in a frame, however much is drawn in it.
    let due: number | undefined;
    const soon = () => {
      due ??= requestAnimationFrame(() => {
        due = undefined;
        lookAtAll();
      });
    };
    const sizes = new ResizeObserver(lookAtAll);
    sizes.observe(block);
    sizes.observe(scroller);
    const drawn = new MutationObserver(soon);
    drawn.observe(block, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-see'] });
    scroller.addEventListener('scroll', lookAtAll, { passive: true });
    lookAtAll();
    return () => {
      sizes.disconnect();
      drawn.disconnect();
      scroller.removeEventListener('scroll', lookAtAll);
      if (due !== undefined) cancelAnimationFrame(due);
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
   * Follows what a component shows. `stands` reads everything that must have stood still for the wait.
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
