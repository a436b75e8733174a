import { describe, expect, test } from 'vitest';
import { restOf } from '../../src/lib/claims';
import { findings, pieces, plainLine } from '../../src/lib/escape';
import { foldedInput, inputFields } from '../../src/lib/layout';
import { partsOf, programOf, wordsOf } from '../../src/lib/shell';
import { ago, left, span } from '../../src/lib/time';
import { marked } from '../../src/history/mark';

describe('the escaper', () => {
  test('cuts out what cannot be seen and leaves the rest', () => {
    expect(pieces('a\u202eb', false)).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'hidden', text: '\u202e', code: '\\u{202e}', name: 'right-to-left override' },
      { kind: 'plain', text: 'b' },
    ]);
  });
  test('the pieces together are the text', () => {
    for (const text of ['', 'plain', 'a\nb\tc', 'x\u200b\u202e\u00a0y', 'sh\u043ep', 'Ölçü ☎️ 日本', '\ud800']) {
      for (const block of [true, false]) expect(pieces(text, block).map((piece) => piece.text).join('')).toBe(text);
    }
  });
  test('line breaks are text in a block and marks in a line', () => {
    expect(plainLine('a\nb')).toBe('a\\u{a}b');
    expect(pieces('a\nb', true)).toEqual([{ kind: 'plain', text: 'a\nb' }]);
  });
  test('ordinary words of other alphabets are left alone', () => {
    for (const text of ['Привет мир', 'Größe', 'Ελληνικά', 'naïve café', '日本語 text', '👩‍💻 done ☎️']) {
      expect(pieces(text, false).every((piece) => piece.kind === 'plain')).toBe(true);
    }
  });
  test('look-alike letters are named', () => {
    expect(findings('sh\u043ep.example').map((finding) => finding.sentence)).toEqual(['Look-alike letters in “sh\u043ep”: “\u043e” is U+043E.']);
    expect(findings('a\u200b\u200b').map((finding) => finding.sentence)).toEqual(['2 hidden characters: zero width space.']);
  });
});

describe('a command line', () => {
  const hard = ['a && b', "echo 'a && b' | wc -l", 'x=1 run "$(ls; pwd)" 2>&1; y', 'a\\ b\nc', "it's open", 'f() { a; }', '&& |', ''];
  test('its words together are the command', () => {
    for (const command of hard) expect(wordsOf(command).map((word) => word.text).join('')).toBe(command);
  });
  test('falls into its parts, but not inside quotes', () => {
    const parts = partsOf('git fetch origin && git push origin main; rm -rf "a;b"');
    expect(parts.map((part) => part.words.map((word) => word.text).join('').trim())).toEqual(['git fetch origin', '&& git push origin main', '; rm -rf "a;b"']);
    expect(parts.map((part) => part.from)).toEqual([0, 17, 40]);
  });
  test('has a program behind its variables', () => {
    expect(programOf('A=1 B="2 3" make all')).toBe('make');
    expect(programOf('')).toBe('');
  });
});

const laidOut = (text: string) => foldedInput(text).map(({ text: shown, rest }) => shown + rest).join('');

