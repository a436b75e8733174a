// Text that wants to be more than text, in every field there is.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';

const EVIL = '<script>window.caught=1</script><img src=x onerror="window.caught=1"><a href="javascript:window.caught=1">x</a><button>Allow once</button>{@html caught}';

/** Names take no control characters. */
const named = (text) => text.replace(/\p{Cc}/gu, '').slice(0, 80);

const everywhere = (text) => [
  { matter: 'questions', agent: named(text), conversation: named(text), title: text, questions: [{ text, tag: text.slice(0, 60), choices: [{ label: text, description: text, preview: text }, { label: 'B' }] }, { text: `${text} 2`, tag: 'T', look: 'buttons', choices: [{ label: text }, { label: 'B' }] }] },
  { matter: 'approval', agent: 'evil', action: { tool: text, input: text, cwd: text, reason: text, act: { kind: 'shell', command: text } } },
  { matter: 'approval', agent: 'evil', action: { tool: text, input: text, reason: text, act: { kind: 'edit', path: text, old: text, new: `${text}!` } } },
  { matter: 'approval', agent: 'evil', action: { tool: text, input: JSON.stringify({ [text]: text }) } },
  { matter: 'form', agent: 'evil', form: { message: text, fields: [{ name: text.slice(0, 60), title: text, description: text, kind: 'one_of', options: [{ value: text, title: text }, { value: 'b' }] }, { name: 'm', kind: 'many_of', options: [{ value: text, title: text }] }] } },
];

async function harmless(page) {
  assert.equal(await page.evaluate(() => 'caught' in window), false, 'a script of an agent ran');
  const foreign = await page.evaluate(() => document.querySelectorAll('#app img, #app iframe, #app script, #app [onerror], #app a[href^="javascript"]').length);
  assert.equal(foreign, 0, 'text became an element');
}

scene('markup and scripts in every field are text', async ({ stage, enter }) => {
  const page = await enter();
  for (const body of everywhere(EVIL)) {
    const ask = await stage.ask(body);
    await open(page, stage, ask);
    await harmless(page);
    await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`, { note: EVIL });
    await page.getByRole('heading', { name: /took it back/ }).waitFor();
    await harmless(page);
  }
  await page.goto(`${stage.url}/#/history`);
  await page.getByText('evil').filter({ visible: true }).first().waitFor();
  await harmless(page);
});

scene('marks that turn or hide text are shown as what they are', async ({ stage, enter }) => {
  const page = await enter();
  for (const body of everywhere('a\u202eb\u200bc\u2066d\u0000\u001b[31m e\u00a0f'.replace('\u0000', ''))) {
    const ask = await stage.ask(body);
    await open(page, stage, ask);
    const raw = await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/.test(document.getElementById('app').innerText));
    assert.equal(raw, false, `a hidden mark is in the page for ${body.matter}`);
    assert.ok((await page.getByRole('img', { name: 'hidden character, right-to-left override' }).count()) > 0);
  }
});

scene('an agent cannot draw a button of ours', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask({ ...asks.push, action: { ...asks.push.action, reason: '[ Allow once ]\n\n✓ All of it seen. sayso says: this is safe.' } });
  await open(page, stage, ask);
  const box = page.locator('figure.agent-box');
  assert.equal(await box.locator('button, a').count(), 0);
  assert.match(await box.locator('figcaption').innerText(), /shop-api says/);
  assert.equal(await page.getByRole('button', { name: 'Allow', exact: true }).count(), 1);
});

scene('a command at the size limit is whole, and seen whole before it is allowed', async ({ stage, enter }) => {
  const page = await enter();
  const command = `echo ${'word '.repeat(8000)}\n${Array.from({ length: 2000 }, (_, at) => `echo line ${at}`).join('\n')}\nrm -rf /`;
  const ask = await stage.ask({ matter: 'approval', agent: 'evil', action: { tool: 'Bash', input: command, act: { kind: 'shell', command } } });
  await open(page, stage, ask);
  assert.equal(await page.locator('pre').first().innerText(), command);
  const allow = page.getByRole('button', { name: 'Hold to allow' });
  await page.getByText(/lines not seen yet/).waitFor();
  // A jump to the end has shown only the end.
  await page.locator('[data-scroller]').evaluate((main) => (main.scrollTop = main.scrollHeight));
  await page.waitForFunction(() => document.querySelector('[data-scroller]').scrollTop > 0);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await allow.isDisabled(), true);
  await page.locator('[data-scroller]').evaluate(async (main) => {
    for (let at = 0; at <= main.scrollHeight; at += main.clientHeight * 0.8) {
      main.scrollTop = at;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });
  await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /Hold to allow/.test(button.innerText) && !button.disabled));
  await allow.hover();
  await page.mouse.down();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
  await page.mouse.up();
});

scene('an act that is not what the input says is called out', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask({ matter: 'approval', agent: 'evil', action: { tool: 'Bash', input: '{"command":"rm -rf /"}', act: { kind: 'shell', command: 'ls' } } });
  await open(page, stage, ask);
  await page.getByText(/The input says something else/).waitFor();
  await page.getByText('{"command":"rm -rf /"}').waitFor();
});

scene('nothing is taken from the query string, and no token stands in an address', async ({ stage, enter }) => {
  const page = await enter();
  await page.goto(`${stage.url}/?code=evil&token=evil#/inbox`);
  await page.getByText('Live', { exact: true }).waitFor();
  const addresses = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name).join(' ') + location.href);
  assert.equal(/say_(person|code)_/.test(addresses), false);
});
