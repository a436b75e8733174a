/** The sentences in the language of whoever looks at the page. */

import { en } from './en';

export type Words = typeof en;

export const words: Words = en;

export type Values = Record<string, string | number>;

/** A sentence with its braces filled, for a place that takes only text. Foreign values are made plain there. */
export function filled(sentence: string, values: Values): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

export type Cut = { text: string; foreign: boolean };

/** A sentence cut where values stand in it. */
export function cut(sentence: string, values: Values): Cut[] {
  return sentence.split(/(\{\w+\})/).flatMap((part) => {
    if (!part) return [];
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return [name === undefined ? { text: part, foreign: false } : { text: String(values[name] ?? ''), foreign: true }];
  });
}
