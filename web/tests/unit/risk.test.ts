import { expect, test } from 'vitest';
import { marksOf, piecesOf, riskSentence } from '../../src/lib/risk';

const cut = (command: string, spans: { start: number; end: number; reason: number }[]) => piecesOf(command, 0, marksOf(command, spans));

test('spans are bytes, and the page counts characters', () => {
  // é is two bytes, 日 three, 😀 four, and two characters for a browser.
  const command = 'echo é日😀 && rm -rf /';
  const from = new TextEncoder().encode('echo é日😀 && ').length;
  expect(marksOf(command, [{ reason: 0, start: from, end: from + 8 }]).map(({ from: at, to }) => command.slice(at, to))).toEqual(['rm -rf /']);
  expect(cut(command, [{ reason: 0, start: 5, end: 14 }])).toEqual([{ text: 'echo ', reason: undefined }, { text: 'é日😀', reason: 0 }, { text: ' && rm -rf /', reason: undefined }]);
});

test('spans that overlap show the most serious reason, and the pieces are the whole text', () => {
  const pieces = cut('sudo rm -rf /', [{ reason: 1, start: 0, end: 7 }, { reason: 0, start: 5, end: 13 }]);
  expect(pieces).toEqual([{ text: 'sudo ', reason: 1 }, { text: 'rm', reason: 0 }, { text: ' -rf /', reason: 0 }]);
});

test('a span that does not fit the command marks nothing', () => {
  for (const span of [{ start: 3, end: 3 }, { start: 5, end: 2 }, { start: 0, end: 99 }, { start: -1, end: 2 }]) expect(marksOf('ls -l', [{ reason: 0, ...span }])).toEqual([]);
});

test('the level is said with its first reason, or alone', () => {
  const action = (reasons: string[]) => ({ risk: 'high', reasons }) as never;
  expect(riskSentence(action(['deletes files as root', 'stops a service']))).toBe('High risk: deletes files as root');
  expect(riskSentence(action([]))).toBe('High risk');
});
