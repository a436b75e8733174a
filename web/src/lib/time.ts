/** Moments and spans in words: 17 s, 4 min, 1 h 22 min, then 14:02, yesterday, 13 Nov. */

import { filled, words } from '../words/words';

const t = words.time;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** A span for reading. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < MINUTE) return t.seconds(s);
  if (s < HOUR) return t.minutes(Math.floor(s / MINUTE));
  if (s < DAY) {
    const minutes = Math.floor((s % HOUR) / MINUTE);
    return t.hours(Math.floor(s / HOUR), minutes);
  }
  const days = Math.floor(s / DAY);
  return t.days(days);
}

/** A span that is measured: with a tenth below ten seconds. */
export function took(ms: number): string {
  return ms < 10_000 ? t.tenths(Math.max(0, ms) / 1000) : span(ms);
}

/** A span that may be hardly anything. */
export function soon(ms: number): string {
  return ms < 1000 ? t.millis(Math.max(0, Math.round(ms))) : took(ms);
}

/** What is left, as a clock shows it. */
export function left(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  if (s >= DAY) return span(ms);
  const two = (n: number) => String(n).padStart(2, '0');
  const h = Math.floor(s / HOUR);
  const m = Math.floor((s % HOUR) / MINUTE);
  return h ? `${h}:${two(m)}:${two(s % MINUTE)}` : `${m}:${two(s % MINUTE)}`;
}

const two = (n: number) => String(n).padStart(2, '0');

export function clock(at: Date): string {
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function exact(at: Date): string {
  return `${clock(at)}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function dayStart(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** How long ago, or when. */
export function ago(at: Date, now: number): string {
  const ms = now - at.getTime();
  if (ms < HOUR * 1000) return filled(t.ago, { span: span(ms) });
  return when(at, now);
}

/** A moment: the time today, the day before that. */
export function when(at: Date, now: number): string {
  const days = Math.round((dayStart(new Date(now)) - dayStart(at)) / (DAY * 1000));
  if (days <= 0) return clock(at);
  if (days === 1) return filled(t.yesterdayAt, { clock: clock(at) });
  return shortDay(at, now);
}

function shortDay(at: Date, now: number): string {
  const year = at.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const };
  return at.toLocaleDateString(words.locale, { day: 'numeric', month: 'short', ...year });
}

export function shortDate(at: Date): string {
  return at.toLocaleDateString(words.locale, { day: 'numeric', month: 'short' });
}

export function weekday(at: Date): string {
  return at.toLocaleDateString(words.locale, { weekday: 'short' });
}

/** The head of a day in a list. */
export function dayHead(at: Date, now: number): string {
  const days = Math.round((dayStart(new Date(now)) - dayStart(at)) / (DAY * 1000));
  if (days <= 0) return t.today;
  if (days === 1) return t.yesterday;
  const year = at.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const };
  return at.toLocaleDateString(words.locale, { weekday: 'long', day: 'numeric', month: 'long', ...year });
}
