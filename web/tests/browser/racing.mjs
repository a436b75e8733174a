// Two people, one ask: the first answer stands, the other is told and loses nothing.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';

scene('someone else is first while you choose', async ({ stage, enter }) => {
  const ann = await enter({ person: 'ann' });
  const ben = await enter({ person: 'ben' });
  const ask = await stage.ask(asks.cache);
  for (const page of [ann, ben]) await open(page, stage, ask);
  await ann.getByText('SQLite').click();
  await ben.getByText('PostgreSQL').click();
  await ben.getByText('Rollout').click();
  await ben.getByRole('button', { name: 'Send answer' }).click();
  await ben.getByRole('button', { name: /Send without/ }).click();
  await ann.getByRole('heading', { name: /^ben answered first on laptop, Chrome/ }).waitFor();
  await ann.getByText('PostgreSQL').first().waitFor();
});

scene('two answers at the same moment: one wins, the other is kept', async ({ stage, enter }) => {
  const ann = await enter({ person: 'ann' });
  const ben = await enter({ person: 'ben' });
  const ask = await stage.ask(asks.confirm);
  for (const page of [ann, ben]) await open(page, stage, ask);
  // Ben's line is held up, so that both have pressed before either hears.
  let go;
  const gate = new Promise((done) => (go = done));
  await ben.route('**/answer', async (route) => {
    await gate;
    await route.continue();
  });
  await ben.getByRole('button', { name: 'No', exact: true }).click();
  await ann.getByRole('button', { name: 'Yes', exact: true }).click();
  await stage.outcome(ask.id);
  go();
  await ben.getByRole('heading', { name: /^ann answered first/ }).waitFor();
  await ben.getByText('SetupAssistant gets that answer. Yours was not sent; it is kept below.').waitFor();
  assert.equal(await ben.locator('s').innerText(), 'No');
  assert.deepEqual((await stage.look(ask.id)).outcome.answer, { replies: [{ question: 0, labels: ['Yes'] }] });
});

scene('an answer that comes too late says by how much', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask({ ...asks.confirm, timeout_s: 4 });
  await open(page, stage, ask);
  let go;
  const gate = new Promise((done) => (go = done));
  await page.route('**/answer', async (route) => {
    await gate;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  assert.equal((await stage.outcome(ask.id)).kind, 'expired');
  go();
  await page.getByRole('heading', { name: /^Too late by/ }).waitFor();
});
