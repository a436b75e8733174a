/**
 * Keeps a pointer from deciding what was not under it a moment ago. When an ask appears, when its
 * buttons change their meaning, or when something above them comes or goes, the buttons take no
 * click for half a second: the second half of a double click, or a click at something that has just
 * moved away, decides nothing.
 */

const SETTLE_MS = 500;

/** `what` is everything that changes what the buttons mean. */
export function settles(node: HTMLElement, what: unknown): { update: (what: unknown) => void; destroy: () => void } {
  let last = JSON.stringify(what);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    node.dataset['settling'] = '';
    clearTimeout(timer);
    timer = setTimeout(() => delete node.dataset['settling'], SETTLE_MS);
  };
  const sizes = new ResizeObserver(begin);
  const scroller = node.querySelector('[data-scroller]') ?? node.closest('[data-scroller]');
  for (const one of [scroller, scroller?.firstElementChild]) if (one) sizes.observe(one);
  begin();
  return {
    update: (now) => {
      if (JSON.stringify(now) === last) return;
      last = JSON.stringify(now);
      begin();
    },
    destroy: () => {
      sizes.disconnect();
      clearTimeout(timer);
    },
  };
}
