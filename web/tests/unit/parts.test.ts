import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Changes } from '../../src/ask/act/changes.svelte';
import { Arming } from '../../src/ask/arming.svelte';
import CardPicks from '../../src/ask/pick/CardPicks.svelte';
import FormField from '../../src/ask/field/FormField.svelte';
import VerdictBar from '../../src/ask/VerdictBar.svelte';
import Escaped from '../../src/parts/Escaped.svelte';
import { keyboard } from '../../src/state/keyboard';

let silence = () => {};
beforeEach(() => {
  vi.useFakeTimers();
  silence = keyboard.listen();
});
afterEach(() => {
  cleanup();
  silence();
  vi.useRealTimers();
});

const question = (more: object) => ({ text: 'Which?', pick: 'one', look: 'list', default: [], free_text: true, required: false, choices: [{ label: 'Redis' }, { label: 'SQLite' }], ...more }) as never;
const reply = () => ({ labels: [] as string[], other: '', otherOn: false, note: '' });

test('text of an agent is text, whatever it holds', () => {
  render(Escaped, { text: '<img src=x onerror=alert(1)>\u202e' });
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByRole('img', { name: 'hidden character, right-to-left override' }).textContent).toBe('\\u{202e}');
});

test('one pick is a radio, several are ticks', async () => {
  render(CardPicks, { question: question({}), reply: reply(), agent: 'a', onshow: () => {} });
  expect(screen.getAllByRole('radio')).toHaveLength(2);
  cleanup();
  render(CardPicks, { question: question({ pick: 'many', free_text: false }), reply: reply(), agent: 'a', onshow: () => {} });
  expect(screen.getAllByRole('checkbox')).toHaveLength(2);
  expect(screen.queryByPlaceholderText('Type your own answer')).toBeNull();
});

test('more than seven choices have a filter', async () => {
  const choices = Array.from({ length: 9 }, (_, at) => ({ label: `Choice ${at}` }));
  render(CardPicks, { question: question({ choices }), reply: reply(), agent: 'a', onshow: () => {} });
  await fireEvent.input(screen.getByLabelText('Filter the choices'), { target: { value: '7' } });
  expect(screen.getAllByRole('radio')).toHaveLength(1);
});

test('a field says what it wants and what is wrong, and ties both to the control', () => {
  render(FormField, { field: { name: 'port', title: 'Port', kind: 'integer', min: 1, max: 9, required: true }, fault: 'Larger than 9', value: '10', onleave: () => {} });
  const field = screen.getByLabelText('Port');
  expect(field.getAttribute('aria-describedby')).toBe('field-port-fault field-port-hint');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById('field-port-hint')?.textContent?.trim()).toBe('Whole number from 1 to 9');
});

function bar(more: object = {}) {
  const decided: boolean[] = [];
  const arming = new Arming();
  const props = { arming, changes: new Changes(), times: '', high: false, defaultNo: false, edited: false, kind: 'shell' as const, typed: 'git', fault: '', ondecide: (allow: boolean) => decided.push(allow), ...more };
  render(VerdictBar, props);
  return { arming, decided };
}

test('allow and the keys wait 600 ms from the moment all was seen, the deny button never', async () => {
  const { arming, decided } = bar();
  arming.restPx = 50;
  flushSync();
  const allow = screen.getByRole('button', { name: 'Allow' }) as HTMLButtonElement;
  expect(allow.disabled).toBe(true);
  expect(screen.getByText('2 lines not seen yet. Scroll to allow.')).toBeTruthy();
  arming.restPx = 0;
  arming.wait();
  vi.advanceTimersByTime(599);
  flushSync();
  expect(allow.disabled).toBe(true);
  for (const key of ['y', 'd']) await fireEvent.keyDown(window, { key });
  expect(decided).toEqual([]);
  await fireEvent.click(screen.getByRole('button', { name: /Deny/ }));
  expect(decided).toEqual([false]);
  decided.length = 0;
  vi.advanceTimersByTime(1);
  flushSync();
  expect(allow.disabled).toBe(false);
  await fireEvent.keyDown(window, { key: 'y', repeat: true });
  await fireEvent.keyDown(window, { key: 'Enter' });
  expect(decided).toEqual([]);
  vi.advanceTimersByTime(1000);
  await fireEvent.keyDown(window, { key: 'y' });
  vi.advanceTimersByTime(1000);
  await fireEvent.keyDown(window, { key: 'd' });
  vi.advanceTimersByTime(500);
  expect(decided).toEqual([true, false]);
});

test('a high-risk act is allowed by holding for a second or by its name', async () => {
  const { arming, decided } = bar({ high: true });
  arming.restPx = 0;
  arming.armed = true;
  flushSync();
  const hold = screen.getByRole('button', { name: /Hold to allow/ });
  await fireEvent.keyDown(window, { key: 'y' });
  await fireEvent.click(hold);
  await fireEvent.pointerDown(hold);
  vi.advanceTimersByTime(999);
  await fireEvent.pointerUp(hold);
  vi.advanceTimersByTime(5000);
  expect(decided).toEqual([]);
  await fireEvent.pointerDown(hold);
  vi.advanceTimersByTime(1000);
  expect(decided).toEqual([true]);
  const field = screen.getByLabelText('Type git and press Enter to allow');
  await fireEvent.input(field, { target: { value: 'gi' } });
  await fireEvent.submit(field.closest('form')!);
  expect(decided).toEqual([true]);
  await fireEvent.input(field, { target: { value: 'git' } });
  await fireEvent.submit(field.closest('form')!);
  expect(decided).toEqual([true, true]);
});

test('where no is the default, Enter denies', async () => {
  const { arming, decided } = bar({ defaultNo: true });
  arming.armed = true;
  await fireEvent.keyDown(document.body, { key: 'Enter' });
  vi.advanceTimersByTime(500);
  expect(decided).toEqual([false]);
});
