/** How dangerous an act is, as the server rated it: in words, and where in the command. */

import type { Action, Risk, Span } from '../api/schema';
import { filled, words } from '../words/words';

export const RISK_ICON: Record<Risk, string> = { high: 'triangle-alert', medium: 'diamond', low: 'circle' };

/** The level and the most serious reason. */
export function riskLine({ risk, reasons }: Action): { level: string; reason: string } {
  return { level: words.risk.level[risk], reason: reasons[0] ?? '' };
}

/** The same in one sentence, for places that take only text. */
export function riskSentence(action: Action): string {
  const { level, reason } = riskLine(action);
  return reason ? filled(words.risk.why, { level, reason }) : level;
}

/** A part of a text, in characters as a browser counts them. */
export type Mark = { from: number; to: number; reason: number };

/** Where the spans of a command lie in it; what does not fit it is left out. */
export function marksOf(command: string, spans: Span[]): Mark[] {
  if (!spans.length) return [];
  const bytes = new TextEncoder().encode(command);
  const decoder = new TextDecoder();
  const place = (byte: number) => decoder.decode(bytes.subarray(0, byte)).length;
  return spans
    .filter(({ start, end }) => start >= 0 && start < end && end <= bytes.length)
    .map(({ start, end, reason }) => ({ from: place(start), to: place(end), reason }));
}

/** A text cut at the edges of its marks; each piece with the most serious reason it is part of. */
export function piecesOf(text: string, from: number, marks: Mark[]): { text: string; reason: number | undefined }[] {
  const to = from + text.length;
  const edges = [from, ...marks.flatMap((mark) => [mark.from, mark.to]).filter((edge) => edge > from && edge < to), to];
  const cuts = [...new Set(edges)].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((cut, at) => {
    const next = cuts[at + 1] ?? to;
    const reasons = marks.filter((mark) => mark.from < next && mark.to > cut).map((mark) => mark.reason);
    return { text: text.slice(cut - from, next - from), reason: reasons.length ? Math.min(...reasons) : undefined };
  });
}
