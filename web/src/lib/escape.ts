/**
 * The escaper for text that somebody outside wrote, as the server's core has it: what a person
 * cannot see is cut out as a piece of its own, to be drawn as a chip. It never trims and never
 * joins; the pieces put together are the text.
 */

import { RUNS } from './twins';
import { filled, words as w } from '../words/words';

export type Piece =
  | { kind: 'plain'; text: string }
  | { kind: 'hidden'; text: string; code: string; name: string }
  | { kind: 'alike'; text: string; name: string };

const NAMES: Record<number, string> = w.hidden.names;

const BLANKS = '\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0';
const UNSEEN = `[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}${BLANKS}\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]|(?! )\\p{Zs}`;
const HIDDEN = new RegExp(UNSEEN, 'u');
const EMOJI_DRESS = /\p{Extended_Pictographic}[\ufe0f\u200d]$/u;
const EAST_ASIAN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]/u;
const LATIN = /\p{scx=Latin}/u;
/** Of no alphabet, or of every one. */
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;
/** Stand-ins for the signs that part an address or a path; they join words instead of parting them. */
const SIGNS = '\\u037e\\u0589\\u2024\\u2044\\u2215\\u2216\\u2236\\u29f5\\u29f8\\ua789';
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}_${SIGNS}]+`, 'gu');
/** Listed as twins of ASCII, and misread by nobody in a word of their own alphabet. */
const WEAK = new Set('ЗЫЬЮбгшազոքֆי');
/** Words up to this length are ordinary in alphabets that share shapes with Latin. */
const SHORT = 3;

let known: Set<number> | undefined;

/** Whether an eye takes a letter for ASCII. */
function isTwin(c: string): boolean {
  if (!known) {
    known = new Set();
    let end = 0;
    for (const run of RUNS.trim().split(' ')) {
      const [step = '0', length = '1'] = run.split('+');
      const start = end + Number.parseInt(step, 36);
      end = start + Number.parseInt(length, 36);
      for (let code = start; code < end; code += 1) known.add(code);
    }
  }
  return known.has(c.codePointAt(0) ?? 0);
}

function nameOf(code: number): string {
  const known = NAMES[code];
  if (known) return known;
  if (code < 0xa0) return w.hidden.control;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return w.hidden.selector;
  if (code >= 0xe0000 && code <= 0xe007f) return w.hidden.tag;
  return w.hidden.other;
}

type Kind = 'plain' | 'alike' | 'doubtful' | 'other';

/** What a word is: dressed up as another, plainly of another alphabet, or too short to say. */
function kindOf(word: string): Kind {
  let [hasLatin, hasAscii, allRead, twins, weak, isNumber] = [false, false, true, false, false, true];
  const others = new Set<string>();
  const letters = [...word];
  for (const c of letters) {
    const ascii = c <= '~';
    hasAscii ||= ascii;
    isNumber &&= /\p{Nd}/u.test(c);
    if (!SHARED.test(c)) {
      if (LATIN.test(c)) hasLatin = true;
      else others.add(scriptOf(c));
    }
    if (ascii) continue;
    const twin = isTwin(c);
    allRead &&= twin;
    twins ||= twin;
    weak ||= WEAK.has(c);
  }
  if (isNumber && !hasAscii) return 'other';
  const own = !hasLatin && !hasAscii && others.size > 0;
  if (allRead && twins && !(own && weak)) return own && letters.length <= SHORT ? 'doubtful' : 'alike';
  const eastAsian = [...others].every((script) => script === 'east');
  if (others.size > 1 || (hasLatin && others.size > 0 && !eastAsian && twins)) return 'alike';
  return 'other';
}

/** Alphabets that are told apart; all the rest count as one. */
const SCRIPTS: [string, RegExp][] = [
  ['east', EAST_ASIAN],
  ['Cyrl', /\p{scx=Cyrillic}/u],
  ['Grek', /\p{scx=Greek}/u],
  ['Armn', /\p{scx=Armenian}/u],
  ['Hebr', /\p{scx=Hebrew}/u],
  ['Arab', /\p{scx=Arabic}/u],
  ['Cher', /\p{scx=Cherokee}/u],
];

function scriptOf(c: string): string {
  return SCRIPTS.find(([, is]) => is.test(c))?.[0] ?? 'rest';
}

/** The text in pieces. In a block, line breaks and tabs are part of the plain text. */
export function pieces(text: string, block: boolean): Piece[] {
  if (/^[ -~]*$/.test(block ? text.replace(/[\n\t]/g, ' ') : text)) {
    return text === '' ? [] : [{ kind: 'plain', text }];
  }
  const out: Piece[] = [];
  let plain = '';
  const flush = () => {
    if (plain) out.push(...words(plain));
    plain = '';
  };
  for (const c of text) {
    const kept = block && (c === '\n' || c === '\t');
    if (kept || !HIDDEN.test(c) || EMOJI_DRESS.test(plain.slice(-4) + c)) {
      plain += c;
      continue;
    }
    flush();
    const code = c.codePointAt(0) ?? 0;
    out.push({ kind: 'hidden', text: c, code: `\\u{${code.toString(16)}}`, name: nameOf(code) });
  }
  flush();
  return out;
}

function words(plain: string): Piece[] {
  const found = [...plain.matchAll(WORD)].map((match) => ({ at: match.index, text: match[0], kind: /^[ -~]*$/.test(match[0]) ? ('plain' as Kind) : kindOf(match[0]) }));
  const out: Piece[] = [];
  let at = 0;
  found.forEach((word, place) => {
    // A short word of another alphabet is believed when the one beside it is plainly of it.
    const vouched = word.kind === 'doubtful' && [found[place - 1], found[place + 1]].some((other) => other?.kind === 'other' && scriptOf(first(other.text)) === scriptOf(first(word.text)));
    if (word.kind !== 'alike' && (word.kind !== 'doubtful' || vouched)) return;
    if (word.at > at) out.push({ kind: 'plain', text: plain.slice(at, word.at) });
    out.push({ kind: 'alike', text: word.text, name: w.hidden.alike });
    at = word.at + word.text.length;
  });
  if (at < plain.length) out.push({ kind: 'plain', text: plain.slice(at) });
  return out;
}

const first = (word: string) => [...word][0] ?? '';

/** One line of text for a place that takes only text: a title, a notice. */
export function plainLine(text: string): string {
  return pieces(text, false)
    .map((piece) => (piece.kind === 'hidden' ? piece.code : piece.text))
    .join('');
}

/** What deserves a second look, in sentences; at most a few, the rest counted. */
export function findings(text: string): { kind: 'hidden' | 'alike'; sentence: string }[] {
  const counts = new Map<string, number>();
  const alike: string[] = [];
  for (const piece of pieces(text, true)) {
    if (piece.kind === 'hidden') counts.set(piece.name, (counts.get(piece.name) ?? 0) + 1);
    if (piece.kind === 'alike' && !alike.includes(piece.text)) alike.push(piece.text);
  }
  const out: { kind: 'hidden' | 'alike'; sentence: string }[] = [];
  for (const [name, count] of counts) {
    out.push({ kind: 'hidden', sentence: w.hidden.found(count, name) });
  }
  for (const word of alike.slice(0, 4)) {
    const foreign = [...word].filter((c) => c > '~' && isTwin(c)).slice(0, 4);
    const letters = foreign.map((c) => filled(w.hidden.letter, { c, code: (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0') }));
    out.push({ kind: 'alike', sentence: filled(w.hidden.alikeIn, { word: word.slice(0, 40), letters: letters.join(', ') }) });
  }
  return out;
}
