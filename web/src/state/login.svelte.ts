/** Who answers here: the token of this device, kept in the storage of this origin only. */

import { house, post, useAdminToken, useToken, whyNot } from '../api/call';
import type { LoggedIn } from '../api/schema';
import { drop, keep, keptAs } from './storage';

type Badge = { token: string; person: string; device: string; admin?: string };

const isBadge = (value: unknown): value is Badge =>
  typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string';

/** What this device is called until somebody renames it. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const kind = /iPhone|Android.*Mobile/.test(agent) ? 'phone' : /iPad|Android/.test(agent) ? 'tablet' : 'laptop';
  const browser = /Firefox/.test(agent) ? 'Firefox' : /Edg\//.test(agent) ? 'Edge' : /Chrome/.test(agent) ? 'Chrome' : 'Safari';
  return `${kind}, ${browser}`;
}

class Login {
  badge = $state<Badge | undefined>(keptAs('login', isBadge));
  /** Why the door is shut, when there is a reason to say. */
  reason = $state('');
  busy = $state(false);

  constructor() {
    this.use();
  }

  /** Takes the code out of the address, so that it is in no history, and logs in with it. */
  async fromAddress(): Promise<void> {
    const code = /^#code=(.+)$/.exec(location.hash)?.[1];
    if (code === undefined) return;
    history.replaceState(null, '', '/#/inbox');
    await this.enter(decodeURIComponent(code));
  }

  /** Logs in with a one-time code, or with a token that somebody made for this device. */
  async enter(secret: string): Promise<void> {
    this.busy = true;
    this.reason = '';
    try {
      const code = secret.trim();
      if (code.startsWith('say_person_')) await this.withToken(code);
      else {
        const { token, person, device, admin } = await post<LoggedIn>('/v1/logins/redeem', { code, device: deviceName() });
        const before = this.badge;
        this.take({ token, person, device, ...(admin ? { admin } : {}) });
        // The same browser came again: what it had before is of no use to anybody.
        if (admin && before && before.device !== device) {
          await house.remove(`/v1/tokens/${encodeURIComponent(before.device)}`).catch(() => {});
        }
      }
    } catch (error) {
      this.reason = whyNot(error);
    } finally {
      this.busy = false;
    }
  }

  private async withToken(token: string): Promise<void> {
    useToken(token);
    try {
      await post('/v1/tickets', { for: 'feed' });
      this.take({ token, person: 'you', device: deviceName() });
    } catch (error) {
      useToken(this.badge?.token ?? '');
      throw error;
    }
  }

  private take(badge: Badge): void {
    keep('login', JSON.stringify(badge));
    this.badge = badge;
    this.use();
  }

  private use(): void {
    useToken(this.badge?.token ?? '');
    useAdminToken(this.badge?.admin ?? '');
  }

  /** Whether this device may keep house. */
  get isAdmin(): boolean {
    return this.badge?.admin !== undefined;
  }

  /** The admin's part of this device was taken back. */
  leaveHouse(): void {
    if (!this.badge) return;
    const { token, person, device } = this.badge;
    this.take({ token, person, device });
  }

  /** Forgets the token of this device. */
  leave(reason = ''): void {
    drop('login');
    drop('known');
    this.badge = undefined;
    this.use();
    this.reason = reason;
  }
}

export const login = new Login();
