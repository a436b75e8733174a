/** Who answers here: the token of this device, kept in the storage of this origin only. */

import { house, post, Refused, useAdminToken, useToken, whyNot } from '../api/call';
import type { LoggedIn } from '../api/schema';
import { adoptUnnamed, drop, keep, keptAs, useOwner } from './storage';
import { words } from '../words/words';

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

/** Whoever pasted a token, until the server says whose it is. */
const UNNAMED = 'you';
const CODE = /#code=(.+)$/;
type Brought = { kind: 'code' | 'person' | 'agent' | 'admin'; text: string };

/** What somebody brings to the door: a link or its code, or a token, which says in its first letters whose it is. */
function broughtOf(secret: string): Brought {
  const whole = secret.trim();
  const text = plain(CODE.exec(whole)?.[1] ?? whole);
  const role = /^say_(person|agent|admin)_/.exec(text)?.[1] as Brought['kind'] | undefined;
  return { kind: role ?? 'code', text };
}

/** A code as it was before it stood in an address; one that was never in one may have a % of its own. */
function plain(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

/** Why the door stays shut, in words for whoever stands before it. */
function reasonOf(error: unknown, kind: Brought['kind']): string {
  if (!(error instanceof Refused)) return whyNot(error);
  switch (error.problem.code) {
    case 'unauthorized':
    case 'forbidden':
      return kind === 'person' ? words.door.badToken : words.door.badCode;
    case 'slow_down':
      return words.door.tooOften;
    default:
      return whyNot(error);
  }
}

class Login {
  badge = $state<Badge | undefined>(keptAs('login', isBadge));
  /** Why the door is shut, when there is a reason to say. */
  reason = $state('');
  busy = $state(false);
  /** Another person came: the page begins anew, with nothing of the one before. */
  changing = $state(false);

  /** Who was logged in last while this page was open: what is in memory is theirs. */
  private before: string | undefined;
  private leaving = new Set<() => void>();

  constructor() {
    this.use();
    if (this.badge) adoptUnnamed();
  }

  /** Is called while the token can still be used for a last call. */
  onLeave(hear: () => void): void {
    this.leaving.add(hear);
  }

  /** Takes the code out of the address, so that it is in no history, and logs in with it. */
  async fromAddress(): Promise<void> {
    const { hash } = location;
    if (!hash.startsWith('#code=')) return;
    history.replaceState(null, '', '/#/inbox');
    await this.enter(hash);
  }

  /** Logs in with a one-time code, or with a token that somebody made for this device. */
  async enter(secret: string): Promise<void> {
    this.busy = true;
    this.reason = '';
    try {
      const { kind, text } = broughtOf(secret);
      if (kind === 'agent' || kind === 'admin') this.reason = kind === 'agent' ? words.door.agentToken : words.door.adminToken;
      else if (kind === 'person') await this.withToken(text);
      else {
        const { token, person, device, admin } = await post<LoggedIn>('/v1/logins/redeem', { code: text, device: deviceName() });
        const before = this.badge;
        this.take({ token, person, device, ...(admin ? { admin } : {}) });
        // The same browser came again: what it had before is of no use to anybody.
        if (admin && before && before.device !== device) {
          await house.remove(`/v1/tokens/${encodeURIComponent(before.device)}`).catch(() => {});
        }
      }
    } catch (error) {
      this.reason = reasonOf(error, broughtOf(secret).kind);
    } finally {
      this.busy = false;
      if (this.changing) location.reload();
    }
  }

  private async withToken(token: string): Promise<void> {
    useToken(token);
    try {
      await post('/v1/tickets', { for: 'feed' });
      this.take({ token, person: UNNAMED, device: deviceName() });
    } catch (error) {
      useToken(this.badge?.token ?? '');
      throw error;
    }
  }

  /** Takes in whose token it is: one that was pasted does not say. */
  learn(person: string, device: string): void {
    if (!this.badge || (this.badge.person === person && this.badge.device === device)) return;
    this.take({ ...this.badge, person, device });
    if (this.changing) location.reload();
  }

  private take(badge: Badge): void {
    keep('login', JSON.stringify(badge));
    // Nothing of one person may stay in memory for the next.
    this.changing = this.before !== undefined && badge.person !== UNNAMED && this.before !== badge.person;
    this.badge = badge;
    this.use();
  }

  private use(): void {
    if (this.badge) {
      useOwner(this.badge.person);
      if (this.badge.person !== UNNAMED) this.before ??= this.badge.person;
    }
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
    const { admin: _, ...badge } = this.badge;
    this.take(badge);
  }

  /** Forgets the token of this device. */
  leave(reason = ''): void {
    for (const hear of this.leaving) hear();
    drop('login');
    drop('known');
    this.badge = undefined;
    this.use();
    this.reason = reason;
  }
}

export const login = new Login();
