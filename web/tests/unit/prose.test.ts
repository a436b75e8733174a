import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proseIn } from './prose';

const SRC = join(process.cwd(), 'src');
/** Rooms whose sentences have yet to move; a room that has none left leaves this list. */
const NOT_YET = ['agents/', 'frame/Settings.svelte', 'inbox/Connect.svelte'];
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(svelte|ts)$/.test(name) && !name.startsWith('words/') && name !== 'api/schema.ts');

test('every sentence of the page stands in the dictionary', () => {
  const found = files.flatMap((name) => proseIn(name, readFileSync(join(SRC, name), 'utf8')).map(({ line, text }) => `${name}:${line}: ${text}`));
  const waits = (line: string) => NOT_YET.some((start) => line.startsWith(start));
  expect(found.filter((line) => !waits(line))).toEqual([]);
  expect(NOT_YET.filter((start) => !found.some((line) => line.startsWith(start)))).toEqual([]);
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
