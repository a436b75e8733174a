/** The open asks this device knew of, for a start without the server. */

import type { Ask } from '../api/schema';
import { drop, keep, keptAs } from './storage';

/** More would not be read anyway, and storage is small. */
const ASKS_MAX = 100;
const CHARS_MAX = 1_000_000;

const isAsks = (value: unknown): value is Ask[] =>
  Array.isArray(value) && value.every((ask: unknown) => typeof ask === 'object' && ask !== null && 'id' in ask && 'state' in ask && 'matter' in ask && 'agent' in ask);

export function keepKnown(asks: Ask[]): void {
  const text = JSON.stringify(asks.slice(0, ASKS_MAX));
  if (text.length <= CHARS_MAX) keep('known', text);
  else drop('known');
}

export function knownAsks(): Ask[] {
  const asks = keptAs('known', isAsks) ?? [];
  // An older page kept acts without reasons.
  return asks.map((ask) => (ask.action ? { ...ask, action: { ...ask.action, reasons: ask.action.reasons ?? [], spans: ask.action.spans ?? [] } } : ask));
}
