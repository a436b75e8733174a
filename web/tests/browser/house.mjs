// One server for each test, gone when it ends; a page that had a fault fails its test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrive } from './browser.mjs';
import { shared } from './shared.mjs';
import { Stage } from './stage.mjs';

/** `past` is how many asks have ended before the server starts. */
export function scene(name, play, settings = () => ({}), past = 0) {
  // A long past takes its time to be written.
  test(name, { timeout: past ? 300_000 : 120_000 }, async () => {
    const stage = await Stage.open(settings(), past);
    const pages = [];
    const enter = async (more) => {
      const page = await arrive(shared.browser, stage, more);
      page.setDefaultTimeout(15_000);
      pages.push(page);
      return page;
    };
    try {
      await play({ stage, enter });
      for (const page of pages) assert.deepEqual(page.faults, [], `faults on the page of ${name}`);
    } finally {
      for (const page of pages) {
        // A call that is still held or cut when its scene is over concerns nobody any more.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.context().close();
      }
      await stage.close();
    }
  });
}

/** Opens an ask and waits until it is drawn. */
export async function open(page, stage, ask) {
  await page.goto(`${stage.url}/#/inbox/${ask.id}`);
  await page.locator('main h1').first().waitFor();
}

/** Without the moment, which no test can know. */
export function said(outcome) {
  const { at: _, ...rest } = outcome;
  return rest;
}
