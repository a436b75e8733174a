import { describe, expect, test } from 'vitest';
import { counts, diff, type Line } from '../../src/lib/diff';
import { changeCount, stretchesOf } from '../../src/lib/folds';
import { changedParts, pairsOf } from '../../src/lib/marks';
import { matches } from '../../src/lib/match';

const side = (lines: Line[], sign: string) => lines.filter((line) => line.sign !== sign).map(({ text }) => text).join('\n');
/** Always the same numbers, so that a failure can be looked at again. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
}
const parts = (text: string, other: string) => changedParts(text, other).map(({ from, to }) => text.slice(from, to));

describe('what two lists have in common', () => {
  test('is the most there can be, for short lists', () => {
    const roll = dice(7);
    for (let round = 0; round < 500; round += 1) {
      const list = () => Array.from({ length: roll(12) }, () => String(roll(4)));
      const [a, b] = [list(), list()];
      const found = matches(a, b);
      expect(found.every(([i, j], at) => a[i] === b[j] && (at === 0 || (i > (found[at - 1]?.[0] ?? 0) && j > (found[at - 1]?.[1] ?? 0))))).toBe(true);
      const best = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
      for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) best[i]![j] = a[i] === b[j] ? best[i + 1]![j + 1]! + 1 : Math.max(best[i + 1]![j]!, best[i]![j + 1]!);
      expect(found.length).toBe(best[0]![0]);
    }
  });
  test('takes bounded time, whatever 10,000 lines are', () => {
    const roll = dice(3);
    const list = (line: (at: number) => string) => Array.from({ length: 10_000 }, (_, at) => line(at));
    const cases: Record<string, [string[], string[]]> = {
      different: [list((at) => `a${at}`), list((at) => `b${at}`)],
      equal: [list((at) => `a${at}`), list((at) => `a${at}`)],
      repeated: [list((at) => String(at % 3)), list((at) => String(at % 2))],
      shuffled: [list((at) => `a${at}`), list((at) => `a${(at * 7919) % 10_000}`)],
      twoLetters: [list(() => String(roll(2))), list(() => String(roll(2)))],
      backwards: [list((at) => `a${at}`), list((at) => `a${9999 - at}`)],
      everyOther: [list((at) => `a${at}`), list((at) => (at % 2 ? `b${at}` : `a${at}`))],
      nested: [list((at) => `a${Math.min(at, 9999 - at)}`), list((at) => `a${5000 - Math.min(at, 9999 - at)}`)],
    };
    for (const [name, [a, b]] of Object.entries(cases)) {
      const begun = performance.now();
      const lines = diff(a.join('\n'), b.join('\n'));
      const ms = performance.now() - begun;
      expect(ms, `${name} took ${ms} ms`).toBeLessThan(10_000);
      expect(side(lines, '+'), name).toBe(a.join('\n'));
      expect(side(lines, '-'), name).toBe(b.join('\n'));
    }
    const [a, b] = cases['everyOther']!;
    expect(counts(diff(a.join('\n'), b.join('\n')))).toEqual({ added: 5000, removed: 5000 });
  }, 60_000);
});

describe('word marks', () => {
  test('are only where a line changed in part', () => {
    const lines = diff('    pool: Pool,\n}\n', '    pool: Arc<Pool>,\n    ttl: Duration,\n}\n');
    expect(lines.map(({ sign, other }) => [sign, other !== undefined])).toEqual([['-', true], ['+', true], ['+', false], [' ', false]]);
    expect(pairsOf(['alpha beta'], ['something else'])).toEqual([]);
  });
  test('are whole words, and few', () => {
    expect(parts('    async fn load_reads_twice() {', '    async fn load_reads_once() {')).toEqual(['twice']);
    expect(parts('assert_eq!(reads, 2, "cart reads");', 'assert_eq!(reads, 1, "cart reads");')).toEqual(['2']);
    expect(parts('a 1 b 2 c 3 d 4 e 5 f', 'a x b y c z d u e v f')).toEqual(['1 b 2 c 3 d 4 e 5']);
    expect(parts('same', 'same')).toEqual([]);
  });
  test('of very long lines are what is between their equal ends', () => {
    const long = 'word '.repeat(50_000);
    const begun = performance.now();
    expect(parts(`${long}x${long}`, `${long}yy${long}`)).toEqual(['x']);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

describe('folds', () => {
  const file = (n: number) => Array.from({ length: n }, (_, at) => `    line ${at}`);
  const edited = (list: string[], ...places: number[]) => list.map((line, at) => (places.includes(at) ? `${line} changed` : line)).join('\n');
  const shape = (lines: Line[], opened = new Set<number>(), split = false) => stretchesOf(lines, split, opened).map(({ folded, rows }) => (folded ? `fold ${folded}` : rows.length));

  test('leave three lines around each change and count the rest', () => {
    const lines = diff(file(60).join('\n'), edited(file(60), 20, 50));
    expect(shape(lines)).toEqual(['fold 17', 8, 'fold 23', 8, 'fold 6']);
    expect(changeCount(lines)).toBe(2);
    const fold = stretchesOf(lines, false, new Set())[2]!;
    expect(shape(lines, new Set([fold.key]))).toEqual(['fold 17', 8, 23, 8, 'fold 6']);
    expect(shape(lines, new Set(), true)).toEqual(['fold 17', 7, 'fold 23', 7, 'fold 6']);
  });
  test('a file that ends with a line break has no empty last line', () => {
    expect(diff('', 'a\nb\n').map(({ text }) => text)).toEqual(['a', 'b']);
    expect(diff('', '\n').map(({ text }) => text)).toEqual(['', '']);
  });
  test('are not made of a few lines, nor where nothing changed around', () => {
    expect(shape(diff(file(12).join('\n'), edited(file(12), 2, 11)))).toEqual([14]);
    expect(shape(diff('', 'a\nb'))).toEqual([2]);
    expect(changeCount(diff('a\nb\nc\nd\ne\nf', 'a\nB\nc\nD\ne\nf'))).toBe(1);
    expect(changeCount(diff('b\nc\nd\ne\nf', 'B\nc\nd\ne\nF'))).toBe(2);
    expect(shape(diff('a\nb\nc\nd\ne', 'a\nb\nc\nd\ne'))).toEqual(['fold 5']);
  });
  test('name what they are part of', () => {
    const list = ['use a;', ...file(20), 'impl CartCache {', ...file(20), '}'];
    const lines = diff(list.join('\n'), edited(list, 38));
    expect(stretchesOf(lines, false, new Set()).map(({ name }) => name)).toEqual(['impl CartCache', '']);
  });
  test('every changed line must be seen, in either view', () => {
    const lines = diff(file(60).join('\n'), edited(file(60), 20, 50));
    for (const split of [false, true]) expect(stretchesOf(lines, split, new Set()).flatMap(({ rows }) => rows.flatMap(({ must }) => must)).sort((a, b) => a - b)).toEqual([20, 21, 51, 52]);
  });
});
