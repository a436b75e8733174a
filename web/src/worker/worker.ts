/**
 * The worker of the page: it starts the page without the server, and shows notices while the page
 * is closed. It keeps the files of the page and nothing else; no call to the server is ever kept.
 */

import { notices as words } from '../words/en-notices';
import type { WorkerScope } from './scope';

const worker = globalThis as unknown as WorkerScope;

// Written in by the build: what the page consists of, and a stamp that changes with any of it.
const SHELL = { stamp: '__STAMP__', files: ['__FILES__'] };
const CACHE = `sayso-${SHELL.stamp}`;

type Notice = { ask?: string; count?: number; agent?: string; line?: string; trial?: boolean };

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL.files.map((file) => new Request(file, { cache: 'reload' })));
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith('sayso-') && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** A file of the page as it was built with this worker, so that all of them fit together. */
async function shellFile(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(path)) ?? fetch(request);
}

function noticeOf(text: string | undefined): Notice {
  try {
    const read: unknown = JSON.parse(text ?? '');
    return typeof read === 'object' && read !== null ? (read as Notice) : {};
  } catch {
    return {};
  }
}

function wordsOf({ count = 1, agent, line, trial }: Notice): { title: string; body: string } {
  if (trial) return words.trial;
  if (count > 1) return { title: words.several(count), body: line ?? words.openThem };
  return { title: agent ? words.asks(agent) : words.anAgent, body: line ?? words.openIt };
}

async function show(notice: Notice): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // Whoever looks at the page sees the ask already.
  if (!notice.trial && pages.some((page) => page.visibilityState === 'visible' && page.focused)) return;
  const { title, body } = wordsOf(notice);
  await worker.registration.showNotification(title, {
    body,
    tag: notice.ask ?? (notice.trial ? 'trial' : 'asks'),
    icon: '/icon-192.png',
    badge: '/badge.png',
    data: { ask: notice.trial ? undefined : notice.ask },
  });
}

async function openAsk(ask: unknown): Promise<void> {
  const id = typeof ask === 'string' && /^[0-9a-f-]{36}$/.test(ask) ? ask : undefined;
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => one.visibilityState === 'visible') ?? pages[0];
  if (!page) {
    await worker.clients.openWindow(id ? `/#/inbox/${id}` : '/#/inbox');
    return;
  }
  page.postMessage({ open: id ?? '' });
  await page.focus();
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('message', (event) => {
  if (event.data === 'take-over') event.waitUntil(worker.skipWaiting());
});
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== worker.location.origin) return;
  if (SHELL.files.includes(url.pathname)) event.respondWith(shellFile(url.pathname, request));
});
worker.addEventListener('push', (event) => event.waitUntil(show(noticeOf(event.data?.text()))));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openAsk((event.notification.data as { ask?: unknown } | null)?.ask));
});
