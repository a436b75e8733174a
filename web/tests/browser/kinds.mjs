// Every kind of ask, answered with the mouse; the agent gets exactly what was chosen.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, said, scene } from './house.mjs';

const by = { person: 'me', device: 'laptop, Chrome' };

scene('several choices of one question', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.sections);
  await page.getByRole('link', { name: /Which sections/ }).click();
  assert.equal(await page.getByRole('button', { name: 'Send answer' }).isDisabled(), true);
  await page.getByText('Expenses').click();
  await page.getByText('Leave and holidays').click();
  await page.getByPlaceholder('Type your own answer').fill('Parking, too');
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill('short');
  await page.getByRole('button', { name: 'Send answer' }).click();
  const outcome = await stage.outcome(ask.id);
  assert.deepEqual(said(outcome), { kind: 'answered', answer: { replies: [{ question: 0, labels: ['Leave and holidays', 'Expenses'], other: 'Parking, too', note: 'short' }] }, by });
  await page.getByText('docs-chat has it').waitFor();
});

scene('several questions, one of them left out', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.cache);
  await open(page, stage, ask);
  await page.getByText('Redis').click();
  await page.getByRole('button', { name: /Next: Expiry/ }).click();
  await page.getByText('Sliding window').click();
  await page.getByRole('cell', { name: '10:15' }).waitFor();
  await page.getByRole('button', { name: /Next: Rollout/ }).click();
  await page.getByRole('button', { name: 'Send answer' }).click();
  assert.equal((await stage.look(ask.id)).state, 'open', 'it asks once before it sends a part');
  await page.getByRole('button', { name: 'Send without Rollout' }).click();
  const { answer } = await stage.outcome(ask.id);
  assert.deepEqual(answer, { replies: [{ question: 0, labels: ['Redis'] }, { question: 1, labels: ['Sliding window'] }] });
});

scene('buttons answer on one click', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await page.getByRole('button', { name: 'No', exact: true }).click();
  assert.deepEqual((await stage.outcome(ask.id)).answer, { replies: [{ question: 0, labels: ['No'] }] });
});

scene('a drop-down and a text', async ({ stage, enter }) => {
  const page = await enter();
  const [region, name] = [await stage.ask(asks.dropdown), await stage.ask(asks.words)];
  await open(page, stage, region);
  assert.equal(await page.getByRole('button', { name: 'Send answer' }).isDisabled(), true);
  await page.getByRole('combobox', { name: 'Which region?' }).selectOption('Oslo');
  await page.getByRole('button', { name: 'Send answer' }).click();
  assert.deepEqual((await stage.outcome(region.id)).answer, { replies: [{ question: 0, labels: ['Oslo'] }] });
  await open(page, stage, name);
  await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop\nfront');
  await page.getByRole('button', { name: 'Send answer' }).click();
  assert.deepEqual((await stage.outcome(name.id)).answer, { replies: [{ question: 0, labels: [], other: 'shop\nfront' }] });
});

scene('skip puts an ask aside', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.words);
  await open(page, stage, ask);
  await page.getByRole('button', { name: 'Skip' }).click();
  assert.deepEqual(said(await stage.outcome(ask.id)), { kind: 'dismissed', by });
});

scene('a form with every kind of field', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.release);
  await open(page, stage, ask);
  await page.getByLabel('Tell this address').fill('ops@shop');
  await page.getByRole('button', { name: 'Send, 3 to fix' }).click();
  await page.getByText('Not a full e-mail address').waitFor();
  await page.getByLabel('Ship on').fill('2026-11-18');
  await page.getByLabel('Tell this address').fill('ops@shop.example');
  await page.getByText('Docker image').click();
  await page.getByLabel('Channel').selectOption('beta');
  await page.getByLabel('Dry run first').uncheck();
  await page.getByLabel('Signing key password').fill('hunter2');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const { answer } = await stage.outcome(ask.id);
  assert.deepEqual(answer.fields, { day: '2026-11-18', share: 10, mail: 'ops@shop.example', also: ['docker'], channel: 'beta', dry: false, key: 'hunter2' });
  await page.getByText('a secret, not shown').waitFor();
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  assert.equal(kept.includes('hunter2'), false, 'a secret is on no disk');
  assert.equal((await page.content()).includes('hunter2'), false);
});

scene('a page to visit', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.visit);
  await open(page, stage, ask);
  const link = page.getByRole('link', { name: 'Open registry.example.org' });
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
  assert.match(await link.getAttribute('class'), /btn-primary/, 'the page is opened first');
  await page.getByRole('button', { name: 'I have done it' }).click();
  assert.equal((await stage.outcome(ask.id)).kind, 'answered');
});

