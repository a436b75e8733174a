import { expect, test } from 'vitest';
import type { Ask } from '../../src/api/schema';
import { differenceOf, signaturesOf } from '../../src/lib/groups';

let made = 0;
const ask = (input: string, act: object = { kind: 'other' }, more: object = {}) =>
  ({ id: `${(made += 1)}`, shape: `${made}`, matter: 'approval', agent: { id: 'ag_1' }, action: { tool: 'Write', input, act, risk: 'medium', reasons: [], flags: [] }, ...more }) as unknown as Ask;
const write = (path: string, content = 'c', more: object = {}) => ask(JSON.stringify({ file_path: path, content }), { kind: 'write', path, content }, more);
const meet = (one: Ask, other: Ask) => signaturesOf(one).some((signature) => signaturesOf(other).includes(signature));

test('asks that differ in one field are found, and the field is named', () => {
  const [base, other] = [write('audit.toml'), write('services/search/audit.toml')];
  expect(meet(base, other)).toBe(true);
  expect(differenceOf(base, other)).toEqual({ field: 'path', was: 'audit.toml', is: 'services/search/audit.toml' });
  expect(differenceOf(ask('{"url":"a","n":12}'), ask('{"url":"a","n":13}'))).toEqual({ field: 'n', was: '12', is: '13' });
});

test('what differs in more than one field, or in what is drawn as the act, is another thing', () => {
  expect(differenceOf(write('a', 'x'), write('b', 'y'))).toBeUndefined();
  expect(differenceOf(write('a', 'x'), write('a', 'y'))).toBeUndefined();
  const shell = (command: string) => ask(JSON.stringify({ command, timeout: 5 }), { kind: 'shell', command });
  expect(meet(shell('ls'), shell('rm'))).toBe(false);
  expect(differenceOf(shell('ls'), shell('rm'))).toBeUndefined();
  for (const more of [{ agent: { id: 'ag_2' } }, { workspace: '/b' }, { title: 'other' }]) expect(differenceOf(write('a'), write('b', 'c', more))).toBeUndefined();
  const risky = write('b');
  risky.action!.risk = 'high';
  expect(differenceOf(write('a'), risky)).toBeUndefined();
});

test('nothing hides behind a value that is said twice, or behind a path that is not the input’s', () => {
  expect(differenceOf(ask('{"a":"1","b":"x","a":"9"}'), ask('{"a":"2","b":"y","a":"9"}'))).toBeUndefined();
  expect(differenceOf(ask('{"n":12345678901234567890,"a":"1"}'), ask('{"n":12345678901234567891,"a":"2"}'))).toBeUndefined();
  const odd = ask(JSON.stringify({ file_path: 'b', content: 'c' }), { kind: 'write', path: '/etc/passwd', content: 'c' });
  expect(differenceOf(write('a'), odd)).toBeUndefined();
  expect(differenceOf(ask('not json'), ask('not jsom'))).toBeUndefined();
  expect(signaturesOf(ask(`{"deep":${'['.repeat(7000)}${']'.repeat(7000)}}`)).length).toBeLessThan(2);
});
