/** The worker of the page: started once, and asked now and then whether there is a newer page. */

import { place } from './place.svelte';

type Policy = { createScriptURL(text: string): unknown };
type Types = { createPolicy(name: string, rules: { createScriptURL: (text: string) => string }): Policy };

const WORKER = '/sw.js';
const LOOK_MS = 3_600_000;

class Shell {
  /** Whether a newer page waits to take over. */
  newer = $state(false);
  private registration: ServiceWorkerRegistration | undefined;

  async start(): Promise<void> {
    if (!('serviceWorker' in navigator)) return;
    const workers = navigator.serviceWorker;
    workers.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
      if (typeof data?.open === 'string') place.go('inbox', data.open || undefined);
    });
    const types = (globalThis as { trustedTypes?: Types }).trustedTypes;
    // The policy of the page lets nothing else become a worker.
    const address = types?.createPolicy('sayso-worker', { createScriptURL: () => WORKER }).createScriptURL('') ?? WORKER;
    try {
      const registration = await workers.register(address as string, { scope: '/', updateViaCache: 'none' });
      this.registration = registration;
      // Nothing was typed yet: the page that was just started can be the newer one.
      if (registration.waiting && workers.controller) this.takeOver();
      registration.addEventListener('updatefound', () => this.watch(registration.installing));
      setInterval(() => this.look(), LOOK_MS);
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') this.look();
      });
    } catch {
      // Without a worker the page works, only not without the server.
    }
  }

  private look(): void {
    this.registration?.update().catch(() => {});
  }

  private watch(worker: ServiceWorker | null): void {
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && navigator.serviceWorker.controller) this.newer = true;
    });
  }

  /** Lets the newer page take over; what was typed is kept. */
  takeOver(): void {
    const waiting = this.registration?.waiting;
    if (!waiting) {
      location.reload();
      return;
    }
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    waiting.postMessage('take-over');
  }
}

export const shell = new Shell();
