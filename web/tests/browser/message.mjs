// Saying something: nothing typed is ever lost, and nothing is sent by accident.

import assert from 'node:assert/strict';
import { PHONE } from './browser.mjs';
import { scene } from './house.mjs';
import { conversation, speaker } from './speaker.mjs';
import { until } from './stage.mjs';

async function into(stage, enter, more = {}) {
  const coder = await speaker(stage);
  coder.say('Checkout', 'I read the code.');
  coder.say('Other', 'Here as well.');
  const row = await conversation(stage, 'Checkout');
  await conversation(stage, 'Other');
  coder.send({ do: 'take_turns', conversations: 'any' });
  const page = await enter({ path: `conversations/${row.id}`, ...more });
  await page.getByText('I read the code.').waitFor();
  return { coder, row, page, box: page.getByLabel('Message to coder'), send: page.getByRole('button', { name: 'Send the message' }) };
}

scene('Enter sends, Shift and Enter does not, and neither does an Enter that ends a composition', async ({ stage, enter }) => {
  const { coder, page, box } = await into(stage, enter);
  const height = (await box.boundingBox()).height;
  await box.pressSequentially('One');
  await box.press('Shift+Enter');
  await box.pressSequentially('two');
  assert.ok((await box.boundingBox()).height > height, 'it grows');
  for (const init of [{ key: 'Enter', isComposing: true }, { key: 'Enter', keyCode: 229 }]) {
    await box.evaluate((field, event) => field.dispatchEvent(new KeyboardEvent('keydown', { ...event, bubbles: true, cancelable: true })), init);
  }
  assert.equal(await box.inputValue(), 'One\ntwo');
  await box.press('Enter');
  await until('the words', async () => coder.heard().includes('One\ntwo'));
  assert.equal(await box.inputValue(), '');
  assert.equal((await box.boundingBox()).height, height);
  assert.equal(await page.getByRole('alert').count(), 0);
  coder.close();
});

scene('what is typed while the message before is being sent stays, and goes out after it', async ({ stage, enter }) => {
  const { coder, page, box } = await into(stage, enter);
  let free;
  const held = new Promise((done) => (free = done));
  await page.route('**/messages', async (route) => {
    await held;
    await route.continue();
  }, { times: 1 });
  await box.fill('First');
  await box.press('Enter');
  await box.pressSequentially('Second');
  await box.press('Enter');
  await box.pressSequentially('Third, half');
  await page.getByText('Sending…').waitFor();
  assert.deepEqual(coder.heard(), []);
  free();
  await until('the first', async () => coder.heard().length === 1);
  coder.say('Checkout', 'Done.');
  await until('both, in order', async () => coder.heard().join() === 'First,Second');
  await page.getByText('Sending…').waitFor({ state: 'detached' });
  assert.equal(await box.inputValue(), 'Third, half');
  coder.close();
});

scene('what could not be sent is typed text again, before what came after it', async ({ stage, enter }) => {
  const { coder, page, box } = await into(stage, enter);
  await page.route('**/messages', async (route) => {
    await new Promise((done) => setTimeout(done, 300));
    await route.abort();
  }, { times: 1 });
  await box.fill('First');
  await box.press('Enter');
  await box.pressSequentially('Second');
  await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
  assert.equal(await box.inputValue(), 'First\nSecond');
  assert.deepEqual(coder.heard(), []);
  coder.close();
});

scene('each conversation keeps its own draft, also over a reload in the middle of sending', async ({ stage, enter }) => {
  const { coder, page, box, row } = await into(stage, enter);
  await box.fill('For checkout');
  await page.getByRole('link', { name: /Other/ }).click();
  await page.getByText('Here as well.').waitFor();
  assert.equal(await box.inputValue(), '');
  await box.fill('For the other');
  await page.getByRole('link', { name: /Checkout/ }).click();
  await until('the first draft', async () => (await box.inputValue()) === 'For checkout');
  // The server never hears of it.
  await page.route('**/messages', () => {});
  await box.press('Enter');
  await box.pressSequentially('and more');
  await page.reload();
  await until('both', async () => (await box.inputValue()) === 'For checkout\nand more');
  await page.getByRole('link', { name: /Other/ }).click();
  await until('the other draft', async () => (await box.inputValue()) === 'For the other');
  assert.deepEqual(coder.heard(), []);
  assert.ok(row.id);
  coder.close();
});

