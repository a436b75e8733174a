// What an admin sees of the nodes, and what the page says while one is cut off from its database.

import assert from 'node:assert/strict';
import { scene } from './house.mjs';

const seen_at = '2026-01-02T03:04:05.000Z';
const row = (node, state, applied) => ({ node, url: `http://10.0.0.${node.length}:7717`, version: '0.1.0', state, applied, seen_at });

scene('an admin sees the one node there is, and nobody else does', async ({ enter }) => {
  const page = await enter({ admin: true, path: 'settings' });
  await page.getByText(/^One node: .+, version \d/).waitFor();
  const other = await enter({ path: 'settings' });
  await other.getByRole('heading', { name: 'How long things wait' }).waitFor();
  assert.equal(await other.getByRole('heading', { name: 'Nodes' }).count(), 0);
});

scene('an admin sees which nodes run, and how far each is', async ({ stage, enter }) => {
  const page = await enter({ admin: true });
  const rows = [row('a', 'fresh', 20), row('bb', 'fresh', 17), row('ccc', 'silent', 12), row('dddd', 'gone', 3)];
  await page.route('**/v1/nodes', (route) => route.fulfill({ json: { nodes: rows } }));
  await page.goto(`${stage.url}/#/settings`);
  const nodes = page.getByRole('region', { name: 'Nodes' });
  await nodes.getByText('dddd').waitFor();
  const lines = await nodes.getByRole('listitem').allInnerTexts();
  const [a, bb, ccc, dddd] = lines.map((line) => line.replaceAll(/\s+/g, ' '));
  assert.match(a, /^a http:\/\/10\.0\.0\.1:7717, version 0\.1\.0 Running up to date$/);
  assert.match(bb, /Running 3 events behind$/);
  assert.match(ccc, /Can’t reach the database last seen /);
  assert.match(dddd, /Stopped last seen /);
});

scene('a node that is cut off from its database says so, and the page goes on by itself', async ({ stage, enter }) => {
  const page = await enter();
  await page.getByText('Live', { exact: true }).waitFor();
  const detail = 'This node can’t reach its database.';
  const refusal = { type: 'urn:sayso:problem:try_later', title: 'Try again later', status: 503, code: 'try_later', detail };
  const refuse = (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: refusal });
  await page.route('**/v1/tickets', refuse);
  await stage.kill();
  await stage.start();
  await page.getByText(`${detail} Waiting for it to come back.`).waitFor();
  await page.unroute('**/v1/tickets', refuse);
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal(await page.getByText(detail).count(), 0);
});

scene('a page whose node lost the database, and whose load balancer has no other, says both', async ({ stage, enter }) => {
  const page = await enter({ path: 'history' });
  let cut;
  await page.routeWebSocket('**/v1/feed?**', (socket) => {
    socket.connectToServer();
    cut = () => socket.close({ code: 1013, reason: "this node can't reach its database" });
  });
  await page.goto(`${stage.url}/#/inbox`);
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  const refuse = (route) => route.fulfill({ status: 503, body: 'no server is available' });
  const hold = (route) => new Promise((go) => setTimeout(() => go(route.continue()), 3000));
  await page.route('**/v1/tickets', hold);
  await cut();
  await page.getByText('This node can’t reach its database. Waiting for it to come back.').waitFor();
  await page.unroute('**/v1/tickets', hold);
  await page.route('**/v1/tickets', refuse);
  await page.getByText('No node is ready right now. Waiting for it to come back.').waitFor();
  await page.unroute('**/v1/tickets', refuse);
  await page.getByText('Live', { exact: true }).waitFor();
});

const UNSAFE = 'Answers can be lost. A power cut can take back what this server already confirmed: tmpfs.';
const label = { name: 'What can be lost' };

scene('a server that keeps its state in memory says so on every screen, until the person has read it', async ({ stage, enter }) => {
  const page = await enter();
  const banner = page.getByRole('region', label);
  await banner.waitFor();
  assert.equal((await banner.innerText()).replaceAll(/\s+/g, ' ').trim(), UNSAFE);
  await page.goto(`${stage.url}/#/history`);
  await banner.getByRole('button', { name: 'Don’t show this again on this device' }).click();
  await banner.waitFor({ state: 'detached' });
  await page.reload();
  await Promise.all([page.waitForResponse('**/v1/health'), page.getByText('Live', { exact: true }).waitFor()]);
  assert.equal(await banner.count(), 0);
}, () => ({ TMPDIR: '/dev/shm' }));

scene('an admin of several nodes learns that a failover can lose answers, and a lone node says nothing', async ({ stage, enter }) => {
  const page = await enter({ admin: true });
  const health = await stage.call('admin', 'GET', '/v1/health');
  const durability = 'power-loss-safe (a failover may lose the last moment)';
  await page.route('**/v1/health', (route) => route.fulfill({ json: { ...health, durability } }));
  const nodes = [row('a', 'fresh', 20)];
  await page.route('**/v1/nodes', (route) => route.fulfill({ json: { nodes } }));
  const banner = page.getByRole('region', label);
  await page.goto(`${stage.url}/#/history`);
  const asked = page.waitForResponse('**/v1/nodes');
  await page.reload();
  await asked;
  assert.equal(await banner.count(), 0);
  nodes.push(row('b', 'fresh', 20));
  await page.reload();
  await banner.getByText('A failover can lose the last moment.').waitFor();
});
