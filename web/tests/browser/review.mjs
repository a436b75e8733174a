// Reading an edit before it is allowed: folds, changes, colours, and files of ten thousand lines.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { PHONE } from './browser.mjs';
import { open, scene } from './house.mjs';

const file = (n) => Array.from({ length: n }, (_, at) => (at % 40 === 0 ? `fn part_${at / 40}() {` : at % 40 === 39 ? '}' : `    let value_${at} = load(${at}); // line ${at}`));
const changed = (lines, ...places) => lines.map((line, at) => (places.includes(at) ? line.replace('load(', 'read(') : line));
const edit = (old, now, more = {}) => ({
  matter: 'approval',
  agent: 'shop-api',
  conversation: 'Slow cart',
  action: { tool: 'Edit', input: JSON.stringify({ file_path: 'services/cart/src/cache.rs', old_string: old, new_string: now, ...more }), cwd: '~/work/shop', act: { kind: 'edit', path: 'services/cart/src/cache.rs', old, new: now } },
});
const three = (more) => edit(file(200).join('\n'), changed(file(200), 20, 100, 185).join('\n'), more);
const allow = (page) => page.getByRole('button', { name: 'Allow', exact: true });
const isReady = (page) => page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /^Allow\b/.test(button.innerText) && !button.disabled));
const signs = (page) => page.locator('[data-must]').evaluateAll((rows) => rows.map((row) => row.innerText.replace(/\s+/g, ' ').trim()));

