// Debian's Chromium, driven through playwright-core.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A build that is newer than the one in the binary, for whoever writes on the page. */
const FRESH = process.env.SAYSO_PAGE;
const KINDS = { js: 'text/javascript', css: 'text/css' };

/** Hands out scripts and styles of the newer build; the document and its policy stay the server's. */
async function fresh(route) {
  const name = new URL(route.request().url()).pathname.slice(1);
  const path = join(FRESH, name);
  if (existsSync(path)) await route.fulfill({ body: readFileSync(path), contentType: KINDS[name.split('.').at(-1)] });
  else await route.fulfill({ status: 404 });
}

const CHROMIUM = {
  executablePath: process.env.SAYSO_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
};

export function launch() {
  return chromium.launch(CHROMIUM);
}

/** A whole browser with a profile of its own, on a desktop that shows its notices. */
export async function launchOn(desktop) {
  const context = await chromium.launchPersistentContext(join(desktop.private, 'profile'), {
    ...CHROMIUM,
    viewport: PHONE,
    permissions: ['notifications'],
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.address },
  });
  if (FRESH) await context.route('**/page/*', fresh);
  return context;
}

/** A browser of its own for one person, already logged in. */
export async function arrive(browser, stage, { size = WIDE, theme = 'light', person, path = '', ...more } = {}) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    hasTouch: size === PHONE,
    isMobile: size === PHONE,
    deviceScaleFactor: more.deviceScaleFactor ?? 1,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A worker stands between the page and the network, where most tests bring about faults.
    serviceWorkers: more.worker ? 'allow' : 'block',
    ...(more.permissions ? { permissions: more.permissions } : {}),
  });
  if (more.init) await context.addInitScript(more.init.script, more.init.value);
  if (FRESH) await context.route('**/page/*', fresh);
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    // A refused or broken connection is something tests bring about; everything else is a fault.
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(text)) page.faults.push(text);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.url) && !request.url().startsWith('data:')) page.faults.push(`outside: ${request.url()}`);
  });
  if (more.clock) await page.clock.install();
  await page.goto(await stage.link(person, more.admin));
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  if (path) await page.goto(`${stage.url}/#/${path}`);
  return page;
}
