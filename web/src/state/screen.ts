/**
 * What this device really has on screen: cards in view while the page is visible. The server is
 * told once for each ask, and again after a new connection, because it may have lost its memory.
 * Nothing hangs on it; it is for the story of an ask.
 */

import type { Action } from 'svelte/action';
import { post } from '../api/call';
import { feed } from './feed.svelte';

/** Asks of one report, as the server takes them. */
const AT_ONCE = 200;
/** So much of a card is enough, however tall it is. */
const ENOUGH_PX = 120;

class Screen {
  private inView = new Map<Element, string[]>();
  private watched = new Map<Element, string[]>();
  private told = new Set<string>();
  private waiting = new Set<string>();
  private sending = false;
  private watcher: IntersectionObserver | undefined;

  constructor() {
    feed.on('ready', () => {
      this.told.clear();
      this.tell();
    });
    document.addEventListener('visibilitychange', () => this.tell());
  }

  /** Follows a card of these asks until it is gone. */
  watch(card: Element, asks: string[]): { update: (asks: string[]) => void; destroy: () => void } {
    this.watcher ??= new IntersectionObserver((seen) => this.saw(seen), { threshold: [0, 0.5] });
    this.watched.set(card, asks);
    this.watcher.observe(card);
    return {
      update: (now) => {
        this.watched.set(card, now);
        if (!this.inView.has(card)) return;
        this.inView.set(card, now);
        this.tell();
      },
      destroy: () => {
        this.watcher?.unobserve(card);
        this.watched.delete(card);
        this.inView.delete(card);
      },
    };
  }

  private saw(seen: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, intersectionRatio, intersectionRect } of seen) {
      const asks = this.watched.get(target);
      if (asks && isIntersecting && (intersectionRatio >= 0.5 || intersectionRect.height >= ENOUGH_PX)) this.inView.set(target, asks);
      else this.inView.delete(target);
    }
    this.tell();
  }

  private tell(): void {
    if (document.visibilityState !== 'visible') return;
    for (const id of [...this.inView.values()].flat()) if (!this.told.has(id)) this.waiting.add(id);
    void this.send();
  }

  /** One report at a time: what comes into view meanwhile goes with the next. */
  private async send(): Promise<void> {
    if (this.sending || feed.link !== 'live') return;
    this.sending = true;
    while (this.waiting.size) {
      const asks = [...this.waiting].slice(0, AT_ONCE);
      for (const id of asks) {
        this.waiting.delete(id);
        this.told.add(id);
      }
      // What does not get there is told with the next connection, if it is still in view.
      await post('/v1/shown', { asks }).catch(() => {});
    }
    this.sending = false;
  }
}

const screen = new Screen();

/** Says that an element is the card of these asks. */
export const shows: Action<HTMLElement, string[]> = (card, asks) => screen.watch(card, asks);
