/** A line of code in the pieces it is drawn in: cut where a colour, a mark or a hidden character begins or ends. */

import { pieces, type Piece } from './escape';
import type { Part } from './marks';

export type Colour = 'keyword' | 'name' | 'string' | 'number' | 'comment';
/** A coloured part of a line. */
export type Token = Part & { colour: Colour };
export type CodePiece = { piece: Piece; marked: boolean; colour: Colour | undefined };

/** A line of more coloured parts than this is drawn plain: colours help nobody there. */
const TOKENS_MAX = 2000;

/** The pieces in order; together they are the line. Marks and tokens are in order, too. */
export function codePieces(text: string, marks: readonly Part[], tokens: readonly Token[]): CodePiece[] {
  const coloured = tokens.length > TOKENS_MAX ? [] : tokens;
  const out: CodePiece[] = [];
  let at = 0;
  let mark = 0;
  let token = 0;
  for (const piece of pieces(text, true)) {
    const end = at + piece.text.length;
    while (at < end) {
      while ((marks[mark]?.to ?? Infinity) <= at) mark += 1;
      while ((coloured[token]?.to ?? Infinity) <= at) token += 1;
      const [m, t] = [marks[mark], coloured[token]];
      const marked = m !== undefined && m.from <= at;
      const colour = t !== undefined && t.from <= at ? t.colour : undefined;
      // A hidden character is drawn as one piece, whatever begins inside it.
      const edges = piece.kind === 'hidden' ? [end] : [end, m && (marked ? m.to : m.from), t && (colour ? t.to : t.from)];
      const next = Math.min(...edges.map((edge) => edge ?? end));
      out.push({ piece: { ...piece, text: text.slice(at, next) }, marked, colour });
      at = next;
    }
  }
  return out;
}
