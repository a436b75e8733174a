import { describe, expect, test } from 'vitest';
import { codePieces } from '../../src/lib/codeline';
import { coloured, languageOf } from '../../src/lib/colours';

/** The coloured parts of a text, as `colour:part`. */
function seen(name: string, text: string): string[][] {
  const language = languageOf(name);
  if (!language) return [];
  const lines = text.split('\n');
  return coloured(text, language).map((tokens, at) => tokens.map(({ from, to, colour }) => `${colour}:${lines[at]?.slice(from, to)}`));
}

describe('the colours of code', () => {
  test('are those of its language', () => {
    expect(seen('src/cache.rs', "pub struct CartCache<'a> { // all\n  ttl: Duration, 'x' \"s\\\"t\" 0x1f\n}")).toEqual([
      ['keyword:pub', 'keyword:struct', 'name:CartCache', 'comment:// all'],
      ['name:Duration', "string:'x'", 'string:"s\\"t"', 'number:0x1f'],
      [],
    ]);
    expect(seen('a.json', '{"a": "b", "n": 1.5e3, "t": true}')).toEqual([['name:"a"', 'string:"b"', 'name:"n"', 'number:1.5e3', 'name:"t"', 'keyword:true']]);
    expect(seen('x/audit.toml', '[yanked] # why\nenabled = true')).toEqual([['name:[yanked]', 'comment:# why'], ['keyword:true']]);
    expect(seen('bash', 'for a in "$b"; do echo $HOME#x; done # end')).toEqual([['keyword:for', 'keyword:in', 'string:"$b"', 'keyword:do', 'name:$HOME', 'keyword:done', 'comment:# end']]);
    expect(seen('a.sql', 'SELECT id from t where a = 1')).toEqual([['keyword:SELECT', 'keyword:from', 'keyword:where', 'number:1']]);
    expect(seen('a.html', '<a href="x 1">It is 1</a>')).toEqual([['keyword:<a', 'name:href', 'string:"x 1"', 'keyword:</a']]);
    expect(seen('ci.yaml', 'on: push\n  - name: x')).toEqual([['name:on'], ['name:name']]);
    expect(seen('py', 'def load(x):\n  """two\nlines"""\n  return None')).toEqual([['keyword:def', 'name:load'], ['string:"""two'], ['string:lines"""'], ['keyword:return', 'keyword:None']]);
  });
  test('of what is over several lines are on each of them', () => {
    expect(seen('ts', 'a /* b\n\nc */ const `x\ny` 2')).toEqual([['comment:/* b'], [], ['comment:c */', 'keyword:const', 'string:`x'], ['string:y`', 'number:2']]);
    expect(seen('ts', 'x /* never\nends\n')).toEqual([['comment:/* never'], ['comment:ends'], []]);
  });
  test('are none for a language that is not known', () => {
    for (const name of ['README.md', 'notes', '', 'x.unknown']) expect(languageOf(name)).toBeUndefined();
  });
  test('take the time of reading, whatever the text is', () => {
    for (const piece of ['"', "'", '`', '/*', '\\', '<', '$', '${', 'a', '1', '\n', '#', ' ', '\\"', "'\\", 'x: ', '[[', '<!--', '"""\\'])
      for (const name of ['rs', 'ts', 'sh', 'yaml', 'html']) {
        const begun = performance.now();
        coloured(piece.repeat(Math.ceil(100_000 / piece.length)), languageOf(name)!);
        const ms = performance.now() - begun;
        expect(ms, `${name} ${JSON.stringify(piece)} took ${ms} ms`).toBeLessThan(5000);
      }
  }, 60_000);
});

test('the pieces of a line together are the line, with hidden characters whole', () => {
  const text = 'let a\u202eb = sh\u043ep;';
  const pieces = codePieces(text, [{ from: 4, to: 8 }], [{ from: 0, to: 3, colour: 'keyword' }, { from: 5, to: 6, colour: 'name' }, { from: 10, to: 12, colour: 'string' }]);
  expect(pieces.map(({ piece }) => piece.text).join('')).toBe(text);
  expect(pieces.map(({ piece, marked, colour }) => [piece.kind, piece.text, marked, colour ?? ''])).toEqual([
    ['plain', 'let', false, 'keyword'],
    ['plain', ' ', false, ''],
    ['plain', 'a', true, ''],
    ['hidden', '\u202e', true, 'name'],
    ['plain', 'b ', true, ''],
    ['plain', '= ', false, ''],
    ['alike', 'sh', false, 'string'],
    ['alike', '\u043ep', false, ''],
    ['plain', ';', false, ''],
  ]);
});