scene('an edit folds what stays, and is allowed once every change was on screen', async ({ stage, enter }) => {
  const page = await enter({ size: { width: 1440, height: 560 } });
  const ask = await stage.ask(three());
  await open(page, stage, ask);
  const folds = page.getByRole('button', { name: /unchanged lines/ });
  assert.deepEqual((await folds.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')), ['17 unchanged lines fn part_0() Show', '73 unchanged lines fn part_2() Show', '78 unchanged lines fn part_4() Show', '11 unchanged lines Show']);
  assert.deepEqual(await signs(page), [20, 100, 185].flatMap((at) => [`− removed: let value_${at} = load(${at}); // line ${at}`, `+ added: let value_${at} = read(${at}); // line ${at}`]));
  await page.locator('.gone').first().waitFor();
  assert.deepEqual(await page.locator('.gone, .come').allInnerTexts(), ['load', 'read', 'load', 'read', 'load', 'read'], 'only the word that changed is marked');
  await page.getByText(/Change 1 of 3, \d lines not seen/).waitFor();
  assert.equal(await allow(page).isDisabled(), true);
  await page.keyboard.press('c');
  await page.getByText('Change 2 of 3').waitFor();
  await page.keyboard.press('c');
  await isReady(page);
  assert.equal(await page.getByText('Change 3 of 3', { exact: true }).count(), 1);
  await page.keyboard.press('Shift+C');
  await page.getByText('Change 2 of 3', { exact: true }).waitFor();
  await folds.nth(1).click();
  await page.getByText('let value_60 = load(60);').waitFor();
  assert.equal(await folds.count(), 3);
  await isReady(page);
  await allow(page).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
});

scene('line numbers are those the agent told, and none where it told none', async ({ stage, enter }) => {
  const page = await enter();
  await open(page, stage, await stage.ask(three()));
  const numbers = () => page.locator('[data-must] .tabular').evaluateAll((all) => all.map((one) => one.innerText));
  assert.deepEqual(await numbers(), []);
  await open(page, stage, await stage.ask(three({ start_line: 301 })));
  assert.deepEqual(await numbers(), ['321', '', '', '321', '401', '', '', '401', '486', '', '', '486']);
  await open(page, stage, await stage.ask({ matter: 'approval', agent: 'a', action: { tool: 'Write', input: '{"file_path":"audit.toml","content":"[yanked]\\nenabled = true"}', act: { kind: 'write', path: 'audit.toml', content: '[yanked]\nenabled = true' } } }));
  assert.deepEqual(await numbers(), ['1', '2']);
  await page.getByText('Whole file seen').waitFor();
});

scene('side by side is remembered, and a phone has one column', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(three());
  await open(page, stage, ask);
  await page.getByRole('button', { name: 'Split' }).click();
  assert.deepEqual(await signs(page), [20, 100, 185].map((at) => `− removed: let value_${at} = load(${at}); // line ${at} + added: let value_${at} = read(${at}); // line ${at}`));
  await page.reload();
  await page.getByRole('button', { name: 'Split', pressed: true }).waitFor();
  await page.setViewportSize(PHONE);
  await page.waitForFunction(() => document.querySelectorAll('[data-must]').length === 6);
  await page.getByRole('button', { name: 'next' }).click();
  await page.getByText(/Change 2 of 3/).waitFor();
});

scene('code has the colours of its language, and they come when they are needed', async ({ stage, enter }) => {
  const page = await enter();
  const fetched = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal(fetched.some((path) => path.endsWith('/colours.js')), false);
  await open(page, stage, await stage.ask(three()));
  await page.locator('.code-keyword', { hasText: 'let' }).first().waitFor();
  assert.deepEqual([...new Set(await page.locator('.code-comment').allInnerTexts())].slice(0, 2), ['// line 17', '// line 18']);
  await open(page, stage, await stage.ask({ ...three(), action: { ...three().action, act: { ...three().action.act, path: 'notes.unknown' } } }));
  await page.locator('[data-must]').first().waitFor();
  assert.equal(await page.locator('[class*=code-]').count(), 0);
});

/** How long the frames took in which the middle was moved down by so many pixels each. */
function frames(page, steps, byPx) {
  return page.evaluate(
    ([times, px]) =>
      new Promise((done) => {
        const main = document.querySelector('[data-scroller]');
        const spans = [];
        let last = performance.now();
        const step = (now) => {
          spans.push(now - last);
          last = now;
          main.scrollTop += px;
          if (spans.length < times) requestAnimationFrame(step);
          else done(spans.slice(1));
        };
        requestAnimationFrame(step);
      }),
    [steps, byPx],
  );
}

scene('ten thousand changed lines scroll smoothly, and each must have been on screen', async ({ stage, enter }) => {
  const page = await enter();
  const lines = (word) => Array.from({ length: 5000 }, (_, at) => `let ${word}_${at} = ${at};`).join('\n');
  const ask = await stage.ask(edit(lines('old'), lines('new')));
  const begun = Date.now();
  await open(page, stage, ask);
  await page.locator('[data-must]').first().waitFor();
  const drawn = Date.now() - begun;
  // What frames take on this machine now, when nothing moves.
  const rest = (await frames(page, 60, 0)).toSorted((a, b) => a - b)[30];
  const spans = await frames(page, 300, 400);
  const sorted = spans.toSorted((a, b) => a - b);
  const long = spans.filter((ms) => ms > 50).length;
  const [half, most] = [sorted[Math.floor(spans.length / 2)], sorted.at(-1)];
  console.log(`# 10,000 lines: drawn after ${drawn} ms; of ${spans.length} frames half took ${half.toFixed(1)} ms, 95 of 100 ${sorted[Math.floor(spans.length * 0.95)].toFixed(1)} ms, the longest ${most.toFixed(1)} ms, ${long} over 50 ms`);
  // Far more than it takes, so that a busy machine fails nothing.
  assert.ok(half < 50 + 8 * rest, `half of the frames took over ${half} ms; at rest ${rest} ms`);
  assert.ok((await page.locator('[data-must]').count()) < 1000, 'what is far from the eye is not drawn');
  // A jump to the end has shown only the end.
  await page.evaluate(() => document.querySelector('[data-scroller]').scrollTo(0, 1e9));
  await page.locator('[data-must]').getByText('new_4999').waitFor();
  await page.getByText(/lines not seen yet/).waitFor();
  assert.equal(await allow(page).isDisabled(), true);
});

scene('every line of a long file that was scrolled through is seen', async ({ stage, enter }) => {
  const page = await enter();
  const content = Array.from({ length: 1200 }, (_, at) => (at % 50 ? `line ${at}` : `line ${at} ${'long '.repeat(80)}`)).join('\n');
  const ask = await stage.ask({ matter: 'approval', agent: 'a', action: { tool: 'Write', input: JSON.stringify({ file_path: 'a.txt', content }), act: { kind: 'write', path: 'a.txt', content } } });
  await open(page, stage, ask);
  await page.getByText(/lines not seen yet/).waitFor();
  await frames(page, 120, 300);
  await isReady(page);
  await allow(page).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
});

scene('a command is told part by part: what a rule covers, what is risky, and why it is asked', async ({ stage, enter }) => {
  const page = await enter();
  await stage.call('admin', 'POST', '/v1/rules', { effect: 'allow', words: ['df'] });
  const command = 'sudo systemctl stop postgresql && sudo rm -rf /var/lib/postgresql/16/main && df -h /var/lib';
  const ask = await stage.ask({ matter: 'approval', agent: 'ops-runner', workspace: '/srv', action: { tool: 'Bash', input: JSON.stringify({ command }), cwd: '/srv', act: { kind: 'shell', command } } });
  await open(page, stage, ask);
  await page.getByText('Rules cover 1 of 3 parts, so you are asked.').waitFor();
  const rows = await page.locator('main ol li').allInnerTexts();
  assert.deepEqual(rows.map((row) => row.replace(/\s+/g, ' ').trim()), ['1 sudo systemctl stop postgresql No rule, changes system settings', '2 && sudo rm -rf /var/lib/postgresql/16/main No rule, deletes files as root', '3 && df -h /var/lib Allowed by rule “df”']);
  assert.match(await page.locator('main pre').first().evaluate((pre) => pre.nextElementSibling.innerText), /^High risk: deletes files as root\. Hold to allow\.\s+Also: /, 'the reason stands right under the command');
});

scene('an edited command shows what changed, before and after', async ({ stage, enter }) => {
  const page = await enter();
  const command = 'cargo test -p cart --locked';
  const ask = await stage.ask({ matter: 'approval', agent: 'a', action: { tool: 'Bash', input: JSON.stringify({ command }), act: { kind: 'shell', command } } });
  await open(page, stage, ask);
  await page.getByRole('button', { name: /Edit before allowing/ }).click();
  assert.equal(await page.getByRole('region', { name: 'What was changed' }).count(), 0);
  await page.getByLabel('Run this instead').fill('cargo test -p shop --locked');
  const change = page.getByRole('region', { name: 'What was changed' });
  assert.deepEqual(await change.locator('.gone, .come').allInnerTexts(), ['cart', 'shop']);
  await isReady(page);
  await allow(page).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.input, '{"command":"cargo test -p shop --locked"}');
  assert.deepEqual(await change.locator('.gone, .come').allInnerTexts(), ['cart', 'shop']);
});

