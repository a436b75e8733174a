// Asks that are answered where they stand, in a conversation.

import assert from 'node:assert/strict';
import { PHONE } from './browser.mjs';
import { scene } from './house.mjs';
import { conversation, speaker } from './speaker.mjs';
import { until } from './stage.mjs';

const WHO = { matter: 'questions', agent: 'coder', conversation: 'Slow cart', questions: [{ text: 'Who gets the **cache** first?', choices: [{ label: 'Guests' }, { label: 'Logged in' }, { label: 'Everyone' }] }] };
const act = (command, more = {}) => ({ matter: 'approval', agent: 'coder', conversation: 'Slow cart', action: { tool: 'Bash', input: JSON.stringify({ command }), cwd: '/home/ann/shop', act: { kind: 'shell', command } }, ...more });

/** A conversation with something in it, on the page. */
async function into(stage, enter, more = {}) {
  const coder = await speaker(stage);
  coder.say('Slow cart', 'I read the code.');
  const row = await conversation(stage, 'Slow cart');
  const page = await enter({ path: `conversations/${row.id}`, ...more });
  await page.getByText('I read the code.').waitFor();
  return { coder, row, page, card: page.getByRole('region', { name: 'Waits for you' }) };
}
const quiet = (page) => page.waitForFunction(() => !document.querySelector('[data-settling]'));

scene('a question is answered in place and keeps its choices, and the message box waits for it', async ({ stage, enter }) => {
  const { coder, row, page, card } = await into(stage, enter);
  coder.send({ do: 'take_turns', conversations: 'any' });
  const box = page.getByLabel('Message to coder');
  await box.fill('And one more thing');
  coder.send({ do: 'ask', ref: '1', ask: WHO });
  await card.getByRole('heading', { name: 'Who gets the cache first?' }).waitFor();
  // Whoever types goes on typing; nothing is sent, and the reason is said.
  assert.equal(await box.evaluate((field) => field === document.activeElement), true);
  await page.getByText('Answer the question above first. Your draft is kept.').waitFor();
  assert.equal(await box.evaluate((field) => document.getElementById(field.getAttribute('aria-describedby')).textContent.trim()), 'Answer the question above first. Your draft is kept.');
  await page.keyboard.type('!');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByRole('button', { name: 'Send the message' }).isDisabled(), true);
  await quiet(page);
  await card.getByRole('radio', { name: /Guests/ }).check();
  await card.getByRole('button', { name: 'Add a note' }).click();
  await card.getByLabel(/Note/).fill('Behind a `flag`.');
  await quiet(page);
  await card.getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('You answered').waitFor();
  await page.getByText('confirmed').waitFor();
  assert.match(await page.locator('[data-entry]').last().innerText(), /after \d+ s/);
  const picked = page.getByRole('listitem').filter({ hasText: 'Guests' });
  assert.match(await picked.innerText(), /Chosen:/);
  await page.getByText('Note for coder: Behind a flag.').waitFor();
  assert.equal(page.url(), `${stage.url}/#/conversations/${row.id}`);
  assert.equal(await box.inputValue(), 'And one more thing!');
  await box.press('Enter');
  await until('the message', async () => coder.heard().includes('And one more thing!'));
  coder.close();
});

