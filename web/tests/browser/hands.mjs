// Hands that do a little more than they meant to: clicks and keys that decide nothing by accident.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { PHONE } from './browser.mjs';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

const strip = (page) => page.getByRole('region', { name: 'Answers you can still undo' });
const armed = (page) => page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /^Allow\b/.test(button.innerText) && !button.disabled));
const settled = (page) => page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('[data-settling]'));
/** Complete as it stands: one press of Send answers it. */
const chosen = { ...asks.dropdown, agent: 'choice-bot', questions: [{ text: 'Which lane?', choices: [{ label: 'Left' }, { label: 'Right' }], default: ['Left'] }] };

function answers(page) {
  const sent = [];
  page.on('request', (request) => /\/(answer|dismiss)$/.test(request.url()) && sent.push(new URL(request.url()).pathname.split('/')[3]));
  return sent;
}

async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
}

/** Clicks again and again at one place, as an impatient hand does. */
async function hammer(page, [x, y], times = 6) {
  await page.mouse.move(x, y);
  for (let at = 0; at < times; at += 1) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(50);
  }
}

scene('a double click decides one ask and leaves the next alone', async ({ stage, enter }) => {
  const page = await enter();
  const sent = answers(page);
  const [first, next] = [await stage.ask(asks.status), await stage.ask(chosen)];
  await open(page, stage, first);
  await armed(page);
  await settled(page);
  await hammer(page, await middle(page.getByRole('button', { name: /^Allow\b/ })));
  assert.equal((await stage.outcome(first.id)).answer.verdict.allow, true);
  assert.deepEqual(sent, [first.id]);
  assert.match(page.url(), new RegExp(first.id), 'what became of it stays on screen');
  await page.getByRole('button', { name: 'Next ask' }).click();
  await page.getByRole('heading', { name: 'Which lane?' }).waitFor();
  await settled(page);
  await hammer(page, await middle(page.getByRole('button', { name: 'Send answer' })));
  assert.equal((await stage.outcome(next.id)).kind, 'answered');
  assert.deepEqual(sent, [first.id, next.id]);
});

scene('a double click is no answer to “Send anyway?”, and does not run through the questions', async ({ stage, enter }) => {
  const page = await enter();
  const sent = answers(page);
  const three = ['Name?', 'Lane?', 'Colour?'].map((text, at) => ({ text, tag: text.slice(0, -1), choices: [{ label: 'This' }, { label: 'That' }], ...(at ? {} : { default: ['This'] }) }));
  const ask = await stage.ask({ matter: 'questions', agent: 'form-bot', questions: three });
  await open(page, stage, ask);
  await settled(page);
  await page.mouse.dblclick(...(await middle(page.getByRole('button', { name: 'Next: Lane' }))));
  await page.getByRole('heading', { name: 'Lane?' }).waitFor();
  await page.getByRole('button', { name: 'Next: Colour' }).click();
  await page.getByRole('heading', { name: 'Colour?' }).waitFor();
  await settled(page);
  await page.mouse.dblclick(...(await middle(page.getByRole('button', { name: /^Send answer/ }))));
  await page.getByText(/Send anyway\?/).waitFor();
  assert.deepEqual(sent, []);
  await page.getByRole('button', { name: /^Send without/ }).click();
  assert.equal((await stage.outcome(ask.id)).kind, 'answered');
});

scene('a click meant for one ask never hits the one that slides under the pointer', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '3') } });
  const sent = answers(page);
  const first = await stage.ask(asks.shell('git status'));
  const second = await stage.ask(asks.shell('git log'));
  await open(page, stage, first);
  await armed(page);
  const deny = await middle(page.getByRole('button', { name: 'Deny' }));
  await page.mouse.move(...deny);
  await page.keyboard.press('y');
  await page.waitForFunction((id) => location.hash.endsWith(id), second.id, { polling: 10 });
  await hammer(page, deny, 4);
  assert.deepEqual(sent, []);
  // An ask of one click lies below the strip whose Undo is pressed a moment too late.
  await page.keyboard.press('u');
  await strip(page).waitFor({ state: 'detached' });
  await stage.call('agent', 'POST', `/v1/asks/${second.id}/withdraw`, {});
  const many = await stage.ask({ ...asks.confirm, agent: 'buttons-bot', questions: [{ text: 'Which one?', look: 'buttons', choices: Array.from({ length: 14 }, (_, at) => ({ label: `Choice ${at}` })) }] });
  await open(page, stage, first);
  await armed(page);
  await page.keyboard.press('y');
  await page.waitForFunction((id) => location.hash.endsWith(id), many.id, { polling: 10 });
  const undo = await middle(strip(page).getByRole('button', { name: /Undo/ }));
  await page.mouse.move(...undo);
  await page.waitForFunction(() => !document.querySelector('[aria-label="Answers you can still undo"]'), undefined, { polling: 10 });
  await hammer(page, undo, 3);
  assert.deepEqual(sent, [first.id]);
  assert.equal((await stage.look(many.id)).state, 'open');
});

