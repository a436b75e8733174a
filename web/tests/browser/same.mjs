// Identical asks of several agents: an answer goes to the one that is open, and to others only when
// a person says so.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, said, scene } from './house.mjs';

const login = (agent, kind) => ({
  matter: 'form',
  agent,
  conversation: `${agent} at work`,
  title: 'Registry login',
  form: { message: 'I need it to publish 2.4.0.', fields: [{ name: 'user', title: 'User', kind: 'text', required: true }, { name: 'word', title: 'Pass word', kind, required: true }] },
});
const confirm = (agent) => ({ ...asks.confirm, agent, conversation: `${agent} at work` });
const strip = (page) => page.getByRole('region', { name: 'Identical asks' });
const others = (page) => strip(page).getByRole('button').first();

scene('a secret goes to the ask that is open and to no copy of it', async ({ stage, enter }) => {
  const page = await enter();
  const early = await stage.ask(login('early-copy', 'secret'));
  const ask = await stage.ask(login('release-bot', 'secret'));
  await open(page, stage, ask);
  await page.getByLabel('User').fill('ann');
  await page.getByLabel('Pass word', { exact: true }).fill('hunter2');
  const late = await stage.ask(login('late-copy', 'secret'));
  await others(page).click();
  await strip(page).getByText('Only release-bot gets what you type here.').waitFor();
  await strip(page).getByText('late-copy', { exact: true }).waitFor();
  assert.equal(await strip(page).getByRole('checkbox').count(), 0);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  assert.deepEqual((await stage.outcome(ask.id)).kind, 'answered');
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  for (const copy of [early, late]) assert.equal((await stage.look(copy.id)).state, 'open');
});

scene('one click answers one ask, whoever else asks the same meanwhile', async ({ stage, enter }) => {
  const page = await enter();
  const before = await stage.ask(confirm('before-bot'));
  const ask = await stage.ask(confirm('docs-bot'));
  await open(page, stage, ask);
  await strip(page).getByText('before-bot in before-bot at work').waitFor();
  const yes = page.getByRole('button', { name: 'Yes', exact: true });
  const place = await yes.boundingBox();
  const later = await stage.ask(confirm('prod-bot'));
  await strip(page).getByText('2 other identical asks').waitFor();
  assert.deepEqual(await yes.boundingBox(), place, 'what comes later moves nothing under the pointer');
  await yes.click();
  assert.equal((await stage.outcome(ask.id)).kind, 'answered');
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  for (const other of [before, later]) assert.equal((await stage.look(other.id)).state, 'open');
});

scene('what is ticked is answered, too: the button says how many, the end says whom', async ({ stage, enter }) => {
  const page = await enter();
  const [docs, prod, shop] = [await stage.ask(confirm('docs-bot')), await stage.ask(confirm('prod-bot')), await stage.ask(confirm('shop-bot'))];
  await open(page, stage, docs);
  await others(page).click();
  await strip(page).getByRole('checkbox', { name: 'Also answer these 2' }).check();
  await strip(page).getByRole('checkbox', { name: /^shop-bot/ }).uncheck();
  const late = await stage.ask(confirm('late-bot'));
  await strip(page).getByText('3 other identical asks').waitFor();
  assert.equal(await strip(page).getByRole('checkbox', { name: /^late-bot/ }).isChecked(), false);
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  for (const one of [docs, prod]) assert.equal((await stage.look(one.id)).state, 'open', 'no click sends without the number');
  await page.getByRole('button', { name: 'Send 2 answers' }).click();
  for (const one of [docs, prod]) assert.deepEqual((await stage.outcome(one.id)).answer, { replies: [{ question: 0, labels: ['Yes'] }] });
  await page.getByRole('heading', { name: 'One answer to 2 asks' }).waitFor();
  const list = page.getByRole('region', { name: 'One answer to 2 asks' }).getByRole('listitem');
  await list.filter({ hasText: 'prod-bot has it' }).waitFor();
  assert.deepEqual((await list.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), ['docs-bot in docs-bot at work docs-bot has it', 'prod-bot in prod-bot at work prod-bot has it']);
  for (const one of [shop, late]) assert.equal((await stage.look(one.id)).state, 'open');
});

scene('skipping and declining leave the others alone, or say how many they are', async ({ stage, enter }) => {
  const page = await enter();
  const by = { person: 'me', device: 'laptop, Chrome' };
  const questions = [];
  for (const agent of ['one', 'two', 'three']) questions.push(await stage.ask({ ...asks.dropdown, agent }));
  await open(page, stage, questions[0]);
  await page.getByRole('button', { name: 'Skip', exact: true }).click();
  assert.deepEqual(said(await stage.outcome(questions[0].id)), { kind: 'dismissed', by });
  assert.equal((await stage.look(questions[1].id)).state, 'open');
  await open(page, stage, questions[1]);
  await others(page).click();
  await strip(page).getByRole('checkbox', { name: /^three/ }).check();
  await page.getByRole('button', { name: 'Skip 2 asks' }).click();
  for (const at of [1, 2]) assert.deepEqual(said(await stage.outcome(questions[at].id)), { kind: 'dismissed', by });
  const [form, copy] = [await stage.ask(login('form-bot', 'text')), await stage.ask(login('copy-bot', 'text'))];
  await open(page, stage, form);
  await page.getByText('form-bot gets exactly what you type.').waitFor();
  await others(page).click();
  await strip(page).getByRole('link', { name: 'Open the ask of copy-bot in copy-bot at work' }).click();
  await page.getByText('copy-bot gets exactly what you type.').waitFor();
  await others(page).click();
  await strip(page).getByRole('checkbox', { name: /^form-bot/ }).check();
  await page.getByText('2 asks get exactly what you type.').waitFor();
  await page.getByRole('button', { name: 'Decline 2' }).click();
  for (const one of [form, copy]) assert.deepEqual(said(await stage.outcome(one.id)), { kind: 'dismissed', by });
});

