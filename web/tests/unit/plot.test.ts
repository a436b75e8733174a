import { describe, expect, test } from 'vitest';
import type { Ask, StatsRow, Story } from '../../src/api/schema';
import { shortHash, stepsOf } from '../../src/history/steps';
import { endsOf, hourValue, largest, logPlace, marksFor, roundUp, runs } from '../../src/insight/plot';
import { cut, filled } from '../../src/words/words';

describe('plots', () => {
  test('a log axis reaches past its longest time, and holds a minute at least', () => {
    expect(marksFor(0)).toEqual([1, 10, 60]);
    expect(marksFor(61_000)).toEqual([1, 10, 60, 600]);
    expect(marksFor(600_000)).toEqual([1, 10, 60, 600]);
    expect(marksFor(1e12)).toEqual([1, 10, 60, 600, 3600, 36_000, 86_400, 864_000]);
    const marks = marksFor(600_000);
    expect([0, 1000, 600_000, 9e9].map((ms) => logPlace(ms, marks))).toEqual([0, 0, 1, 1]);
    expect(logPlace(Math.sqrt(600) * 1000, marks)).toBeCloseTo(0.5);
  });
  test('a day without answers is a gap', () => {
    expect(runs([undefined, 1, 2, undefined, 3])).toEqual([[{ at: 1, value: 1 }, { at: 2, value: 2 }], [{ at: 4, value: 3 }]]);
    expect(runs([])).toEqual([]);
  });
  test('axes end at round numbers', () => {
    expect([0, 0.3, 1, 3, 7, 41, 120].map(roundUp)).toEqual([1, 0.5, 1, 5, 10, 50, 200]);
  });
  test('every ask is in one heap', () => {
    const row: StatsRow = { key: 'x', asked: 20, answered: 14, dismissed: 2, expired: 3, withdrawn: 1, by_rule: 6, allowed: 4, denied: 1, waited_ms: 0 };
    expect(endsOf(row)).toEqual({ rule: 6, yes: 7, no: 1, expired: 6 });
    expect(Object.values(endsOf(row)).reduce((sum, n) => sum + n)).toBe(row.asked);
    expect((['rule', 'allowed', 'answered', 'denied', 'expired'] as const).map((which) => hourValue(row, which))).toEqual([6, 4, 3, 1, 6]);
    expect(hourValue(undefined, 'rule')).toBe(0);
  });
  test('the rest is told apart from the largest', () => {
    expect(largest([3, 0, 9, 1, 5], (n) => n, 2)).toEqual({ shown: [9, 5], rest: [3, 1] });
  });
});

describe('the story of an ask', () => {
  const ask = {
    id: '1',
    agent: { id: 'ag_1', name: 'coder', dialect: 'native', connected: false },
    asked_at: '2026-11-15T10:00:00.000Z',
    deadline: '2026-11-15T10:02:00.000Z',
    matter: 'approval',
    delivery: 'confirmed',
    state: 'closed',
    outcome: { kind: 'answered', by: { person: 'ann', device: 'phone' }, at: '2026-11-15T10:00:09.100Z' },
  } as unknown as Ask;
  const story: Story = {
    steps: [
      { what: 'asked', at: '2026-11-15T10:00:00.000Z', seq: 7, hash: 'b71e09aaf3d2ffff' },
      { what: 'closed', at: '2026-11-15T10:00:09.100Z', seq: 9, hash: 'aa' },
      { what: 'sent', at: '2026-11-15T10:00:09.200Z', seq: 10, hash: 'bb' },
      { what: 'confirmed', at: '2026-11-15T10:00:09.300Z', seq: 11, hash: 'cc' },
    ],
  };
  const told = (ask: Ask, story: Story | undefined) => stepsOf(ask, story).map(({ what, note, entry }) => [what, note, entry?.seq]);
  test('has each step with its entry', () => {
    expect(told(ask, story)).toEqual([
      ['coder asked', 'over API, waits up to 2 min', 7],
      ['ann answered on phone', 'after 9.1 s', 9],
      ['Sent to coder', '', 10],
      ['coder has it', '', 11],
    ]);
    expect(shortHash('b71e09aaf3d2ffff')).toBe('b71e 09aa f3d2');
  });
  test('says what is known before the journal was read, and that an agent is gone', () => {
    expect(told({ ...ask, delivery: 'owed' }, undefined).at(-1)).toEqual(['Recorded. coder gets it when it is back.', '', undefined]);
  });
  test('names the rule, and what came too late', () => {
    const byRule = { ...ask, outcome: { ...ask.outcome!, by: { rule: 'ru_4', version: 1 } } } as Ask;
    expect(told(byRule, story)[1]?.[0]).toBe('Answered by rule ru_4');
    const late = { ...ask, outcome: { kind: 'expired', by: { clock: true }, at: '2026-11-15T10:02:00.000Z' }, late: { at: '2026-11-15T10:02:12.000Z', by: { person: 'ann' } } } as unknown as Ask;
    expect(told(late, story).at(-1)).toEqual(['ann answered too late', 'by 12 s; kept, changed nothing', undefined]);
  });
});

test('a sentence takes its values and keeps them apart from its own words', () => {
  expect(filled('{who} on {device}{gone}', { who: 'ann', device: '{who}' })).toBe('ann on {who}');
  expect(cut('{who} on it', { who: 'Allow' })).toEqual([{ text: 'Allow', foreign: true }, { text: ' on it', foreign: false }]);
});
