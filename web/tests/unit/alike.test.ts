import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pieces } from '../../src/lib/escape';

// Written by the server's escaper, which is held to the same file.
const cases = JSON.parse(readFileSync('tests/unit/alike.json', 'utf8')) as [string, string[]][];

test('the page marks the words that the server marks', () => {
  const ours = cases.map(([text]) => [text, pieces(text, false).filter((piece) => piece.kind === 'alike').map((piece) => piece.text)]);
  expect(ours).toEqual(cases);
});
