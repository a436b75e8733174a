/**
 * The escaper for text that somebody outside wrote, as the server's core has it: what a person
 * cannot see is cut out as a piece of its own, to be drawn as a chip. It never trims and never
 * joins; the pieces put together are the text.
 */

export type Piece =
  | { kind: 'plain'; text: string }
  | { kind: 'hidden'; text: string; code: string; name: string }
  | { kind: 'alike'; text: string; name: string };

const NAMES: Record<number, string> = {
  0x09: 'tab',
  0x0a: 'line break',
  0x0d: 'carriage return',
  0x1b: 'escape',
  0x7f: 'delete',
  0xa0: 'no-break space',
  0xad: 'soft hyphen',
  0x61c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0x2800: 'empty Braille cell',
  0xfeff: 'byte order mark',
};

const BLANKS = '\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0';
const UNSEEN = `[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}${BLANKS}\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]|(?! )\\p{Zs}`;
const HIDDEN = new RegExp(UNSEEN, 'u');
const EMOJI_DRESS = /\p{Extended_Pictographic}[\ufe0f\u200d]$/u;
/** Letters of other alphabets that an eye takes for Latin ones. */
const TWINS = new Set(
  'аеорсухіјѕԁһӏԛԝвмнктАВЕКМНОРСТУХІЈЅԌԚԜ' + 'οναρτυκιχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ' + 'օսոհցքᎪᎷᏢᏴⅼⅽⅾⅿ',
);
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\u2160-\u217f]/u;

function nameOf(code: number): string {
  const known = NAMES[code];
  if (known) return known;
  if (code < 0xa0) return 'control character';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'variation selector';
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag character';
  return 'invisible character';
}

/** Whether a word is dressed up as another: alphabets mixed, or all of it twins of Latin. */
function disguised(word: string): boolean {
  if (!OTHER.test(word)) return false;
  const letters = [...word].filter((c) => /\p{L}|\p{N}/u.test(c));
  const twins = letters.filter((c) => TWINS.has(c)).length;
  if (LATIN.test(word)) return twins > 0;
  return letters.length > 3 && twins === letters.length;
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
  const out: Piece[] = [];
  let at = 0;
  for (const match of plain.matchAll(WORD)) {
    if (!disguised(match[0])) continue;
    if (match.index > at) out.push({ kind: 'plain', text: plain.slice(at, match.index) });
    out.push({ kind: 'alike', text: match[0], name: 'look-alike letters' });
    at = match.index + match[0].length;
  }
  if (at < plain.length) out.push({ kind: 'plain', text: plain.slice(at) });
  return out;
}

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
    out.push({ kind: 'hidden', sentence: `${count} hidden ${count === 1 ? 'character' : 'characters'}: ${name}.` });
  }
  for (const word of alike.slice(0, 4)) {
    const foreign = [...word].filter((c) => TWINS.has(c)).slice(0, 4);
    const letters = foreign.map((c) => `“${c}” is U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
    out.push({ kind: 'alike', sentence: `Look-alike letters in “${word.slice(0, 40)}”: ${letters.join(', ')}.` });
  }
  return out;
}
