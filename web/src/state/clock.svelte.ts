/** The moment it is, once a second, by the server's clock. */

import { serverAheadMs } from '../api/call';

class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => this.tick(), 1000);
    document.addEventListener('visibilitychange', () => this.tick());
  }

  tick(): void {
    this.now = Date.now() + serverAheadMs();
  }
}

export const clock = new Clock();
