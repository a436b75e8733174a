// History, conversations and agents.

import assert from 'node:assert/strict';
import WebSocket from 'ws';
import * as asks from './asks.mjs';
import { scene } from './house.mjs';
import { until } from './stage.mjs';

scene('history: search, endless scroll and the story of an ask', async ({ stage, enter }) => {
  const me = await stage.device('ann', 'phone');
  for (let at = 0; at < 130; at += 1) {
    const ask = await stage.ask({ matter: 'questions', agent: 'counter', questions: [{ text: `How many of number${at}?`, choices: [{ label: 'One' }, { label: 'Two' }] }] });
    await stage.answer(me, ask, { replies: [{ question: 0, labels: ['Two'] }] });
  }
  const page = await enter({ path: 'history' });
  await page.getByRole('link', { name: /number129\?/ }).waitFor();
  await page.getByText('60 shown').waitFor();
  const list = page.getByRole('region', { name: 'What has ended' });
  await list.hover();
  while (!(await page.getByText('130 shown, that is all').isVisible())) await page.mouse.wheel(0, 2000);
  await page.getByRole('link', { name: /number0\?/ }).scrollIntoViewIfNeeded();
  await page.getByLabel('Search the history').fill('number42');
  await page.getByText('1 shown, that is all').waitFor();
  assert.equal(await page.locator('mark').innerText(), 'number42');
  await page.getByRole('link', { name: /number42/ }).click();
  const story = page.getByRole('region', { name: 'Story of one ask' });
  await story.getByText('ann answered on phone').waitFor();
  await story.getByText('counter asked').waitFor();
});

scene('a conversation: messages, an answer, and an approval that comes to the front', async ({ stage, enter }) => {
  const page = await enter();
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/v1/agent?agent=coder`, { headers: { Authorization: `Bearer ${stage.tokens.agent}` } });
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  let turned;
  const turn = new Promise((done) => (turned = done));
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.event === 'turn') turned(event.text);
  };
  const send = (frame) => socket.send(JSON.stringify(frame));
  send({ do: 'note', conversation: 'Checkout', tool: 'Read', text: '14 files', status: 'done' });
  send({ do: 'say', conversation: 'Checkout', text: 'I read the code.', done: true });
  await page.goto(`${stage.url}/#/conversations`);
  await page.getByRole('link', { name: /Checkout/ }).click();
  await page.getByText('I read the code.').waitFor();
  await page.getByText('Read 14 files').waitFor();
  send({ do: 'take_turns', conversations: 'any' });
  await page.getByLabel('Message to coder').fill('Do not touch payments.');
  await page.getByRole('button', { name: 'Send the message' }).click();
  await page.getByText('Do not touch payments.').waitFor();
  assert.equal(await turn, 'Do not touch payments.');
  send({ do: 'say', conversation: 'Checkout', text: 'Half a sen', done: false });
  await page.getByText('Half a sen').waitFor();
  send({ do: 'ask', ref: '1', ask: { ...asks.push, agent: 'coder', conversation: 'Checkout' } });
  const card = page.getByRole('region', { name: 'Waits for you' });
  await card.getByRole('heading', { name: 'coder wants to run' }).waitFor();
  // One of another conversation comes to the front instead.
  send({ do: 'ask', ref: '2', ask: { ...asks.status, agent: 'coder', conversation: 'Elsewhere' } });
  const dialog = page.getByRole('dialog', { name: 'An approval arrived' });
  await dialog.getByRole('heading', { name: 'coder wants to run' }).waitFor();
  await dialog.getByRole('button', { name: 'Deny' }).click();
  await dialog.getByRole('heading', { name: /You denied it/ }).waitFor();
  await dialog.getByRole('button', { name: 'Later' }).click();
  await card.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Denied', { exact: true }).waitFor();
  await card.waitFor({ state: 'detached' });
  socket.close();
});

