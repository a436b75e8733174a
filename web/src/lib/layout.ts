/**
 * Lays JSON out in lines by its own signs. Nothing is read as a value and written again, so every
 * number and every string stands as it came; text that is not JSON is left alone.
 */
export function laidOut(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let out = '';
  let depth = 0;
  let inString = false;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at] ?? '';
    if (inString) {
      out += c;
      if (c === '\\') {
        at += 1;
        out += text[at] ?? '';
      } else if (c === '"') inString = false;
      continue;
    }
    if (c === '"') inString = true;
    if (c === '{' || c === '[') {
      const close = c === '{' ? '}' : ']';
      const empty = /^\s*/.exec(text.slice(at + 1))?.[0].length ?? 0;
      if (text[at + 1 + empty] === close) {
        out += c + close;
        at += 1 + empty;
        continue;
      }
      depth += 1;
      out += c + line();
    } else if (c === '}' || c === ']') {
      depth -= 1;
      out += line() + c;
    } else if (c === ',') out += c + line();
    else if (c === ':') out += ': ';
    else if (!/\s/.test(c)) out += c;
  }
  return out;
}
