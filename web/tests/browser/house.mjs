// One server for each test, gone when it ends; a page that had a fault fails its test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrive } from './browser.mjs';
import { shared } from './shared.mjs';
import { Stage, within } from './stage.mjs';

/** A scene takes seconds; a long past takes its time to be written. */
const LIMIT_MS = 120_000;
const LIMIT_WITH_PAST_MS = 300_000;
/** Of what a page says when its scene failed, this much is shown. */
const SHOWN_CHARS = 1_000;

/** `past` is how many asks have ended before the server starts; `journal` is one that an earlier version wrote. */
export function scene(name, play, settings = () => ({}), past = 0, journal = undefined) {
  test(name, async () => {
    const stage = await Stage.open(settings(), past, journal);
    const pages = [];
    const enter = async (more) => {
      const page = await arrive(shared.browser, stage, more);
      page.setDefaultTimeout(15_000);
      pages.push(page);
      return page;
    };
    try {
      // The limit is kept here: one that the test runner keeps would leave page and server behind.
      await within('the end of the scene', play({ stage, enter }), past ? LIMIT_WITH_PAST_MS : LIMIT_MS);
      for (const page of pages) assert.deepEqual(page.faults, [], `faults on the page of ${name}`);
    } catch (error) {
      await tell(name, stage, pages);
      throw error;
    } finally {
      await Promise.allSettled(pages.map((page) => within('a page to go', leave(page))));
      await stage.close();
    }
  });
}

async function leave(page) {
  // A call that is still held or cut when its scene is over concerns nobody any more.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** What there was to see when a scene failed, for whoever reads only the log. */
async function tell(name, stage, pages) {
  for (const page of pages) {
    const words = await within('words', page.innerText('body')).catch((error) => String(error));
    console.error(`${name}: ${page.url()} shows:\n${words.slice(0, SHOWN_CHARS)}`);
  }
  if (stage.complaints) console.error(`${name}: the server said:\n${stage.complaints.slice(-SHOWN_CHARS)}`);
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
