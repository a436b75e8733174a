// Everything without a pointer, and what a held key must not do.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

scene('through the inbox and an answer by keys alone', async ({ stage, enter }) => {
  const page = await enter();
  const first = await stage.ask({ ...asks.sections, timeout_s: 100 });
  await stage.ask(asks.words);
  await page.getByRole('link', { name: /What should the project/ }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: /Which sections/ }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1', 'an opening ask focuses its heading');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: /What should the project/ }).waitFor();
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: /Which sections/ }).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('n');
  await page.keyboard.type('by keys');
  await page.keyboard.press('Control+Enter');
  const { answer } = await stage.outcome(first.id);
  assert.deepEqual(answer, { replies: [{ question: 0, labels: ['Leave and holidays', 'Expenses'], note: 'by keys' }] });
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  // A word was typed a moment ago, and letters right after it are letters.
  await until('the history', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.waitForTimeout(600);
    return page.getByRole('heading', { name: 'History' }).isVisible();
  });
});

scene('allow arms 600 ms after it appears, and a held Enter never allows', async ({ stage, enter }) => {
  const page = await enter({ clock: true });
  const ask = await stage.ask(asks.status);
  await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
  await open(page, stage, ask);
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  assert.equal(await allow.isDisabled(), true);
  await page.keyboard.press('y');
  await page.clock.runFor(590);
  assert.equal(await allow.isDisabled(), true);
  await page.keyboard.press('y');
  await page.clock.runFor(20);
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /^Allow\b/.test(button.innerText) && !button.disabled));
  assert.equal((await stage.look(ask.id)).state, 'open');
  // Enter that is already down when the button gets the focus says nothing.
  await page.locator('main h1').focus();
  await page.keyboard.down('Enter');
  await allow.focus();
  for (let at = 0; at < 5; at += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  assert.equal((await stage.look(ask.id)).state, 'open');
  // An edit begins the wait anew.
  await page.clock.runFor(600);
  await page.keyboard.press('v');
  await page.getByLabel('Run this instead').fill('git status -s');
  assert.equal(await allow.isDisabled(), true);
  await page.clock.runFor(700);
  await allow.press('Enter');
  await page.clock.runFor(600);
  assert.equal((await stage.outcome(ask.id)).answer.verdict.input, '{"command":"git status -s"}');
});

scene('a high-risk act needs the second gesture', async ({ stage, enter }) => {
  const page = await enter();
  const [held, typed] = [await stage.ask(asks.invoice), await stage.ask({ ...asks.push, action: { ...asks.push.action, risk: 'high' } })];
  await open(page, stage, held);
  const hold = page.getByRole('button', { name: 'Hold to allow' });
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /Hold to allow/.test(button.innerText) && !button.disabled));
  await page.keyboard.press('y');
  await hold.click();
  assert.equal((await stage.look(held.id)).state, 'open');
  await hold.hover();
  await page.mouse.down();
  assert.equal((await stage.outcome(held.id)).answer.verdict.allow, true);
  await page.mouse.up();
  await open(page, stage, typed);
  const field = page.getByLabel('Type git and press Enter to allow');
  await field.fill('git');
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /Hold to allow/.test(button.innerText) && !button.disabled));
  await field.press('Enter');
  assert.equal((await stage.outcome(typed.id)).answer.verdict.allow, true);
});

scene('where no is the default, Enter says no', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask({ ...asks.push, action: { ...asks.push.action, flags: ['default_no'] } });
  await open(page, stage, ask);
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /^Allow\b/.test(button.innerText) && !button.disabled));
  await page.keyboard.press('Enter');
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, false);
});
