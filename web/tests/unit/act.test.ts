import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, test } from 'vitest';
import type { Action } from '../../src/api/schema';
import ActBlock from '../../src/ask/act/ActBlock.svelte';
import { matterLine } from '../../src/lib/lines';
import { programOf } from '../../src/lib/shell';

afterEach(cleanup);

const command = 'echo é😀 && sudo systemctl stop db && sudo rm -rf /var/db';
const bytes = (text: string) => new TextEncoder().encode(text).length;
const spanOf = (part: string, reason: number) => ({ reason, start: bytes(command.slice(0, command.indexOf(part))), end: bytes(command.slice(0, command.indexOf(part) + part.length)) });
const action = (more: Partial<Action>): Action => ({
  tool: 'Bash',
  input: JSON.stringify({ command }),
  act: { kind: 'shell', command },
  flags: [],
  risk: 'high',
  reasons: ['deletes files as root', 'stops a service'],
  spans: [spanOf('sudo rm -rf /var/db', 0), spanOf('sudo systemctl stop db', 1)],
  ...more,
});
const under = (look: string) => [...document.querySelectorAll('pre span.underline')].filter((span) => span.className.includes(look)).map((span) => span.textContent).join('');

test('the reasons stand below the command, most serious first, and the risky parts are underlined', () => {
  render(ActBlock, { action: action({}), command, open: true });
  expect(document.body.textContent).toContain('High risk: deletes files as root. Hold to allow.');
  expect(document.body.textContent).toContain('Also: stops a service.');
  expect(under('decoration-error')).toBe('sudo rm -rf /var/db');
  expect(under('decoration-(--wait-fill)')).toBe('sudo systemctl stop db');
  const rows = screen.getAllByRole('listitem').map((row) => row.textContent?.replace(/\s+/g, ' ').trim());
  expect(rows).toEqual(['1 echo é😀', '2 && sudo systemctl stop db stops a service', '3 && sudo rm -rf /var/db deletes files as root']);
});

test('what is closed, and what is not high, speaks of no gesture', () => {
  render(ActBlock, { action: action({}), command });
  expect(document.body.textContent).not.toContain('Hold to allow');
  cleanup();
  render(ActBlock, { action: action({ risk: 'medium', reasons: ['runs code from the project'], spans: [spanOf('sudo rm -rf /var/db', 0)] }), command, open: true });
  expect(document.body.textContent).toContain('Medium risk: runs code from the project');
  expect(document.body.textContent).not.toContain('Hold to allow');
  expect(under('decoration-error')).toBe('');
  cleanup();
  render(ActBlock, { action: action({ risk: 'low', reasons: [], spans: [] }), command: 'ls', open: true });
  expect(document.body.textContent).toContain('Low risk');
});

test('an edited command is not marked with what was found in another one', () => {
  render(ActBlock, { action: action({}), command: 'ls -l /var/db and more that is longer than before', open: true });
  expect(document.querySelectorAll('pre span.underline')).toHaveLength(0);
});

test('the title of an approval never stands for its command, and a line is one line', () => {
  const ask = (more: object) => ({ matter: 'approval', title: 'Tidy up', action: action({}), ...more }) as never;
  expect(matterLine(ask({}))).toBe(command);
  expect(matterLine(ask({ action: action({ act: { kind: 'shell', command: 'a\nb\r\nc' } }) }))).toBe('a b c');
  expect(matterLine(ask({ matter: 'questions', questions: [] }))).toBe('Tidy up');
});

test('what is typed to allow is the program of the riskiest part, not the first of the line or sudo', () => {
  const command = 'cd /srv && sudo rm -rf /var/lib && env A=1 ls';
  expect(programOf(command)).toBe('cd');
  expect(programOf(command, command.indexOf('sudo'))).toBe('rm');
  expect(programOf(command, command.indexOf('-rf'))).toBe('rm');
  expect(programOf(command, command.indexOf('env'))).toBe('env');
  expect(programOf('sudo -u root rm x')).toBe('sudo');
  expect(programOf('')).toBe('');
});