scene('a message that waits is removed, on every page and for good', async ({ stage, enter }) => {
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/v1/agent?agent=coder`, { headers: { Authorization: `Bearer ${stage.tokens.agent}` } });
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  const turns = [];
  let turned;
  const turn = new Promise((done) => (turned = done));
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.event !== 'turn') return;
    turns.push(event.text);
    turned();
  };
  const send = (frame) => socket.send(JSON.stringify(frame));
  send({ do: 'note', conversation: 'Checkout', tool: 'Read', text: '14 files', status: 'done' });
  const [ann, bob] = [await enter({ person: 'Ann' }), await enter({ person: 'Bob' })];
  for (const page of [ann, bob]) {
    await page.goto(`${stage.url}/#/conversations`);
    await page.getByRole('link', { name: /Checkout/ }).click();
    await page.getByText('Read 14 files').waitFor();
  }
  for (const text of ['Drop the table.', 'Keep the table.']) {
    await ann.getByLabel('Message to coder').fill(text);
    await ann.getByRole('button', { name: 'Send the message' }).click();
    await ann.getByText(`Queued: “${text}”`).waitFor();
  }
  // It is Ann's to remove: Bob sees it, without a button that would not work.
  await bob.getByText('Queued: “Drop the table.”').waitFor();
  assert.equal(await bob.getByRole('button', { name: /^Remove/ }).count(), 0);
  await ann.getByRole('button', { name: 'Remove “Drop the table.” before coder has it' }).click();
  for (const page of [ann, bob]) await page.getByText('Drop the table.').waitFor({ state: 'detached' });
  // One that its agent takes first stays, and whoever was too late is told.
  await ann.route('**/v1/messages/*', async (route) => {
    send({ do: 'take_turns', conversations: 'any' });
    await turn;
    await route.continue();
  });
  await ann.getByRole('button', { name: /^Remove/ }).click();
  await ann.getByText('Too late: the agent has it already.').waitFor();
  await ann.getByText('Keep the table.').waitFor();
  assert.deepEqual(turns, ['Keep the table.']);
  await ann.reload();
  await ann.getByText('Keep the table.').waitFor();
  assert.equal(await ann.getByText('Drop the table.').count(), 0);
  socket.close();
});

scene('agents: who is here', async ({ stage, enter }) => {
  await stage.ask(asks.push);
  const page = await enter({ path: 'agents' });
  await page.getByRole('cell', { name: 'shop-api' }).waitFor();
  await page.getByText('here, asks by calling').filter({ visible: true }).waitFor();
  await page.getByText(/^\d+ s ago$/).filter({ visible: true }).waitFor();
  // Without an admin's token: the line to run, and no button that would not work.
  await page.getByText('sayso open --admin').waitFor();
  assert.equal(await page.getByRole('button', { name: /Revoke/ }).count(), 0);
});

