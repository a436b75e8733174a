/** What is read out to whoever cannot see the page change. */

import { plainLine } from '../lib/escape';

class Announce {
  polite = $state('');
  urgent = $state('');

  say(sentence: string): void {
    this.polite = plainLine(sentence);
  }

  interrupt(sentence: string): void {
    this.urgent = plainLine(sentence);
  }
}

export const announce = new Announce();
