// What was really on screen is told to the server, and the story of an ask says so.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { scene } from './house.mjs';
import { until } from './stage.mjs';

/** The devices in the story of an ask. */
async function screens(stage, ask) {
  const { steps } = await stage.call('person', 'GET', `/v1/asks/${ask.id}/story`);
  return steps.filter(({ what }) => what === 'shown').map(({ person }) => person);
}

/** Waits for the page to report this ask, and gives everything it reports until then. */
function reported(page, ask) {
  return page.waitForRequest((request) => request.url().endsWith('/v1/shown') && request.postData().includes(ask.id));
}

/** Waits until the journal has the devices of so many people. */
async function told(stage, ask, people) {
  const found = await until(`the screens of ${people}`, async () => {
    const now = await screens(stage, ask);
    return now.length >= people.length ? now : undefined;
  });
  assert.deepEqual(found, people);
}

scene('an ask that was on screen says so in its story, once for each device', async ({ stage, enter }) => {
  const ann = await enter({ person: 'Ann' });
  const reports = [];
  ann.on('request', (request) => request.url().endsWith('/v1/shown') && reports.push(...JSON.parse(request.postData()).asks));
  const ask = await stage.ask(asks.words);
  await told(stage, ask, ['Ann']);
  // Opening it, going back and a second ask tell nothing of the first again.
  await ann.getByRole('link', { name: /What should the project/ }).click();
  await ann.locator('main h1').first().waitFor();
  // While the pointer rests in the list nothing new comes into it.
  await ann.mouse.move(900, 500);
  const other = await stage.ask(asks.confirm);
  await told(stage, other, ['Ann']);
  assert.deepEqual(reports, [ask.id, other.id]);
  await enter({ person: 'Bob' });
  await told(stage, ask, ['Ann', 'Bob']);
  await stage.answer(stage.tokens.person, ask, { replies: [{ question: 0, other: 'shop' }] });
  await ann.goto(`${stage.url}/#/history/${ask.id}`);
  const story = ann.getByRole('region', { name: 'Story of one ask' });
  const line = story.getByRole('listitem').filter({ hasText: /Shown on .*to Ann, /s });
  await line.getByText(/^to Ann, (\d+ ms|\d+(\.\d)? s) after it was asked$/).waitFor();
  await line.getByText(/^entry \d+/).waitFor();
  await story.getByText(/^to Bob, /).waitFor();
});

scene('what is below the edge, behind another tab or unknown is not called shown', async ({ stage, enter }) => {
  const page = await enter();
  // What a browser says of a tab behind another one.
  const hide = (hidden) =>
    page.evaluate((state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden ? 'hidden' : 'visible');
  await hide(true);
  const behind = await stage.ask(asks.words);
  await page.getByRole('link', { name: /What should the project/ }).waitFor();
  const many = [];
  for (let at = 0; at < 40; at += 1) many.push(await stage.ask({ matter: 'questions', agent: 'counter', questions: [{ text: `How many of number${at}?` }] }));
  const last = page.getByRole('link', { name: /number39\?/ });
  await last.waitFor({ state: 'attached' });
  assert.deepEqual(await screens(stage, behind), []);
  const seen = reported(page, behind);
  await hide(false);
  const first = JSON.parse((await seen).postData()).asks;
  assert.ok(first.includes(many[0].id) && !first.includes(many[39].id), `told too much: ${first.length}`);
  const scrolled = reported(page, many[39]);
  await last.scrollIntoViewIfNeeded();
  await scrolled;
});

scene('after a crash of the server what is in view is told again', async ({ stage, enter }) => {
  const page = await enter({ person: 'Ann' });
  const ask = await stage.ask(asks.words);
  await told(stage, ask, ['Ann']);
  await stage.kill();
  await page.getByText('Offline', { exact: true }).waitFor();
  const again = reported(page, ask);
  await stage.start();
  assert.equal((await (await again).response()).status(), 204);
  // It was known already: nothing was written down twice.
  const other = await stage.ask(asks.confirm);
  await told(stage, other, ['Ann']);
  assert.deepEqual(await screens(stage, ask), ['Ann']);
});