test('JSON is laid out without touching a value', () => {
  const text = '{"n":12345678901234567890,"s":"a,{}\\"","e":[],"o":{"x":1.50}}';
  const out = laidOut(text);
  expect(out).toContain('12345678901234567890');
  expect(out).toContain('1.50');
  expect(out.replace(/\n */g, '').replace(/": /g, '":')).toBe(text);
  expect(laidOut('not json, {')).toBe('not json, {');
});

test('long texts are folded, at no place that is inside an escape or a pair', () => {
  const long = 'é😀\\u20ac\\"'.repeat(200);
  for (let lead = 0; lead < 12; lead += 1) {
    const text = `{"a":"${'x'.repeat(lead)}${long}","b":"short"}`;
    const pieces = foldedInput(text);
    expect(pieces).toHaveLength(2);
    expect(laidOut(text).replace(/\n */g, '').replace(/": /g, '":')).toBe(text);
    for (const half of [`${pieces[0]?.text.slice(pieces[0].text.indexOf(': ') + 2)}"`, `"${pieces[0]?.rest}`]) expect(() => JSON.parse(half)).not.toThrow();
    expect(pieces[0]?.rest).toMatch(/^[^\udc00-\udfff]/u);
  }
});

test('the fields of an input are all of it, those that are said twice, too', () => {
  const rows = (text: string) => inputFields(text)?.map(({ name, lead, host, pieces }) => [name, lead, host, ...pieces.map(({ text: shown, rest }) => shown + rest)]);
  expect(rows(' { "url" : "https://a@docs.rs/x?y", "n":12345678901234567890 ,"n":-1.50,"t":true, "s":"a\\nb \\"c\\"","o":{"x":[1,"}"]}, "": null}')).toEqual([
    ['url', 'https://', 'a@docs.rs', '/x?y'],
    ['n', '', '', '12345678901234567890'],
    ['n', '', '', '-1.50'],
    ['t', '', '', 'true'],
    ['s', '', '', 'a\nb "c"'],
    ['o', '', '', '{\n  "x": [\n    1,\n    "}"\n  ]\n}'],
    ['', '', '', 'null'],
  ]);
  // What could be taken for another value keeps its signs.
  expect(rows('{"a":"86400","b":"true","c":"","d":" x","e":"[1]"}')?.map(([, , , text]) => text)).toEqual(['"86400"', '"true"', '""', '" x"', '"[1]"']);
  expect(rows('{"deep":"' + 'é'.repeat(500) + '"}')?.[0]?.[3]).toBe('é'.repeat(500));
  for (const other of ['[1]', 'x', '"s"', '{"a":']) expect(inputFields(other)).toBeUndefined();
  expect(inputFields('{}')).toEqual([]);
});

test('no input is too deep to be shown, and none takes long', () => {
  for (const [open, close] of [['[', ']'], ['{"a":', '}']] as const) {
    const depth = 250_000 / (open.length + close.length);
    const text = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const begun = performance.now();
    const pieces = foldedInput(text);
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(pieces.reduce((sum, { text: shown }) => sum + shown.split('\n').length, 0)).toBeLessThan(100);
    expect(laidOut(text).replace(/\n */g, '').replace(/": /g, '":').replace(/\s/g, '')).toBe(text);
    expect(restOf({ tool: 'Bash', input: `{"command":"ls","deep":${text}}`, act: { kind: 'shell', command: 'ls' } } as never).differs).toBe(false);
  }
});

describe('an act that is drawn', () => {
  const action = (input: string, act: object) => ({ tool: 'Bash', input, act, risk: 'medium', reasons: [], spans: [], flags: [] }) as never;
  test('shows what the drawing leaves out', () => {
    expect(restOf(action('{"command":"ls","timeout":5}', { kind: 'shell', command: 'ls' }))).toEqual({ text: 'timeout: 5', differs: false });
  });
  test('says when the input is something else', () => {
    const input = '{"command":"rm -rf /"}';
    expect(restOf(action(input, { kind: 'shell', command: 'ls' }))).toEqual({ text: input, differs: true });
    expect(restOf(action('rm', { kind: 'shell', command: 'ls' }))).toEqual({ text: 'rm', differs: true });
    expect(restOf(action('ls', { kind: 'shell', command: 'ls' }))).toEqual({ text: '', differs: false });
  });
});

test('spans and moments are said in words', () => {
  expect([17_000, 240_000, 4_920_000, 90_000_000].map(span)).toEqual(['17 s', '4 min', '1 h 22 min', '1 day']);
  expect([38_000, 72_000, 3_661_000].map(left)).toEqual(['0:38', '1:12', '1:01:01']);
  const now = new Date(2026, 10, 15, 14, 2).getTime();
  expect(ago(new Date(now - 3000), now)).toBe('3 s ago');
  expect(ago(new Date(2026, 10, 14, 9, 5), now)).toBe('yesterday 09:05');
  expect(ago(new Date(2026, 10, 13, 9, 5), now)).toBe('13 Nov');
});

test('words of a search are marked, signs of patterns too', () => {
  expect(marked('a.b and axb', 'a.b')).toEqual([{ text: 'a.b', hit: true }, { text: ' and axb', hit: false }]);
});