scene('keys decide only the card that is in view, can be undone, and never lead out of the conversation', async ({ stage, enter }) => {
  const coder = await speaker(stage);
  for (let at = 0; at < 40; at += 1) coder.say('Slow cart', `Line ${at}.`);
  const row = await conversation(stage, 'Slow cart');
  const page = await enter({ path: `conversations/${row.id}` });
  await page.getByText('Line 39.').waitFor();
  const card = page.getByRole('region', { name: 'Waits for you' });
  const [first, second] = [await stage.ask(act('cargo test')), await stage.ask(act('cargo doc'))];
  // The oldest has the card; the other is a row until it is opened.
  await card.getByText('cargo test').first().waitFor();
  assert.equal(await card.count(), 1);
  const list = page.locator('[data-scroller]');
  const allow = card.getByRole('button', { name: 'Allow', exact: true });
  await until('the card to be ready', () => allow.isEnabled());
  await list.evaluate((node) => (node.scrollTop = 0));
  await until('the card to be out of view', () => allow.isDisabled());
  await page.keyboard.press('y');
  await list.evaluate((node) => (node.scrollTop = node.scrollHeight));
  await until('the card to be ready again', () => allow.isEnabled());
  assert.equal((await stage.look(first.id)).state, 'open');
  await page.locator('main h1').click();
  await page.keyboard.press('y');
  await page.getByText('Allowing…').first().waitFor();
  assert.equal(page.url(), `${stage.url}/#/conversations/${row.id}`);
  // The other one has the card now.
  await card.getByText('cargo doc').first().waitFor();
  await page.keyboard.press('u');
  await card.getByText('cargo test').first().waitFor();
  assert.equal(page.url(), `${stage.url}/#/conversations/${row.id}`);
  await page.getByRole('button', { name: /cargo doc/ }).click();
  await card.getByText('cargo doc').first().waitFor();
  await quiet(page);
  await card.getByRole('button', { name: 'Add a note' }).click();
  await card.getByLabel(/Note/).fill('Not **now**.');
  await quiet(page);
  await card.getByRole('button', { name: 'Deny' }).click();
  assert.equal((await stage.outcome(second.id)).answer.verdict.note, 'Not **now**.');
  await page.getByText('Note for coder: Not now.').waitFor();
  coder.close();
});

scene('high risk is held or typed in place, and a command that is too long is seen whole first', async ({ stage, enter }) => {
  const { coder, page, card } = await into(stage, enter, { size: PHONE });
  const lines = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n');
  const ask = await stage.ask(act(`${lines}\nrm -rf /`));
  await card.getByText(/lines not seen yet/).waitFor();
  // It begins at its beginning.
  await until('the head of the card in view', async () => (await card.boundingBox()).y >= 60);
  const hold = card.getByRole('button', { name: /Hold to allow/ });
  assert.equal(await hold.isDisabled(), true);
  await page.locator('[data-scroller]').evaluate(async (node) => {
    for (let at = node.scrollTop; at <= node.scrollHeight; at += node.clientHeight * 0.7) {
      node.scrollTop = at;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });
  await until('the button', () => hold.isEnabled());
  await quiet(page);
  await hold.hover();
  await page.mouse.down();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
  await page.mouse.up();
  coder.close();
});

scene('what was typed for an ask that somebody else answered stays, below what they said', async ({ stage, enter }) => {
  const { coder, page, card } = await into(stage, enter, { person: 'Ann' });
  const ben = await stage.device('Ben', 'phone');
  const ask = await stage.ask(WHO);
  await card.getByRole('button', { name: 'Add a note' }).click();
  await card.getByLabel(/Note/).fill('Mine');
  await stage.answer(ben, ask, { replies: [{ question: 0, labels: ['Everyone'] }] });
  await page.getByRole('link', { name: 'Ben answered' }).waitFor();
  await page.getByText('on phone, after').waitFor();
  await page.getByRole('heading', { name: 'Your draft' }).waitFor();
  await page.getByText('Mine').waitFor();
  assert.equal(await page.getByRole('region', { name: 'News about your answers' }).count(), 0, 'it is in view already');
  coder.close();
});

scene('a form and an ask that was dismissed end in place, too', async ({ stage, enter }) => {
  const { coder, page, card } = await into(stage, enter);
  const form = await stage.ask({ matter: 'form', agent: 'coder', conversation: 'Slow cart', form: { message: 'Before I **tag**:', fields: [{ name: 'day', title: 'Ship on', kind: 'text', required: true }] } });
  await card.getByLabel('Ship on').fill('Monday');
  await quiet(page);
  await card.getByRole('button', { name: 'Send', exact: true }).click();
  assert.deepEqual((await stage.outcome(form.id)).answer, { fields: { day: 'Monday' } });
  await page.getByText('You answered').waitFor();
  await page.getByText('Monday').waitFor();
  await stage.ask(WHO);
  await card.getByRole('heading', { name: /Who gets/ }).waitFor();
  await quiet(page);
  await card.getByRole('button', { name: /^Skip/ }).click();
  await page.getByText('You dismissed it').waitFor();
  coder.close();
});
