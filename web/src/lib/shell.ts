/**
 * A command line in pieces for the eye: programs, flags, operators, and its parts. It is a help
 * to read and never a judgement; what it cannot follow stays plain text, and nothing is left out.
 */

export type Word = { kind: 'program' | 'flag' | 'operator' | 'plain' | 'space'; text: string };
/** `from` is where it begins in the command. */
export type Part = { words: Word[]; from: number };

const OPERATOR = /^(&&|\|\||;;|\|&|[|;&\n])/;

/** Every piece in order; together they are the command, to the byte. */
export function wordsOf(command: string): Word[] {
  const out: Word[] = [];
  let at = 0;
  let first = true;
  while (at < command.length) {
    const rest = command.slice(at);
    const space = /^[ \t]+/.exec(rest);
    if (space) {
      out.push({ kind: 'space', text: space[0] });
      at += space[0].length;
      continue;
    }
    const operator = OPERATOR.exec(rest);
    if (operator) {
      out.push({ kind: 'operator', text: operator[0] });
      at += operator[0].length;
      first = true;
      continue;
    }
    const text = wordAt(command, at);
    at += text.length;
    if (first && !/^[A-Za-z_]\w*=/.test(text)) {
      out.push({ kind: 'program', text });
      first = false;
    } else {
      out.push({ kind: text.startsWith('-') ? 'flag' : 'plain', text });
    }
  }
  return out;
}

/** One word, quotes and nested commands and all. */
function wordAt(command: string, start: number): string {
  let at = start;
  let depth = 0;
  let quote = '';
  while (at < command.length) {
    const c = command[at] ?? '';
    if (c === '\\' && quote !== "'") {
      at += 2;
      continue;
    }
    if (quote) {
      if (c === quote) quote = '';
    } else if (c === "'" || c === '"' || c === '`') {
      quote = c;
    } else if (c === '(' || c === '{') {
      depth += 1;
    } else if ((c === ')' || c === '}') && depth > 0) {
      depth -= 1;
    } else if (depth === 0 && (c === ' ' || c === '\t' || OPERATOR.test(command.slice(at, at + 2)))) {
      // The & of a redirection (2>&1, &>file) is no operator.
      const redirects = c === '&' && (command[at - 1] === '>' || command[at + 1] === '>');
      if (!redirects) break;
    }
    at += 1;
  }
  return command.slice(start, Math.max(at, start + 1));
}

/** The parts that run one after the other. */
export function partsOf(command: string): Part[] {
  const parts: Part[] = [];
  let words: Word[] = [];
  let [from, at] = [0, 0];
  const close = () => {
    if (words.some((word) => word.kind !== 'space' && word.kind !== 'operator')) parts.push({ words, from });
    [words, from] = [[], at];
  };
  for (const word of wordsOf(command)) {
    if (word.kind === 'operator') close();
    words.push(word);
    at += word.text.length;
  }
  close();
  return parts;
}

/** Programs that only run another one. */
const WRAPPERS = new Set(['sudo', 'doas', 'env', 'nice', 'nohup', 'time', 'command', 'exec']);

/** The program of the part that is at this place, which a person types to allow it by keyboard. */
export function programOf(command: string, at = 0): string {
  const parts = partsOf(command);
  const part = parts.findLast(({ from }) => from <= at) ?? parts[0];
  const said = (part?.words ?? []).filter(({ kind }) => kind !== 'space' && kind !== 'operator');
  const first = said.findIndex(({ kind }) => kind === 'program');
  const [program, next] = [said[first]?.text ?? '', said[first + 1]?.text ?? ''];
  return WRAPPERS.has(program) && /^[\w./]+$/.test(next) ? next : program;
}
