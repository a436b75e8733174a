// axe on every screen, in both themes, wide and narrow.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as asks from './asks.mjs';
import { PHONE, WIDE } from './browser.mjs';
import { scene } from './house.mjs';
import { speaker } from './speaker.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function sound(page, what) {
  // Through the debugger, which is not bound by the page's policy.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    // A colour half-way to another is nobody's to judge.
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message ?? ''})`).join(' | ')}`);
  });
  assert.deepEqual(found, [], what);
}

for (const theme of ['light', 'dark']) {
  for (const [name, size] of [['wide', WIDE], ['phone', PHONE]]) {
    scene(`axe finds nothing in what could be a rule, ${theme}, ${name}`, async ({ stage, enter }) => {
      const hand = await stage.device('ann', 'tablet');
      for (let at = 0; at < 3; at += 1) await stage.answer(hand, await stage.ask(asks.shell('git branch')), { verdict: { allow: true, scope: 'once' } });
      await stage.call('person', 'POST', '/v1/rules', { effect: 'allow', preset: 'ls', cwd: '/home/ann/shop', shadow: true });
      await stage.answer(hand, await stage.ask(asks.shell('ls -la')), { verdict: { allow: false } });
      const page = await enter({ theme, size, path: 'rules' });
      await page.getByRole('button', { name: 'see them' }).click();
      await page.getByRole('button', { name: 'Always… for git branch' }).waitFor();
      await page.getByRole('link', { name: 'ls -la' }).waitFor();
      await sound(page, 'suggestions and what stands by');
      await page.getByRole('button', { name: 'Always… for git branch' }).click();
      await page.getByRole('dialog', { name: 'Stop asking for' }).getByLabel('For', { exact: true }).waitFor();
      await sound(page, 'the sheet of a suggestion');
    });
    scene(`axe finds nothing where devices are kept, ${theme}, ${name}`, async ({ stage, enter }) => {
      await stage.ask(asks.push);
      const page = await enter({ theme, size, admin: true, path: 'agents' });
      const press = (button) => page.getByRole('button', { name: button }).filter({ visible: true }).click();
      await page.getByText('this one').filter({ visible: true }).waitFor();
      await sound(page, 'agents and devices');
      await press('Revoke terminal');
      await page.getByRole('button', { name: 'Keep' }).waitFor();
      await sound(page, 'revoking');
      await press('Connect an agent');
      await page.getByLabel('What is it called?').waitFor();
      await sound(page, 'connecting');
      await press('OpenClaw');
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      await sound(page, 'a code');
      await press('Close');
      await press('Log in a phone');
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      await sound(page, 'a picture');
    });
    scene(`axe finds nothing, ${theme}, ${name}`, async ({ stage, enter }) => {
      const page = await enter({ theme, size });
      await page.getByText('Nothing waits for you').first().waitFor();
      await sound(page, 'empty inbox');
      const all = [];
      for (const kind of ['sections', 'cache', 'push', 'edit', 'release', 'invoice', 'tool', 'confirm', 'dropdown', 'words', 'visit']) {
        all.push([kind, await stage.ask(asks[kind])]);
      }
      await stage.ask(asks.bump('a'));
      all.push(['group', await stage.ask(asks.bump('b'))]);
      for (const path of ['audit.toml', 'audit.toml']) await stage.ask(asks.audit('Audit', path));
      all.push(['differs', await stage.ask(asks.audit('Audit', 'services/search/audit.toml'))]);
      all.push(['folded', await stage.ask(asks.fetch('Every breaking change. '.repeat(80)))]);
      await page.getByText('2 asks, all alike').waitFor();
      await sound(page, 'full inbox');
      for (const [kind, ask] of all) {
        await page.goto(`${stage.url}/#/inbox/${ask.id}`);
        await page.locator('main h1').first().waitFor();
        if (kind === 'group' || kind === 'differs') await page.getByRole('region', { name: /alike|differ/ }).waitFor();
        if (kind === 'edit') await page.locator('.code-keyword').first().waitFor();
        if (kind === 'folded') await page.getByRole('button', { name: /more characters/ }).waitFor();
        await sound(page, kind);
      }
      const ended = all.find(([kind]) => kind === 'words')[1];
      await page.goto(`${stage.url}/#/inbox/${ended.id}`);
      await page.getByRole('textbox', { name: 'What should the project be called?' }).fill('shop');
      await page.getByRole('button', { name: 'Send answer' }).click();
      await page.getByRole('heading', { name: /^You answered/ }).waitFor();
      await sound(page, 'end');
      for (const [room, text] of [['history', 'What should the project be called?'], ['conversations', 'Checkout rewrite'], ['agents', 'docs-site'], ['settings', 'Theme']]) {
        await page.goto(`${stage.url}/#/${room}`);
        await page.getByText(text).filter({ visible: true }).first().waitFor();
        await sound(page, room);
      }
      await page.goto(`${stage.url}/#/history/${ended.id}`);
      await page.getByText('Story of one ask').waitFor();
      await sound(page, 'story');
      await page.goto(`${stage.url}/#/conversations`);
      await page.getByRole('link', { name: /Checkout rewrite/ }).click();
      await page.getByText('Waits for you', { exact: true }).waitFor();
      await sound(page, 'conversation');
      const coder = await speaker(stage, 'coding-agent');
      for (const tool of ['Read', 'Grep']) coder.note('Checkout rewrite', tool, 'src/cart.rs', 'done');
      coder.say('Checkout rewrite', '# Why\n\n- [a link](https://example.org) and `code`\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust\nlet a;\n```\n\n> said', false);
      await page.getByRole('button', { name: /2 tool notes/ }).click();
      await page.getByText('said', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Copy' }).waitFor();
      await sound(page, 'conversation with notes and Markdown');
      coder.say('Checkout rewrite', '');
      coder.send({ do: 'take_turns', conversations: 'any' });
      const dialog = page.getByRole('dialog', { name: 'An approval arrived' });
      await stage.ask({ ...asks.bump('Elsewhere'), agent: 'coding-agent' });
      await dialog.getByRole('heading', { name: /wants to run/ }).waitFor();
      await sound(page, 'approval dialog');
      await dialog.getByRole('button', { name: 'Later' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.goto(`${stage.url}/#/conversations/new`);
      await page.getByRole('radio', { name: /coding-agent/ }).waitFor();
      await sound(page, 'new conversation');
      coder.close();
      const plain = await stage.ask(asks.status);
      await page.goto(`${stage.url}/#/inbox/${plain.id}`);
      await page.getByRole('button', { name: 'Always…' }).click();
      await page.getByRole('region', { name: 'Stop asking for' }).getByLabel('For', { exact: true }).waitFor();
      await sound(page, 'always');
      await page.waitForFunction(() => [...document.querySelectorAll('button')].some((button) => /make this rule/.test(button.innerText) && !button.disabled));
      await page.getByRole('button', { name: 'Allow and make this rule' }).click();
      await page.getByRole('heading', { name: /^You allowed/ }).waitFor();
      await stage.call('admin', 'POST', '/v1/rules', { effect: 'level', level: 'full', agent: 'planner' });
      await page.goto(`${stage.url}/#/rules`);
      await page.getByLabel('Command', { exact: true }).fill('git status; rm -rf build');
      await page.getByText('A person is asked').waitFor();
      await page.getByRole('button', { name: /^Revoke rule/ }).first().waitFor();
      await page.getByText('Everything is allowed that no rule denies.').waitFor();
      await page.getByText(/^Nothing to suggest/).waitFor();
      await sound(page, 'rules');
      await page.goto(`${stage.url}/#/insight`);
      await page.getByRole('heading', { name: 'Answer time per day' }).waitFor();
      await sound(page, 'insight');
      for (const button of await page.getByRole('button', { name: 'Numbers', exact: true }).elementHandles()) await button.click();
      await page.getByRole('columnheader', { name: 'Median' }).waitFor();
      await sound(page, 'insight in numbers');
      if (name === 'phone') {
        await page.goto(`${stage.url}/#/more`);
        await page.getByRole('link', { name: 'Insight' }).waitFor();
        await sound(page, 'more');
      }
      await page.goto(`${stage.url}/#/inbox`);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await sound(page, 'keys');
      await page.keyboard.press('Escape');
      await stage.kill();
      await page.getByText(/Offline since/).waitFor();
      await sound(page, 'offline');
      await page.evaluate(() => localStorage.clear());
      await stage.start();
      await page.reload();
      await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
      await sound(page, 'door');
    });
  }
}
