// What a first look costs: the files of the page that come over the wire until what waits can be answered.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { arrive } from './browser.mjs';
import { scene } from './house.mjs';
import { shared } from './shared.mjs';

/** Compressed as the server sends it; what agents ask comes on top and is theirs. */
const BUDGET_BYTES = 85_000;

/** Loads the page as a browser that has never seen it, and weighs what came. */
async function weigh(stage, what) {
  // The clock stands still, so that nothing is fetched that waits for a quiet moment.
  const page = await arrive(shared.browser, stage, { clock: true });
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const names = new Map();
  const weights = new Map();
  session.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, new URL(response.url).pathname));
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => weights.set(requestId, (weights.get(requestId) ?? 0) + encodedDataLength));
  await page.goto('about:blank');
  await page.goto(`${stage.url}/#/inbox`);
  await what(page);
  await page.waitForLoadState('networkidle');
  const rows = [...weights].map(([id, bytes]) => [names.get(id) ?? '?', bytes]).filter(([name]) => !name.startsWith('/v1/')).sort(([, a], [, b]) => b - a);
  await page.context().close();
  return { bytes: rows.reduce((sum, [, bytes]) => sum + bytes, 0), rows };
}

scene('the first load with asks waiting stays below 85 kB', async ({ stage }) => {
  for (const ask of [asks.cache, asks.status, asks.edit, asks.push, asks.words, asks.release]) await stage.ask(ask);
  const { bytes, rows } = await weigh(stage, (page) => page.getByText('6 waiting').filter({ visible: true }).first().waitFor());
  console.log(`# first load: ${bytes} bytes`);
  assert.ok(rows.some(([name]) => name.endsWith('/AskPane.js')) && rows.some(([name]) => name.endsWith('/FormAsk.js')), 'what asks are answered with is part of it');
  assert.ok(bytes < BUDGET_BYTES, `${bytes} bytes: ${rows.map(([name, weight]) => `${name} ${weight}`).join(', ')}`);
});

scene('the first load of an empty inbox brings nothing that answers asks', async ({ stage }) => {
  const { bytes, rows } = await weigh(stage, (page) => page.getByRole('heading', { name: 'Connect your first agent' }).waitFor());
  assert.equal(rows.some(([name]) => name.endsWith('/AskPane.js')), false);
  assert.ok(bytes < BUDGET_BYTES, `${bytes} bytes`);
});
