// A desktop that shows notices: a message bus of its own and, on it, the notification service that
// browsers on Linux hand theirs to. What is tapped here reaches the browser as a person's tap does.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from './stage.mjs';

const SERVICE = 'org.freedesktop.Notifications';
const OBJECT = '/org/freedesktop/Notifications';
const [CALL, RETURN, ERROR, SIGNAL] = [1, 2, 3, 4];
/** The fields of a header by their numbers in the D-Bus specification, with the type of each. */
const FIELDS = { path: [1, 'o'], interface: [2, 's'], member: [3, 's'], error: [4, 's'], reply: [5, 'u'], destination: [6, 's'], signature: [8, 'g'] };

/** Writes values one after the other, each where its type may begin. */
class Writer {
  bytes = [];

  align(to) {
    while (this.bytes.length % to) this.bytes.push(0);
  }

  u(value) {
    this.align(4);
    this.bytes.push(value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255);
  }

  s(text) {
    const utf8 = Buffer.from(text);
    this.u(utf8.length);
    this.bytes.push(...utf8, 0);
  }

  o = this.s;

  g(text) {
    this.bytes.push(text.length, ...Buffer.from(text), 0);
  }

  list(texts) {
    const inner = new Writer();
    for (const text of texts) inner.s(text);
    this.u(inner.bytes.length);
    this.bytes.push(...inner.bytes);
  }
}

function written(type, serial, fields, signature = '', values = []) {
  const body = new Writer();
  const kinds = signature.match(/as|./g) ?? [];
  for (const [at, value] of values.entries()) body[kinds[at] === 'as' ? 'list' : kinds[at]](value);
  const all = new Writer();
  all.bytes.push('l'.charCodeAt(0), type, 0, 1);
  all.u(body.bytes.length);
  all.u(serial);
  const head = new Writer();
  // The list begins where a structure may: at 16, a multiple of eight.
  for (const [name, value] of Object.entries(signature ? { ...fields, signature } : fields)) {
    const [number, kind] = FIELDS[name];
    head.align(8);
    head.bytes.push(number);
    head.g(kind);
    head[kind](value);
  }
  all.u(head.bytes.length);
  all.bytes.push(...head.bytes);
  all.align(8);
  return Buffer.from([...all.bytes, ...body.bytes]);
}

/** The header of the first whole message, its body, and how long both are. */
function read(buffer) {
  if (buffer.length < 16) return undefined;
  const [bodyLength, serial, fieldsLength] = [buffer.readUInt32LE(4), buffer.readUInt32LE(8), buffer.readUInt32LE(12)];
  const begin = Math.ceil((16 + fieldsLength) / 8) * 8;
  if (buffer.length < begin + bodyLength) return undefined;
  const header = { type: buffer[1], serial };
  for (let at = 16; at < 16 + fieldsLength; ) {
    at = Math.ceil(at / 8) * 8;
    const number = buffer[at];
    const kind = String.fromCharCode(buffer[at + 2]);
    at += 4;
    if (kind === 'g') {
      at += buffer[at] + 2;
      continue;
    }
    at = Math.ceil(at / 4) * 4;
    const value = buffer.readUInt32LE(at);
    const name = Object.keys(FIELDS).find((one) => FIELDS[one][0] === number) ?? 'sender';
    header[name] = kind === 'u' ? value : buffer.toString('utf8', at + 4, at + 4 + value);
    at += kind === 'u' ? 4 : 4 + value + 1;
  }
  return { header, body: buffer.subarray(begin, begin + bodyLength), length: begin + bodyLength };
}

/** The texts and numbers at the beginning of a body. */
function values(body, kinds) {
  let at = 0;
  return [...kinds].map((kind) => {
    at = Math.ceil(at / 4) * 4;
    const number = body.readUInt32LE(at);
    at += 4;
    if (kind === 'u') return number;
    const text = body.toString('utf8', at, at + number);
    at += number + 1;
    return text;
  });
}

export class Desktop {
  notices = new Map();
  private = mkdtempSync(join(tmpdir(), 'sayso-desktop-'));
  serial = 1;
  buffer = Buffer.alloc(0);
  last = 0;

  static async open() {
    const desktop = new Desktop();
    const socket = join(desktop.private, 'bus');
    desktop.address = `unix:path=${socket}`;
    desktop.bus = spawn('dbus-daemon', ['--session', `--address=${desktop.address}`, '--nofork', '--nopidfile', '--print-address'], { stdio: ['ignore', 'pipe', 'ignore'] });
    // It names its address once it can be connected to.
    await new Promise((done, fail) => {
      desktop.bus.once('error', fail);
      desktop.bus.stdout.once('data', done);
    });
    await desktop.connect(socket);
    return desktop;
  }

  async connect(path) {
    this.socket = createConnection(path);
    const id = Buffer.from(String(process.getuid())).toString('hex');
    this.socket.write(`\0AUTH EXTERNAL ${id}\r\n`);
    await new Promise((done) => this.socket.once('data', done));
    this.socket.write('BEGIN\r\n');
    this.socket.on('data', (data) => this.take(data));
    const bus = { path: '/org/freedesktop/DBus', destination: 'org.freedesktop.DBus', interface: 'org.freedesktop.DBus' };
    this.send(CALL, { ...bus, member: 'Hello' });
    const named = this.send(CALL, { ...bus, member: 'RequestName' }, 'su', [SERVICE, 4]);
    await within('the name of a notification service', new Promise((done) => (this.waiting = { serial: named, done })));
  }

  send(type, fields, signature, given) {
    const serial = this.serial++;
    this.socket.write(written(type, serial, fields, signature, given));
    return serial;
  }

  take(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (let found = read(this.buffer); found; found = read(this.buffer)) {
      this.buffer = this.buffer.subarray(found.length);
      if (found.header.type === CALL) this.answer(found);
      else if (found.header.reply === this.waiting?.serial) this.waiting.done();
    }
  }

  answer({ header, body }) {
    const reply = (signature, given) => this.send(RETURN, { reply: header.serial, destination: header.sender }, signature, given);
    switch (header.member) {
      case 'GetCapabilities':
        return reply('as', [['actions', 'body']]);
      case 'GetServerInformation':
        return reply('ssss', ['sayso tests', 'sayso', '1', '1.2']);
      case 'Notify': {
        const [, replaced, , title, text] = values(body, 'susss');
        const id = replaced || ++this.last;
        this.notices.set(id, { title, text });
        reply('u', [id]);
        return this.heard?.();
      }
      case 'CloseNotification':
        this.notices.delete(values(body, 'u')[0]);
        return reply();
      default:
        return this.send(ERROR, { reply: header.serial, destination: header.sender, error: 'org.freedesktop.DBus.Error.UnknownMethod' });
    }
  }

  /** Waits for a notice with this title, and gives its number. */
  async notice(title) {
    for (;;) {
      const found = [...this.notices].find(([, one]) => one.title === title);
      if (found) return found[0];
      await within(`a notice "${title}" among ${this.notices.size}`, new Promise((done) => (this.heard = done)));
    }
  }

  /** Somebody taps a notice. */
  tap(id) {
    this.send(SIGNAL, { path: OBJECT, interface: SERVICE, member: 'ActionInvoked' }, 'us', [id, 'default']);
  }

  close() {
    this.socket?.destroy();
    this.bus.kill();
    rmSync(this.private, { recursive: true, force: true });
  }
}
