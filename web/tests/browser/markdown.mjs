// Markdown of agents and people: drawn where prose stands, and never more than text and links.

import assert from 'node:assert/strict';
import { open, scene } from './house.mjs';

const PROSE = `# Why carts load slowly

Every page view reads the \`cart\` table. **Guests** cause most of it:

| Visitors | p95 |
|----------|----:|
| Guests   | 340 ms |

- add \`CartCache\`
- [read this](https://example.org/caches) and https://example.org/

\`\`\`rust
if let Some(cart) = self.fresh(&id) {
    return Ok(cart);
}
\`\`\``;

const HOSTILE = `[click](javascript:window.caught=1) [click](data:text/html,x) <a href="https://evil.example">x</a>
![pixel](https://evil.example/pixel.png) <img src="https://evil.example/pixel.png" onerror="window.caught=1">
<script>window.caught=1</script> [https://good.example](https://evil.example/login) a\u202eb`;

const question = (text, more = {}) => ({ matter: 'questions', agent: 'coder', questions: [{ text, choices: [{ label: 'Yes', description: 'The `cart` table, see [the plan](https://example.org/plan)', ...more }, { label: 'No' }] }] });

scene('prose of an agent has headings, tables, lists, links and code to copy', async ({ stage, enter }) => {
  const page = await enter({ permissions: ['clipboard-read', 'clipboard-write'] });
  const ask = await stage.ask(question(PROSE));
  await open(page, stage, ask);
  const main = page.getByRole('main');
  await main.getByRole('heading', { name: 'Why carts load slowly', exact: true }).waitFor();
  await page.getByRole('cell', { name: '340 ms' }).waitFor();
  assert.equal(await main.getByRole('listitem').filter({ hasText: 'CartCache' }).locator('code').innerText(), 'CartCache');
  assert.equal((await main.getByRole('listitem').filter({ hasText: 'read this' }).innerText()).trim(), 'read this (example.org) and https://example.org/');
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'if let Some(cart) = self.fresh(&id) {\n    return Ok(cart);\n}');
  // A link opens on a click, elsewhere, and knows nothing of this page.
  await page.context().route('https://example.org/**', (route) => route.fulfill({ contentType: 'text/html', body: '<p id="there">there</p>' }));
  const [there] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name: 'the plan' }).click()]);
  await there.locator('#there').waitFor();
  assert.equal(there.url(), 'https://example.org/plan');
  assert.deepEqual(await there.evaluate(() => [window.opener === null, document.referrer]), [true, '']);
  assert.equal(await page.getByRole('radio', { name: /Yes/ }).isChecked(), false, 'a link in a choice chooses nothing');
});

scene('text that wants to be more stays text, wherever prose is drawn', async ({ stage, enter }) => {
  const page = await enter();
  const asks = [question(HOSTILE, { description: HOSTILE, preview: HOSTILE }), { matter: 'approval', agent: 'coder', action: { tool: 'Bash', input: '{"command":"echo **a** `b`"}', reason: HOSTILE, act: { kind: 'shell', command: 'echo **a** `b`' } } }, { matter: 'form', agent: 'coder', form: { message: HOSTILE, fields: [{ name: 'a', kind: 'text', description: HOSTILE }] } }];
  for (const body of asks) {
    await open(page, stage, await stage.ask(body));
    await page.getByText('Picture: pixel (https://evil.example/pixel.png)').first().waitFor();
    await page.getByText('[click](javascript:window.caught=1)').first().waitFor();
    await page.getByRole('img', { name: 'hidden character, right-to-left override' }).first().waitFor();
    const links = await page.locator('main a[target=_blank]').evaluateAll((all) => all.map((link) => [link.textContent, link.href, link.rel]));
    for (const [, href, rel] of links) assert.deepEqual([new URL(href).host, rel], ['evil.example', 'noopener noreferrer nofollow']);
    assert.ok(links.some(([text, href]) => text === 'https://good.example' && href === 'https://evil.example/login'));
    await page.getByText('https://good.example (evil.example)').first().waitFor();
    const grown = await page.evaluate(() => document.querySelectorAll('#app img, #app iframe, #app script, #app [onerror], #app a[href^="javascript"], #app a[href^="data"]').length);
    assert.equal(grown, 0);
    assert.equal(await page.evaluate(() => 'caught' in window), false);
  }
});

scene('what would be run is never Markdown', async ({ stage, enter }) => {
  const page = await enter();
  const command = 'echo **a** `b` [c](https://example.org) # d';
  await open(page, stage, await stage.ask({ matter: 'approval', agent: 'coder', action: { tool: 'Bash', input: JSON.stringify({ command }), reason: 'To see **a**.', act: { kind: 'shell', command } } }));
  assert.equal(await page.locator('pre').first().innerText(), command);
  assert.equal(await page.locator('main a[target=_blank]').count(), 0);
  assert.equal(await page.locator('figure.agent-box strong').innerText(), 'a');
});

scene('60 kB that are meant to freeze the page do not', async ({ stage, enter }) => {
  const page = await enter();
  for (const thing of ['_a', '[', '*a ', '> ', '[a](https://a) ']) {
    const ask = await stage.ask(question('Which?', { preview: thing.repeat(60_000 / thing.length) }));
    await open(page, stage, ask);
    await page.getByRole('heading', { name: 'Which?' }).waitFor();
    const from = Date.now();
    await page.getByRole('radio', { name: /Yes/ }).check();
    await page.getByRole('region', { name: 'Preview' }).getByText(thing.trim().slice(0, 3)).first().waitFor();
    assert.ok(Date.now() - from < 4000, `${thing} took ${Date.now() - from} ms`);
  }
});
