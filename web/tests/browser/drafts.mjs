// What a person typed survives every way an ask can end under their hands.

import assert from 'node:assert/strict';
import WebSocket from 'ws';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

const WORDS = 'Start with SQLite; one service less to run.';
const draft = (page) => page.getByRole('region', { name: 'Your draft' });
const question = { ...asks.cache, questions: [asks.cache.questions[0]] };

/** Chooses and types, and sends nothing. */
async function begin(page, stage, ask) {
  await open(page, stage, ask);
  await page.getByText('SQLite', { exact: true }).click();
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill(WORDS);
}

/** An agent that takes messages, and what it was told. */
async function listener(stage, agent) {
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/v1/agent?agent=${agent}`, { headers: { Authorization: `Bearer ${stage.tokens.agent}` } });
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  const heard = [];
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.event === 'turn') heard.push(event.text);
  };
  socket.send(JSON.stringify({ do: 'take_turns', conversations: 'any' }));
  return { heard, close: () => socket.close() };
}

async function keptBy(page) {
  const block = draft(page);
  await block.getByText('SQLite', { exact: true }).waitFor();
  await block.getByText(WORDS).waitFor();
  return block;
}

scene('someone else answers first: the draft can be told anyway, and going on loses nothing', async ({ stage, enter }) => {
  const page = await enter({ person: 'ann' });
  const agent = await listener(stage, 'coding-agent');
  const [ask, next] = [await stage.ask(question), await stage.ask(asks.words)];
  await begin(page, stage, ask);
  await stage.answer(await stage.device('ben', 'phone'), ask, { replies: [{ question: 0, labels: ['Redis'] }] });
  const block = await keptBy(page);
  await block.getByText('It does not change ben’s answer.').waitFor();
  await block.getByText('sends the draft as a message from you in Checkout rewrite.').waitFor();
  await until('the next ask', async () => {
    await page.keyboard.press('Enter');
    return page.url().endsWith(next.id);
  });
  await page.goto(`${stage.url}/#/inbox/${ask.id}`);
  await (await keptBy(page)).getByRole('button', { name: 'Tell the agent anyway' }).click();
  await page.getByText('Sent to coding-agent as a message.').waitFor();
  await until('the message', async () => agent.heard.length === 1);
  assert.equal(agent.heard[0], `About “Which database should I use for caching?”: SQLite\n${WORDS}`);
  await page.reload();
  await page.getByRole('heading', { name: /^ben answered/ }).waitFor();
  assert.equal(await draft(page).count(), 0, 'what was told is no draft');
  agent.close();
});

scene('an ask that is withdrawn, expires, is allowed elsewhere or forgotten leaves the draft behind', async ({ stage, enter }) => {
  const page = await enter();
  const gone = await stage.ask(question);
  await begin(page, stage, gone);
  await stage.call('agent', 'POST', `/v1/asks/${gone.id}/withdraw`, {});
  const block = await keptBy(page);
  assert.equal(await block.getByRole('button', { name: 'Tell the agent anyway' }).count(), 0, 'nobody takes it any more');
  await block.getByRole('button', { name: 'Discard draft' }).click();
  await draft(page).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: /took it back/ }).waitFor();
  assert.equal(await draft(page).count(), 0);

  const late = await stage.ask({ ...question, timeout_s: 4 });
  await begin(page, stage, late);
  await (await keptBy(page)).getByText(/records the draft as a late answer/).waitFor();
  await page.getByRole('button', { name: 'Tell the agent anyway' }).click();
  await page.getByText('Recorded as a late answer.').waitFor();
  assert.deepEqual((await stage.look(late.id)).late.answer, { replies: [{ question: 0, labels: ['SQLite'], note: WORDS }] });

  const ruled = await stage.ask(asks.status);
  await open(page, stage, ruled);
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill(WORDS);
  await page.getByRole('button', { name: 'Edit before allowing' }).click();
  await page.getByLabel('Run this instead').fill('git status -s');
  await stage.answer(await stage.device('ben', 'phone'), ruled, { verdict: { allow: true, scope: 'once' } });
  await draft(page).getByText(WORDS).waitFor();
  await draft(page).getByText('git status -s').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Tell the agent anyway' }).count(), 0, 'a yes is never given late');

  const forgotten = await stage.ask({ ...question, agent: 'other-agent', questions: [{ ...question.questions[0], text: 'And for sessions?' }] });
  await begin(page, stage, forgotten);
  await stage.call('agent', 'POST', `/v1/asks/${forgotten.id}/withdraw`, {});
  await page.route(`**/v1/asks/${forgotten.id}`, (route) => route.fulfill({ status: 404, contentType: 'application/problem+json', body: JSON.stringify({ type: 'urn:sayso:problem:not_found', title: 'x', status: 404, code: 'not_found' }) }));
  await page.reload();
  await page.getByText('The ask is gone, but your draft is kept on this device.').waitFor();
  await keptBy(page);
});

scene('a rule that answers the ask under the person’s hands leaves the draft behind', async ({ stage, enter }) => {
  const agent = await listener(stage, 'shop-api');
  const page = await enter({ person: 'ann' });
  const [ask, other] = [await stage.ask(asks.status), await stage.ask(asks.shell('git status --short'))];
  await open(page, stage, ask);
  await page.getByRole('button', { name: /Add a note/ }).click();
  await page.getByLabel(/^Note/).fill(WORDS);
  // Ben allows another ask for good, and the rule he makes covers this one too.
  await stage.answer(await stage.device('ben', 'phone'), other, { verdict: { allow: true, scope: 'always' }, rule: { preset: 'git-status', applies_to: 'workspace' } });
  await page.getByRole('heading', { name: /^Allowed by rule/ }).waitFor();
  assert.ok((await stage.outcome(ask.id)).by.rule);
  await draft(page).getByText(WORDS).waitFor();
  await draft(page).getByRole('button', { name: 'Tell the agent anyway' }).click();
  await until('the message', async () => agent.heard.length === 1);
  assert.match(agent.heard[0], /git status.*Start with SQLite/s);
  agent.close();
});

