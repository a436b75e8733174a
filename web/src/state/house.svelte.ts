/** Tokens, links and codes: what an admin's token of this device can do. */

import { house, Refused, whyNot } from '../api/call';
import type { LoginCode, Pairing, TokenMade, TokenRow, Tokens } from '../api/schema';
import { login } from './login.svelte';

class House {
  tokens = $state.raw<TokenRow[]>([]);
  reason = $state('');

  async load(): Promise<void> {
    if (!login.isAdmin) return;
    const read = await this.try(() => house.get<Tokens>('/v1/tokens'));
    if (read) this.tokens = read.tokens;
  }

  async revoke(name: string): Promise<void> {
    await this.try(() => house.remove(`/v1/tokens/${encodeURIComponent(name)}`));
    await this.load();
  }

  async makeToken(name: string): Promise<TokenMade | undefined> {
    const made = await this.try(() => house.post<TokenMade>('/v1/tokens', { name, role: 'agent' }));
    if (made) await this.load();
    return made;
  }

  pair(dialect: string): Promise<Pairing | undefined> {
    return this.try(() => house.post<Pairing>('/v1/pairings', { dialect }));
  }

  link(): Promise<LoginCode | undefined> {
    return this.try(() => house.post<LoginCode>('/v1/logins', {}));
  }

  private async try<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.reason = '';
    try {
      return await work();
    } catch (error) {
      // The admin's part alone was taken back: this device still answers.
      if (error instanceof Refused && error.problem.code === 'unauthorized') login.leaveHouse();
      else this.reason = whyNot(error);
      return undefined;
    }
  }
}

export const keeping = new House();
