// A picture of every screen into target/screenshots: wide and narrow, light and dark, empty, full and
// failing. They are made to be looked at; the few that the docs show are renewed there too.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as asks from './asks.mjs';
import { arrive, launch, PHONE, WIDE } from './browser.mjs';
import { Stage } from './stage.mjs';

const OUT = fileURLToPath(new URL('../../../target/screenshots/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
mkdirSync(OUT, { recursive: true });

const browser = await launch();
const LOOKS = [
  { name: 'light', theme: 'light', size: WIDE },
  { name: 'dark', theme: 'dark', size: WIDE },
  { name: 'phone', theme: 'light', size: PHONE },
  { name: 'phone-dark', theme: 'dark', size: PHONE },
];

/** Waits until nothing moves: the act is armed, the fonts are there. */
async function still(page) {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(700);
}

for (const look of LOOKS) {
  const stage = await Stage.open();
  const shot = async (page, name) => {
    await still(page);
    const file = `page-${name}-${look.name}.png`;
    await page.screenshot({ path: OUT + file });
    if (existsSync(DOCS + file)) copyFileSync(OUT + file, DOCS + file);
  };
  const show = async (page, ask) => {
    await page.goto(`${stage.url}/#/inbox/${ask.id}`);
    await page.locator('main h1').first().waitFor();
  };
  try {
    const page = await arrive(browser, stage, look);
    await page.getByText('Nothing waits for you').first().waitFor();
    await shot(page, 'empty');

    const ann = await stage.device('ann', 'phone');
    const past = [
      [asks.words, { replies: [{ question: 0, other: 'shopfront' }] }],
      [asks.bump('Bump search'), { verdict: { allow: true, scope: 'once' } }],
      [{ ...asks.push, action: { ...asks.push.action, input: 'git push --force origin main', act: { kind: 'shell', command: 'git push --force origin main' } } }, { verdict: { allow: false, note: 'not on a Friday' } }],
      [asks.sections, { replies: [{ question: 0, labels: ['Leave and holidays', 'Expenses'] }] }],
    ];
    let last;
    for (const [body, answer] of past) {
      last = await stage.ask(body);
      await stage.answer(ann, last, answer);
    }
    const gone = await stage.ask(asks.confirm);
    await stage.call('agent', 'POST', `/v1/asks/${gone.id}/withdraw`, { note: 'It found the answer in the config.' });
    const brief = await stage.ask({ ...asks.push, timeout_s: 1 });
    await stage.outcome(brief.id);

    // Plain commands, most of them allowed, so that there is something to hold a rule against.
    for (let at = 0; at < 24; at += 1) {
      const body = at % 4 === 1 ? asks.shell('ls') : asks.shell(at % 8 === 3 ? 'git status -s' : 'git status', { agent: at % 3 ? 'shop-api' : 'docs-site' });
      const ask = await stage.ask(body);
      await stage.answer(ann, ask, { verdict: at % 12 === 3 ? { allow: false } : { allow: true, scope: 'once' } });
    }
    const open = {};
    open.question = await stage.ask({ ...asks.cache, timeout_s: 120 });
    open.many = await stage.ask({ ...asks.sections, timeout_s: 40 });
    open.approval = await stage.ask({ ...asks.push, timeout_s: 600 });
    for (const [name, body] of Object.entries({ edit: asks.edit, form: asks.release, hidden: asks.invoice, tool: asks.tool, buttons: asks.confirm, dropdown: asks.dropdown, text: asks.words, visit: asks.visit })) open[name] = await stage.ask(body);
    for (const name of ['Bump billing', 'Bump gateway', 'Bump reports']) open.group = await stage.ask(asks.bump(name));

    await page.goto(`${stage.url}/#/inbox`);
    await page.getByText('3 asks, all alike').first().waitFor();
    // What was answered a moment ago leaves first: nobody has so much of it at once.
    await page.getByText('ann on phone').last().waitFor({ state: 'detached' });
    await shot(page, 'inbox');
    for (const [name, ask] of Object.entries(open)) {
      await show(page, ask);
      if (name === 'question') {
        await page.getByText('Redis', { exact: true }).click();
        await page.getByRole('button', { name: /Next: Expiry/ }).click();
        await page.getByText('Sliding window', { exact: true }).first().click();
      }
      if (name === 'edit' && look.size === WIDE) {
        await page.getByRole('button', { name: 'Split' }).click();
        await shot(page, 'edit-split');
        await page.getByRole('button', { name: 'Unified' }).click();
      }
      if (name === 'many') await page.getByText('Expenses', { exact: true }).click();
      if (name === 'form') {
        await page.getByLabel('Tell this address').fill('ops@shop');
        await page.getByLabel('Tell this address').blur();
      }
      await shot(page, name);
    }
    await show(page, last);
    await shot(page, 'answered');
    await show(page, gone);
    await shot(page, 'withdrawn');
    await show(page, brief);
    await shot(page, 'expired');

    await page.goto(`${stage.url}/#/history${look.size === WIDE ? `/${last.id}` : ''}`);
    await page.getByText('Skipped').or(page.getByText('Denied')).filter({ visible: true }).first().waitFor();
    await shot(page, 'history');
    await page.goto(`${stage.url}/#/conversations`);
    await page.getByRole('link', { name: /Release 2.4/ }).first().waitFor();
    await page.getByRole('link', { name: /Release 2.4/ }).first().click();
    await page.getByText('Waits for you', { exact: true }).waitFor();
    await shot(page, 'conversation');
    const always = await stage.ask(asks.status);
    await stage.ask(asks.shell('git status --short', { agent: 'tester' }));
    await show(page, always);
    await page.getByRole('button', { name: 'Always…' }).click();
    await page.getByText('git status, with vetted options only').click();
    await page.getByLabel('For', { exact: true }).selectOption('workspace');
    await page.getByRole('button', { name: 'see them' }).first().click();
    await shot(page, 'always');
    await page.getByRole('button', { name: 'Allow and make this rule' }).click();
    await page.getByRole('heading', { name: /^You allowed/ }).waitFor();
    for (const rule of [{ effect: 'deny', words: ['git', 'push', '--force'] }, { effect: 'allow', tool: 'WebFetch', only: [{ at: '/url', host: 'docs.rs' }], note: 'docs only' }, { effect: 'allow', preset: 'ls', workspace: '/home/ann/shop' }]) await stage.call('admin', 'POST', '/v1/rules', rule);
    for (let at = 0; at < 9; at += 1) await stage.ask(asks.shell('git status'));
    const hand = await stage.device('ann', 'tablet');
    for (let at = 0; at < 14; at += 1) await stage.answer(hand, await stage.ask(asks.shell('git branch --list')), { verdict: { allow: true, scope: 'once' } });
    await stage.call('person', 'POST', '/v1/rules', { effect: 'allow', preset: 'cargo-test', workspace: '/home/ann/shop', shadow: true });
    await page.goto(`${stage.url}/#/rules`);
    await page.getByRole('button', { name: 'Always… for git branch --list' }).waitFor();
    await page.getByRole('button', { name: 'Always… for git branch --list' }).click();
    await page.getByRole('dialog', { name: 'Stop asking for' }).getByLabel('For', { exact: true }).waitFor();
    await shot(page, 'suggestion');
    await page.keyboard.press('Escape');
    await page.getByLabel('Command', { exact: true }).fill('git status; rm -rf build');
    await page.getByLabel('In', { exact: true }).selectOption('/home/ann/shop');
    await page.getByText('A person is asked').waitFor();
    await shot(page, 'rules');
    await page.goto(`${stage.url}/#/insight`);
    await page.getByRole('heading', { name: 'Answer time per day' }).waitFor();
    await shot(page, 'insight');
    await page.getByRole('button', { name: 'Numbers' }).first().click();
    await shot(page, 'insight-numbers');
    await page.goto(`${stage.url}/#/history/${always.id}`);
    await page.getByText('Story of one ask').waitFor();
    await shot(page, 'story');
    for (const [room, text] of [['agents', 'docs-site'], ['settings', 'Theme']]) {
      await page.goto(`${stage.url}/#/${room}`);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await shot(page, room);
    }
    const keeper = await arrive(browser, stage, { ...look, admin: true, path: 'agents' });
    await keeper.getByText('this one').filter({ visible: true }).waitFor();
    await keeper.getByRole('button', { name: 'Connect an agent' }).filter({ visible: true }).click();
    await keeper.getByRole('button', { name: 'OpenClaw' }).click();
    await keeper.getByRole('img', { name: 'QR code' }).waitFor();
    await shot(keeper, 'pairing');
    await keeper.context().close();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await shot(page, 'keys');
    await page.keyboard.press('Escape');

    await show(page, open.buttons);
    await stage.kill();
    await page.getByText(/Offline since/).waitFor();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
    await shot(page, 'offline');
    await page.evaluate(() => localStorage.clear());
    await stage.start();
    await page.reload();
    await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
    await page.getByLabel('Code or token').fill('482 931');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(/The code is invalid/).waitFor();
    await shot(page, 'door');
    await page.context().close();
  } finally {
    await stage.close();
  }
}
await browser.close();