scene('agents: a link that talks nonsense is called out, and one that goes is missed', async ({ stage, enter }) => {
  const page = await enter({ path: 'agents' });
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/api/v1/agent/ws?token=${stage.tokens.agent}`);
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  socket.send('this is no frame');
  await page.getByText(/sent something unreadable \d+ s ago/).waitFor();
  await page.getByText(/^since \d\d:\d\d$/).filter({ visible: true }).waitFor();
  socket.close();
  await page.getByText('not linked').filter({ visible: true }).waitFor();
});

scene('the story of an ask: each step with its moment and its journal entry', async ({ stage, enter }) => {
  const ask = await stage.ask(asks.confirm);
  const ann = await stage.device('ann', 'phone');
  await stage.answer(ann, ask, { replies: [{ question: 0, labels: ['Yes'] }] });
  await stage.outcome(ask.id);
  // How far the news has got is told from a projection, which follows.
  const { steps } = await until('the story to say it was confirmed', async () => {
    const story = await stage.call('person', 'GET', `/v1/asks/${ask.id}/story`);
    return story.steps.some((step) => step.what === 'confirmed') && story;
  });
  const page = await enter({ path: `history/${ask.id}` });
  const story = page.getByRole('region', { name: 'Story of one ask' });
  await story.getByText('SetupAssistant has it').waitFor();
  const drawn = await story.locator('ol > li').evaluateAll((all) => all.map((row) => row.innerText.split('\n').map((line) => line.trim()).filter(Boolean)));
  const entry = (what) => {
    const step = steps.find((one) => one.what === what);
    return `entry ${step.seq.toLocaleString('en-GB')} ${step.hash.slice(0, 12).match(/.{4}/g).join(' ')}`;
  };
  const lines = drawn.map((row) => row.filter((line) => !/^\d\d:\d\d:\d\d/.test(line) && !line.startsWith('after ')));
  const told = steps.filter((step) => step.what === 'sent' || step.what === 'confirmed').map((step) => [step.what === 'sent' ? 'Sent to SetupAssistant' : 'SetupAssistant has it', entry(step.what)]);
  assert.deepEqual(lines, [['SetupAssistant asked', 'over API, no deadline', entry('asked')], ['ann answered on phone', entry('closed')], ...told]);
  for (const row of drawn) assert.ok(row.some((line) => /^\d\d:\d\d:\d\d\.\d{3}$/.test(line)), 'to the millisecond');
});

scene('a story that is left before it is read harms nothing', async ({ stage, enter }) => {
  const ask = await stage.ask(asks.confirm);
  await stage.answer(await stage.device('ann', 'phone'), ask, { replies: [{ question: 0, labels: ['Yes'] }] });
  const page = await enter();
  let go;
  const gate = new Promise((done) => (go = done));
  await page.route('**/story', async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(`${stage.url}/#/history/${ask.id}`);
  await page.getByRole('region', { name: 'Story of one ask' }).waitFor();
  await page.goto(`${stage.url}/#/settings`);
  await page.getByText('Theme').waitFor();
  const read = page.waitForResponse('**/story');
  go();
  await (await read).finished();
  await page.goto(`${stage.url}/#/history/${ask.id}`);
  await page.getByRole('button', { name: 'Copy journal entries' }).waitFor();
});

scene('what ended a moment ago is in the history, also when the list does not have it yet', async ({ stage, enter }) => {
  const page = await enter({});
  const ask = await stage.ask(asks.words);
  await page.goto(`${stage.url}/#/inbox/${ask.id}`);
  await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  // As a list is that was read right after the answer was written: without it, or just with it.
  let rows = [];
  await page.route(/\/v1\/asks\?.*state=closed/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), asks: rows, next: null, as_of: 0 } });
  });
  const list = page.getByRole('region', { name: 'What has ended' });
  for (const known of [[], [await stage.look(ask.id)]]) {
    rows = known;
    await page.goto(`${stage.url}/#/settings`);
    await page.goto(`${stage.url}/#/history`);
    await list.getByText('What should the project be called?').waitFor();
    assert.equal(await list.getByText('What should the project be called?').count(), 1);
  }
});

scene('copied is said once it is, and where it cannot be, how to do it by hand', async ({ stage, enter }) => {
  const ask = await stage.ask(asks.confirm);
  await stage.answer(await stage.device('ann', 'phone'), ask, { replies: [{ question: 0, labels: ['Yes'] }] });
  const can = await enter({ path: 'agents', permissions: ['clipboard-read', 'clipboard-write'] });
  await can.getByRole('button', { name: /^Copy / }).click();
  await can.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await can.evaluate(() => navigator.clipboard.readText()), 'sayso open --admin');
  // As on plain http from another machine.
  const cannot = await enter({ path: 'agents', init: { script: () => Object.defineProperty(navigator, 'clipboard', { value: undefined }) } });
  await cannot.getByRole('button', { name: /^Copy / }).click();
  await cannot.getByText(/^This browser lets the page copy nothing here/).waitFor();
  assert.equal(await cannot.evaluate(() => String(getSelection())), 'sayso open --admin');
  assert.equal(await cannot.getByRole('button', { name: 'Copied' }).count(), 0);
  await cannot.goto(`${stage.url}/#/history/${ask.id}`);
  await cannot.getByRole('button', { name: 'Copy journal entries' }).click();
  const entries = cannot.getByRole('textbox', { name: 'Journal entries' });
  const selected = await entries.evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd));
  assert.equal(JSON.parse(selected).ask, ask.id);
});
