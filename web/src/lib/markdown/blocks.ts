/**
 * Markdown as blocks: what agents and people write in messages, questions and reasons. HTML is
 * text here, a line break stays one, and a list keeps the numbers it was written with. Time grows
 * with the length of the text alone; how deep and how many things are drawn has a limit, behind
 * which the text stands as it was written.
 */

import { newBudget, spansOf, type Budget, type Span } from './spans';

export type Align = 'left' | 'center' | 'right' | undefined;
export type Item = { number: number | undefined; done: boolean | undefined; blocks: Block[] };
export type Block =
  | { kind: 'paragraph'; inner: Span[] }
  | { kind: 'heading'; level: number; inner: Span[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; ordered: boolean; items: Item[] }
  | { kind: 'table'; align: Align[]; head: Span[][]; rows: Span[][][] }
  | { kind: 'rule' };

const DEPTH_MAX = 6;
const COLUMNS_MAX = 30;
/** Code needs this much before it, and a list no more. */
const INDENT = 4;
/** What belongs to an item of a list stands in by at least this much. */
const ITEM_INDENT = 2;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const QUOTE = /^ {0,3}>[ ]?/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:[ \t]|$)/;
const TASK = /^\[([ xX])\][ \t]/;
const DELIMITER = /^:?-+:?$/;
const BLANK = /^[ \t]*$/;

const indentOf = (line: string) => line.length - line.trimStart().length;

/** The cells between the upright lines. */
function cellsOf(line: string): string[] {
  const cells = line.trim().replace(/^\|/, '').split(/(?<!\\)\|/);
  if (cells.length > 1 && BLANK.test(cells.at(-1) ?? '')) cells.pop();
  return cells.map((cell) => cell.trim());
}

function alignsOf(line: string | undefined): Align[] | undefined {
  if (!line?.includes('-') || !/^[ \t|:-]+$/.test(line)) return undefined;
  const cells = cellsOf(line);
  if (!cells.every((cell) => DELIMITER.test(cell))) return undefined;
  return cells.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : cell.startsWith(':') ? 'left' : undefined));
}

class Reader {
  private readonly budget: Budget = newBudget();

  /** The blocks of these lines. */
  read(lines: string[], depth: number): Block[] {
    const out: Block[] = [];
    let at = 0;
    while (at < lines.length) {
      if (BLANK.test(lines[at] ?? '')) {
        at += 1;
        continue;
      }
      if ((this.budget.left -= 1) < 0) {
        out.push({ kind: 'paragraph', inner: [{ kind: 'text', text: lines.slice(at).join('\n') }] });
        break;
      }
      const [block, next] = this.block(lines, at, depth);
      out.push(block);
      at = next;
    }
    return out;
  }

  private spans(text: string): Span[] {
    return spansOf(text, this.budget);
  }

