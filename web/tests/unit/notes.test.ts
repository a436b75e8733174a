import { expect, test } from 'vitest';
import { rowsOf, summaryOf, type Row } from '../../src/conversations/notes';

let seq = 0;
const note = (tool: string | undefined, text: string, status?: string) => ({ kind: 'note', seq: (seq += 1), at: new Date(seq * 1000).toISOString(), conversation: 'c', tool, text, status }) as never;
const said = (text: string) => ({ kind: 'said', seq: (seq += 1), at: new Date(seq * 1000).toISOString(), conversation: 'c', text }) as never;
const calls = (row: Row | undefined) => (row?.kind === 'notes' ? row.calls : []);

test('notes that follow each other are one row, and what stands between them parts them', () => {
  const rows = rowsOf([note('Read', 'a'), note('Grep', 'b'), said('x'), note('Read', 'c'), note(undefined, 'deployed'), note('Read', 'd')]);
  expect(rows.map(({ kind }) => kind)).toEqual(['notes', 'entry', 'notes', 'entry', 'notes']);
  expect(rows[0]).toMatchObject({ ms: 1000 });
});

test('the end of a call belongs to its beginning', () => {
  const [row] = rowsOf([note('Read', 'a', 'running'), note('Read', 'b', 'running'), note('Read', 'A', 'done'), note('Bash', 'c', 'running'), note('Read', 'B', 'failed'), note('Read', 'alone', 'done')]);
  expect(calls(row).map(({ tool, text, result, status }) => [tool, text, result, status])).toEqual([
    ['Read', 'a', 'A', 'done'],
    ['Read', 'b', 'B', 'failed'],
    ['Bash', 'c', '', 'running'],
    ['Read', 'alone', '', 'done'],
  ]);
});

test('a line says what was done, where the tools are known', () => {
  const line = (...tools: string[]) => summaryOf(calls(rowsOf(tools.map((tool) => note(tool, '')))[0]));
  expect(line('Read', 'Grep', 'read_file', 'Glob', 'View', 'Read')).toBe('6 tool notes: read 4 files, ran 2 searches');
  expect(line('Bash', 'Edit', 'mcp__x__y')).toBe('3 tool notes: ran 1 command, edited 1 file, 1 other');
  expect(line('mcp__x__y', 'calendar')).toBe('2 tool notes');
});
