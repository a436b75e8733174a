// Many conversations, and a long one.

import assert from 'node:assert/strict';
import WebSocket from 'ws';
import { scene } from './house.mjs';
import { until } from './stage.mjs';

/** An agent on a socket that says things, each of them complete. */
async function speaker(stage) {
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/v1/agent?agent=coder`, { headers: { Authorization: `Bearer ${stage.tokens.agent}` } });
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  const say = (conversation, text) => socket.send(JSON.stringify({ do: 'say', conversation, text, done: true }));
  return { say, close: () => socket.close() };
}

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
