// Answers given with a key: held, undone, sent, overtaken, and left behind.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

const strip = (page) => page.getByRole('region', { name: 'Answers you can still undo' });
const armed = (page) => page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /^Allow\b/.test(button.innerText) && !button.disabled));

const waiting = (page, n) => page.getByText(`${n} waiting`, { exact: true }).filter({ visible: true }).first().waitFor();
const undos = (page) => strip(page).getByRole('button', { name: /Undo/ });

/** Presses a key until it is heard: an ask takes none before it has stood still for a while. */
async function hold(page, key, word) {
  const before = await undos(page).count();
  await until(`${word} after ${key}`, async () => {
    await page.keyboard.press(key);
    await page.waitForTimeout(700);
    return (await undos(page).count()) > before;
  });
  await strip(page).getByText(word).last().waitFor();
}

/** Opens an ask and gives the verdict by its key. */
async function press(page, stage, ask, key) {
  await open(page, stage, ask);
  await armed(page);
  await page.keyboard.press(key);
  const command = JSON.parse(ask.action.input).command;
  await strip(page).getByText(command, { exact: true }).waitFor();
}

scene('a verdict by key is held and shown as such, with the next ask open; u and Ctrl+Z take it back', async ({ stage, enter }) => {
  const page = await enter();
  const [first, second] = [await stage.ask(asks.shell('git status')), await stage.ask(asks.shell('git log'))];
  await waiting(page, 2);
  for (const undo of ['u', 'Control+z', 'click']) {
    await press(page, stage, first, 'y');
    await waiting(page, 1);
    await strip(page).getByText('shop-api has not been told yet').waitFor();
    await strip(page).getByText('git status').waitFor();
    assert.match(page.url(), new RegExp(second.id), 'the next ask is shown');
    await page.getByRole('link', { name: /git status.*Allowing… \d s.*not sent yet/s }).waitFor();
    assert.equal((await stage.look(first.id)).state, 'open');
    if (undo === 'click') await strip(page).getByRole('button', { name: /Undo/ }).click();
    else await page.keyboard.press(undo);
    await strip(page).waitFor({ state: 'detached' });
    assert.match(page.url(), new RegExp(first.id), 'the ask is shown again');
    await waiting(page, 2);
  }
  assert.equal((await stage.look(first.id)).state, 'open');
  await press(page, stage, first, 'y');
  assert.equal((await stage.outcome(first.id)).answer.verdict.allow, true);
  await strip(page).waitFor({ state: 'detached' });
  assert.equal((await stage.look(second.id)).state, 'open');
});

scene('dismissing, an answer of one key and Enter are held, too; a click goes out at once', async ({ stage, enter }) => {
  const page = await enter();
  await page.evaluate(() => localStorage.setItem('sayso.undo_s', '5'));
  await page.reload();
  const [question, click, choice] = [await stage.ask(asks.dropdown), await stage.ask(asks.confirm), await stage.ask({ ...asks.sections, agent: 'choice-bot' })];
  await open(page, stage, question);
  await hold(page, 's', 'Dismissing…');
  assert.equal((await stage.look(question.id)).state, 'open');
  await open(page, stage, click);
  await hold(page, '2', 'Sending…');
  await open(page, stage, choice);
  await page.getByRole('checkbox').first().waitFor();
  await page.keyboard.press('1');
  await hold(page, 'Enter', 'Sending…');
  assert.equal((await stage.look(choice.id)).state, 'open');
  assert.equal((await stage.outcome(choice.id)).kind, 'answered');
  assert.equal((await stage.outcome(question.id)).kind, 'dismissed');
  assert.deepEqual((await stage.outcome(click.id)).answer, { replies: [{ question: 0, labels: ['No'] }] });
  const last = await stage.ask(asks.status);
  await open(page, stage, last);
  await armed(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: /^You denied it/ }).waitFor();
  assert.equal(await strip(page).count(), 0);
});

scene('several are held at once; a fourth sends the oldest', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '10') } });
  const all = [];
  for (const command of ['git status', 'git log', 'git diff', 'git show', 'git branch']) all.push(await stage.ask(asks.shell(command)));
  for (const ask of all.slice(0, 3)) await press(page, stage, ask, 'y');
  assert.equal(await undos(page).count(), 3);
  for (const ask of all) assert.equal((await stage.look(ask.id)).state, 'open');
  await press(page, stage, all[3], 'd');
  assert.equal((await stage.outcome(all[0].id)).answer.verdict.allow, true);
  await page.keyboard.press('u');
  await until('the latest to be undone', async () => (await undos(page).count()) === 2);
  assert.match(page.url(), new RegExp(all[3].id));
});

