/** Notices to this device while the page is closed. */

import { get, post, remove, whyNot } from '../api/call';
import type { PushState } from '../api/schema';
import { house } from '../words/house';

const sentences = house.settings;

class Push {
  state = $state.raw<PushState | undefined>();
  busy = $state(false);
  /** Why the last wish was not followed. */
  reason = $state('');

  get possible(): boolean {
    return 'serviceWorker' in navigator && 'PushManager' in globalThis && typeof Notification !== 'undefined';
  }

  get isOn(): boolean {
    return this.state?.subscription !== undefined && this.state.subscription !== null;
  }

  async load(): Promise<void> {
    try {
      this.state = await get<PushState>('/v1/push');
    } catch {
      this.state = undefined;
    }
  }

  /** Sees to it that the server knows the address that the browser has now; services change it. */
  async mend(): Promise<void> {
    if (!this.possible || Notification.permission !== 'granted') return;
    await this.load();
    const kept = this.state?.subscription;
    if (!kept) return;
    const registration = await navigator.serviceWorker.ready;
    const there = await registration.pushManager.getSubscription();
    if (there?.endpoint !== kept.endpoint) await this.set(true, kept.text);
  }

  /** Turns notices on, with or without what is asked, or off. */
  async set(on: boolean, text = this.state?.subscription?.text ?? false): Promise<void> {
    this.busy = true;
    this.reason = '';
    try {
      await (on ? this.turnOn(text) : this.turnOff());
    } catch (error) {
      this.reason = error instanceof DOMException ? sentences.pushFailed : whyNot(error);
    } finally {
      this.busy = false;
    }
  }

  private async turnOn(text: boolean): Promise<void> {
    if ((await Notification.requestPermission()) !== 'granted') {
      this.reason = sentences.blocked;
      return;
    }
    this.state ??= await get<PushState>('/v1/push');
    const registration = await navigator.serviceWorker.ready;
    const given = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: this.state.key });
    const { endpoint, keys } = given.toJSON();
    this.state = await post<PushState>('/v1/push', { endpoint, keys, text });
  }

  private async turnOff(): Promise<void> {
    await remove('/v1/push');
    await this.load();
    const registration = await navigator.serviceWorker.ready;
    await (await registration.pushManager.getSubscription())?.unsubscribe();
  }

  async trial(): Promise<void> {
    this.busy = true;
    this.reason = '';
    try {
      this.state = await post<PushState>('/v1/push/trial', {});
    } catch (error) {
      this.reason = whyNot(error);
    } finally {
      this.busy = false;
    }
  }
}

export const push = new Push();