scene('on a phone nothing is clipped, with a keyboard on screen as well', async ({ stage, enter }) => {
  const { coder, page, box, send } = await into(stage, enter, { size: PHONE });
  for (const height of [844, 420, 300]) {
    await page.setViewportSize({ width: 390, height });
    await box.fill(Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'));
    const [text, button] = [await box.boundingBox(), await send.boundingBox()];
    assert.ok(button.width >= 44 && button.height >= 44, 'the target is large enough');
    for (const { x, y, width, height: tall } of [text, button]) assert.ok(x >= 0 && x + width <= 390 && y >= 0 && y + tall <= height, `inside the screen at ${height}`);
    await box.fill('');
    assert.ok((await box.boundingBox()).height >= 44);
  }
  coder.close();
});

scene('a conversation begins from the page, with any agent that takes turns', async ({ stage, enter }) => {
  const page = await enter({ path: 'conversations' });
  await page.getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: 'New conversation' }).waitFor();
  // Nobody is there to talk to, and it says so.
  await page.getByText('No connected agent takes messages', { exact: true }).waitFor();
  const box = page.getByLabel('New conversation', { exact: true });
  assert.equal(await box.evaluate((field) => document.getElementById(field.getAttribute('aria-describedby')).textContent.trim()), 'No connected agent takes messages.');
  const [coder, docs] = [await speaker(stage, 'coder'), await speaker(stage, 'docs')];
  for (const one of [coder, docs]) one.send({ do: 'take_turns', conversations: 'any' });
  // One that takes turns in its own conversations alone cannot be talked to in a new one.
  const picky = await speaker(stage, 'picky');
  picky.send({ do: 'take_turns', conversations: ['Mine'] });
  // They appear as they come.
  await page.getByRole('radio', { name: /docs/ }).check();
  await page.getByRole('radio', { name: /coder/ }).waitFor();
  assert.equal(await page.getByRole('radio').count(), 2);
  await page.getByLabel('Message to docs').fill('Write the *handbook*.');
  await page.getByRole('button', { name: 'Send the message' }).click();
  await until('the words', async () => docs.heard().join() === 'Write the *handbook*.');
  await page.waitForURL(/conversations\/cv_/);
  await page.locator('[data-entry]').getByText('Write the handbook.').waitFor();
  await page.getByText('working, ').filter({ visible: true }).first().waitFor();
  assert.deepEqual(coder.heard(), []);
  const { conversation: name } = docs.events.find(({ event }) => event === 'turn');
  docs.say(name, 'Here it is.');
  await page.getByText('Here it is.').waitFor();
  await page.getByText('idle').filter({ visible: true }).first().waitFor();
  docs.close();
  await page.getByText('disconnected').filter({ visible: true }).first().waitFor();
  for (const one of [coder, picky]) one.close();
});

scene('an agent that works is stopped from the message box, where it can be', async ({ stage, enter }) => {
  const { coder, page, box } = await into(stage, enter);
  const stop = page.getByRole('button', { name: 'Stop' });
  await box.fill('Go');
  await box.press('Enter');
  await page.getByText('working, ').filter({ visible: true }).first().waitFor();
  assert.equal(await stop.count(), 0, 'its program cannot be told');
  coder.send({ do: 'take_controls', conversations: 'any' });
  await stop.click();
  const control = await until('the word', async () => coder.events.find(({ event }) => event === 'control'));
  assert.deepEqual([control.control, control.conversation], ['interrupt', 'Checkout']);
  await page.getByRole('button', { name: 'Stopping…' }).waitFor();
  coder.send({ do: 'controlled', id: control.id, problem: 'in the middle of a write' });
  await page.getByRole('alert').filter({ hasText: 'in the middle of a write' }).waitFor();
  await stop.click();
  const again = await until('the second word', async () => coder.events.findLast(({ event, id }) => event === 'control' && id !== control.id));
  coder.send({ do: 'controlled', id: again.id });
  coder.send({ do: 'say', conversation: 'Checkout', text: '', done: true, ended: 'stopped' });
  await page.getByText('The turn was stopped.').waitFor();
  await stop.waitFor({ state: 'detached' });
  coder.close();
});
