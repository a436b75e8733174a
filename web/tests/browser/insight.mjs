// What the plots say is what happened.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { scene } from './house.mjs';

scene('insight: the numbers of asks that really ended, drawn and in tables', async ({ stage, enter }) => {
  const page = await enter({ path: 'insight' });
  await page.getByText('Nothing ended in this time').waitFor();
  const ann = await stage.device('ann', 'phone');
  await stage.call('person', 'POST', '/v1/rules', { effect: 'allow', preset: 'git-status', workspace: '/home/ann/shop' });
  for (let at = 0; at < 3; at += 1) await stage.ask(asks.status);
  for (const allow of [true, true, false]) {
    const ask = await stage.ask(asks.bump(`bump ${allow}`));
    await stage.answer(ann, ask, { verdict: { allow } });
  }
  const question = await stage.ask(asks.words);
  await stage.answer(ann, question, { replies: [{ question: 0, other: 'shop' }] });
  const gone = await stage.ask(asks.confirm);
  await stage.call('agent', 'POST', `/v1/asks/${gone.id}/withdraw`, {});
  await stage.counted(8);
  await page.reload();
  await page.getByText('3 answered by your rules').waitFor();
  const tile = page.locator('dl > div').filter({ hasText: 'Asks' });
  assert.match(await tile.innerText(), /^Asks\s+8\s/);
  const tools = page.getByRole('region', { name: 'Asks by tool' }).first();
  await tools.getByRole('button', { name: 'Numbers' }).click();
  const rows = await tools.getByRole('row').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.innerText)));
  assert.deepEqual(rows, [
    ['Tool', 'Asks', 'by rule', 'yes', 'no', 'no answer'],
    ['Bash', '6', '3', '2', '1', '0'],
    ['Questions', '2', '0', '1', '0', '1'],
  ]);
  const hours = page.getByRole('region', { name: 'Outcomes by hour' }).first();
  await hours.getByRole('button', { name: 'Numbers' }).click();
  const sums = await hours.getByRole('row').evaluateAll((all) => all.slice(1).reduce((sum, row) => sum.map((value, at) => value + Number(row.children[at + 1].innerText)), [0, 0, 0, 0, 0]));
  assert.deepEqual(sums, [3, 2, 1, 1, 1], 'by rule, allowed, answered, denied, no answer');
  const time = page.getByRole('region', { name: 'Answer time per day' }).first();
  assert.ok((await time.locator('svg circle').count()) > 0, 'a single day is a point');
  await page.getByRole('button', { name: '7 days' }).click();
  await time.getByRole('button', { name: 'Numbers' }).click();
  await page.waitForFunction(() => document.querySelectorAll('section[aria-label="Answer time per day"] tbody tr').length === 7);
  // One agent alone.
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'nightly-deps' });
  await page.getByText('0 answered by your rules').waitFor();
  assert.match(await tile.innerText(), /^Asks\s+3\s/);
});
