// The example in a real browser, from another origin than the server's: an agent asks, and the page answers.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { until, within } from '../../../web/tests/browser/stage.mjs';
import { questions, Stage } from './stage.mjs';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

let pages;
let browser;
let stage;
let origin;

before(async () => {
  assert.ok(existsSync(join(DIST, 'index.html')), 'build the page first: npm run build');
  pages = createServer((call, reply) => {
    const path = normalize(new URL(call.url, 'http://x').pathname);
    const file = join(DIST, path === '/' ? 'index.html' : path);
    if (!existsSync(file)) return reply.writeHead(404).end();
    reply.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(reply);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  origin = `http://127.0.0.1:${pages.address().port}`;
  stage = await Stage.open([origin]);
  browser = await chromium.launch({
    executablePath: process.env.SAYSO_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
});

after(async () => {
  await browser?.close();
  await stage?.close();
  pages?.close();
});

/** A page that has entered a conversation. */
async function enter(conversation, tools, agent = 'coder') {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(origin);
  await page.getByLabel('Server').fill(stage.url);
  await page.getByLabel('Agent', { exact: true }).fill(agent);
  await page.getByLabel('Conversation').fill(conversation);
  await page.getByLabel('Token of a person').fill(stage.tokens.person);
  if (tools) await page.getByLabel(/Draw asks as a tool/).check();
  await page.getByRole('button', { name: 'Enter' }).click();
  return page;
}

/** Answers the first question by a choice and one more, and the second in own words beside a choice. */
async function answer(page) {
  const asks = page.getByRole('form', { name: 'What the agent asks' });
  const send = asks.getByRole('button', { name: 'Send all answers' });
  await asks.waitFor();
  assert.ok(await send.isDisabled());
  await asks.getByLabel('SQLite').first().check();
  await asks.getByLabel('Other: Which store?').fill('DynamoDB');
  assert.ok(!(await asks.getByLabel('SQLite').first().isChecked()), 'own words in place of the choice');
  await asks.getByLabel('Redis').last().check();
  await asks.getByLabel('Other: Which parts?').fill('alerts');
  await send.click();
}

const REPLIES = [
  { question: 0, labels: [], other: 'DynamoDB' },
  { question: 1, labels: ['Redis'], other: 'alerts' },
];

for (const [name, tools] of [['interrupts', false], ['a tool', true]]) {
  test(`a turn is begun on the page, and what it asks is answered there, by ${name}`, { timeout: 120_000 }, async () => {
    const agent = await stage.agent();
    const page = await enter(`talk-${tools}`, tools);
    try {
      await page.getByRole('textbox').last().fill('Set up the store');
      await page.keyboard.press('Enter');
      const turn = await agent.event('turn');
      assert.equal(turn.text, 'Set up the store');
      agent.say(turn.conversation, 'Two things first.');
      const id = await agent.ask(turn.conversation, questions('Which store?', 'Which parts?'));
      await page.getByText('Two things first.').waitFor();
      await answer(page);
      const told = await agent.outcome(id);
      assert.deepEqual(told.answer.replies, REPLIES);
      agent.say(turn.conversation, 'It is DynamoDB then.', true);
      await page.getByText('It is DynamoDB then.').waitFor();
    } finally {
      agent.close();
      await page.context().close();
    }
  });
}

test('what was asked while nobody looked is shown, and high risk is allowed by who has seen it', { timeout: 120_000 }, async () => {
  const agent = await stage.agent();
  const store = await agent.ask('errand', questions('Which store?', 'Which parts?'));
  const action = { tool: 'Bash', input: '{"command":"rm -rf /"}', act: { kind: 'shell', command: 'rm -rf /' } };
  const leave = await agent.ask('errand', { matter: 'approval', action });
  const page = await enter('errand', false);
  try {
    await page.getByRole('button', { name: 'What is open?' }).click();
    await page.getByText('wants to use Bash (high risk)').waitFor();
    await page.getByLabel('Allow once').check();
    await answer(page);
    assert.deepEqual((await stage.outcome(store)).answer.replies, REPLIES);
    assert.deepEqual((await stage.outcome(leave)).answer, { verdict: { allow: true, scope: 'once' } });
  } finally {
    agent.close();
    await page.context().close();
  }
});

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The interpreter of the environment with Agno 3, which the Python package's own check makes. */
async function agno() {
  const made = "import sys; sys.path.insert(0, 'python'); import check; print(check.room('agno3'))";
  // Not in one breath: making it may take longer than a connection to the server is kept.
  const { stdout } = await promisify(execFile)('python3', ['-c', made], { cwd: ROOT });
  return stdout.trim().split('\n').at(-1);
}

/** A Python program with a framework in it starts in seconds where there are none to spare. */
const PROGRAM_MS = 60_000;

test('an Agno agent asks, and the page answers', { timeout: 600_000 }, async () => {
  const { token } = await stage.call('admin', 'POST', '/v1/tokens', { name: 'agno', role: 'agent' });
  const path = ['python/src', 'python/examples'].map((folder) => join(ROOT, folder)).join(':');
  const program = spawn(await agno(), [join(ROOT, 'examples/copilotkit/agno_agent.py')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: stage.state, PYTHONPATH: path, SAYSO_URL: stage.url, SAYSO_TOKEN: token },
  });
  let said = '';
  program.stdout.on('data', (text) => (said += text));
  const ended = once(program, 'exit');
  let page;
  try {
    await until('the ask', async () => {
      const { asks } = await stage.call('person', 'GET', '/v1/asks');
      return asks.some((ask) => ask.agent.name === 'agno');
    }, PROGRAM_MS);
    page = await enter('shop', false, 'agno');
    await page.getByRole('button', { name: 'What is open?' }).click();
    await answer(page);
    assert.deepEqual(await within('the program to end', ended, PROGRAM_MS), [0, null]);
    assert.deepEqual(JSON.parse(said).answers, { Store: ['DynamoDB'], Parts: ['Redis', 'alerts'] });
  } finally {
    program.kill();
    await page?.context().close();
  }
});
