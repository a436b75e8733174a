// A real server of its own, and agents that ask over its public API.

import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BINARY = process.env.SAYSO_BIN ?? resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target', 'debug', 'sayso');
/** Writes a past into a state, through the real store. */
const PAST = resolve(dirname(BINARY), 'examples', 'past');

const FIXTURES = join(ROOT, 'crates', 'store-sqlite', 'tests', 'fixtures');

/** What takes longer is broken: whatever a scene waits for comes within a second or two. */
const PATIENCE_MS = 20_000;

/** Waits for something, and says what it was when it does not come. */
export async function within(what, promise, patience = PATIENCE_MS) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`waited in vain for ${what}`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Tries until something holds. */
export async function until(what, holds, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await within(what, holds().catch(() => undefined), patience);
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

export class Stage {
  /** What the server had to complain about. */
  complaints = '';

  /** `journal` names a journal that an earlier version wrote, among the fixtures of the store. */
  static async open(settings = {}, past = 0, journal = undefined) {
    const stage = new Stage();
    stage.settings = settings;
    stage.state = mkdtempSync(join(settings.TMPDIR ?? tmpdir(), 'sayso-page-'));
    if (past) execFileSync(PAST, [stage.state, String(past), String(Date.now())]);
    if (journal) {
      copyFileSync(join(FIXTURES, `${journal}.db`), join(stage.state, 'journal.db'));
      copyFileSync(join(FIXTURES, `${journal}.key`), join(stage.state, 'key'));
    }
    await stage.start('127.0.0.1:0');
    return stage;
  }

  /** Starts the server; again at the same address after it was killed. */
  async start(listen = this.listen) {
    this.process = spawn(BINARY, ['--state', this.state, '--listen', listen, 'serve'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, XDG_CONFIG_HOME: this.state, RUST_LOG: 'warn', SAYSO_PERSON: '', ...this.settings },
    });
    this.exited = new Promise((done) => this.process.once('exit', done));
    this.process.stderr.on('data', (text) => (this.complaints += text));
    const pid = this.process.pid;
    const server = await until('the server', async () => {
      const read = JSON.parse(readFileSync(join(this.state, 'server.json'), 'utf8'));
      // A server with a damaged entry says so, and serves all the same.
      const { ok, status } = await fetch(`${read.url}/health`);
      return read.pid === pid && (ok || status === 503) ? read : undefined;
    });
    this.url = server.url;
    this.listen = new URL(server.url).host;
    const token = (role) => readFileSync(join(this.state, `${role}.token`), 'utf8').trim();
    this.tokens = { agent: token('agent'), person: token('person'), admin: token('admin') };
  }

  /** Runs a command of the same binary on this state. */
  command(...words) {
    execFileSync(BINARY, ['--state', this.state, ...words], { stdio: 'ignore', env: { ...process.env, XDG_CONFIG_HOME: this.state } });
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  /** Stops the server in peace, flips one bit of a text in its journal, and starts it again. */
  async damage(text) {
    this.process.kill('SIGTERM');
    await this.exited;
    const path = join(this.state, 'journal.db');
    const bytes = readFileSync(path);
    const at = bytes.indexOf(text);
    if (at < 0) throw new Error(`the journal has no ${text}`);
    bytes[at] ^= 1;
    writeFileSync(path, bytes);
    await this.start();
  }

  async close() {
    if (this.process.exitCode === null) await this.kill();
    rmSync(this.state, { recursive: true, force: true });
  }

  async call(role, method, path, body, headers = {}) {
    const reply = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.tokens[role] ?? role}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const read = text ? JSON.parse(text) : undefined;
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return read;
  }

  ask(body) {
    return this.call('agent', 'POST', '/v1/asks', body);
  }

  look(id, wait = 0) {
    return this.call('agent', 'GET', `/v1/asks/${id}?wait=${wait}`);
  }

  /** Waits as an agent does until the ask has ended, and confirms it. */
  async outcome(id) {
    const ask = await until(`the end of ${id}`, async () => {
      const seen = await this.look(id, 10);
      return seen.state === 'closed' ? seen : undefined;
    });
    await this.call('agent', 'POST', `/v1/asks/${id}/confirm`);
    return ask.outcome;
  }

  /** A link that logs a device in. */
  async link(person, admin = false) {
    const { url } = await this.call('admin', 'POST', '/v1/logins', { ...(person ? { person } : {}), ...(admin ? { admin } : {}) });
    return url;
  }

  /** A token of another person or device, for answers from elsewhere. */
  async device(person, name) {
    return (await this.call('admin', 'POST', '/v1/tokens', { name, role: 'person', person })).token;
  }

  answer(token, ask, body) {
    return this.call(token, 'POST', `/v1/asks/${ask.id}/answer`, { digest: ask.digest, ...body });
  }

  /** Waits until so many asks are counted: figures come from a projection, which follows the journal. */
  async counted(asked) {
    await until(`${asked} asks to be counted`, async () => {
      const { rows } = await this.call('person', 'GET', '/v1/stats?by=all');
      return rows[0]?.asked >= asked;
    });
  }
}
