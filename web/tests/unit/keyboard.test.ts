import { afterEach, beforeEach, expect, test } from 'vitest';
import { Keyboard, type Commands } from '../../src/state/keyboard';

/** A clock that moves only when a test moves it. */
class Hands {
  now = 0;
  private timers: { at: number; run: () => void }[] = [];
  keyboard = new Keyboard({
    now: () => this.now,
    after: (ms, run) => {
      const timer = { at: this.now + ms, run };
      this.timers.push(timer);
      return () => void (this.timers = this.timers.filter((other) => other !== timer));
    },
  });
  private stop = this.keyboard.listen();

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = end;
  }

  press(key: string, more: KeyboardEventInit = {}, on: Element = document.body): KeyboardEvent {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    Object.defineProperty(event, 'timeStamp', { value: this.now });
    on.dispatchEvent(event);
    return event;
  }

  type(text: string, everyMs: number, on?: Element): void {
    for (const key of text) {
      this.press(key, {}, on);
      this.pass(everyMs);
    }
  }

  close(): void {
    this.stop();
  }
}

let hands: Hands;
let done: string[];
const does = (what: string) => () => void done.push(what);
const verdicts = (ready = () => true): Commands => ({ y: { run: does('allow'), decides: ready }, d: { run: does('deny'), decides: ready } });

beforeEach(() => {
  document.body.innerHTML = '';
  hands = new Hands();
  done = [];
});
afterEach(() => hands.close());

test('a deciding key counts once it has been alone for half a second', () => {
  hands.keyboard.bind(verdicts());
  hands.press('y');
  hands.pass(499);
  expect(done).toEqual([]);
  hands.pass(1);
  expect(done).toEqual(['allow']);
});

test('it does not count with a character key before it or after it', () => {
  hands.keyboard.bind(verdicts());
  for (const text of ['yarn', 'docs', 'day', 'a y b', 'yy', 'dd', 'y\u00e9']) {
    hands.type(text, 200);
    hands.pass(2000);
  }
  hands.press('x');
  hands.pass(499);
  hands.press('y');
  hands.pass(2000);
  hands.press('y');
  hands.pass(499);
  hands.press('Escape');
  hands.pass(2000);
  expect(done).toEqual([]);
});

test('what was typed in a field a moment ago counts, too', () => {
  document.body.innerHTML = '<input>';
  hands.keyboard.bind(verdicts());
  hands.press('n', {}, document.querySelector('input')!);
  hands.pass(100);
  hands.press('y');
  hands.pass(2000);
  expect(done).toEqual([]);
});

test('it must be ready when it is pressed and when it is done', () => {
  let ready = false;
  hands.keyboard.bind(verdicts(() => ready));
  hands.press('y');
  ready = true;
  hands.pass(1000);
  expect(done).toEqual([]);
  hands.press('y');
  ready = false;
  hands.pass(1000);
  expect(done).toEqual([]);
});

test('what is no longer shown when its time comes is not done', () => {
  const unbind = hands.keyboard.bind(verdicts());
  hands.press('y');
  unbind();
  hands.keyboard.bind(verdicts());
  hands.pass(1000);
  expect(done).toEqual([]);
});

test('a page that was too busy to hear the next key waits for it', () => {
  hands.keyboard.bind(verdicts());
  hands.press('y');
  // The timer runs late, and the key that was pressed meanwhile is heard after it.
  hands.now = 900;
  hands.pass(0);
  expect(done).toEqual([]);
  hands.press('a');
  hands.pass(2000);
  expect(done).toEqual([]);
});

test('no key counts with a modifier, while it repeats, during composition, in a field or behind a dialog', () => {
  document.body.innerHTML = '<input type="text"><input type="search"><textarea></textarea><select></select><p contenteditable="true"></p><p role="textbox"></p>';
  hands.keyboard.bind({ ...verdicts(), j: does('next') });
  const calm = () => hands.pass(2000);
  for (const key of ['y', 'd', 'j']) {
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { repeat: true }, { isComposing: true }, { keyCode: 229 }]) {
      hands.press(key, more);
      calm();
    }
    for (const field of document.body.children) {
      hands.press(key, {}, field);
      calm();
    }
  }
  for (const front of ['<dialog open></dialog>', '<div role="menu"></div>', '<div role="listbox"></div>', '<div role="dialog"></div>']) {
    document.body.innerHTML = front;
    for (const key of ['y', 'd', 'j']) {
      hands.press(key);
      calm();
    }
  }
  expect(done).toEqual([]);
});

test('a held key decides nothing', () => {
  hands.keyboard.bind(verdicts());
  hands.press('y');
  hands.pass(300);
  hands.press('y', { repeat: true });
  hands.pass(2000);
  expect(done).toEqual([]);
});