scene('a form keeps its fields and no secret; the copy button has all of it', async ({ stage, enter }) => {
  const page = await enter({ permissions: ['clipboard-read', 'clipboard-write'] });
  const ask = await stage.ask(asks.release);
  await open(page, stage, ask);
  await page.getByLabel('Tell this address').fill('ops@shop.example');
  await page.getByLabel('Signing key password', { exact: true }).fill('hunter2');
  await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`, {});
  await draft(page).getByText('ops@shop.example').waitFor();
  await draft(page).getByText('Secret fields are not kept.').waitFor();
  await draft(page).getByRole('button', { name: 'Copy' }).click();
  await draft(page).getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /Tell this address: ops@shop\.example/);
  assert.doesNotMatch(`${copied} ${await page.evaluate(() => JSON.stringify(localStorage))}`, /hunter2/);
});

scene('a draft survives a kill, a reload and a log-out, and is shown to nobody else', async ({ stage, enter }) => {
  const page = await enter({ person: 'ann' });
  const ask = await stage.ask(question);
  await begin(page, stage, ask);
  await stage.kill();
  await page.getByText(/Offline since/).waitFor();
  await stage.start();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(`${stage.url}/#/settings`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
  // Someone else with the same browser, without a reload in between.
  const login = async (person) => {
    await page.getByLabel('Code or token').fill(await stage.link(person));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(person, { exact: true }).filter({ visible: true }).first().waitFor();
    await page.goto(`${stage.url}/#/inbox/${ask.id}`);
    await page.getByRole('radio', { name: /SQLite/ }).waitFor();
  };
  await login('ben');
  assert.equal(await page.getByRole('radio', { name: /SQLite/ }).isChecked(), false);
  assert.equal(await page.getByText(WORDS).count(), 0);
  await page.goto(`${stage.url}/#/settings`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
  await login('ann');
  assert.equal(await page.getByRole('radio', { name: /SQLite/ }).isChecked(), true);
  assert.equal(await page.getByLabel(/^Note/).inputValue(), WORDS);
});

scene('an answer that waits for the server never goes out under another name', async ({ stage, enter }) => {
  const page = await enter({ person: 'ann' });
  const ask = await stage.ask(asks.confirm);
  await open(page, stage, ask);
  await page.route('**/answer', (route) => route.abort());
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
  await page.goto(`${stage.url}/#/settings`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.unroute('**/answer');
  const enterAs = async (person) => {
    await page.getByLabel('Code or token').fill(await stage.link(person));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(person, { exact: true }).filter({ visible: true }).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  };
  await enterAs('ben');
  await page.goto(`${stage.url}/#/inbox/${ask.id}`);
  await page.getByRole('button', { name: 'Yes', exact: true }).waitFor();
  assert.equal((await stage.look(ask.id)).state, 'open');
  await page.goto(`${stage.url}/#/settings`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await enterAs('ann');
  assert.equal((await stage.outcome(ask.id)).by.person, 'ann');
});

scene('an ask that ends out of sight says that its draft is kept', async ({ stage, enter }) => {
  const page = await enter();
  const [ask, other] = [await stage.ask(question), await stage.ask(asks.words)];
  await begin(page, stage, ask);
  await open(page, stage, other);
  await stage.call('agent', 'POST', `/v1/asks/${ask.id}/withdraw`, {});
  const news = page.getByRole('region', { name: 'News about your answers' });
  await news.getByText(/Your draft for coding-agent is kept\.$/).waitFor();
  await news.getByRole('link', { name: 'Open' }).click();
  await keptBy(page);
  await page.goto(`${stage.url}/#/history/${ask.id}`);
  await keptBy(page);
});

scene('a message typed while the one before is being sent stays, and one that fails comes back', async ({ stage, enter }) => {
  const agent = await listener(stage, 'coder');
  const page = await enter();
  const ask = await stage.ask({ ...asks.confirm, agent: 'coder', conversation: 'Checkout' });
  await stage.answer(await stage.device('ben', 'phone'), ask, { replies: [{ question: 0, labels: ['Yes'] }] });
  await page.goto(`${stage.url}/#/conversations/${ask.conversation.id}`);
  const box = page.getByLabel('Message to coder');
  let go;
  const gate = new Promise((done) => (go = done));
  await page.route('**/messages', async (route) => {
    await gate;
    await route.continue();
  }, { times: 1 });
  await box.fill('First.');
  await box.press('Enter');
  await until('an empty box', async () => (await box.inputValue()) === '');
  await box.fill('Second, half wri');
  go();
  await page.getByText('First.', { exact: true }).waitFor();
  await until('the send to end', async () => page.getByRole('button', { name: 'Send the message' }).isEnabled());
  assert.equal(await box.inputValue(), 'Second, half wri');
  await page.route('**/messages', (route) => route.abort(), { times: 1 });
  await box.press('Enter');
  await page.getByRole('alert').waitFor();
  assert.equal(await box.inputValue(), 'Second, half wri');
  await page.reload();
  assert.equal(await box.inputValue(), 'Second, half wri');
  agent.close();
});
