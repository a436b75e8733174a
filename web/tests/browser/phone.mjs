// The page on a phone: installed, started without the server, told while it is closed, renewed.

import assert from 'node:assert/strict';
import { createServer, request as call } from 'node:http';
import * as asks from './asks.mjs';
import { launchOn, PHONE } from './browser.mjs';
import { Desktop } from './desktop.mjs';
import { scene } from './house.mjs';
import { PushService } from './push-service.mjs';
import { until, within } from './stage.mjs';

const controlled = (page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);

/** Leaves the page, and waits until the worker knows: whoever looks at a page is shown no notice. */
async function away(page) {
  await page.goto('about:blank');
  const [worker] = page.context().serviceWorkers();
  const pages = () => worker.evaluate(async () => (await clients.matchAll({ type: 'window', includeUncontrolled: true })).length);
  await until('no page of ours to be open', async () => (await pages()) === 0);
}

/** The worker's registration, and a session in which its events can be brought about. */
async function registered(page, stage) {
  const session = await page.context().newCDPSession(page);
  const found = new Promise((done) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL }) => scopeURL.startsWith(stage.url));
      if (ours) done(ours.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  return { session, registrationId: await within('the registration of the worker', found) };
}

scene('it can be installed', async ({ enter }) => {
  const page = await enter({ size: PHONE, worker: true });
  await controlled(page);
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A browser without a profile installs nothing; everything else is up to the page.
  assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'), []);
  const broken = await page.evaluate(async () => {
    const manifest = await (await fetch('/manifest.webmanifest')).json();
    const sources = [...manifest.icons.map(({ src }) => src), '/badge.png', '/icon-180.png'];
    const loads = (src) => new Promise((done) => Object.assign(new Image(), { onload: () => done(true), onerror: () => done(false), src }));
    const loaded = await Promise.all(sources.map(loads));
    return sources.filter((_, at) => !loaded[at]);
  });
  assert.deepEqual(broken, []);
});

scene('it starts without the server, shows what it knew, and says so', async ({ stage, enter }) => {
  const page = await enter({ size: PHONE, worker: true });
  await controlled(page);
  const ask = await stage.ask(asks.words);
  await page.getByRole('link', { name: /What should the project/ }).waitFor();
  await page.waitForFunction(() => localStorage.getItem('sayso.known')?.includes('What should the project'));
  await stage.kill();
  await page.reload();
  await page.getByText(/Offline since/).waitFor();
  await page.getByRole('link', { name: /What should the project/ }).tap();
  await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop');
  await page.getByRole('button', { name: 'Send answer' }).tap();
  await stage.start();
  assert.deepEqual((await stage.outcome(ask.id)).answer, { replies: [{ question: 0, labels: [], other: 'shop' }] });
  // Nothing that the server said is kept, only the page itself.
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)));
    return { names: names.length, calls: all.flat().filter((path) => /^\/(v1|api|docs|openapi)/.test(path)) };
  });
  assert.deepEqual(kept, { names: 1, calls: [] });
});

scene('logging out forgets what was known', async ({ stage, enter }) => {
  const page = await enter({ worker: true });
  await stage.ask(asks.words);
  await page.waitForFunction(() => localStorage.getItem('sayso.known')?.includes('What should the project'));
  await page.goto(`${stage.url}/#/settings`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((name) => /login|known/.test(name))), []);
});

/** Stands before the server and can change the worker, as a newer server would. */
async function before(stage) {
  const front = { stamp: undefined };
  front.server = createServer((incoming, reply) => {
    const { 'if-none-match': _tag, ...asked } = incoming.headers;
    const headers = { ...asked, host: new URL(stage.url).host, 'accept-encoding': 'identity' };
    if (headers.origin) headers.origin = stage.url;
    const onward = call(stage.url + incoming.url, { method: incoming.method, headers }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => {
        let body = Buffer.concat(parts);
        if (incoming.url === '/sw.js' && front.stamp) body = Buffer.from(body.toString().replace(/stamp:`\w+`/, `stamp:\`${front.stamp}\``));
        const { 'content-length': _, ...rest } = answer.headers;
        reply.writeHead(answer.statusCode, rest).end(body);
      });
    });
    onward.on('error', () => reply.destroy());
    incoming.pipe(onward);
  });
  await new Promise((done) => front.server.listen(0, '127.0.0.1', done));
  front.url = `http://127.0.0.1:${front.server.address().port}`;
  return front;
}

scene('a newer page waits until it is let in, and what was typed stays', async ({ stage, enter }) => {
  const front = await before(stage);
  try {
    const page = await enter({ worker: true });
    page.faults = { push() {} };
    const ask = await stage.ask(asks.words);
    const link = new URL(await stage.link());
    await page.goto(`${front.url}/${link.hash}`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await controlled(page);
    await page.goto(`${front.url}/#/inbox/${ask.id}`);
    await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('half a word');
    front.stamp = 'newer';
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await page.getByText('A newer version of this page is ready.').waitFor();
    assert.deepEqual((await page.evaluate(() => caches.keys())).length, 2);
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()]);
    await page.waitForFunction(async () => (await caches.keys()).join() === 'sayso-newer');
    assert.equal(await page.getByRole('textbox', { name: 'What should the project be called?' }).inputValue(), 'half a word');
    page.faults = [];
  } finally {
    front.server.closeAllConnections();
    front.server.close();
  }
});

