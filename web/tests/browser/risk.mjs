// Risk is a level with a reason: in the list, on the card, and before a yes.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';

const root = asks.shell('echo é😀 && sudo rm -rf /var/lib/postgresql/16/main', { title: 'Tidy up a little' });
const risky = (page) => page.locator('main pre').first().evaluate((node) => [...node.querySelectorAll('span')].filter((span) => getComputedStyle(span).textDecorationLine === 'underline').map((span) => span.textContent).join(''));

/** What the page says of an act: the level, and the most serious reason the server gave. */
function sentenceOf({ risk, reasons }) {
  const level = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' }[risk];
  return reasons.length ? `${level}: ${reasons[0]}` : level;
}

scene('a high-risk act says why, where, and what it takes; the agent’s title never stands for the command', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(root);
  const { risk, reasons, spans, act } = ask.action;
  assert.equal(risk, 'high');
  const row = page.getByRole('region', { name: 'Asks that wait' }).getByRole('link');
  await row.getByText('sudo rm -rf /var/lib/postgresql/16/main').waitFor();
  await row.getByText(sentenceOf(ask.action)).waitFor();
  assert.doesNotMatch(await row.innerText(), /Tidy up/);
  await open(page, stage, ask);
  await page.locator('main').getByText(`${sentenceOf(ask.action)}. Hold to allow.`).waitFor();
  for (const other of reasons.slice(1)) await page.locator('main').getByText(other).first().waitFor();
  const bytes = new TextEncoder().encode(act.command);
  const underlined = await risky(page);
  for (const { start, end } of spans) assert.ok(underlined.includes(new TextDecoder().decode(bytes.subarray(start, end)).trim()), underlined);
  assert.doesNotMatch(underlined, /echo/);
  await page.getByRole('button', { name: 'Hold to allow' }).waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: /^You denied it/ }).waitFor();
  await page.locator('main').getByText(sentenceOf(ask.action)).first().waitFor();
  assert.equal(await page.getByText(/Hold to allow|second gesture/).count(), 0, 'what is closed asks for no gesture');
});

scene('every level is said with its reason, and only a high one takes a second gesture', async ({ stage, enter }) => {
  const page = await enter();
  for (const command of ['git status', 'some-unknown-program --now', 'sudo rm -rf /']) {
    const ask = await stage.ask(asks.shell(command));
    await page.getByRole('link', { name: new RegExp(command) }).getByText(sentenceOf(ask.action)).waitFor();
    await open(page, stage, ask);
    await page.locator('main').getByText(sentenceOf(ask.action)).first().waitFor();
    const [hold, allow] = [page.getByRole('button', { name: 'Hold to allow' }), page.getByRole('button', { name: 'Allow', exact: true }).filter({ hasNotText: 'Hold' })];
    await (ask.action.risk === 'high' ? hold : allow).waitFor();
    assert.equal(await (ask.action.risk === 'high' ? allow : hold).count(), 0, command);
  }
});

scene('a late answer to the same question is where the next one starts', async ({ stage, enter }) => {
  const page = await enter();
  const question = { ...asks.cache, questions: [asks.cache.questions[0]] };
  const late = await stage.ask({ ...question, timeout_s: 1 });
  assert.equal((await stage.outcome(late.id)).kind, 'expired');
  await stage.answer('person', late, { replies: [{ question: 0, labels: ['SQLite'], note: 'one file' }] }).catch(() => {});
  const again = await stage.ask(question);
  await open(page, stage, again);
  await page.getByText(/late answer to the same question from \d\d:\d\d/).waitFor();
  assert.equal(await page.getByRole('radio', { name: /SQLite/ }).isChecked(), true);
  assert.equal(await page.getByLabel(/^Note/).inputValue(), 'one file');
  await page.getByRole('button', { name: 'Clear' }).click();
  assert.equal(await page.getByRole('radio', { name: /SQLite/ }).isChecked(), false);
  assert.equal(await page.getByText(/late answer to the same question/).count(), 0);
  // What nobody touched is nobody's draft.
  await stage.call('agent', 'POST', `/v1/asks/${again.id}/withdraw`, {});
  await page.getByRole('heading', { name: /took it back/ }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Your draft' }).count(), 0);
});