const group = (page) => page.getByRole('region', { name: /alike/ });
const ticks = (page) => group(page).getByRole('checkbox').evaluateAll((all) => all.map((one) => one.checked));

scene('approvals that are alike are decided in two clicks, each with its own record', async ({ stage, enter }) => {
  const page = await enter();
  const all = [];
  for (const name of ['billing', 'gateway', 'reports']) all.push(await stage.ask(asks.audit(name, 'audit.toml')));
  const other = await stage.ask(asks.audit('search', 'services/search/audit.toml'));
  await page.getByText('4 asks: 3 alike, 1 differs').click();
  await page.getByRole('heading', { name: 'nightly-deps wants to write a file, 4 times' }).waitFor();
  await page.getByRole('heading', { name: '3 alike, 1 differs in path' }).waitFor();
  assert.deepEqual(await ticks(page), [true, true, true, false]);
  assert.deepEqual([await group(page).locator('del').innerText(), await group(page).locator('ins').innerText()], ['audit.toml', 'services/search/audit.toml']);
  await page.getByRole('button', { name: 'Allow 3' }).click();
  const ends = [];
  for (const ask of all) ends.push(await stage.outcome(ask.id));
  assert.deepEqual(ends.map((end) => end.answer.verdict.allow), [true, true, true]);
  assert.equal((await stage.look(other.id)).state, 'open');
  await page.getByRole('heading', { name: 'One answer to 3 asks' }).waitFor();
});

scene('what differs joins by t or a tick, and the answer to all can be undone', async ({ stage, enter }) => {
  const page = await enter();
  const all = [];
  for (const name of ['billing', 'gateway']) all.push(await stage.ask(asks.audit(name, 'audit.toml')));
  all.push(await stage.ask(asks.audit('search', 'services/search/audit.toml')));
  await open(page, stage, all[0]);
  await page.getByText('2 of 3 ticked').waitFor();
  await page.keyboard.press('t');
  await page.getByText('3 of 3 ticked').waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => button.innerText.startsWith('Allow 3') && !button.disabled));
  await page.waitForTimeout(600);
  await page.keyboard.press('y');
  await page.getByRole('button', { name: /^Undo/ }).click();
  for (const ask of all) assert.equal((await stage.look(ask.id)).state, 'open');
  await page.getByRole('heading', { name: '2 alike, 1 differs in path' }).waitFor();
  const late = await stage.ask(asks.audit('late', 'audit.toml'));
  await page.getByRole('heading', { name: '3 alike, 1 differs in path' }).waitFor();
  assert.deepEqual(await ticks(page), [true, true, false, false], 'what comes later joins by nothing but a tick');
  await group(page).getByRole('checkbox', { name: /gateway/ }).uncheck();
  await group(page).getByRole('checkbox', { name: /search/ }).check();
  await page.getByRole('button', { name: 'Deny 2' }).click();
  for (const at of [0, 2]) assert.equal((await stage.outcome(all[at].id)).answer.verdict.allow, false);
  for (const { id } of [all[1], late]) assert.equal((await stage.look(id)).state, 'open');
});

scene('what other agents ask, other commands and other risks stay for themselves', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.audit('billing', 'audit.toml'));
  const foreign = await stage.ask(asks.audit('gateway', 'audit.toml', { agent: 'other-bot' }));
  await stage.ask(asks.audit('search', '/etc/cron.d/x'));
  for (const command of ['ls a', 'ls a', 'ls b']) await stage.ask(asks.shell(command));
  await open(page, stage, ask);
  await page.getByRole('heading', { name: '2 alike' }).waitFor();
  assert.deepEqual(await ticks(page), [true, false], 'another agent is not ticked');
  await group(page).getByText('other-bot').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
  assert.equal((await stage.look(foreign.id)).state, 'open');
  await page.getByText('2 asks, all alike').waitFor();
  assert.equal(await page.getByText(/\d differs?$/).count(), 0);
});

scene('a row of identical asks shows the soonest deadline, and that several agents ask', async ({ stage, enter }) => {
  const page = await enter();
  await stage.ask({ ...asks.words, agent: 'calm-bot', conversation: 'Names' });
  await stage.ask({ ...asks.dropdown, agent: 'other-bot', timeout_s: 900 });
  const row = page.getByRole('link', { name: /What should the project be called/ });
  const deadline = page.getByRole('region', { name: 'Has a deadline' });
  await page.getByRole('region', { name: 'No deadline' }).getByText('calm-bot').waitFor();
  const later = await stage.ask({ ...asks.words, agent: 'later-bot', conversation: 'Names', timeout_s: 600 });
  await deadline.getByText('2 agents').waitFor();
  await row.getByRole('timer').filter({ hasText: /10:00|9:\d\d/ }).waitFor();
  const soon = await stage.ask({ ...asks.words, agent: 'soon-bot', conversation: 'Names', timeout_s: 120 });
  await row.getByRole('timer').filter({ hasText: /2:00|1:\d\d/ }).waitFor();
  await row.getByText('3 agents').waitFor();
  assert.match(await deadline.getByRole('listitem').first().innerText(), /What should the project be called/, 'the soonest comes first');
  await row.click();
  await page.getByPlaceholder('Type your answer to soon-bot').waitFor();
  // The deadline that has passed with the ask no longer counts.
  for (const ask of [soon, later]) await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`, {});
  await page.getByRole('region', { name: 'No deadline' }).getByText('calm-bot').waitFor();
});
