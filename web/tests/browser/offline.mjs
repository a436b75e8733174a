// A server that dies takes nothing with it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

/** Heard by the server, and nothing comes back. */
const lose = async (route) => {
  await route.fetch();
  await route.abort();
};

scene('killed while somebody types: the words are there after a reload', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.cache);
  await open(page, stage, ask);
  await page.getByText('SQLite').click();
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill('we run it already');
  await stage.kill();
  await page.getByText(/Offline since/).waitFor();
  await page.getByText('Offline', { exact: true }).waitFor();
  await stage.start();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.reload();
  assert.equal(await page.getByLabel(/^Note/).inputValue(), 'we run it already');
  assert.equal(await page.getByRole('radio', { name: /SQLite/ }).isChecked(), true);
});

scene('killed while somebody sends: it goes out once when the server is back', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await stage.kill();
  await page.getByText(/Offline since/).waitFor();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
  await stage.start();
  assert.deepEqual((await stage.outcome(ask.id)).answer, { replies: [{ question: 0, labels: ['Yes'] }] });
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('outgoing')).length), 0);
});

scene('the reply is lost on the way: the second try finds the first', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  // A proxy in between gives up after the server has taken the answer.
  let over;
  const lost = new Promise((done) => (over = done));
  const giveUp = async (route) => {
    await route.fetch();
    await route.fulfill({ status: 504, body: '' });
    over();
  };
  await page.route('**/answer', giveUp, { times: 1 });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await lost;
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  assert.equal(await page.locator('s').count(), 0, 'nothing counts as lost');
});

scene('one call that fails while the feed lives: it is tried again', async ({ stage, enter }) => {
  const page = await enter();
  const [first, second] = [await stage.ask(asks.confirm), await stage.ask(asks.words)];
  await open(page, stage, first);
  // The second try finds the first.
  await page.route('**/answer', lose, { times: 1 });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  assert.equal(await page.locator('s').count(), 0, 'nothing counts as lost');
  await open(page, stage, second);
  let calls = 0;
  const cut = (route) => {
    calls += 1;
    return route.abort();
  };
  await page.route('**/answer', cut);
  await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await until('a third try', async () => calls > 2);
  await page.getByText(/^Trying again in \d+ s\.$/).waitFor();
  await page.unroute('**/answer', cut);
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  assert.deepEqual((await stage.outcome(second.id)).answer, { replies: [{ question: 0, labels: [], other: 'shop' }] });
});

scene('what was not sent can be taken back, and survives a reload', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await page.context().setOffline(true);
  await page.getByText(/Offline since/).waitFor();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByRole('heading', { name: 'Delete the old branch?' }).waitFor();
  assert.equal((await stage.look(ask.id)).state, 'open');
});

scene('what ended while we were away is told when we are back', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await page.context().setOffline(true);
  await page.getByText(/Offline since/).waitFor();
  const ann = await stage.device('ann', 'phone');
  await stage.answer(ann, ask, { replies: [{ question: 0, labels: ['No'] }] });
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: /^ann answered on phone/ }).waitFor();
});

scene('a token that was taken back shows the door', async ({ stage, enter }) => {
  const page = await enter();
  await stage.call('admin', 'DELETE', `/v1/tokens/${encodeURIComponent('laptop, Chrome')}`);
  await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
  await page.getByText(/This device was logged out/).waitFor();
  const bring = async (secret) => {
    await page.getByLabel('Code or token').fill(secret);
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  await bring('say_code_wrong');
  await page.getByText(/^This code is not known/).waitFor();
  await bring('say_person_wrong');
  await page.getByText(/^This token is not known here/).waitFor();
  await bring(stage.tokens.agent);
  await page.getByText(/^This is the token of an agent/).waitFor();
  await bring(stage.tokens.admin);
  await page.getByText(/^This is the token of an admin/).waitFor();
  await bring((await stage.link()).split('#code=')[1]);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

scene('the whole link that was printed opens the door, too', async ({ stage, enter }) => {
  const page = await enter();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByLabel('Code or token').fill(` ${await stage.link('ann')}\n`);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

scene('a device that came with a token learns whose it is', async ({ stage, enter }) => {
  const page = await enter();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByLabel('Code or token').fill(await stage.device('ann', 'kitchen'));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Rooms' }).getByText('ann', { exact: true }).waitFor();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await page.route('**/answer', lose, { times: 1 });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  await until('nothing to be on its way', () => page.evaluate(() => !Object.keys(localStorage).some((name) => name.includes('outgoing'))));
  assert.equal(await page.getByText('Your answer was not sent.').count(), 0);
});

scene('after a backup was restored, the page shows what is there now', async ({ stage, enter }) => {
  const page = await enter();
  const row = (text) => page.getByRole('link', { name: new RegExp(text) });
  const ask = (text) => stage.ask({ ...asks.words, questions: [{ text, pick: 'text' }] });
  await ask('Before the backup?');
  await row('Before the backup').waitFor();
  const backup = join(stage.state, 'backup.db');
  stage.command('backup', backup);
  for (const text of ['Lost one?', 'Lost two?', 'Lost three?', 'Lost four?']) await ask(text);
  await row('Lost four').waitFor();
  await page.context().setOffline(true);
  await page.getByText(/Offline since/).waitFor();
  await stage.kill();
  stage.command('restore', backup);
  await stage.start();
  // While nobody follows, places that this page has passed are given again.
  for (const text of ['New one?', 'New two?', 'New three?', 'New four?']) await ask(text);
  await page.context().setOffline(false);
  for (const text of ['New one', 'New two', 'New three', 'New four']) await row(text).waitFor();
  assert.equal(await row('Lost').count(), 0);
});