const tool = (input) => ({ matter: 'approval', agent: 'planner', action: { tool: 'WebFetch', input } });

scene('long texts of an input are folded, and allowed once they were shown', async ({ stage, enter }) => {
  const page = await enter();
  const prompt = `List every breaking change. ${'x'.repeat(1400)}`;
  const ask = await stage.ask(tool(JSON.stringify({ url: 'https://docs.rs/serde', prompt, max_age_s: 86400 })));
  await open(page, stage, ask);
  const more = page.getByRole('button', { name: /Show 1,\d\d\d more characters/ });
  await page.getByText(/^1,\d\d\d characters are folded\. Show them to allow\.$/).waitFor();
  assert.equal(await allow(page).isDisabled(), true);
  await page.keyboard.press('y');
  await more.click();
  await isReady(page);
  assert.ok((await page.locator('main dd').filter({ hasText: 'breaking change' }).innerText()).includes(prompt));
  // The other view has folds of its own.
  await page.getByRole('button', { name: 'JSON' }).click();
  await page.getByText(/characters are folded/).waitFor();
  assert.ok((await page.locator('main pre').first().innerText()).includes('"max_age_s": 86400'));
  await page.getByRole('button', { name: 'Fields' }).click();
  await isReady(page);
  await allow(page).click();
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
});

