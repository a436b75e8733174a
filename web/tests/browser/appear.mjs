// For the bench: how long an ask takes from being sent by an agent to being painted in the inbox.
// Words: the server's address, its state folder, how many asks, and where to leave the figures.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, WIDE } from './browser.mjs';

const [url, state, count, out] = process.argv.slice(2);
const token = (role) => readFileSync(join(state, `${role}.token`), 'utf8').trim();
const call = async (role, path, body) => {
  const reply = await fetch(url + path, { method: 'POST', headers: { Authorization: `Bearer ${token(role)}` }, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
};

const browser = await launch();
const page = await (await browser.newContext({ viewport: WIDE })).newPage();
await page.goto((await call('admin', '/v1/logins', {})).url);
await page.getByText('Live', { exact: true }).waitFor();

/** Waits for a text and gives the moment of the frame after the one it came in: by then it is painted. */
const painted = (text) =>
  page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const watcher = new MutationObserver((records) => {
          // Only rows of the list count; what is read out comes from the same words.
          const rows = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.nodeName === 'LI' || node.nodeName === 'SECTION');
          if (!rows.some((row) => row.textContent.includes(wanted))) return;
          watcher.disconnect();
          requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now())));
        });
        watcher.observe(document.body, { childList: true, subtree: true });
        globalThis.watching = wanted;
      }),
    text,
  );

const spans = [];
for (let at = 0; at < Number(count); at += 1) {
  const text = `Is number ${at} on screen?`;
  const seen = painted(text);
  await page.waitForFunction((wanted) => globalThis.watching === wanted, text);
  const sent = performance.timeOrigin + performance.now();
  const ask = await call('agent', '/v1/asks', { matter: 'questions', agent: 'pacer', questions: [{ text, choices: [{ label: 'Yes' }, { label: 'No' }] }] });
  spans.push((await seen) - sent);
  // Taken back, and not in a rush: what has ended stays for a while, and the list of a person is short.
  await call('agent', `/v1/asks/${ask.id}/withdraw`, {});
  await new Promise((rested) => setTimeout(rested, 400));
}
await browser.close();
spans.sort((a, b) => a - b);
const rank = (share) => spans[Math.max(0, Math.ceil(spans.length * share) - 1)];
writeFileSync(`${out}.part`, JSON.stringify({ p50_ms: rank(0.5), p95_ms: rank(0.95) }));
renameSync(`${out}.part`, out);
