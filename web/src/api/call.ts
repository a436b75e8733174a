/** One call to the server: with the token of this device, and a typed problem when it fails. */

import type { Problem } from './schema';
import { filled, words } from '../words/words';

/** The server said no, with a reason. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** The server did not answer at all; whether it heard is unknown. */
export class Unreachable extends Error {
  constructor() {
    super(words.server.silent);
  }
}

export type Query = Record<string, string | number | undefined>;

/** Longest wait for one call; the server answers lists in milliseconds. */
const CALL_MS_MAX = 15_000;

let token = '';
let adminToken = '';
let skewMs = 0;

export function useToken(secret: string): void {
  token = secret;
}

/** The admin's token of this device: it goes to calls of `house` and to no others. */
export function useAdminToken(secret: string): void {
  adminToken = secret;
}

/** What the server's clock is ahead of ours, as far as a header of whole seconds can say. */
export function serverAheadMs(): number {
  return skewMs;
}

function addressOf(path: string, query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

async function call<T>(method: string, address: string, body?: string, secret = token): Promise<T> {
  const headers: Record<string, string> = {};
  if (secret) headers['Authorization'] = `Bearer ${secret}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let reply: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(CALL_MS_MAX);
    reply = await fetch(address, { method, headers, signal, cache: 'no-store', ...(body === undefined ? {} : { body }) });
    text = await reply.text();
  } catch {
    throw new Unreachable();
  }
  const date = Date.parse(reply.headers.get('date') ?? '');
  const off = date - Date.now();
  // A second or two is what the header cannot tell.
  skewMs = Number.isFinite(off) && Math.abs(off) > 2500 ? off : 0;
  if (reply.ok) return (text ? JSON.parse(text) : undefined) as T;
  throw new Refused(problemOf(reply.status, text));
}

function problemOf(status: number, text: string): Problem {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null && 'code' in read) return read as Problem;
  } catch {
    // Something between us and the server answered; what it said is not ours to show.
  }
  const code = status === 401 ? 'unauthorized' : status >= 500 ? 'try_later' : 'not_found';
  return { type: `urn:sayso:problem:${code}`, title: filled(words.server.answered, { status }), status, code };
}

export function get<T>(path: string, query: Query = {}): Promise<T> {
  return call<T>('GET', addressOf(path, query));
}

export function post<T>(path: string, body: unknown): Promise<T> {
  return call<T>('POST', path, JSON.stringify(body));
}

export function remove(path: string): Promise<void> {
  return call<void>('DELETE', path);
}

/** Sends text that is JSON already, where a number must stay exactly as it was typed. */
export function postText<T>(path: string, body: string): Promise<T> {
  return call<T>('POST', path, body);
}

/** What a call that outlives the page may carry, as browsers have it. */
const LAST_BYTES_MAX = 60_000;

/** Sends text while the page is closing; nobody hears what became of it. Says whether it could be tried. */
export function postLast(path: string, body: string): boolean {
  if (!token || new Blob([body]).size > LAST_BYTES_MAX) return false;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  fetch(path, { method: 'POST', headers, body, keepalive: true }).catch(() => {});
  return true;
}

/** Calls that keep house: with the admin's token, which nothing else gets to see. */
export const house = {
  get: <T>(path: string): Promise<T> => call<T>('GET', path, undefined, adminToken),
  post: <T>(path: string, body: unknown): Promise<T> => call<T>('POST', path, JSON.stringify(body), adminToken),
  remove: (path: string): Promise<void> => call<void>('DELETE', path, undefined, adminToken),
};

/** What to say of a call that failed. */
export function whyNot(error: unknown): string {
  if (error instanceof Refused) return [error.message, error.problem.hint].filter(Boolean).join(' ');
  return words.server.silentSoon;
}
