// An agent on a socket: it says, notes and asks in conversations, and takes turns when it is told to.

import WebSocket from 'ws';
import { until } from './stage.mjs';

export async function speaker(stage, agent = 'coder') {
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/v1/agent?agent=${agent}`, { headers: { Authorization: `Bearer ${stage.tokens.agent}` } });
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  const events = [];
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    events.push(event);
    if (event.event === 'outcome') send({ do: 'confirm', id: event.id });
  };
  const send = (frame) => socket.send(JSON.stringify(frame));
  return {
    send,
    events,
    say: (conversation, text, done = true) => send({ do: 'say', conversation, text, done }),
    note: (conversation, tool, text, status) => send({ do: 'note', conversation, tool, text, status }),
    /** What people said to it, in order. */
    heard: () => events.filter(({ event }) => event === 'turn').map(({ text }) => text),
    close: () => socket.close(),
  };
}

/** The conversation of this name, once it is listed. */
export function conversation(stage, name) {
  return until(`the conversation ${name}`, async () => {
    const { conversations } = await stage.call('person', 'GET', '/v1/conversations?limit=200');
    return conversations.find((row) => row.name === name);
  });
}
