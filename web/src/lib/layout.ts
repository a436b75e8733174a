/**
 * Lays JSON out in lines by its own signs. Nothing is read as a value and written again, so every
 * number and every string stands as it came; text that is not JSON is left alone. What lies deeper
 * than anybody reads stays in one line, so that no input is too deep to be shown.
 */

/** Text that is shown, and behind it what is folded away until somebody wants it. */
export type Folded = { text: string; rest: string };

/** Values deeper than this stay in one line. */
const DEPTH_MAX = 12;
/** A value longer than this is folded, and so much of it is shown. */
const FOLD_CHARS = 400;
const SHOWN_CHARS = 160;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where a text or a nested value that begins here ends. */
function endOf(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const c = text[at];
    if (c === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    } else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') depth -= 1;
    at += 1;
  } while (depth > 0 && at < text.length);
  return at;
}

/** A place near this one that is inside no escape and no pair. */
function cutNear(text: string, at: number): number {
  const escape = text.slice(at - 6, at).indexOf('\\');
  const cut = escape < 0 ? at : at - 6 + escape;
  const code = text.charCodeAt(cut);
  return code >= 0xdc00 && code <= 0xdfff ? cut - 1 : cut;
}

/** The input in lines, long texts folded. Everything shown and folded together is all of it. */
export function foldedInput(text: string): Folded[] {
  if (!isJson(text)) return [{ text, rest: '' }];
  const out: Folded[] = [];
  let line = '';
  let depth = 0;
  const lineBreak = () => `\n${'  '.repeat(depth)}`;
  const whole = (value: string) => {
    if (value.length <= FOLD_CHARS) {
      line += value;
      return;
    }
    const cut = cutNear(value, SHOWN_CHARS);
    out.push({ text: line + value.slice(0, cut), rest: value.slice(cut) });
    line = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at] ?? '';
    if (c === '"') {
      const end = endOf(text, at);
      whole(text.slice(at, end));
      at = end - 1;
    } else if (c === '{' || c === '[') {
      const close = c === '{' ? '}' : ']';
      let next = at + 1;
      while (next < text.length && /\s/.test(text[next] ?? '')) next += 1;
      if (text[next] === close) {
        line += c + close;
        at = next;
      } else if (depth >= DEPTH_MAX) {
        const end = endOf(text, at);
        whole(text.slice(at, end));
        at = end - 1;
      } else {
        depth += 1;
        line += c + lineBreak();
      }
    } else if (c === '}' || c === ']') {
      depth -= 1;
      line += lineBreak() + c;
    } else if (c === ',') line += c + lineBreak();
    else if (c === ':') line += ': ';
    else if (!/\s/.test(c)) line += c;
  }
  out.push({ text: line, rest: '' });
  return out;
}

/** A value of an input beside its name; `host` is the part of an address that says where it leads. */
export type InputField = { name: string; pieces: Folded[]; lead: string; host: string };

const LOOKS_OTHER = /^(?:-?\d|true$|false$|null$|[[{"]|\s|$)|\s$/;
const ADDRESS = /^https?:\/\/([^/?#\s]+)/;

function fieldOf(name: string, raw: string): InputField {
  const value: unknown = raw.startsWith('"') ? JSON.parse(raw) : undefined;
  // A text that could be taken for another value keeps its signs.
  if (typeof value !== 'string' || LOOKS_OTHER.test(value)) return { name, pieces: foldedInput(raw), lead: '', host: '' };
  const cut = value.length > FOLD_CHARS ? cutNear(value, SHOWN_CHARS) : value.length;
  const host = ADDRESS.exec(value.slice(0, cut))?.[1] ?? '';
  const lead = host ? value.slice(0, value.indexOf(host)) : '';
  return { name, lead, host, pieces: [{ text: value.slice(lead.length + host.length, cut), rest: value.slice(cut) }] };
}

/** The fields of an input that is an object, in their order, with those that it says twice; else nothing. */
export function inputFields(text: string): InputField[] | undefined {
  if (!/^\s*\{/.test(text) || !isJson(text)) return undefined;
  const out: InputField[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) return out;
    const named = endOf(text, at);
    const name = String(JSON.parse(text.slice(at, named)));
    let from = text.indexOf(':', named) + 1;
    while (/\s/.test(text[from] ?? '')) from += 1;
    let to = /["[{]/.test(text[from] ?? '') ? endOf(text, from) : from;
    while (to < text.length && !/[,}\s]/.test(text[to] ?? '')) to += 1;
    out.push(fieldOf(name, text.slice(from, to)));
    at = to;
  }
}