scene('with no page open, a tap on the notice opens the ask, and it is answered there', async ({ stage }) => {
  const desktop = await Desktop.open();
  const context = await launchOn(desktop);
  try {
    const page = context.pages()[0];
    page.setDefaultTimeout(15_000);
    await page.goto(await stage.link());
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await controlled(page);
    const { session, registrationId } = await registered(page, stage);
    // Nothing of ours is open any more, only what a browser shows when there is nothing.
    await away(page);
    const ask = await stage.ask({ ...asks.words, agent: 'coder' });
    // The push service of browsers is not to be had here: its part is handed in as it would arrive.
    await session.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data: JSON.stringify({ v: 1, count: 1, ask: ask.id }) });
    const opened = context.waitForEvent('page');
    desktop.tap(await desktop.notice('An agent asks'));
    const ours = await opened;
    await ours.getByRole('heading', { name: 'What should the project be called?' }).waitFor();
    assert.equal(ours.url(), `${stage.url}/#/inbox/${ask.id}`);
    await ours.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop');
    await ours.getByRole('button', { name: 'Send answer' }).click();
    assert.deepEqual((await stage.outcome(ask.id)).answer, { replies: [{ question: 0, labels: [], other: 'shop' }] });
    // With it open, the next tap finds that page and opens no other.
    const second = await stage.ask(asks.confirm);
    // Nobody looks at it; otherwise a page that is driven counts as looked at for ever.
    await (await context.newCDPSession(ours)).send('Emulation.setFocusEmulationEnabled', { enabled: false });
    await page.bringToFront();
    const looked = async () => (await clients.matchAll({ type: 'window' })).some((one) => one.focused);
    await until('a page nobody looks at', async () => !(await context.serviceWorkers()[0].evaluate(looked)));
    await session.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data: JSON.stringify({ v: 1, count: 1, ask: second.id }) });
    desktop.tap(await desktop.notice('An agent asks'));
    await ours.waitForURL(`${stage.url}/#/inbox/${second.id}`);
    assert.equal(context.pages().length, 2);
  } finally {
    await context.close();
    desktop.close();
  }
});

const service = await PushService.open();
process.once('beforeExit', () => service.close());
service.server.unref();

/** A browser that is given its subscription by our own service: its own needs the internet. */
const subscribes = {
  script: (subscription) => {
    PushManager.prototype.subscribe = async function (options) {
      globalThis.subscribedWith = options;
      return { endpoint: subscription.endpoint, toJSON: () => subscription, unsubscribe: async () => true };
    };
    PushManager.prototype.getSubscription = async () => ({ endpoint: subscription.endpoint, unsubscribe: async () => true });
  },
  value: service.subscription,
};

scene(
  'a device is told while the page is closed, and the notice opens the ask',
  async ({ stage, enter }) => {
    const page = await enter({ worker: true, permissions: ['notifications'], init: subscribes, path: 'settings' });
    await controlled(page);
    const { session, registrationId } = await registered(page, stage);
    const deliver = (words) => session.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data: JSON.stringify(words) });

    await page.getByLabel('Tell this device of new asks').click();
    await page.getByText('0 notices sent so far').waitFor();
    const given = await page.evaluate(() => globalThis.subscribedWith);
    const { key } = await page.evaluate(async () => {
      const { token } = JSON.parse(localStorage.getItem('sayso.login'));
      return (await fetch('/v1/push', { headers: { Authorization: `Bearer ${token}` } })).json();
    });
    assert.deepEqual(given, { userVisibleOnly: true, applicationServerKey: key });
    await page.getByRole('button', { name: 'Send a test notice' }).click();
    await page.getByText(/1 notice sent so far\.\s?The last one was taken/).waitFor();
    assert.deepEqual(await service.next(), { v: 1, trial: true });

    const ask = await stage.ask({ ...asks.words, agent: 'coder' });
    const words = await service.next();
    assert.deepEqual(words, { v: 1, count: 1, ask: ask.id });
    const [worker] = page.context().serviceWorkers();
    const shown = () => worker.evaluate(async () => (await registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag })));
    const notices = (count) =>
      until(`${count} notices to be shown`, async () => {
        const there = await shown();
        return there.length === count && there;
      });
    await away(page);
    await deliver(words);
    assert.deepEqual(await notices(1), [{ title: 'An agent asks', body: 'Open sayso to see it.', tag: ask.id }]);
    // The same once more takes the place of the first.
    const line = 'What should the project be called?';
    await deliver({ ...words, agent: 'coder', line });
    await until('the notice to say more', async () => (await shown())[0].title === 'coder asks');
    assert.deepEqual(await shown(), [{ title: 'coder asks', body: line, tag: ask.id }]);

    // With the page there, a tap on the notice opens the ask in it.
    await page.goto(`${stage.url}/#/history`);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await worker.evaluate(async () => {
      const [notification] = await registration.getNotifications();
      dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    });
    await page.getByRole('heading', { name: 'What should the project be called?' }).waitFor();
    assert.ok(page.url().endsWith(`#/inbox/${ask.id}`));
    await notices(0);

    await page.goto(`${stage.url}/#/settings`);
    await page.getByLabel('Say what is asked').click();
    await page.waitForFunction(async () => {
      const { token } = JSON.parse(localStorage.getItem('sayso.login'));
      const state = await (await fetch('/v1/push', { headers: { Authorization: `Bearer ${token}` } })).json();
      return state.subscription?.text === true;
    });
    const second = await stage.ask({ ...asks.words, agent: 'coder' });
    assert.deepEqual(await service.next(), { v: 1, count: 1, ask: second.id, agent: 'coder', line: 'What should the project be called?' });
    await page.getByLabel('Tell this device of new asks').click();
    await page.getByRole('button', { name: 'Send a test notice' }).waitFor({ state: 'detached' });
  },
  () => ({ SAYSO_PUSH_PRIVATE_ORIGINS: service.origin }),
);
