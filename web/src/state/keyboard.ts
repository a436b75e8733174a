/**
 * The one place where keys become commands. Components say which keys mean what while they are
 * shown; whether a press counts is decided here, so that nobody answers an ask by typing.
 *
 * No key counts in a field, behind a dialog or a menu, with a modifier, while it repeats, or during
 * composition. A prefix such as `g` swallows the next key, whatever it is. A key that decides counts
 * only when no other character key comes within half a second before or after it, and only while
 * the ask says that it is ready. Space and Enter on a button that decides pass the same gate.
 */

import { flushSync } from 'svelte';

/** So long before and after it a deciding key must be alone. */
export const ALONE_MS = 500;
/** A timer that is this late means the page was busy: keys may still be on their way. */
const BUSY_MS = 100;
/** So long what is typed after `/` waits for a search field that is still being fetched. */
const SEARCH_MS = 3000;

export type Command = {
  run: () => void;
  /** The key sends something, or leads to a field whose Enter does: it must stand alone, and this must hold. */
  decides?: () => boolean;
  /** Keys that chose or moved may come right before it. */
  afterCommand?: boolean;
  /** Counts in the middle of typing, too, because it only leads to a field or away from something. */
  anytime?: boolean;
  /** Counts in the fields that match this selector, and nowhere else. */
  within?: string;
  /** With Ctrl or ⌘ and never without. */
  ctrl?: boolean;
  /** A prefix: what the next key does. */
  next?: Record<string, () => void>;
};
export type Commands = Record<string, Command | (() => void)>;

export type Clock = { now: () => number; after: (ms: number, run: () => void) => () => void };

const browserClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

type Search = { field: HTMLInputElement; reveal: () => void };
/** What became of a press: ours, kept from everyone, left to the control that has the focus, or plain typing. */
type Fate = 'command' | 'swallowed' | 'native' | 'typed';

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'NumLock']);
const TYPED = new Set(['Enter', 'Backspace', 'Delete', 'Dead', 'Process', 'Unidentified']);
const COMPOSED = 229;
const NO_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'image', 'range', 'color']);

/** Whether an input method has the key; some browsers say so of the last one by its code alone. */
function isComposed(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === COMPOSED;
}