  /** The block that begins at this line, and the line behind it. */
  private block(lines: string[], at: number, depth: number): [Block, number] {
    const line = lines[at] ?? '';
    const fence = fenceOf(line);
    if (fence) return fenced(lines, at, fence);
    const heading = HEADING.exec(line);
    if (heading) return [{ kind: 'heading', level: heading[1]?.length ?? 1, inner: this.spans((heading[2] ?? '').replace(/(?<![ \t#])[ \t]+#+[ \t]*$/, '')) }, at + 1];
    if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
    if (indentOf(line) >= INDENT && depth === 0) return indented(lines, at);
    if (depth < DEPTH_MAX) {
      if (QUOTE.test(line)) return this.quote(lines, at, depth);
      if (ITEM.test(line)) return this.list(lines, at, depth);
    }
    const aligns = line.includes('|') ? alignsOf(lines[at + 1]) : undefined;
    if (aligns && aligns.length <= COLUMNS_MAX && cellsOf(line).length === aligns.length) return this.table(lines, at, aligns);
    return this.paragraph(lines, at, depth);
  }

  private paragraph(lines: string[], from: number, depth: number): [Block, number] {
    let at = from + 1;
    while (at < lines.length && !interrupts(lines[at] ?? '', lines[at + 1], depth)) at += 1;
    return [{ kind: 'paragraph', inner: this.spans(lines.slice(from, at).join('\n').trim()) }, at];
  }

  private quote(lines: string[], from: number, depth: number): [Block, number] {
    let at = from;
    const inner: string[] = [];
    for (; QUOTE.test(lines[at] ?? ''); at += 1) inner.push((lines[at] ?? '').replace(QUOTE, ''));
    return [{ kind: 'quote', blocks: this.read(inner, depth + 1) }, at];
  }

  private list(lines: string[], from: number, depth: number): [Block, number] {
    const ordered = ITEM.exec(lines[from] ?? '')?.[3] !== undefined;
    const items: Item[] = [];
    let at = from;
    for (;;) {
      const line = lines[at] ?? '';
      const found = ITEM.exec(line);
      if (!found || RULE.test(line) || (found[3] !== undefined) !== ordered || (items.length && this.budget.left <= 0)) break;
      const [item, next] = itemOf(lines, at, found[0].length, depth);
      const task = TASK.exec(item[0] ?? '');
      if (task) item[0] = (item[0] ?? '').slice(4);
      this.budget.left -= 1;
      items.push({ number: ordered ? Number(found[3]) : undefined, done: task ? task[1] !== ' ' : undefined, blocks: this.read(item, depth + 1) });
      at = next;
      // Blank lines stand between items only when another one follows.
      let after = at;
      while (after < lines.length && BLANK.test(lines[after] ?? '')) after += 1;
      if (after >= lines.length) break;
      at = after;
    }
    return [{ kind: 'list', ordered, items }, at];
  }

  private table(lines: string[], from: number, align: Align[]): [Block, number] {
    const row = (line: string): Span[][] => {
      const cells = cellsOf(line);
      const all = align.map((_, column) => (column === align.length - 1 ? cells.slice(column).join(' | ') : (cells[column] ?? '')));
      this.budget.left -= all.length;
      return all.map((cell) => this.spans(cell.replaceAll('\\|', '|')));
    };
    const head = row(lines[from] ?? '');
    const rows: Span[][][] = [];
    let at = from + 2;
    for (; at < lines.length && (lines[at] ?? '').includes('|') && this.budget.left > 0; at += 1) rows.push(row(lines[at] ?? ''));
    return [{ kind: 'table', align, head, rows }, at];
  }
}

type Fence = { indent: number; sign: string; info: string };

function fenceOf(line: string): Fence | undefined {
  const [, indent = '', sign = '', info = ''] = FENCE.exec(line) ?? [];
  return !sign || (sign.startsWith('`') && info.includes('`')) ? undefined : { indent: indent.length, sign, info: info.trim() };
}

/** Whether a paragraph ends before this line. */
function interrupts(line: string, next: string | undefined, depth: number): boolean {
  if (BLANK.test(line) || HEADING.test(line) || fenceOf(line) || RULE.test(line)) return true;
  if (line.includes('|') && alignsOf(next)) return true;
  if (depth >= DEPTH_MAX) return false;
  const item = ITEM.exec(line);
  // A year at the beginning of a line is no list.
  return QUOTE.test(line) || (item !== null && item[0].length < line.length && (item[3] === undefined || item[3] === '1'));
}

function fenced(lines: string[], from: number, { indent, sign, info }: Fence): [Block, number] {
  let at = from + 1;
  const inner: string[] = [];
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const end = fenceOf(line);
    if (end && !end.info && end.sign[0] === sign[0] && end.sign.length >= sign.length) break;
    inner.push(line.slice(Math.min(indent, indentOf(line))));
  }
  return [{ kind: 'code', language: info, text: inner.join('\n') }, at + 1];
}

function indented(lines: string[], from: number): [Block, number] {
  let at = from;
  const inner: string[] = [];
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (!BLANK.test(line) && indentOf(line) < INDENT) break;
    inner.push(line.replace(/^(?: {4}|\t)/, ''));
  }
  return [{ kind: 'code', language: '', text: inner.join('\n').trimEnd() }, at];
}

/** The lines of an item without what makes them one, and the line behind it. */
function itemOf(lines: string[], from: number, width: number, depth: number): [string[], number] {
  const inner = [(lines[from] ?? '').slice(width)];
  let at = from + 1;
  let fence = fenceOf(inner[0] ?? '');
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const indent = indentOf(line);
    const afterBlank = BLANK.test(inner.at(-1) ?? '');
    if (BLANK.test(line)) {
      inner.push('');
      continue;
    }
    if (indent < ITEM_INDENT && (afterBlank || fence || ITEM.test(line) || interrupts(line, lines[at + 1], depth))) break;
    inner.push(line.slice(Math.min(indent, width)));
    const sign = fenceOf(inner.at(-1) ?? '');
    if (sign) fence = fence ? undefined : sign;
  }
  // What is blank behind an item belongs to what comes next.
  while (inner.length > 1 && BLANK.test(inner.at(-1) ?? '')) {
    inner.pop();
    at -= 1;
  }
  return [inner, at];
}

/** The blocks of a text. */
export function blocksOf(text: string): Block[] {
  return new Reader().read(text.replaceAll('\r\n', '\n').split('\n'), 0);
}
