import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proseIn } from './prose';

const SRC = join(process.cwd(), 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(svelte|ts)$/.test(name) && !name.startsWith('words/') && name !== 'api/schema.ts');

test('every sentence of the page stands in the dictionary', () => {
  const found = files.flatMap((name) => proseIn(name, readFileSync(join(SRC, name), 'utf8')).map(({ line, text }) => `${name}:${line}: ${text}`));
  expect(found).toEqual([]);
}, 60_000);

test('a sentence in a component is found, wherever it stands', () => {
  const source = `<script lang="ts">\n  const a = 'Nothing waits';\n  const b = \`\${a} not seen yet. Scroll\`;\n</script>\n<p class="text-fine text-muted" title="Close it">Log in {a ? 'Denied' : 'x'}</p>\n<kbd>esc</kbd>`;
  expect(proseIn('A.svelte', source)).toEqual([
    { line: 2, text: 'Nothing waits' },
    { line: 3, text: ' not seen yet. Scroll' },
    { line: 5, text: 'Close it' },
    { line: 5, text: 'Log in' },
    { line: 5, text: 'Denied' },
  ]);
});
