// Always: which rule a yes makes, what it would have done, and taking it back.

import assert from 'node:assert/strict';
import { open, scene } from './house.mjs';
import { until } from './stage.mjs';

const shell = (command, more = {}) => ({
  matter: 'approval',
  agent: 'coder',
  conversation: 'Checkout',
  workspace: '/home/ann/shop',
  action: { tool: 'Bash', input: JSON.stringify({ command }), cwd: '/home/ann/shop', act: { kind: 'shell', command } },
  ...more,
});
const flagged = (command, flags) => {
  const ask = shell(command);
  return { ...ask, action: { ...ask.action, flags } };
};

/** Waits until the projection knows what has ended: offers are held against it. */
async function known(stage, ask, asks) {
  await until(`${asks} asks to be held against an offer`, async () => {
    const { offers } = await stage.call('person', 'GET', `/v1/asks/${ask.id}/offers`);
    return offers[0]?.choices[0]?.asks >= asks;
  });
}

scene('always: exact first, then vetted, with what each would have done; rule and yes together', async ({ stage, enter }) => {
  const ann = await stage.device('ann', 'phone');
  for (const [command, allow] of [['git status', true], ['git status -s', false], ['ls', true]]) {
    const ask = await stage.ask(shell(command));
    await stage.answer(ann, ask, { verdict: allow ? { allow, scope: 'once' } : { allow } });
  }
  const page = await enter();
  const ask = await stage.ask(shell('git status'));
  const other = await stage.ask({ ...shell('git status --short'), agent: 'tester', conversation: undefined });
  const apart = await stage.ask(shell('git status; rm -rf x'));
  await known(stage, ask, 3);
  await open(page, stage, ask);
  await page.keyboard.press('a');
  const panel = page.getByRole('region', { name: 'Stop asking for' });
  await panel.getByRole('radio', { name: /This exact command/ }).waitFor();
  assert.deepEqual(await panel.getByRole('radio').evaluateAll((all) => all.map((one) => one.value)), ['exact', 'git-status']);
  await panel.getByText('Would have allowed 1 of your last 3 asks. You denied none of those.').waitFor();
  // Escape leads back to the ask and no further.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Always…' }).click();
  await panel.getByText('git status, with vetted options only').click();
  await panel.getByText('Would have allowed 2 of your last 3 asks.').waitFor();
  await panel.getByText('You denied 1 of those:').waitFor();
  await panel.getByRole('button', { name: 'see them' }).click();
  await panel.getByRole('link', { name: 'git status -s' }).waitFor();
  await panel.getByText(/^ann,/).waitFor();
  assert.deepEqual(await panel.getByLabel('For', { exact: true }).locator('option').allInnerTexts(), ['coder, in /home/ann/shop', 'every agent in /home/ann/shop', 'this conversation, Checkout']);
  await panel.getByLabel('For', { exact: true }).selectOption('workspace');
  await page.getByText('Also answers 1 open ask').waitFor();
  await panel.getByLabel('Until', { exact: true }).selectOption('604800');
  await panel.getByText(/^Makes this rule: allow git status, with vetted options only, for every agent in \/home\/ann\/shop, until/).waitFor();
  await page.getByRole('button', { name: 'Allow and make this rule' }).click();
  assert.deepEqual((await stage.outcome(ask.id)).answer.verdict, { allow: true, scope: 'always' });
  const { rules } = await stage.call('person', 'GET', '/v1/rules');
  assert.equal(rules.length, 1);
  const { id, preset, workspace, agent, made_at, expires_at, by } = rules[0];
  assert.deepEqual({ preset, workspace, agent, by }, { preset: 'git-status', workspace: '/home/ann/shop', agent: undefined, by: { person: 'me', device: 'laptop, Chrome' } });
  assert.equal(Date.parse(expires_at) - Date.parse(made_at), 604_800_000);
  assert.equal((await stage.outcome(other.id)).by.rule, id, 'what waited and is covered is answered with it');
  assert.equal((await stage.look(apart.id)).state, 'open');
  // A part that the rule covers says so; the other has none.
  await open(page, stage, apart);
  await page.getByText('Allowed by rule “git status”').waitFor();
  await page.getByText(/^No rule/).waitFor();
});

