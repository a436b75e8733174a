// For the bench: how smoothly long lists move in a real browser.
// Words: the server's address, its state folder, `open` or `past`, how often, and where to leave the
// figures. `open` asks a thousand things and scrolls the inbox; `past` scrolls and searches a history.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, WIDE } from './browser.mjs';

const [url, state, what, count, out] = process.argv.slice(2);
const token = (role) => readFileSync(join(state, `${role}.token`), 'utf8').trim();
const call = async (role, path, body, secret = token(role)) => {
  const reply = await fetch(url + path, { method: 'POST', headers: { Authorization: `Bearer ${secret}` }, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
};
const OPEN = 1000;

/** How long the frames took in which a list was moved by so many pixels each. */
function frames(page, selector, steps, byPx) {
  return page.evaluate(
    ([wanted, times, px]) =>
      new Promise((done) => {
        const list = document.querySelector(wanted);
        const spans = [];
        let last = performance.now();
        const step = (now) => {
          spans.push(now - last);
          last = now;
          const end = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
          list.scrollTop = end ? 0 : list.scrollTop + px;
          if (spans.length < times) requestAnimationFrame(step);
          // The first one waited for this to begin.
          else done(spans.slice(1));
        };
        requestAnimationFrame(step);
      }),
    [selector, steps, byPx],
  );
}

/** From a jump down to the frame in which every row in view is the ask that stands there. */
function jump(page, selector) {
  return page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const list = document.querySelector(wanted);
        const begun = performance.now();
        const before = list.scrollHeight;
        list.scrollTop = list.scrollHeight;
        const look = () => {
          const rows = [...list.querySelectorAll('li')].filter((row) => row.getBoundingClientRect().top < innerHeight);
          const whole = rows.length > 5 && rows.every((row) => row.textContent.trim() !== '');
          if (whole && list.scrollHeight > before) setTimeout(() => done(performance.now() - begun));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    selector,
  );
}

/** From the last letter of a search to the frame that shows what it found. */
async function search(page, word) {
  return page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const field = document.querySelector('main input[type=search]');
        const begun = performance.now();
        field.value = wanted;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        const look = () => {
          const rows = [...document.querySelectorAll('main li')];
          if (rows.length && rows.every((row) => row.querySelector('mark')?.textContent === wanted)) setTimeout(() => done(performance.now() - begun));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    word,
  );
}

const rank = (spans, share) => spans.sort((a, b) => a - b)[Math.max(0, Math.ceil(spans.length * share) - 1)];
const browser = await launch();
const page = await (await browser.newContext({ viewport: WIDE })).newPage();
const figures = {};
if (what === 'open') {
  const asks = Array.from({ length: OPEN }, (_, at) => ({ matter: 'questions', agent: `agent-${at % 20}`, questions: [{ text: `Which of the two for step ${at}?`, choices: [{ label: 'This' }, { label: 'That' }] }] }));
  // A token of its own for each part: one alone may not ask so much at once.
  for (let at = 0; at < OPEN; at += OPEN / 5) {
    const { token: secret } = await call('admin', '/v1/tokens', { role: 'agent', name: `part-${at}` });
    for (const ask of asks.slice(at, at + OPEN / 5)) await call('agent', '/v1/asks', ask, secret);
  }
  await page.goto((await call('admin', '/v1/logins', {})).url);
  await page.getByText(`${OPEN} waiting`).last().waitFor();
  const list = '[role=region] .overflow-y-auto, [role=main] .overflow-y-auto';
  await page.locator(list).first().waitFor();
  const spans = await frames(page, list, 3 * Number(count), 120);
  Object.assign(figures, { rows: OPEN, frame_p50_ms: rank(spans, 0.5), frame_p95_ms: rank(spans, 0.95) });
} else {
  await page.goto((await call('admin', '/v1/logins', {})).url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(`${url}/#/history`);
  const list = 'main .overflow-y-auto';
  await page.locator(`${list} li`).first().waitFor();
  const jumps = [];
  for (let at = 0; at < Number(count); at += 1) jumps.push(await jump(page, list));
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  const spans = await frames(page, list, 3 * Number(count), 120);
  const finds = [];
  // What a row shows is its title, and the number in it is a word of its own.
  for (let at = 0; at < Number(count) / 4; at += 1) finds.push(await search(page, `${1000 + 7 * at}`));
  Object.assign(figures, { nodes, frame_p95_ms: rank(spans, 0.95), page_p50_ms: rank(jumps, 0.5), page_p95_ms: rank(jumps, 0.95), search_p50_ms: rank(finds, 0.5), search_p95_ms: rank(finds, 0.95) });
}
await browser.close();
writeFileSync(`${out}.part`, JSON.stringify(figures));
renameSync(`${out}.part`, out);
