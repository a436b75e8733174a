// A push service on this machine that reads what it is given, as a browser would (RFC 8291).

import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { within } from './stage.mjs';

export class PushService {
  static async open() {
    const service = new PushService();
    service.keys = createECDH('prime256v1');
    service.keys.generateKeys();
    service.auth = randomBytes(16);
    service.arrived = [];
    service.waiting = [];
    service.server = createServer((request, reply) => service.take(request, reply));
    await new Promise((done) => service.server.listen(0, '127.0.0.1', done));
    service.origin = `http://127.0.0.1:${service.server.address().port}`;
    return service;
  }

  close() {
    this.server.close();
  }

  /** What a browser gives the page that subscribes. */
  get subscription() {
    const keys = { p256dh: this.keys.getPublicKey().toString('base64url'), auth: this.auth.toString('base64url') };
    return { endpoint: `${this.origin}/push/1`, expirationTime: null, keys };
  }

  async take(request, reply) {
    const parts = [];
    for await (const part of request) parts.push(part);
    reply.writeHead(201).end();
    const words = JSON.parse(this.read(Buffer.concat(parts)));
    const next = this.waiting.shift();
    if (next) next(words);
    else this.arrived.push(words);
  }

  read(body) {
    const salt = body.subarray(0, 16);
    const theirs = body.subarray(21, 21 + body[20]);
    const sealed = body.subarray(21 + body[20]);
    const derive = (key, from, info, length) => Buffer.from(hkdfSync('sha256', key, from, info, length));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.keys.getPublicKey(), theirs]);
    const first = derive(this.keys.computeSecret(theirs), this.auth, info, 32);
    const key = derive(first, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(first, salt, 'Content-Encoding: nonce\0', 12);
    const open = createDecipheriv('aes-128-gcm', key, nonce);
    open.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  }

  /** The words of the next notice. */
  next() {
    const there = this.arrived.shift();
    return there ? Promise.resolve(there) : within('a notice at the push service', new Promise((done) => this.waiting.push(done)));
  }
}
