import { launch, arrive, WIDE, PHONE } from './browser/browser.mjs';
import { Stage } from './browser/stage.mjs';
import * as asks from './browser/asks.mjs';
const browser = await launch();
const shell = (command, more = {}) => ({ matter: 'approval', agent: 'coder', conversation: 'Checkout', workspace: '/work/shop', action: { tool: 'Bash', input: JSON.stringify({ command }), cwd: '/work/shop', act: { kind: 'shell', command } }, ...more });
for (const [name, size, theme] of [['wide', WIDE, 'dark'], ['light', WIDE, 'light'], ['phone', PHONE, 'light']]) {
  const stage = await Stage.open();
  const page = await arrive(browser, stage, { size, theme });
  const ann = await stage.device('ann', 'phone');
  for (let at = 0; at < 30; at += 1) for (const [command, allow] of [[`git status`, true], ['ls', true]]) { const a = await stage.ask(shell(command)); await stage.answer(ann, a, { verdict: allow ? { allow, scope: 'once' } : { allow } }); }
  for (const c of ['git status -s', 'git status --short']) { const a = await stage.ask(shell(c)); await stage.answer(ann, a, { verdict: { allow: false } }); }
  const ask = await stage.ask(shell('git status'));
  await stage.ask({ ...shell('git status --short'), agent: 'tester' });
  const edit = await stage.ask(asks.edit);
  await page.waitForTimeout(500);
  await page.goto(`${stage.url}/#/inbox/${ask.id}`);
  await page.waitForTimeout(900);
  await page.screenshot({ path: `/tmp/s-approval-${name}.png` });
  await page.getByRole('button', { name: /Always/ }).click();
  await page.getByText(/git status, with/).first().click();
  await page.getByRole('button', { name: 'see them' }).first().click();
  await page.waitForTimeout(900);
  await page.screenshot({ path: `/tmp/s-always-${name}.png` });
  await page.getByLabel('For', { exact: true }).selectOption('workspace');
  await page.waitForTimeout(900);
  await page.getByRole('button', { name: /make this rule/ }).click();
  await page.waitForTimeout(500);
  await stage.call('admin', 'POST', '/v1/rules', { effect: 'deny', words: ['git', 'push', '--force'] });
  await stage.call('admin', 'POST', '/v1/rules', { effect: 'allow', tool: 'WebFetch', only: [{ at: '/url', host: 'docs.rs' }], note: 'docs only' });
  await page.goto(`${stage.url}/#/rules`);
  await page.getByLabel('Command', { exact: true }).fill('git status; rm -rf build');
  await page.getByLabel('In', { exact: true }).selectOption('/work/shop');
  await page.waitForTimeout(900);
  await page.screenshot({ path: `/tmp/s-rules-${name}.png` });
  await page.goto(`${stage.url}/#/history/${ask.id}`);
  await page.waitForTimeout(900);
  await page.screenshot({ path: `/tmp/s-story-${name}.png` });
  await page.goto(`${stage.url}/#/inbox/${edit.id}`);
  await page.waitForTimeout(700);
  if (name !== 'phone') await page.getByRole('button', { name: 'Split' }).click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: `/tmp/s-edit-${name}.png` });
  await page.context().close(); await stage.close();
}
await browser.close();
