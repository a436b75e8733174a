/** Desktop notices and the sound, both only when the person turned them on. */

import type { Ask } from '../api/schema';
import { plainLine } from '../lib/escape';
import { matterLine } from '../lib/lines';
import { riskSentence } from '../lib/risk';
import { keep, kept } from './storage';
import { filled, words } from '../words/words';

/** Asks that arrive together make one sound. */
const QUIET_MS = 1000;

class Notices {
  desktop = $state(kept('notices') === 'on' && 'Notification' in globalThis && Notification.permission === 'granted');
  sound = $state(kept('sound') === 'on');
  blocked = $state('Notification' in globalThis && Notification.permission === 'denied');
  private lastSound = 0;

  async setDesktop(on: boolean): Promise<void> {
    if (on && 'Notification' in globalThis) {
      const allowed = await Notification.requestPermission();
      this.blocked = allowed === 'denied';
      on = allowed === 'granted';
    }
    this.desktop = on;
    keep('notices', on ? 'on' : 'off');
  }

  setSound(on: boolean): void {
    this.sound = on;
    keep('sound', on ? 'on' : 'off');
    if (on) this.ring();
  }

  arrived(ask: Ask): void {
    if (this.sound && Date.now() - this.lastSound > QUIET_MS) this.ring();
    if (!this.desktop || document.visibilityState === 'visible') return;
    void this.show(ask);
  }

  private async show(ask: Ask): Promise<void> {
    const title = filled(ask.action ? words.risk.notice : words.inbox.noticeTitle, { agent: plainLine(ask.agent.name) });
    const line = plainLine(matterLine(ask)).slice(0, 120);
    const body = ask.action ? `${line}\n${plainLine(riskSentence(ask.action))}` : line;
    const options = { body, tag: ask.id, icon: '/icon-192.png', data: { ask: ask.id } };
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker?.active) {
      // Phones show notices only through the worker, which also opens the ask.
      await worker.showNotification(title, options);
      return;
    }
    const notice = new Notification(title, options);
    notice.onclick = () => {
      focus();
      location.hash = `#/inbox/${ask.id}`;
      notice.close();
    };
  }

  private ring(): void {
    this.lastSound = Date.now();
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.08, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.35);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.36);
    tone.onended = () => void audio.close();
  }
}

export const notices = new Notices();
