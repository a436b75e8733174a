// Many conversations, and a long one.

import assert from 'node:assert/strict';
import { scene } from './house.mjs';
import { conversation, speaker } from './speaker.mjs';
import { until } from './stage.mjs';

scene('the list goes on behind its first hundred, and an older one opens by its address', async ({ stage, enter }) => {
  const coder = await speaker(stage);
  for (let at = 0; at < 130; at += 1) coder.say(`Talk ${at}`, `Words of ${at}.`);
  const oldest = await until('the first conversation', async () => {
    const rest = await stage.call('person', 'GET', '/v1/conversations?limit=200');
    return rest.conversations.length === 130 && rest.conversations.at(-1);
  });
  const page = await enter({ path: `conversations/${oldest.id}` });
  await page.getByText('Words of 0.').waitFor();
  await page.getByRole('heading', { name: 'Talk 0' }).waitFor();
  await page.getByText('coder via API').waitFor();
  await page.getByLabel('Message to coder').waitFor();
  const rows = page.getByRole('link', { name: /Talk \d+/ });
  assert.equal(await rows.count(), 100);
  const more = page.getByRole('button', { name: 'Show older conversations' });
  await page.route('**/v1/conversations?*after=*', (route) => route.abort(), { times: 1 });
  await more.click();
  await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor();
  await more.click();
  await more.waitFor({ state: 'detached' });
  assert.equal(await rows.count(), 130);
  // What happens in one of them moves it to the top and drops nothing.
  coder.say('Talk 3', 'Once more.');
  await until('the talk to be first', async () => /Talk 3\b/.test(await rows.first().innerText()));
  assert.equal(await rows.count(), 130);
  coder.close();
});

scene('what came earlier is put above what somebody reads, which stays in its place', async ({ stage, enter }) => {
  const coder = await speaker(stage);
  // Each of them is two entries: what was said, and the end of that turn.
  for (let at = 0; at < 120; at += 1) coder.say('Long', `Line ${at}.`);
  const row = await until('the conversation', async () => {
    const { conversations } = await stage.call('person', 'GET', '/v1/conversations');
    const all = await stage.call('person', 'GET', `/v1/conversations/${conversations[0].id}/entries?before=end&limit=2`);
    return all.entries.some(({ text }) => text === 'Line 119.') && conversations[0];
  });
  const page = await enter({ path: `conversations/${row.id}` });
  await page.getByText('Line 119.').waitFor();
  assert.ok((await page.locator('main [data-entry]').all()).length <= 50, 'a turn that ended well has no line');
  const earlier = page.getByRole('button', { name: 'Show earlier' });
  const list = page.locator('[data-scroller]');
  const top = async (text) => Math.round((await page.getByText(text, { exact: true }).boundingBox()).y);
  // Offline it says so, and can be tried again.
  await page.route('**/entries?before=*', (route) => route.abort(), { times: 1 });
  await list.evaluate((node) => (node.scrollTop = 0));
  await page.getByText(/^The server does not answer/).waitFor();
  const stood = await top('Line 70.');
  await earlier.click();
  await page.getByText('Line 20.', { exact: true }).waitFor({ state: 'attached' });
  assert.equal(await page.getByText(/^The server does not answer/).count(), 0);
  assert.ok(Math.abs((await top('Line 70.')) - stood) <= 2, 'nothing jumps');
  // Near the top the rest comes by itself, and nothing jumps either.
  await list.evaluate((node) => (node.scrollTop = 100));
  await page.getByText('Line 0.', { exact: true }).waitFor({ state: 'attached' });
  await earlier.waitFor({ state: 'detached' });
  // The feed comes back, and what was read stays read.
  await page.context().setOffline(true);
  await page.getByText(/Offline since/).waitFor();
  await page.context().setOffline(false);
  await page.getByText('Live', { exact: true }).waitFor();
  coder.say('Long', 'Line 120.');
  await page.getByText('Line 120.').waitFor({ state: 'attached' });
  assert.equal(await page.getByText('Line 0.', { exact: true }).count(), 1);
  coder.close();
});

scene('tool notes fold to a line that says what was done', async ({ stage, enter }) => {
  const coder = await speaker(stage);
  for (const [tool, text] of [['Read', 'src/cart.rs'], ['Grep', 'fn fresh'], ['Read', 'src/db.rs'], ['Bash', 'cargo test\ncargo doc']]) {
    coder.note('Slow cart', tool, text, 'running');
    coder.note('Slow cart', tool, `<b>result</b> of ${text}\u202e`, tool === 'Bash' ? 'failed' : 'done');
  }
  coder.say('Slow cart', 'Half of a `sentence', false);
  const row = await conversation(stage, 'Slow cart');
  const page = await enter({ path: `conversations/${row.id}` });
  const fold = page.getByRole('button', { name: /4 tool notes: read 2 files, ran 1 search, ran 1 command/ });
  await fold.waitFor();
  assert.match(await fold.innerText(), /1 failed/);
  assert.equal(await page.getByText('src/cart.rs').count(), 0);
  await fold.click();
  await page.getByText('<b>result</b> of src/cart.rs').waitFor();
  assert.equal(await page.locator('main b').count(), 0);
  await fold.click();
  // What is said appears as it comes, and ends in a caret until it is whole.
  const coming = page.locator('.is-coming');
  await coming.getByText('Half of a `sentence').waitFor();
  assert.notEqual(await coming.locator('p').evaluate((node) => getComputedStyle(node, '::after').content), 'none');
  coder.say('Slow cart', '` and **more**.', false);
  await coming.getByText('more', { exact: true }).waitFor();
  assert.equal(await coming.locator('strong').innerText(), 'more');
  coder.say('Slow cart', '');
  await coming.waitFor({ state: 'detached' });
  assert.equal(await page.locator('main strong').innerText(), 'more');
  coder.close();
});

scene('somebody who comes back finds the place where they stopped reading', async ({ stage, enter }) => {
  const coder = await speaker(stage);
  for (let at = 0; at < 150; at += 1) coder.say('Long', `Line ${at}.`);
  coder.say('Other', 'Elsewhere.');
  const [long, other] = [await conversation(stage, 'Long'), await conversation(stage, 'Other')];
  const page = await enter({ path: `conversations/${long.id}` });
  await page.getByText('Line 149.').waitFor();
  const list = page.locator('[data-scroller]');
  const end = () => list.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
  await until('the end', async () => (await end()) < 2);
  await list.evaluate((node) => (node.scrollTop = 0));
  await page.getByText('Line 60.', { exact: true }).waitFor({ state: 'attached' });
  await page.getByText('Line 70.', { exact: true }).evaluate((node) => node.scrollIntoView({ block: 'start' }));
  const top = async () => Math.round((await page.getByText('Line 70.', { exact: true }).boundingBox()).y);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const stood = await top();
  await page.goto(`${stage.url}/#/conversations/${other.id}`);
  await page.getByText('Elsewhere.').waitFor();
  // What comes meanwhile changes nothing about it.
  coder.say('Long', 'Line 150.');
  await page.goto(`${stage.url}/#/conversations/${long.id}`);
  await page.getByText('Line 70.', { exact: true }).waitFor({ state: 'attached' });
  await until('the same place', async () => Math.abs((await top()) - stood) <= 2);
  // At the end it stays at the end.
  await list.evaluate((node) => (node.scrollTop = node.scrollHeight));
  coder.say('Long', `Line 151.\n\n${'A long line. '.repeat(200)}`);
  await page.getByText('Line 151.').waitFor();
  await until('the end again', async () => (await end()) < 2);
  coder.close();
});