scene('only what the ask lists is offered, and the page says why not', async ({ stage, enter }) => {
  const page = await enter();
  const always = page.getByRole('button', { name: 'Always…' });
  for (const [body, why] of [
    [flagged('git status', ['no_always']), 'coder wants to be asked each time'],
    [flagged('git status', ['needs_person']), 'coder wants a person to decide each time'],
    [shell('echo $(whoami)'), 'the command is not plain'],
    [shell('curl https://example.org'), 'programs like this can do too much'],
  ]) {
    const ask = await stage.ask(body);
    await open(page, stage, ask);
    await page.getByText(`Not available: ${why}`, { exact: false }).waitFor();
    assert.equal(await always.count(), 0);
    await page.keyboard.press('a');
    assert.equal(await page.getByRole('region', { name: 'Stop asking for' }).count(), 0);
  }
  // Without a conversation or a workspace there is one choice.
  const ask = await stage.ask({ ...shell('cargo test'), conversation: undefined, workspace: undefined });
  await open(page, stage, ask);
  await always.click();
  const choices = page.getByLabel('For', { exact: true }).locator('option');
  await choices.first().waitFor({ state: 'attached' });
  assert.deepEqual(await choices.allInnerTexts(), ['coder']);
  await page.keyboard.press('Escape');
  // An edit is for once.
  await page.getByRole('button', { name: 'Edit before allowing' }).click();
  await page.getByLabel('Run this instead').fill('cargo test --offline');
  await page.getByText('Not available for an edit').waitFor();
  assert.equal(await always.count(), 0);
});

scene('rules: the list, its life, a command tried, one click to take back', async ({ stage, enter }) => {
  const page = await enter({ path: 'rules' });
  await page.getByText('No rules yet').waitFor();
  const first = await stage.ask(shell('git status'));
  const person = await stage.device('ann', 'phone');
  await stage.answer(person, first, { verdict: { allow: true, scope: 'always' }, rule: { preset: 'git-status', applies_to: 'workspace' } });
  const row = page.getByRole('row', { name: /git status/ });
  await row.getByText('ann on phone', { exact: false }).waitFor();
  await row.getByText('never used').waitFor();
  await stage.ask(shell('git status --short'));
  await row.getByText('1 use').waitFor();
  await page.getByLabel('Command', { exact: true }).fill('git status; rm -rf build');
  await page.getByLabel('In', { exact: true }).selectOption('/home/ann/shop');
  await page.getByText('A person is asked').waitFor();
  await page.getByText(/is allowed by ru_/).waitFor();
  await page.getByText(/no rule covers/).waitFor();
  await page.getByLabel('Command', { exact: true }).fill('git status');
  await page.getByText('Nobody is asked: allowed').waitFor();
  await page.getByRole('button', { name: /^Revoke rule/ }).click();
  await page.getByText('No rules yet').waitFor();
  await page.getByText('A person is asked').waitFor();
  assert.equal((await stage.call('person', 'GET', '/v1/rules')).rules.length, 0);
});

scene('a level that lets everything pass is said on every screen', async ({ stage, enter }) => {
  const page = await enter();
  await page.getByText('Nothing waits for you').first().waitFor();
  const rule = await stage.call('admin', 'POST', '/v1/rules', { effect: 'level', level: 'full' });
  const banner = page.getByRole('region', { name: 'Everything is allowed that no rule denies' });
  await banner.getByText(/Nobody is asked/).waitFor();
  // A person may not take back what an admin made; the page says so.
  await banner.getByRole('link', { name: 'Look at it' }).click();
  await page.getByRole('button', { name: /^Revoke rule/ }).click();
  await page.getByRole('alert').getByText(/was not taken back/).waitFor();
  await stage.call('admin', 'DELETE', `/v1/rules/${rule.id}`);
  await banner.waitFor({ state: 'detached' });
});

scene('the story of an ask that a rule answered says which', async ({ stage, enter }) => {
  const rule = await stage.call('person', 'POST', '/v1/rules', { effect: 'allow', preset: 'git-status', workspace: '/home/ann/shop' });
  const ask = await stage.ask(shell('git status'));
  const page = await enter({ path: `history/${ask.id}` });
  const story = page.getByRole('region', { name: 'Story of one ask' });
  await story.getByText(`Answered by rule ${rule.id}`).waitFor();
  await story.getByRole('link', { name: `Look at rule ${rule.id}` }).click();
  await page.getByRole('row', { name: /git status/ }).waitFor();
});

/** Says yes to a command by hand, some times over. */
async function allowed(stage, device, command, times, more = {}) {
  for (let at = 0; at < times; at += 1) await stage.answer(device, await stage.ask(shell(command, more)), { verdict: { allow: true, scope: 'once' } });
}

