// A real server with a state of its own, an agent on its socket, and pages of another origin.

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { Stage as Server } from '../../../web/tests/browser/stage.mjs';

/** Runs that nothing else ends do so soon, or a test would wait for nothing. */
const WAIT_S = 2;

export class Stage extends Server {
  static async open(origins = []) {
    const stage = new Stage();
    stage.state = mkdtempSync(join(tmpdir(), 'sayso-agui-'));
    // The server looks for its settings here.
    mkdirSync(join(stage.state, 'sayso'));
    const listed = origins.map((origin) => `"${origin}"`).join(', ');
    const settings = `[allowed_origins]\n"/agui" = [${listed}]\n\n[dialects.agui]\nwait_s = "${WAIT_S}"\n`;
    writeFileSync(join(stage.state, 'sayso', 'sayso.toml'), settings);
    await stage.start('127.0.0.1:0');
    return stage;
  }

  /** An agent that takes turns in every conversation. */
  async agent(name = 'coder') {
    const url = `${this.url.replace('http', 'ws')}/v1/agent?agent=${name}`;
    const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${this.tokens.agent}` } });
    const agent = new Agent(socket, name);
    await once(socket, 'open');
    agent.send({ do: 'take_turns', conversations: 'any' });
    // Frames are followed in order: once this is refused, the offer stands.
    agent.send({ do: 'confirm', ref: 'there?', id: '7' });
    await agent.next((frame) => frame.ref === 'there?');
    return agent;
  }
}

/** An agent on our own socket. */
class Agent {
  frames = [];
  waiting = [];

  constructor(socket, name) {
    this.name = name;
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('message', (text) => {
      this.frames.push(JSON.parse(text));
      for (const look of this.waiting) look();
    });
  }

  send(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  /** The next frame that fits, once it is there. */
  async next(fits) {
    const end = Date.now() + 20_000;
    for (;;) {
      const place = this.frames.findIndex(fits);
      if (place >= 0) return this.frames.splice(place, 1)[0];
      const left = end - Date.now();
      if (left <= 0) throw new Error(`waited in vain; there is ${JSON.stringify(this.frames)}`);
      await new Promise((done) => {
        const timer = setTimeout(done, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          done();
        });
      });
      this.waiting = [];
    }
  }

  event(name) {
    return this.next((frame) => frame.event === name);
  }

  /** How an ask ended, once it is told. */
  async outcome(id) {
    return (await this.next((frame) => frame.event === 'outcome' && frame.id === id)).outcome;
  }

  /** Asks in a conversation; gives the id. */
  async ask(conversation, ask) {
    const ref = `ask-${Math.random()}`;
    this.send({ do: 'ask', ref, ask: { conversation, agent: this.name, ...ask } });
    return (await this.next((frame) => frame.ref === ref)).id;
  }

  say(conversation, text, done = false) {
    this.send({ do: 'say', conversation, text, done });
  }

  close() {
    this.socket.terminate();
  }
}

export const questions = (...texts) => ({
  matter: 'questions',
  questions: texts.map((text, place) => ({
    text,
    tag: `Q${place}`,
    pick: place % 2 ? 'many' : 'one',
    choices: [{ label: 'Redis', description: 'fast' }, { label: 'SQLite' }],
  })),
});
