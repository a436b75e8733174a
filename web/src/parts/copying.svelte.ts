/**
 * Copying a text. It counts as copied only once the clipboard has it; where a browser has none, as
 * on plain http, the text is selected for the person to copy.
 */

import { tick } from 'svelte';

/** How long a button says that it has done it. */
const SAYS_MS = 2000;

export class Copying {
  state = $state<'ready' | 'copied' | 'by-hand'>('ready');
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `select` is called once the page shows what there is to select. */
  async copy(text: string, select: () => void): Promise<void> {
    clearTimeout(this.timer);
    try {
      await navigator.clipboard.writeText(text);
      this.state = 'copied';
      this.timer = setTimeout(() => (this.state = 'ready'), SAYS_MS);
    } catch {
      this.state = 'by-hand';
      await tick();
      select();
    }
  }
}