scene('approvals: allowed, denied with a note, edited', async ({ stage, enter }) => {
  const page = await enter();
  const [allowed, denied, edited] = [await stage.ask(asks.status), await stage.ask(asks.edit), await stage.ask(asks.shell('cargo fmt'))];
  await open(page, stage, allowed);
  await page.getByText('shop-api says').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.deepEqual((await stage.outcome(allowed.id)).answer, { verdict: { allow: true, scope: 'once' } });
  await open(page, stage, denied);
  await page.getByText('src/lib/links.ts').last().waitFor();
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill('not on a Friday');
  await page.getByRole('button', { name: 'Deny' }).click();
  const no = (await stage.outcome(denied.id)).answer.verdict;
  assert.deepEqual({ allow: no.allow, note: no.note }, { allow: false, note: 'not on a Friday' });
  await open(page, stage, edited);
  await page.getByRole('button', { name: /Edit before allowing/ }).click();
  await page.getByLabel('Run this instead').fill('cargo fmt --check');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.equal((await stage.outcome(edited.id)).answer.verdict.input, '{"command":"cargo fmt --check"}');
});

scene('a no that ends the turn, only where the agent can be told', async ({ stage, enter }) => {
  const page = await enter();
  const plain = await stage.ask(asks.status);
  const [denied, skipped] = [await stage.ask(asks.shell('cargo fmt', { stop: true })), await stage.ask({ ...asks.sections, stop: true })];
  await open(page, stage, plain);
  await page.getByRole('button', { name: 'Deny', exact: false }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Deny and stop' }).count(), 0);
  await open(page, stage, denied);
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill('enough');
  await page.getByRole('button', { name: 'Deny and stop' }).click();
  assert.deepEqual((await stage.outcome(denied.id)).answer, { verdict: { allow: false, scope: 'once', note: 'enough', stop: true } });
  await page.getByText('You denied it and stopped the turn').waitFor();
  await open(page, stage, skipped);
  await page.getByRole('button', { name: 'Skip and stop' }).click();
  assert.deepEqual(said(await stage.outcome(skipped.id)), { kind: 'dismissed', stop: true, by });
  await page.getByText('You skipped it and stopped the turn').waitFor();
});

scene('names as long as agents make them leave the buttons in one line', async ({ stage, enter }) => {
  const page = await enter();
  const long = (name) => `${name}, with everything that an agent thinks belongs into the title of a single field`;
  const names = ['First', 'Second', 'Third'];
  const form = await stage.ask({ matter: 'form', agent: 'release-bot', form: { message: 'All of it.', fields: names.map((name) => ({ name, title: long(name), kind: 'text', required: true })) } });
  const questions = await stage.ask({ matter: 'questions', agent: 'asker', questions: names.map((name) => ({ text: `${name}?`, tag: long(name), choices: [{ label: 'Yes' }, { label: 'No' }] })) });
  const middle = async (name) => {
    const { y, height } = await page.getByRole('button', { name }).boundingBox();
    return Math.round(y + height / 2);
  };
  await open(page, stage, form);
  for (const width of [1440, 1100]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByText(/^To fix: First/).waitFor();
    assert.equal(await middle('Send, 3 to fix'), await middle('Decline'));
  }
  await open(page, stage, questions);
  await page.getByText('Yes').click();
  for (const next of ['Second', 'Third']) await page.getByRole('button', { name: `Next: ${next}` }).click();
  await page.getByRole('button', { name: 'Send answer' }).click();
  for (const width of [1100, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByText(/^No answer for Second/).waitFor();
    assert.equal(await middle(/^Send without/), await middle('Skip all'));
  }
});

scene('an ask that can’t be read says why, takes no answer, and can be put away', async ({ stage, enter }) => {
  const lost = await stage.ask({ matter: 'questions', agent: 'SetupAssistant', questions: [{ text: 'marzipan?', choices: [{ label: 'Yes' }, { label: 'No' }] }] });
  const other = await stage.ask(asks.words);
  await stage.damage('marzipan?');
  const { unreadable, questions } = await stage.call('person', 'GET', `/v1/asks/${lost.id}`);
  assert.equal(unreadable, true);
  const page = await enter();
  await page.getByText('2 waiting').filter({ visible: true }).first().waitFor();
  await open(page, stage, lost);
  await page.locator('main').getByText(questions[0].text).first().waitFor();
  assert.equal(await page.locator('main').locator('input, textarea, select').count(), 0, 'nothing to answer with');
  assert.equal(await page.locator('main').getByRole('button', { name: /Send|Add a note/ }).count(), 0);
  for (const key of ['Enter', '1', 'o', 'y', 'd']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(700);
  }
  assert.equal((await stage.call('person', 'GET', `/v1/asks/${lost.id}`)).state, 'open');
  await page.locator('main').getByRole('button', { name: /^Skip/ }).click();
  await page.getByRole('heading', { name: /^You skipped it/ }).waitFor();
  await page.getByRole('button', { name: 'Next ask' }).click();
  await page.getByLabel(/What should the project/).fill('shop');
  await page.getByRole('button', { name: 'Send answer' }).click();
  assert.equal((await stage.outcome(other.id)).kind, 'answered');
});