scene('with less than five seconds to the deadline, or with undo switched off, it goes at once', async ({ stage, enter }) => {
  const page = await enter();
  const soon = await stage.ask({ ...asks.status, timeout_s: 5 });
  await open(page, stage, soon);
  await armed(page);
  await page.keyboard.press('y');
  await page.getByRole('heading', { name: /^You allowed it/ }).waitFor();
  assert.equal((await stage.outcome(soon.id)).kind, 'answered');
  await page.goto(`${stage.url}/#/settings`);
  await page.getByLabel('Time to undo').selectOption('Off, send at once');
  const off = await stage.ask(asks.shell('git log'));
  await open(page, stage, off);
  await armed(page);
  await page.keyboard.press('y');
  await page.getByRole('heading', { name: /^You allowed it/ }).waitFor();
});

scene('an ask that someone else answers meanwhile is told, and the held verdict never goes out', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '10') } });
  const [ask, gone] = [await stage.ask(asks.shell('git status')), await stage.ask(asks.shell('git log'))];
  const sent = [];
  page.on('request', (request) => request.url().endsWith('/answer') && sent.push(request.url()));
  await press(page, stage, ask, 'y');
  await press(page, stage, gone, 'y');
  await stage.answer(await stage.device('ben', 'phone'), ask, { verdict: { allow: false } });
  const told = page.getByRole('region', { name: 'News about your answers' });
  await told.getByText(/^Not sent: Allow “git status” \(shop-api\)\. ben answered on phone/).waitFor();
  await stage.call('agent', 'POST', `/v1/asks/${gone.id}/withdraw`, {});
  await told.getByText(/^Not sent: Allow “git log” \(shop-api\)\./).waitFor();
  await strip(page).waitFor({ state: 'detached' });
  assert.deepEqual(sent, []);
  await told.getByRole('link', { name: 'Open' }).first().click();
  await page.getByRole('heading', { name: /^ben answered first/ }).waitFor();
});

scene('without the server it waits like every answer, and goes out when the server is back', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.status);
  await press(page, stage, ask, 'y');
  await stage.kill();
  await page.getByText(/Offline since/).waitFor();
  await page.getByRole('link', { name: /git status.*not sent yet/s }).waitFor();
  await strip(page).waitFor({ state: 'detached' });
  await stage.start();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
});

scene('leaving the page sends it, or drops it where that is set; the next visit says which', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.getItem('sayso.undo_s') ?? localStorage.setItem('sayso.undo_s', '10') } });
  const told = page.getByRole('region', { name: 'News about your answers' });
  const sent = await stage.ask(asks.shell('git status'));
  await press(page, stage, sent, 'y');
  await page.goto(`${stage.url}/health`);
  assert.equal((await stage.outcome(sent.id)).answer.verdict.allow, true);
  await page.goto(`${stage.url}/#/settings`);
  await told.getByText('Sent when you left: Allow “git status” (shop-api).').waitFor();
  await page.getByLabel('When you close the page before that').selectOption('Drop it, the ask keeps waiting');
  const dropped = await stage.ask(asks.shell('git log'));
  await press(page, stage, dropped, 'y');
  await page.reload();
  await told.getByText('Not sent because you left: Allow “git log” (shop-api). It is still waiting.').waitFor();
  assert.equal((await stage.look(dropped.id)).state, 'open');
  await told.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await waiting(page, 1);
  assert.equal(await told.count(), 0, 'it is said once');
});

scene('a tab that is closed and a log-out send it, too', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '10') } });
  const out = await stage.ask(asks.shell('git status'));
  await press(page, stage, out, 'd');
  await page.goto(`${stage.url}/#/settings`);
  await strip(page).getByText('Denying…').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  assert.equal((await stage.outcome(out.id)).answer.verdict.allow, false);
  const other = await page.context().newPage();
  await other.goto(await stage.link());
  await other.getByRole('region', { name: 'News about your answers' }).getByText('Sent when you left: Deny “git status” (shop-api).').waitFor();
  const closed = await stage.ask(asks.shell('git log'));
  await press(other, stage, closed, 'y');
  await other.close({ runBeforeUnload: true });
  assert.equal((await stage.outcome(closed.id)).answer.verdict.allow, true);
});