scene('a finger that taps twice decides once', async ({ stage, enter }) => {
  const page = await enter({ size: PHONE });
  const sent = answers(page);
  const [first, next] = [await stage.ask(asks.status), await stage.ask(chosen)];
  await open(page, stage, first);
  await armed(page);
  await settled(page);
  const [x, y] = await middle(page.getByRole('button', { name: /^Allow\b/ }));
  for (let at = 0; at < 5; at += 1) await page.touchscreen.tap(x, y);
  assert.equal((await stage.outcome(first.id)).answer.verdict.allow, true);
  assert.deepEqual(sent, [first.id]);
  assert.equal((await stage.look(next.id)).state, 'open');
});

scene('keys that are held, composed or typed with AltGr, Caps Lock or a dead key decide nothing', async ({ stage, enter }) => {
  const page = await enter();
  const sent = answers(page);
  const session = await page.context().newCDPSession(page);
  const key = (type, name, more = {}) => session.send('Input.dispatchKeyEvent', { type, key: name, windowsVirtualKeyCode: name.length === 1 ? name.toUpperCase().charCodeAt(0) : 13, ...(type === 'keyDown' && name.length === 1 ? { text: name } : {}), ...more });
  const [approval, question] = [await stage.ask(asks.status), await stage.ask({ ...asks.dropdown, questions: [{ text: 'Which name?', choices: [{ label: 'This' }] }] })];
  await open(page, stage, approval);
  await armed(page);
  for (const name of ['y', 'd', 'a']) {
    // Held down for longer than a single press would need.
    for (let at = 0; at < 20; at += 1) {
      await key('keyDown', name, { autoRepeat: at > 0 });
      await page.waitForTimeout(40);
    }
    await key('keyUp', name);
    await page.waitForTimeout(600);
    await page.keyboard.press('Escape');
    await open(page, stage, approval);
    await armed(page);
  }
  for (const more of [{ windowsVirtualKeyCode: 229 }, { key: 'Y', text: 'Y' }, { key: 'Dead', text: '' }, { key: 'Process', text: '', windowsVirtualKeyCode: 229 }]) {
    await key('keyDown', 'y', more);
    await key('keyUp', 'y', more);
    await page.waitForTimeout(700);
    assert.equal(await strip(page).count(), 0, JSON.stringify(more));
  }
  await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'y', modifierAltGraph: true, bubbles: true, cancelable: true })));
  await page.waitForTimeout(700);
  assert.equal(await strip(page).count(), 0, 'AltGr');
  // The Enter that ends a composition belongs to the word, not to the answer.
  await open(page, stage, question);
  const field = page.locator('input[data-answer]');
  await field.fill('日本');
  await key('keyDown', 'Enter', { windowsVirtualKeyCode: 229 });
  await key('keyUp', 'Enter', { windowsVirtualKeyCode: 229 });
  await page.waitForTimeout(700);
  assert.deepEqual(sent, []);
  assert.equal(await strip(page).count(), 0);
});

scene('two tabs with the same ask: what one holds is overtaken by what the other says', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '10') } });
  const ask = await stage.ask(asks.status);
  const other = await page.context().newPage();
  await open(other, stage, ask);
  await page.bringToFront();
  await open(page, stage, ask);
  await armed(page);
  await page.keyboard.press('y');
  await strip(page).getByText('Allowing…').waitFor();
  await other.bringToFront();
  await other.getByRole('button', { name: 'Deny' }).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, false);
  await page.bringToFront();
  await page.getByRole('region', { name: 'News about your answers' }).getByText(/^Not sent: Allow “git status”/).waitFor();
  await strip(page).waitFor({ state: 'detached' });
});

scene('undo without the server undoes, and the next verdict is the one that counts', async ({ stage, enter }) => {
  const page = await enter({ init: { script: () => localStorage.setItem('sayso.undo_s', '5') } });
  const sent = answers(page);
  const ask = await stage.ask(asks.status);
  await open(page, stage, ask);
  await armed(page);
  await stage.kill();
  await page.getByText(/Offline since/).waitFor();
  await page.keyboard.press('y');
  await strip(page).getByText('Allowing…').waitFor();
  await page.keyboard.press('u');
  await strip(page).waitFor({ state: 'detached' });
  assert.deepEqual(sent, []);
  await armed(page);
  await until('a second verdict', async () => {
    await page.keyboard.press('d');
    await page.waitForTimeout(700);
    return (await strip(page).getByText('Denying…').count()) > 0;
  });
  await stage.start();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, false);
});