scene('an input of any depth can be read and answered', async ({ stage, enter }) => {
  const page = await enter();
  for (const deep of [`${'['.repeat(60_000)}${']'.repeat(60_000)}`, `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`]) {
    const ask = await stage.ask(tool(deep));
    await open(page, stage, ask);
    await page.getByRole('button', { name: /more characters/ }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, false);
    const command = await stage.ask({ matter: 'approval', agent: 'planner', action: { tool: 'Bash', input: `{"command":"ls","more":${deep}}`, act: { kind: 'shell', command: 'ls' } } });
    await open(page, stage, command);
    await page.getByRole('button', { name: 'Deny' }).click();
    assert.equal((await stage.outcome(command.id)).answer.verdict.allow, false);
  }
  const ask = await stage.ask(tool(`${'['.repeat(2000)}${']'.repeat(2000)}`));
  await open(page, stage, ask);
  await page.getByRole('button', { name: /more characters/ }).click();
  await page.locator('[data-scroller]').evaluate(async (main) => {
    for (let at = 0; at <= main.scrollHeight; at += main.clientHeight * 0.8) {
      main.scrollTop = at;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });
  const hold = page.getByRole('button', { name: 'Hold to allow' });
  if (await hold.count()) {
    await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /Hold to allow/.test(button.innerText) && !button.disabled));
    await hold.hover();
    await page.mouse.down();
  } else {
    await isReady(page);
    await allow(page).click();
  }
  assert.equal((await stage.outcome(ask.id)).answer.verdict.allow, true);
  await page.mouse.up();
});

scene('after an answer Enter or n goes to the next ask, and the answer is said once', async ({ stage, enter }) => {
  const page = await enter();
  const [first, second, third] = [await stage.ask(asks.status), await stage.ask(asks.sections), await stage.ask(asks.words)];
  await open(page, stage, first);
  await isReady(page);
  await allow(page).click();
  await page.getByRole('heading', { name: /^You allowed it/ }).waitFor();
  const said = await page.locator('main section').first().innerText();
  assert.equal(said.match(/allowed/gi).length, 1, said);
  assert.equal(await page.getByText(/Hold to allow|second gesture/).count(), 0);
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: /Which sections/ }).waitFor();
  await page.getByRole('checkbox', { name: /Expenses/ }).check();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('heading', { name: /^You answered/ }).waitFor();
  assert.equal((await page.locator('main section').first().innerText()).match(/Expenses/g).length, 1);
  await page.keyboard.press('n');
  await page.getByPlaceholder(/Type your answer/).waitFor();
  for (const ask of [first, second]) assert.equal((await stage.look(ask.id)).state, 'closed');
  assert.equal((await stage.look(third.id)).state, 'open');
});

scene('a closed form shows the titles of its fields and of what was chosen', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.release);
  await stage.answer('person', ask, { fields: { day: '2026-12-01', share: 10, mail: 'a@example.org', also: ['docs', 'log'], dry: true, key: 'hunter2' } });
  await open(page, stage, ask);
  const pairs = await page.locator('main dl').last().evaluate((list) => [...list.querySelectorAll('dt')].map((dt) => [dt.innerText, dt.nextElementSibling.innerText]));
  assert.deepEqual(Object.fromEntries(pairs), { 'Ship on': '2026-12-01', 'Share of customers first': '10', 'Tell this address': 'a@example.org', 'Also publish': 'Docs, Changelog', 'Dry run first': 'Yes', 'Signing key password': 'a secret, not shown' });
});

scene('a question, too, takes a key only once all of it was on screen', async ({ stage, enter }) => {
  const page = await enter();
  const text = Array.from({ length: 120 }, (_, at) => `line ${at}`).join('\n');
  await open(page, stage, await stage.ask({ matter: 'questions', agent: 'asker', questions: [{ text, choices: [{ label: 'Yes' }, { label: 'No' }] }] }));
  const strip = page.getByRole('region', { name: 'Answers you can still undo' });
  await page.waitForTimeout(700);
  await page.keyboard.press('s');
  await page.waitForTimeout(700);
  assert.equal(await strip.count(), 0);
  await page.locator('[data-scroller]').evaluate(async (main) => {
    for (let at = 0; at <= main.scrollHeight; at += main.clientHeight * 0.8) {
      main.scrollTop = at;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });
  await page.waitForTimeout(700);
  await page.keyboard.press('s');
  await strip.waitFor();
});