/** Whether the key puts a character somewhere, or takes one away. */
function isText(event: KeyboardEvent): boolean {
  if ((event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')) return false;
  return isComposed(event) || [...event.key].length === 1 || TYPED.has(event.key);
}

function isField(at: EventTarget | null): at is HTMLElement {
  if (!(at instanceof HTMLElement)) return false;
  if (at.isContentEditable || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return true;
  if (at instanceof HTMLInputElement) return !NO_TEXT.has(at.type);
  return at.matches('[role=textbox], [role=searchbox], [role=combobox]');
}

/** Whether a dialog, a menu or a popover is in front. */
function isCovered(): boolean {
  if (document.querySelector('dialog[open], [role=dialog], [role=menu], [role=listbox]')) return true;
  return [...document.querySelectorAll('[popover]')].some((one) => one.matches(':popover-open'));
}

/** The control that Space or Enter would press. */
function pressed(event: KeyboardEvent): HTMLElement | undefined {
  if ((event.key !== ' ' && event.key !== 'Enter') || !(event.target instanceof HTMLElement)) return undefined;
  return event.target.closest<HTMLElement>('button, a[href], summary, [role=button]') ?? undefined;
}

/** Enter on a tick, a radio or a list of a form would send the whole form, which nobody expects. */
function submits({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter') return false;
  if (target instanceof HTMLSelectElement) return target.form !== null;
  return target instanceof HTMLInputElement && NO_TEXT.has(target.type) && target.form !== null;
}

/** Space on a tick or a radio chooses. */
function chooses({ key, target }: KeyboardEvent): boolean {
  return key === ' ' && target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
}

const isPlain = ({ ctrl, within }: Command) => !ctrl && within === undefined;

export class Keyboard {
  private bound: Map<string, Command>[] = [];
  private searches: Search[] = [];
  private prefix: Record<string, () => void> | undefined;
  /** What was typed after `/` while there is no field to put it in. */
  private ahead: string | undefined;
  private endAhead = () => {};
  /** When the last character key came, and the last one that was no command. */
  private lastKey = -Infinity;
  private lastStray = -Infinity;
  private waiting: { at: number; cancel: () => void } | undefined;
  /** The key whose coming up must not press anything either. */
  private muted: string | undefined;

  private readonly clock: Clock;

  constructor(clock: Clock = browserClock) {
    this.clock = clock;
  }

  /** Listens before anybody else does. Call back what it returns. */
  listen(): () => void {
    addEventListener('keydown', this.down, true);
    addEventListener('keyup', this.up, true);
    return () => {
      removeEventListener('keydown', this.down, true);
      removeEventListener('keyup', this.up, true);
      this.forget();
    };
  }

  /** Says what keys mean from now on; what was bound last comes first. Call back what it returns. */
  bind(commands: Commands): () => void {
    const map = new Map(Object.entries(commands).map(([key, command]) => [key, typeof command === 'function' ? { run: command } : command]));
    this.bound.unshift(map);
    return () => {
      this.bound = this.bound.filter((other) => other !== map);
    };
  }

  /** Says which field `/` leads to; `reveal` brings it on screen, `fill` puts in what was typed before. Call back what it returns. */
  searchIn(field: HTMLInputElement, reveal: () => void, fill: (text: string) => void): () => void {
    const search = { field, reveal };
    this.searches.push(search);
    if (this.ahead !== undefined) {
      const text = this.ahead;
      this.stopAhead();
      this.open();
      fill(text);
      flushSync();
    }
    return () => {
      this.searches = this.searches.filter((other) => other !== search);
    };
  }

  /** Leads to the search field, or keeps what is typed until there is one. */
  search(): void {
    if (this.searches.length) {
      this.open();
      return;
    }
    this.ahead = '';
    this.endAhead = this.clock.after(SEARCH_MS, () => this.stopAhead());
  }

  private open(): void {
    for (const { reveal } of this.searches) reveal();
    // The next letter may be on its way already.
    flushSync();
    const shown = this.searches.findLast(({ field }) => field.offsetParent !== null) ?? this.searches.at(-1);
    shown?.field.focus();
    shown?.field.select();
  }

  private stopAhead(): void {
    this.endAhead();
    this.ahead = undefined;
  }

  private forget(): void {
    this.waiting?.cancel();
    [this.waiting, this.prefix, this.muted] = [undefined, undefined, undefined];
    [this.lastKey, this.lastStray] = [-Infinity, -Infinity];
    this.stopAhead();
  }

  private down = (event: KeyboardEvent): void => {
    if (MODIFIERS.has(event.key)) return;
    this.muted = undefined;
    this.disturb();
    const at = event.timeStamp;
    const quiet = at - this.lastKey >= ALONE_MS;
    const calm = at - this.lastStray >= ALONE_MS;
    const fate = this.fateOf(event, quiet, calm);
    if (isText(event)) {
      this.lastKey = at;
      if (fate === 'typed' || fate === 'swallowed') this.lastStray = at;
    }
    if (fate === 'command' || fate === 'swallowed') {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.muted = event.key;
    }
  };

  private up = (event: KeyboardEvent): void => {
    if (event.key !== this.muted) return;
    this.muted = undefined;
    event.preventDefault();
  };

  /** Another key came: what waited to be alone was a letter of a word. */
  private disturb(): void {
    if (!this.waiting) return;
    this.lastStray = Math.max(this.lastStray, this.waiting.at);
    this.waiting.cancel();
    this.waiting = undefined;
  }

  private fateOf(event: KeyboardEvent, quiet: boolean, calm: boolean): Fate {
    const { prefix } = this;
    this.prefix = undefined;
    if (isComposed(event)) return 'typed';
    if (isField(event.target)) return this.inField(event, event.target);
    if (event.getModifierState('AltGraph')) return 'typed';
    if (event.ctrlKey || event.metaKey || event.altKey) return this.withControl(event);
    if (this.ahead !== undefined) return this.typeAhead(event);
    const control = pressed(event);
    if (isCovered()) return control ? this.press(event, control, quiet, calm) : 'typed';
    if (prefix) {
      if (!event.repeat) prefix[event.key]?.();
      return 'swallowed';
    }
    if (control) return this.press(event, control, quiet, calm);
    if (submits(event)) return 'swallowed';
    if (event.repeat) return 'typed';
    if (chooses(event)) return 'native';
    const command = this.find(event.key, isPlain);
    return command ? this.give(event, command, quiet, calm) : 'typed';
  }

  private find(key: string, fits: (command: Command) => boolean): Command | undefined {
    for (const map of this.bound) {
      const command = map.get(key);
      if (command && fits(command)) return command;
    }
    return undefined;
  }

  private inField(event: KeyboardEvent, field: HTMLElement): Fate {
    if (submits(event)) return 'swallowed';
    const control = event.ctrlKey || event.metaKey;
    const command = this.find(event.key, ({ within, ctrl = false }) => within !== undefined && field.matches(within) && ctrl === control);
    if (!command || event.altKey || event.shiftKey || event.repeat || (isCovered() && !field.closest('dialog'))) return 'typed';
    command.run();
    return 'command';
  }

  private withControl(event: KeyboardEvent): Fate {
    const command = this.find(event.key, ({ ctrl, within }) => ctrl === true && within === undefined);
    if (!command || event.altKey || event.shiftKey || event.repeat || isCovered()) return 'typed';
    command.run();
    return 'command';
  }

  private typeAhead(event: KeyboardEvent): Fate {
    if (event.key === 'Escape') this.stopAhead();
    else if (event.key === 'Backspace') this.ahead = this.ahead?.slice(0, -1);
    else if ([...event.key].length === 1) this.ahead += event.key;
    return 'swallowed';
  }

  private press(event: KeyboardEvent, control: HTMLElement, quiet: boolean, calm: boolean): Fate {
    const decides = control.matches('[data-decides]');
    if (!calm || (decides && (event.repeat || !quiet))) return 'swallowed';
    if (!decides) return 'native';
    this.wait(event, () => control.isConnected && document.activeElement === control, () => control.click());
    return 'command';
  }

  private give(event: KeyboardEvent, command: Command, quiet: boolean, calm: boolean): Fate {
    const { decides } = command;
    if (!decides) {
      if (!calm && !command.anytime && isText(event)) return 'typed';
      if (command.next) this.prefix = command.next;
      command.run();
      return 'command';
    }
    if (!(command.afterCommand ? calm : quiet) || !decides()) return 'typed';
    const stands = () => decides() && this.find(event.key, isPlain) === command && !isField(document.activeElement) && !isCovered();
    this.wait(event, stands, command.run);
    return 'command';
  }

  /** Does it once the key has been alone for long enough after it, too. */
  private wait(event: KeyboardEvent, stands: () => boolean, run: () => void): void {
    const look = (due: number) => {
      if (this.clock.now() - due > BUSY_MS) {
        this.arm(event.timeStamp, BUSY_MS, look);
        return;
      }
      this.waiting = undefined;
      if (stands() && document.visibilityState !== 'hidden') run();
    };
    this.arm(event.timeStamp, ALONE_MS, look);
  }

  private arm(at: number, ms: number, look: (due: number) => void): void {
    const due = this.clock.now() + ms;
    this.waiting = { at, cancel: this.clock.after(ms, () => look(due)) };
  }
}

export const keyboard = new Keyboard();
