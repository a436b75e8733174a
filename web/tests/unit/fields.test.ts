import { describe, expect, test } from 'vitest';
import type { Ask, Field } from '../../src/api/schema';
import { faultOf, fieldsBody } from '../../src/ask/fields';
import { repliesBody, standing } from '../../src/ask/replies';
import { editable, editedInput, verdictBody } from '../../src/ask/verdicts';
import { draftOf } from '../../src/state/drafts';

const field = (more: Partial<Field>): Field => ({ name: 'f', kind: 'text', required: false, ...more });
const ask = (more: object) =>
  ({ id: 'a', digest: 'sha256:1', agent: { id: 'ag', name: 'x', dialect: 'native', connected: true }, ...more }) as unknown as Ask;

describe('a form', () => {
  test('says what is wrong with a value', () => {
    const faults: [Partial<Field>, string | boolean | string[], string][] = [
      [{ required: true }, '', 'Needed'],
      [{}, '', ''],
      [{ kind: 'integer', min: 1, max: 100 }, '0', 'Smaller than 1'],
      [{ kind: 'integer' }, '1.5', 'Not a whole number'],
      [{ kind: 'number' }, '1,5', 'Not a number'],
      [{ kind: 'number' }, '-1.5e3', ''],
      [{ format: 'email' }, 'ops@shop', 'Not a full e-mail address'],
      [{ format: 'email' }, 'ops@shop.example', ''],
      [{ format: 'uri' }, 'shop', 'Not a full address, such as https://example.org'],
      [{ format: 'date' }, '2026-13-40', 'Not a day'],
      [{ max_length: 2 }, '👩👩👩', 'Longer than 2 characters'],
      [{ kind: 'many_of', min_items: 2 }, ['a'], 'Choose at least 2'],
      [{ kind: 'boolean', required: true }, false, ''],
    ];
    for (const [more, value, fault] of faults) expect([more, faultOf(field(more), value)]).toEqual([more, fault]);
  });
  test('sends numbers as they were typed and leaves out what is empty', () => {
    const form = ask({ form: { message: '', fields: [field({ name: 'n', kind: 'number' }), field({ name: 'big', kind: 'integer' }), field({ name: 'none' }), field({ name: 'on', kind: 'boolean' }), field({ name: 'many', kind: 'many_of' })] } });
    expect(fieldsBody(form, { n: '1.50', big: '12345678901234567890', none: '', on: false, many: [] })).toBe(
      '{"digest":"sha256:1","fields":{"n":1.50,"big":12345678901234567890,"on":false}}',
    );
  });
});

describe('questions', () => {
  const questions = ask({
    questions: [
      { text: 'One?', tag: 'A', pick: 'one', choices: [{ label: 'x' }], look: 'list', default: ['x'], free_text: true, required: false },
      { text: 'Two?', tag: 'B', pick: 'many', choices: [{ label: 'y' }], look: 'list', default: [], free_text: true, required: true },
    ],
  });
  test('start with what the agent set beforehand and wait for what is needed', () => {
    const draft = draftOf(questions);
    expect(draft.replies[0]?.labels).toEqual(['x']);
    expect(standing(questions, draft)).toEqual({ ready: false, missing: ['B'], required: ['B'] });
    draft.replies[1]!.other = ' mine ';
    expect(standing(questions, draft)).toEqual({ ready: true, missing: [], required: [] });
    expect(JSON.parse(repliesBody(questions, draft))).toEqual({ digest: 'sha256:1', replies: [{ question: 0, labels: ['x'] }, { question: 1, labels: [], other: ' mine ' }] });
  });
});

describe('an approval', () => {
  const shell = ask({ action: { tool: 'Bash', input: '{"command":"ls","timeout":5}', act: { kind: 'shell', command: 'ls' } } });
  test('goes back with the stored input unless it was edited', () => {
    expect(JSON.parse(verdictBody(shell, true, '', undefined))).toEqual({ digest: 'sha256:1', verdict: { allow: true, scope: 'once' } });
    expect(JSON.parse(verdictBody(shell, true, '', 'ls'))).toEqual({ digest: 'sha256:1', verdict: { allow: true, scope: 'once' } });
    expect(JSON.parse(verdictBody(shell, false, 'no', 'ls -l'))).toEqual({ digest: 'sha256:1', verdict: { allow: false, note: 'no' } });
    expect(JSON.parse(verdictBody(shell, true, '', 'ls -l')).verdict.input).toBe('{"command":"ls -l","timeout":5}');
  });
  test('lets the command be edited only when it is what the input says', () => {
    expect(editable(shell)).toEqual({ text: 'ls', isCommand: true });
    const other = ask({ action: { tool: 'Bash', input: '{"command":"rm"}', act: { kind: 'shell', command: 'ls' } } });
    expect(editable(other)).toEqual({ text: '{"command":"rm"}', isCommand: false });
    expect(editedInput(other, '{}')).toBe('{}');
  });
});