test('a prefix swallows exactly the next key, whatever it is', () => {
  const event = { g: { run: () => {}, next: { h: does('history') } } };
  hands.keyboard.bind({ ...event, ...verdicts() });
  for (const key of ['d', 'y', 'Enter', ' ', '/', '1', 'Escape']) {
    hands.press('g');
    hands.pass(600);
    expect(hands.press(key).defaultPrevented).toBe(true);
    hands.pass(2000);
  }
  expect(done).toEqual([]);
  hands.press('g');
  hands.press('Shift');
  hands.press('h');
  hands.pass(600);
  hands.press('y');
  hands.pass(600);
  expect(done).toEqual(['history', 'allow']);
});

test('a prefix does not swallow what goes into a field', () => {
  document.body.innerHTML = '<input>';
  hands.keyboard.bind({ g: { run: () => {}, next: {} } });
  hands.press('g');
  expect(hands.press('d', {}, document.querySelector('input')!).defaultPrevented).toBe(false);
});

test('Space and Enter on a button that decides must be alone, and never press while somebody types', () => {
  document.body.innerHTML = '<button data-decides>Allow</button><button>Story</button>';
  const [allow, story] = document.querySelectorAll('button');
  allow!.onclick = does('allow');
  allow!.focus();
  for (const text of ['hello world ', ' hello', 'a b c']) {
    hands.type(text, 150, allow);
    hands.pass(2000);
  }
  hands.press('Enter', { repeat: true }, allow);
  hands.pass(2000);
  expect(done).toEqual([]);
  hands.press('Enter', {}, allow);
  hands.pass(600);
  expect(done).toEqual(['allow']);
  hands.pass(2000);
  expect(hands.press(' ', {}, story).defaultPrevented).toBe(false);
  hands.press('x', {}, story);
  expect(hands.press(' ', {}, story).defaultPrevented).toBe(true);
});

test('Enter on a tick of a form sends nothing', () => {
  document.body.innerHTML = '<form><input type="checkbox"><select></select><input type="text"></form>';
  const [tick, list, text] = document.querySelectorAll('input, select');
  expect(hands.press('Enter', {}, tick).defaultPrevented).toBe(true);
  expect(hands.press('Enter', {}, list).defaultPrevented).toBe(true);
  expect(hands.press('Enter', {}, text).defaultPrevented).toBe(false);
});

test('commands run at once, but not in the middle of a word', () => {
  hands.keyboard.bind({ j: does('next'), k: does('before'), o: does('other') });
  hands.press('j');
  hands.press('j');
  hands.press('k');
  expect(done).toEqual(['next', 'next', 'before']);
  done = [];
  hands.pass(1000);
  hands.type('book', 100);
  expect(done).toEqual([]);
  // A key that types nothing is nobody's letter.
  hands.keyboard.bind({ Escape: does('back') });
  hands.press('Escape');
  expect(done).toEqual(['back']);
});

test('Enter may follow the key that chose, and no other', () => {
  hands.keyboard.bind({ 1: does('choose'), Enter: { run: does('send'), decides: () => true, afterCommand: true } });
  hands.press('1');
  hands.pass(100);
  hands.press('Enter');
  hands.pass(600);
  expect(done).toEqual(['choose', 'send']);
  done = [];
  hands.pass(1000);
  hands.type('w1', 100);
  hands.press('Enter');
  hands.pass(2000);
  expect(done).toEqual([]);
});

test('what was bound last comes first', () => {
  hands.keyboard.bind({ Escape: does('out') });
  const unbind = hands.keyboard.bind({ Escape: does('back') });
  hands.press('Escape');
  unbind();
  hands.press('Escape');
  expect(done).toEqual(['back', 'out']);
});

test('the search field has the focus before the next letter comes, or gets the letters when it is there', () => {
  hands.keyboard.bind({ '/': { anytime: true, run: () => hands.keyboard.search() }, ...verdicts() });
  hands.press('/');
  hands.type('yarx', 1);
  hands.press('Backspace');
  hands.press('n');
  document.body.innerHTML = '<input type="search">';
  const field = document.querySelector('input')!;
  const heard: string[] = [];
  const unbind = hands.keyboard.searchIn(field, () => {}, (text) => void heard.push(text));
  expect([document.activeElement, heard]).toEqual([field, ['yarn']]);
  field.blur();
  hands.press('/');
  expect(document.activeElement).toBe(field);
  unbind();
  field.remove();
  hands.pass(5000);
  expect(done).toEqual([]);
  // Without a field the letters are let go after a while, and keys count again.
  hands.press('/');
  hands.pass(4000);
  hands.press('d');
  hands.pass(600);
  expect(done).toEqual(['deny']);
});
