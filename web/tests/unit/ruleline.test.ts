import { expect, test } from 'vitest';
import type { RuleRow } from '../../src/api/schema';
import { badgeOf } from '../../src/rules/ruleline';

const rule: RuleRow = { id: 'ru_1', version: 1, says: 'allow exactly ls', effect: 'allow', command: 'ls', live: true, by: { person: 'ann', device: 'laptop' }, made_at: '2026-01-01T00:00:00.000Z', hits: 0 };

test('a rule that answers nothing is never shown as one that allows', () => {
  expect(badgeOf(rule)).toMatchObject({ tone: 'success', text: 'Allow' });
  const idle = { ...rule, idle: 'This rule has no effect: it is for any folder. Revoke it and make it again from an ask.' };
  expect(badgeOf(idle)).toMatchObject({ tone: 'expired', text: 'Doesn’t answer' });
  expect(badgeOf({ ...idle, shadow: true })).toMatchObject({ text: 'Doesn’t answer' });
  expect(badgeOf({ ...idle, live: false })).toMatchObject({ text: 'over' });
});
