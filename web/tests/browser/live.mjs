// What happens elsewhere shows here without a reload.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { PHONE } from './browser.mjs';
import { open, scene } from './house.mjs';

scene('asks arrive, are withdrawn and expire before the eyes', async ({ stage, enter }) => {
  const page = await enter();
  await page.getByText('Nothing waits for you').first().waitFor();
  const ask = await stage.ask(asks.words);
  await page.getByRole('link', { name: /What should the project/ }).waitFor();
  await page.waitForFunction(() => document.title === '(1) sayso');
  await open(page, stage, ask);
  await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`, { note: 'It found the answer in the config.' });
  await page.getByRole('heading', { name: /SetupAssistant took it back/ }).waitFor();
  await page.getByText('It found the answer in the config.').waitFor();
  const short = await stage.ask({ ...asks.push, timeout_s: 1 });
  await open(page, stage, short);
  await page.getByRole('heading', { name: 'Expired: that counts as no' }).waitFor();
  await page.waitForFunction(() => document.title === 'sayso');
});

scene('while nothing waits, who may ask is shown; before the first one, how it comes to', async ({ stage, enter }) => {
  const page = await enter();
  const beside = page.getByRole('region', { name: 'While nothing waits' });
  await beside.getByRole('heading', { name: 'Connect your first agent' }).waitFor();
  await page.getByText('No agent is connected yet.').filter({ visible: true }).waitFor();
  const ask = await stage.ask(asks.words);
  await page.getByRole('heading', { name: 'Connect your first agent' }).waitFor({ state: 'detached' });
  await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`);
  await beside.getByRole('heading', { name: 'Who may ask you' }).waitFor();
  await beside.getByRole('listitem').filter({ hasText: 'SetupAssistant' }).getByText(/asked .* ago$/).waitFor();
  await beside.getByRole('button', { name: 'Connect an agent' }).click();
  await beside.getByText('sayso install claude').waitFor();
  const [wide, narrow] = [await enter(), await enter({ size: PHONE })];
  for (const again of [wide, narrow]) {
    await again.getByRole('heading', { name: 'Who may ask you' }).filter({ visible: true }).waitFor();
    assert.equal(await again.getByText('Connect your first agent').count(), 0);
  }
});

scene('a closed row stays with who and what, then goes', async ({ stage, enter }) => {
  const page = await enter({ clock: true });
  const ask = await stage.ask(asks.words);
  const row = page.getByRole('link', { name: /What should the project/ });
  await row.waitFor();
  const ann = await stage.device('ann', 'phone');
  await stage.answer(ann, ask, { replies: [{ question: 0, other: 'shop' }] });
  await page.getByText('ann on phone').waitFor();
  await page.clock.runFor(5000);
  await row.waitFor({ state: 'detached' });
});

scene('new rows wait while the pointer is in the list', async ({ stage, enter }) => {
  const page = await enter();
  await stage.ask(asks.words);
  await page.getByRole('link', { name: /What should the project/ }).hover();
  await stage.ask(asks.confirm);
  const button = page.getByRole('button', { name: '1 new' });
  await button.waitFor();
  assert.equal(await page.getByRole('link', { name: /Delete the old branch/ }).count(), 0);
  await button.click();
  await page.getByRole('link', { name: /Delete the old branch/ }).waitFor();
});

scene('a phone, in the dark, with a finger', async ({ stage, enter }) => {
  const page = await enter({ size: PHONE, theme: 'dark' });
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'sayso-dark');
  const ask = await stage.ask(asks.sections);
  await page.getByRole('link', { name: /Which sections/ }).tap();
  await page.getByText('Expenses').tap();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, 'nothing sticks out');
  await page.getByRole('button', { name: 'Send answer' }).tap();
  assert.deepEqual((await stage.outcome(ask.id)).answer, { replies: [{ question: 0, labels: ['Expenses'] }] });
  await page.getByRole('button', { name: 'Back to the inbox', exact: true }).last().tap();
  await page.getByText('Nothing waits for you').first().waitFor();
});

scene('the inbox is narrowed by kind, agent, conversation and words', async ({ stage, enter }) => {
  const page = await enter();
  const ask = (agent, conversation, text) => stage.ask({ matter: 'questions', agent, conversation, questions: [{ text }] });
  await ask('shop-api', 'Release', 'Which tag?');
  await ask('shop-api', 'Invoices', 'Which currency?');
  await ask('docs-site', 'Links', 'Which link?');
  await stage.ask(asks.push);
  const rows = page.getByRole('region', { name: 'Asks that wait' }).getByRole('listitem');
  const shows = (count) => page.waitForFunction((n) => document.querySelectorAll('li a[href^="#/inbox/"]').length === n, count);
  await shows(4);
  await page.getByLabel('Conversation', { exact: true }).selectOption({ label: 'Invoices' });
  await shows(1);
  await rows.getByText('Which currency?').waitFor();
  await page.getByLabel('Conversation', { exact: true }).selectOption('');
  await page.getByLabel('Agent', { exact: true }).selectOption('docs-site');
  await shows(1);
  await page.getByLabel('Agent', { exact: true }).selectOption('');
  await page.getByRole('button', { name: 'Approvals 1' }).click();
  await shows(1);
  await page.getByRole('button', { name: 'All 4' }).click();
  await page.getByRole('searchbox').fill('which tag');
  await shows(1);
  await page.getByRole('searchbox').fill('nothing of the kind');
  await page.getByRole('button', { name: 'Show all' }).click();
  await shows(4);
});
