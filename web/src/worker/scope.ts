/** What the worker uses of its surroundings. The types of pages and of workers exclude each other. */

type Waits = { waitUntil(work: Promise<unknown>): void };

export type Page = {
  visibilityState: string;
  focused: boolean;
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
};

type Events = {
  install: Waits;
  activate: Waits;
  message: Waits & { data: unknown };
  fetch: { request: Request; respondWith(reply: Promise<Response>): void };
  push: Waits & { data?: { text(): string } };
  notificationclick: Waits & { notification: { data: unknown; close(): void } };
};

export type WorkerScope = {
  location: { origin: string };
  registration: { showNotification(title: string, options: Record<string, unknown>): Promise<void> };
  clients: {
    claim(): Promise<void>;
    matchAll(filter: { type: 'window'; includeUncontrolled: boolean }): Promise<Page[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<N extends keyof Events>(name: N, hear: (event: Events[N]) => void): void;
};
