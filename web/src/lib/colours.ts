/**
 * Colours for code: keywords, names, texts, numbers and comments. One pass from the first character to
 * the last, so that the time is that of reading it, whatever it is. Fetched when code is shown.
 */

import type { Colour, Token } from './codeline';
import { languageOf, type Language } from './languages';

export { languageOf };

/** More than agents may send; such a text stays plain. */
const CHARS_MAX = 600_000;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?/iy;
const VARIABLE = /\$(?:\{[^}\n]{0,200}\}?|\w+|[?#@*!])/y;
const SHORT = /'(?:\\[^\n]{1,10}?|[^'\\\n])'/uy;
const TAG = /<[/!?]?[\w:.-]*/y;
const SPACE = /\s/;
/** What stands before a key. */
const LEAD = /^\s*(?:- +)*/;

class Painter {
  readonly lines: Token[][];
  private readonly starts: number[] = [0];
  private line = 0;
  private at = 0;
  /** The next word is a name. */
  private defining = false;
  /** Inside an element of a markup language. */
  private inTag = false;

  private readonly text: string;
  private readonly language: Language;

  constructor(text: string, language: Language) {
    this.text = text;
    this.language = language;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
    this.lines = this.starts.map(() => []);
  }

  run(): Token[][] {
    const { text } = this;
    while (this.at < text.length) {
      const c = text[this.at] ?? '';
      if (this.at === this.starts[this.line + 1]) this.line += 1;
      if (this.at === this.starts[this.line] && this.key()) continue;
      if (SPACE.test(c)) this.at += 1;
      else if (!this.comment() && !this.longText() && !this.quoted(c) && !this.element(c) && !this.number(c) && !this.variable(c) && !this.word()) this.at += 1;
    }
    return this.lines;
  }

  /** Colours everything up to a place, line by line, and goes there. */
  private paint(to: number, colour: Colour | undefined): void {
    const from = this.at;
    this.at = Math.max(to, from + 1);
    const end = this.at;
    for (;;) {
      const start = this.starts[this.line] ?? 0;
      const next = this.starts[this.line + 1];
      const stop = next !== undefined && next <= end ? next - 1 : end;
      const [a, b] = [Math.max(from, start), stop];
      if (colour && a < b) this.lines[this.line]?.push({ from: a - start, to: b - start, colour });
      if (next === undefined || next > end || (next === end && end === this.text.length)) return;
      this.line += 1;
      if (next === end) return;
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  private endOfLine(): number {
    return (this.starts[this.line + 1] ?? this.text.length + 1) - 1;
  }

  private key(): boolean {
    const { key } = this.language;
    if (!key) return false;
    const found = key.exec(this.text.slice(this.at, Math.min(this.endOfLine(), this.at + 200)))?.[0];
    if (!found) return false;
    const lead = LEAD.exec(found)?.[0].length ?? 0;
    this.at += lead;
    this.paint(this.at + found.length - lead, 'name');
    return true;
  }

  private comment(): boolean {
    const { line, block, spaced } = this.language;
    if (line.some((start) => this.text.startsWith(start, this.at)) && (!spaced || this.at === 0 || SPACE.test(this.text[this.at - 1] ?? ''))) {
      this.paint(this.endOfLine(), 'comment');
      return true;
    }
    return this.enclosed(block, 'comment');
  }

  private longText(): boolean {
    return this.enclosed(this.language.text, 'string');
  }

  private enclosed(kinds: [string, string][], colour: Colour): boolean {
    const kind = kinds.find(([start]) => this.text.startsWith(start, this.at));
    if (!kind) return false;
    const [start, end] = kind;
    let to = this.at + start.length;
    for (;;) {
      to = this.text.indexOf(end, to);
      if (to < 0) break;
      // A sign with a backslash before it does not end a text.
      if (colour !== 'string' || this.text[to - 1] !== '\\') break;
      to += 1;
    }
    this.paint(to < 0 ? this.text.length : to + end.length, colour);
    return true;
  }

  private quoted(c: string): boolean {
    const { quotes, shortQuote, keyTexts, markup } = this.language;
    if (!quotes.includes(c) || (markup && !this.inTag)) return false;
    if (shortQuote && c === "'") {
      const found = this.match(SHORT);
      if (!found) return false;
      this.paint(this.at + found.length, 'string');
      return true;
    }
    const end = this.endOfLine();
    let to = this.at + 1;
    while (to < end && this.text[to] !== c) to += this.text[to] === '\\' ? 2 : 1;
    to = Math.min(to + 1, end);
    let after = to;
    while (keyTexts && after < end && SPACE.test(this.text[after] ?? '')) after += 1;
    this.paint(to, keyTexts && this.text[after] === ':' ? 'name' : 'string');
    return true;
  }

  private element(c: string): boolean {
    if (!this.language.markup) return false;
    const tag = c === '<' ? this.match(TAG) : undefined;
    if (tag) {
      this.inTag = true;
      this.paint(this.at + tag.length, 'keyword');
      return true;
    }
    if (c === '>') this.inTag = false;
    return false;
  }

  private number(c: string): boolean {
    if (c < '0' || c > '9' || (this.language.markup && !this.inTag)) return false;
    this.paint(this.at + (this.match(NUMBER)?.length ?? 1), 'number');
    return true;
  }

  private variable(c: string): boolean {
    const found = c === '$' && this.language.spaced ? this.match(VARIABLE) : undefined;
    if (!found) return false;
    this.paint(this.at + found.length, 'name');
    return true;
  }

  private word(): boolean {
    const found = this.match(WORD);
    if (!found) return false;
    this.paint(this.at + found.length, this.colourOf(found));
    return true;
  }

  private colourOf(word: string): Colour | undefined {
    const { keywords, defines, capitals, anyCase, markup } = this.language;
    if (markup) return this.inTag ? 'name' : undefined;
    const own = anyCase ? word.toLowerCase() : word;
    const defined = this.defining;
    this.defining = defines.test(own);
    if (keywords.test(own)) return 'keyword';
    if (defined || (capitals && /^\p{Lu}/u.test(word))) return 'name';
    return undefined;
  }
}

/** The coloured parts of each line. */
export function coloured(text: string, language: Language): Token[][] {
  return text.length > CHARS_MAX ? [] : new Painter(text, language).run();
}
