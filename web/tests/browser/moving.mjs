// Moving in: the sample, devices that keep house, codes and tokens, settings.

import assert from 'node:assert/strict';
import { PHONE } from './browser.mjs';
import { scene } from './house.mjs';

scene('the sample asks, takes the answer, and thanks', async ({ stage, enter }) => {
  const page = await enter();
  await page.getByRole('button', { name: 'Send me a sample' }).filter({ visible: true }).click();
  await page.getByRole('heading', { name: 'How should the sample greet you?' }).waitFor();
  await page.getByText('Friendly').click();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('link', { name: /touch hello/ }).click();
  await page.getByRole('heading', { name: 'sample wants to run' }).waitFor();
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByRole('heading', { name: /You denied it/ }).waitFor();
  await page.goto(`${stage.url}/#/conversations`);
  await page.getByRole('link', { name: /A sample/ }).click();
  await page.getByText("You denied it, so I won't do it. Thank you.").waitFor();
});

scene('a device of an admin makes a token, uses it and takes it back', async ({ stage, enter }) => {
  const page = await enter({ admin: true, path: 'agents' });
  await page.getByRole('button', { name: 'Connect an agent' }).filter({ visible: true }).click();
  await page.getByLabel('What is it called?').fill('ci');
  await page.getByRole('button', { name: 'Make a token' }).click();
  const token = await page.locator('code').filter({ hasText: 'say_agent_' }).innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /^ci/ }).getByText('Agent’s token, not used yet').filter({ visible: true }).waitFor();
  await stage.call(token, 'POST', '/v1/asks', { matter: 'questions', agent: 'builder', questions: [{ text: 'Go on?' }] });
  const row = page.getByRole('row', { name: /builder/ });
  await row.getByText('here, asks by calling').filter({ visible: true }).waitFor();
  await row.getByRole('button', { name: 'Revoke ci' }).click();
  await row.getByRole('button', { name: 'Revoke ci' }).click();
  await row.getByRole('button', { name: 'Revoke ci' }).waitFor({ state: 'detached' });
  await assert.rejects(stage.call(token, 'GET', '/v1/asks'), /401/);
  // The admin's token went to the calls that need it and to no others.
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('sayso.login')));
  assert.ok(kept.admin.startsWith('say_admin_') && kept.token.startsWith('say_person_'));
});

scene('a code for a program and a picture for a phone', async ({ stage, enter }) => {
  const page = await enter({ admin: true, path: 'agents' });
  await page.getByRole('button', { name: 'Connect an agent' }).filter({ visible: true }).click();
  await page.getByRole('button', { name: 'OpenClaw' }).click();
  const code = (await page.getByText(/^\d{3} \d{3}$/).innerText()).replace(' ', '');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByText(/9:\d\d left, works once/).waitFor();
  const paired = await fetch(`${stage.url}/api/v1/providers/pair/redeem`, { method: 'POST', body: JSON.stringify({ code }) });
  assert.equal(paired.status, 200);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Log in a phone' }).filter({ visible: true }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByText(/1:\d\d left, works once/).waitFor();
  await page.getByText('This server is reached on its own machine only.').waitFor();
});

scene('taking back the admin’s part leaves a device that answers', async ({ stage, enter }) => {
  const page = await enter({ admin: true, path: 'agents' });
  await page.getByRole('row', { name: /may keep house/ }).getByText('this one').filter({ visible: true }).waitFor();
  const { tokens } = await stage.call('admin', 'GET', '/v1/tokens');
  const beside = tokens.find((token) => token.with);
  await stage.call('admin', 'DELETE', `/v1/tokens/${encodeURIComponent(beside.name)}`);
  await page.goto(`${stage.url}/#/inbox`);
  await page.goto(`${stage.url}/#/agents`);
  await page.getByText('sayso open --admin').waitFor();
  // Without the whole device it is out.
  const device = tokens.find((token) => token.id === beside.with);
  await stage.call('admin', 'DELETE', `/v1/tokens/${encodeURIComponent(device.name)}`);
  await page.getByRole('heading', { name: /^Log in to/ }).waitFor();
});

scene('settings say how long things wait, and where to set that', async ({ enter }) => {
  const page = await enter({ path: 'settings', size: PHONE });
  await page.getByText('chat.turn_timeout').waitFor();
  await page.getByText('10 min').first().waitFor();
  await page.getByText('for ever').first().waitFor();
  await page.getByText('Dark').tap();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'sayso-dark');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, 'nothing sticks out');
});