scene('a suggestion shows exactly the rule before it is made', async ({ stage, enter }) => {
  const page = await enter({ path: 'rules' });
  const region = page.getByRole('region', { name: 'Suggestions' });
  await region.getByText(/^Nothing to suggest/).waitFor();
  const ann = await stage.device('ann', 'phone');
  await allowed(stage, ann, 'git status', 4);
  await allowed(stage, ann, 'ls -la', 3);
  const denied = await stage.ask(shell('ls /root'));
  await stage.answer(ann, denied, { verdict: { allow: false } });
  // The lists are a moment behind what is decided.
  while ((await stage.call('person', 'GET', '/v1/asks?state=closed')).asks.length < 8);
  // It follows what is decided; what was denied once is not suggested.
  await region.getByText('You allowed this 4 times, and nothing like it was ever denied').waitFor();
  assert.equal(await region.getByRole('listitem').count(), 1);
  await region.getByRole('button', { name: 'Always… for git status' }).click();
  const sheet = page.getByRole('dialog', { name: 'Stop asking for' });
  await sheet.getByText('This exact command', { exact: true }).waitFor();
  await sheet.getByText('Would have allowed 4 of your last 8 asks.', { exact: false }).waitFor();
  assert.deepEqual(await sheet.getByLabel('For', { exact: true }).locator('option').allInnerTexts(), ['coder, in /home/ann/shop', 'every agent in /home/ann/shop']);
  // Nothing is made by looking.
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  assert.equal((await stage.call('person', 'GET', '/v1/rules')).rules.length, 0);
  await region.getByRole('button', { name: 'Always… for git status' }).click();
  await sheet.getByLabel('For', { exact: true }).selectOption('workspace');
  await sheet.getByLabel('Until', { exact: true }).selectOption('604800');
  await sheet.getByText(/^Makes this rule: allow this exact command, for every agent in \/home\/ann\/shop, until/).waitFor();
  await sheet.getByRole('button', { name: 'Make this rule' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /git status/ }).waitFor();
  await region.getByText(/^Nothing to suggest/).waitFor();
  const [{ command, workspace, agent, shadow, made_at, expires_at }] = (await stage.call('person', 'GET', '/v1/rules')).rules;
  assert.deepEqual({ command, workspace, agent, shadow }, { command: 'git status', workspace: '/home/ann/shop', agent: undefined, shadow: undefined });
  assert.equal(Date.parse(expires_at) - Date.parse(made_at), 604_800_000);
  assert.equal((await stage.ask(shell('git status', { agent: 'tester' }))).state, 'closed');
});

scene('a rule stands by, shows what it would have done, and is put in force or dropped', async ({ stage, enter }) => {
  const page = await enter({ path: 'rules' });
  const region = page.getByRole('region', { name: 'Standing by' });
  await region.getByText(/^No rule stands by/).waitFor();
  const ann = await stage.device('ann', 'phone');
  await allowed(stage, ann, 'git status', 3);
  await page.getByRole('button', { name: 'Always… for git status' }).click();
  await page.getByRole('button', { name: 'Let it stand by first' }).click();
  await region.getByText('Nothing was asked since it was made.').waitFor();
  assert.equal(await page.getByRole('row', { name: /git status/ }).count(), 0, 'it is not listed as one that holds');
  await allowed(stage, ann, 'git status', 2);
  await region.getByText('Would have answered 2 of 2 approvals since it was made. You never said the opposite.').waitFor();
  const no = await stage.ask(shell('git status'));
  assert.equal(no.state, 'open');
  await stage.answer(ann, no, { verdict: { allow: false } });
  await region.getByText('You said the opposite to 1 of those:').waitFor();
  await region.getByRole('button', { name: 'see them' }).click();
  await region.getByRole('link', { name: 'git status' }).waitFor();
  const waits = await stage.ask(shell('git status'));
  await region.getByRole('button', { name: 'Put in force: rule ru_1' }).click();
  await page.getByRole('row', { name: /git status/ }).waitFor();
  await region.getByText(/^No rule stands by/).waitFor();
  assert.deepEqual((await stage.outcome(waits.id)).by, { rule: 'ru_1', version: 2 });
  // Dropping takes one click too; what may not be put in force says why.
  const wide = await stage.call('admin', 'POST', '/v1/rules', { effect: 'allow', words: ['make'], shadow: true });
  await region.getByRole('button', { name: `Put in force: rule ${wide.id}` }).click();
  await page.getByRole('alert').getByText(/was not put in force/).waitFor();
  await region.getByRole('button', { name: `Drop rule ${wide.id}` }).click();
  await region.getByText(/^No rule stands by/).waitFor();
});

scene('a rule that can no longer answer says why and what to do', async ({ stage, enter }) => {
  const { rules } = await stage.call('person', 'GET', '/v1/rules');
  const page = await enter({ path: 'rules' });
  const row = (id) => page.getByRole('row').filter({ hasText: new RegExp(`${id},`) });
  const idle = rules.filter((rule) => rule.idle && !rule.shadow);
  assert.ok(idle.length >= 2, JSON.stringify(rules));
  for (const { id, idle: why } of idle) await row(id).getByText(why.replaceAll('`', '')).waitFor();
  for (const { id } of rules.filter((rule) => !rule.idle && !rule.shadow)) {
    await row(id).waitFor();
    assert.equal(await row(id).getByText(/answers nothing/).count(), 0, id);
  }
}, undefined, 0, 'journal-level-2');
