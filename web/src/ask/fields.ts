/** Form fields: what is wrong with a value, and how it goes out. */

import type { Ask, Field } from '../api/schema';
import type { Value } from '../state/drafts';
import { filled, words } from '../words/words';

const f = words.field;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;
/** A moment that says its zone goes out as it stands; the browser's picker gives one without. */
const ZONED = /(z|[+-]\d{2}:\d{2})$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function titleOf(field: Field): string {
  return field.title ?? field.name;
}

/** A value of a form as it was shown: by the titles of the field and of what was chosen. */
export function fieldRow(field: Field | undefined, name: string, value: unknown): { title: string; value: string } {
  const title = field ? titleOf(field) : name;
  const one = (said: unknown): string => field?.options?.find((option) => option.value === said)?.title ?? String(said);
  if (typeof value === 'object' && value !== null && 'secret' in value) return { title, value: words.said.secret };
  if (typeof value === 'boolean') return { title, value: value ? words.said.yes : words.said.no };
  return { title, value: Array.isArray(value) ? value.map(one).join(', ') : one(value) };
}

/** What a person is told beforehand about what fits. */
export function hintOf(field: Field): string {
  const [min, max] = [field.min ?? undefined, field.max ?? undefined];
  const range = min !== undefined && max !== undefined ? filled(f.fromTo, { min, max }) : min !== undefined ? filled(f.atLeast, { min }) : max !== undefined ? filled(f.atMost, { max }) : '';
  switch (field.kind) {
    case 'integer':
      return filled(f.whole, { range });
    case 'number':
      return range ? filled(f.number, { range }) : '';
    case 'secret':
      return f.secret;
    case 'many_of':
      return [field.min_items ? filled(f.min, { n: field.min_items }) : '', field.max_items ? filled(f.max, { n: field.max_items }) : ''].filter(Boolean).join(', ');
    case 'text':
      return field.max_length ? filled(f.maxLength, { n: field.max_length }) : '';
    case 'boolean':
    case 'one_of':
      return '';
  }
}

/** What is wrong with a value; nothing when it can go out. */
export function faultOf(field: Field, value: Value | undefined): string {
  if (field.kind === 'many_of') return manyFault(field, Array.isArray(value) ? value : []);
  if (typeof value !== 'string') return '';
  if (value === '') return field.required ? f.needed : '';
  switch (field.kind) {
    case 'integer':
    case 'number':
      return numberFault(field, value);
    case 'text':
      return textFault(field, value);
    case 'secret':
    case 'one_of':
    case 'boolean':
      return '';
  }
}

function manyFault(field: Field, value: string[]): string {
  if (!value.length) return field.required || (field.min_items ?? 0) > 0 ? f.chooseOne : '';
  if (value.length < (field.min_items ?? 0)) return filled(f.chooseMin, { n: field.min_items ?? 0 });
  if (value.length > (field.max_items ?? Infinity)) return filled(f.chooseMax, { n: field.max_items ?? 0 });
  return '';
}

function numberFault(field: Field, value: string): string {
  const text = value.trim();
  if (field.kind === 'integer' ? !INTEGER.test(text) : !NUMBER.test(text)) return field.kind === 'integer' ? f.notWhole : f.notNumber;
  if (field.min !== undefined && field.min !== null && Number(text) < field.min) return filled(f.smaller, { n: field.min });
  if (field.max !== undefined && field.max !== null && Number(text) > field.max) return filled(f.larger, { n: field.max });
  return '';
}

function textFault(field: Field, value: string): string {
  const length = [...value].length;
  if (length < (field.min_length ?? 0)) return filled(f.shorter, { n: field.min_length ?? 0 });
  if (length > (field.max_length ?? Infinity)) return filled(f.longer, { n: field.max_length ?? 0 });
  switch (field.format) {
    case 'email':
      return EMAIL.test(value) ? '' : f.notMail;
    case 'uri':
      return URL.canParse(value) ? '' : f.notAddress;
    case 'date':
      return DATE.test(value) && !Number.isNaN(Date.parse(value)) ? '' : f.notDay;
    case 'date_time':
      return Number.isNaN(Date.parse(value)) ? f.notMoment : '';
    case undefined:
    case null:
      return '';
    default:
      return '';
  }
}

/** The value as JSON text; a number keeps the digits that were typed. */
function valueText(field: Field, value: Value): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length ? JSON.stringify(value) : undefined;
  if (value === '') return undefined;
  if (field.kind === 'number' || field.kind === 'integer') return value.trim();
  if (field.kind === 'text' && field.format === 'date_time') return JSON.stringify(ZONED.test(value) ? value : new Date(value).toISOString());
  return JSON.stringify(value);
}

/** The body of the answer. What was left empty is left out. */
export function fieldsBody(ask: Ask, values: Record<string, Value>): string {
  const parts = (ask.form?.fields ?? []).flatMap((field) => {
    const text = valueText(field, values[field.name] ?? '');
    return text === undefined ? [] : [`${JSON.stringify(field.name)}:${text}`];
  });
  return `{"digest":${JSON.stringify(ask.digest)},"fields":{${parts.join(',')}}}`;
}
