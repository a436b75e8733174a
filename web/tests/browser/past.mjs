// A history of a hundred thousand: endless scroll, search, and one ask of it.

import assert from 'node:assert/strict';
import { scene } from './house.mjs';

const ASKS = 100_000;
/** More rows and nodes than these are never drawn, however far somebody scrolls. */
const ROWS_MAX = 120;
const NODES_MAX = 4000;

scene(
  'a history of 100,000 asks scrolls without end, is searched and opened, and draws only what is seen',
  async ({ enter }) => {
    const page = await enter({ path: 'history' });
    const list = page.getByRole('region', { name: 'What has ended' });
    await list.getByText(new RegExp(`number${ASKS - 1}\\b`)).waitFor();
    const scroller = list.locator('div.overflow-y-auto');
    const drawn = () => page.evaluate(() => ({ rows: document.querySelectorAll('main li').length, nodes: document.querySelectorAll('*').length }));
    const shown = async () => Number((await list.getByText(/shown/).innerText()).match(/([\d,]+) shown/)[1].replaceAll(',', ''));
    // Down, as far as a patient person goes, and every page of it is drawn on the way.
    let most = { rows: 0, nodes: 0 };
    let before = 0;
    while ((await shown()) < 2000) {
      before = await shown();
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForFunction((n) => Number(document.body.innerText.match(/([\d,]+) shown/)?.[1]?.replaceAll(',', '')) > n, before);
      const now = await drawn();
      most = { rows: Math.max(most.rows, now.rows), nodes: Math.max(most.nodes, now.nodes) };
    }
    assert.ok(most.rows > 20 && most.rows <= ROWS_MAX, `${most.rows} rows are drawn`);
    assert.ok(most.nodes <= NODES_MAX, `${most.nodes} nodes are drawn`);
    // In the middle every row of the view is there and is the one that stands there.
    const middle = 1000;
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    const there = await page.waitForFunction(
      ([all, wanted]) => {
        const numbers = [...document.querySelectorAll('main li')].map((row) => Number(row.textContent.match(/number(\d+)/)?.[1]));
        const isWhole = numbers.length > 20 && numbers.every((number) => Number.isInteger(number));
        return isWhole && Math.abs(all - 1 - numbers[0] - wanted) < 200 ? numbers : undefined;
      },
      [ASKS, middle],
    );
    const numbers = await there.jsonValue();
    assert.deepEqual(numbers, numbers.map((_, at) => numbers[0] - at), 'each follows the one before it');
    // And back: what was let go is read again.
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await list.getByText(new RegExp(`number${ASKS - 1}\\b`)).waitFor();
    // One in a hundred thousand, by a word of it.
    await page.getByLabel('Search the history').fill('number4242');
    await page.getByText('1 shown, that is all').waitFor();
    await page.getByRole('link', { name: /number4242/ }).click();
    const story = page.getByRole('region', { name: 'Story of one ask' });
    await story.getByText('ann answered on laptop').waitFor();
    await story.getByText('docs-site has it').waitFor();
    // With the keys from there: the only one stays.
    await page.getByLabel('Search the history').fill('');
    await list.getByText(new RegExp(`number${ASKS - 1}\\b`)).waitFor();
    await page.getByLabel('Search the history').blur();
    await page.goto(`${page.url().split('#')[0]}#/history`);
    await story.waitFor({ state: 'detached' });
    // Clearing the field is typing, and keys are commands only half a second after that.
    await page.waitForTimeout(600);
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.querySelector('main li [aria-current]')?.textContent.includes('number99999'));
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.querySelector('main li [aria-current]')?.textContent.includes('number99998'));
    assert.deepEqual(page.faults, []);
  },
  () => ({}),
  ASKS,
);
