// The real AG-UI clients of both generations against the real server.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as old from '@ag-ui/client';
import * as current from 'ag-ui-client-1';
import { questions, Stage } from './stage.mjs';

const TOOL = {
  name: 'ask_user_question',
  description: 'Asks',
  parameters: { type: 'object', properties: { questions_json: { type: 'string' } } },
};

for (const [version, { HttpAgent }] of [['0.0.59', old], ['1.0.0', current]]) {
  describe(`@ag-ui/client ${version}`, () => {
    let stage;
    let coder;
    let count = 0;
    before(async () => {
      stage = await Stage.open();
      coder = await stage.agent();
    });
    after(async () => {
      coder?.close();
      await stage?.close();
    });

    /** A front end in a conversation of its own. */
    const enter = (threadId = `t${(count += 1)}`) => {
      const front = new HttpAgent({
        url: `${stage.url}/agui/coder`,
        threadId,
        headers: { Authorization: `Bearer ${stage.tokens.person}` },
      });
      front.events = [];
      front.subscribe({ onEvent: ({ event }) => void front.events.push(event) });
      front.texts = () => front.messages.filter((one) => one.role === 'assistant').map((one) => one.content);
      return front;
    };
    const resolved = (interrupt, payload) => ({ interruptId: interrupt.id, status: 'resolved', payload });
    const outcome = async (id) => (await stage.look(id)).outcome;

    test('several asks are answered by one resume, and sending it again changes nothing', async () => {
      const front = enter();
      const [one, many, aside] = await Promise.all([
        coder.ask(front.threadId, questions('Which store?')),
        coder.ask(front.threadId, questions('Which cache?', 'Which parts?')),
        coder.ask(front.threadId, { matter: 'approval', action: { tool: 'Bash', input: '{"command":"ls"}' } }),
      ]);
      await front.runAgent();
      assert.equal(front.pendingInterrupts.length, 3);
      await assert.rejects(front.runAgent(), /3 pending interrupt\(s\) not addressed by resume/);
      const by = (id) => front.pendingInterrupts.find((interrupt) => interrupt.metadata.ask === id);
      const resume = [
        resolved(by(one), { answers: { 'Which store?': 'a file, no more' } }),
        resolved(by(many), { answers: { 'Which cache?': 'Redis', 'Which parts?': ['Redis', 'SQLite', 'mine'] } }),
        { interruptId: by(aside).id, status: 'cancelled' },
      ];
      await front.runAgent({ resume });
      assert.deepEqual(front.pendingInterrupts, []);
      assert.deepEqual((await outcome(one)).answer.replies, [{ question: 0, labels: [], other: 'a file, no more' }]);
      assert.deepEqual((await outcome(many)).answer.replies, [
        { question: 0, labels: ['Redis'] },
        { question: 1, labels: ['Redis', 'SQLite'], other: 'mine' },
      ]);
      assert.equal((await outcome(aside)).kind, 'dismissed');
      const before = await Promise.all([one, many, aside].map((id) => outcome(id)));
      const again = enter(front.threadId);
      await again.runAgent({ resume });
      assert.deepEqual(await Promise.all([one, many, aside].map((id) => outcome(id))), before);
      assert.ok(!again.events.some((event) => event.type === 'CUSTOM' || event.type === 'RUN_ERROR'));
    });

    test('a turn begins, speaks, asks, goes on and ends; what is kept says nothing twice', async () => {
      const front = enter();
      front.addMessage({ id: 'm1', role: 'user', content: 'go' });
      const first = front.runAgent();
      const turn = await coder.event('turn');
      assert.equal(turn.text, 'go');
      coder.say(turn.conversation, 'Let me ');
      coder.say(turn.conversation, 'see.');
      const id = await coder.ask(turn.conversation, questions('Which store?'));
      await first;
      assert.deepEqual(front.texts(), ['Let me see.']);
      assert.equal(front.state.sayso.taken, 'm1');
      const second = front.runAgent({ resume: [resolved(front.pendingInterrupts[0], { answers: { Q0: 'SQLite' } })] });
      const told = await coder.outcome(id);
      assert.deepEqual(told.answer.replies, [{ question: 0, labels: ['SQLite'] }]);
      coder.say(turn.conversation, 'Taking SQLite.', true);
      await second;
      assert.deepEqual(front.texts().at(-1), 'Taking SQLite.');
      // Said while nobody looked, and told by the next run; its words are not sent again.
      coder.say(turn.conversation, 'By the way: done.', true);
      await front.runAgent();
      assert.deepEqual(front.texts().at(-1), 'By the way: done.');
      const { entries } = await stage.call('person', 'GET', `/v1/conversations/${front.threadId}/entries`);
      assert.equal(entries.filter((entry) => entry.kind === 'message').length, 1);
    });

    test('a tool that is declared is called, and its result is the answer', async () => {
      const front = enter();
      const id = await coder.ask(front.threadId, questions('Which store?'));
      await front.runAgent({ tools: [TOOL] });
      assert.deepEqual(front.pendingInterrupts, []);
      const call = front.messages.at(-1).toolCalls[0];
      assert.equal(call.function.name, 'ask_user_question');
      const asked = JSON.parse(JSON.parse(call.function.arguments).questions_json);
      assert.equal(asked[0].question, 'Which store?');
      const content = JSON.stringify({ answers: { Q0: ['Redis'] }, questions_asked: 1, status: 'completed' });
      front.addMessage({ id: 'r1', role: 'tool', toolCallId: call.id, content });
      await front.runAgent({ tools: [TOOL] });
      assert.deepEqual((await outcome(id)).answer.replies, [{ question: 0, labels: ['Redis'] }]);
    });

    test('what is wrong is an error of the run, and the ask stays', async () => {
      const front = enter();
      const id = await coder.ask(front.threadId, questions('Which store?'));
      await front.runAgent();
      const [interrupt] = front.pendingInterrupts;
      await front.runAgent({ resume: [resolved(interrupt, { answers: { 'Which color?': 'red' } })] }).catch(() => {});
      assert.equal(front.events.at(-1).code, 'bad_answer');
      assert.equal((await stage.look(id)).state, 'open');
      await front.runAgent({ resume: [resolved(interrupt, 'Redis')] });
      assert.equal((await outcome(id)).kind, 'answered');
      const nobody = enter();
      nobody.url = `${stage.url}/agui/nobody`;
      await assert.rejects(nobody.runAgent(), /HTTP 404/);
    });

    test('an ask that expired is out of the way', async () => {
      const front = enter();
      const id = await coder.ask(front.threadId, { ...questions('Which store?'), timeout_s: 1 });
      await front.runAgent();
      const [interrupt] = front.pendingInterrupts;
      assert.ok(interrupt.expiresAt);
      const expired = await stage.outcome(id);
      assert.equal(expired.kind, 'expired');
      // Version 0.0.59 never lets go of it by itself; a front end of it starts over.
      const next = version === '1.0.0' ? front : enter(front.threadId);
      await next.runAgent({ resume: [{ interruptId: interrupt.id, status: 'cancelled' }] });
      const closed = next.events.find((event) => event.type === 'CUSTOM');
      assert.deepEqual([closed.name, closed.value.outcome], ['sayso.closed', 'expired']);
      assert.deepEqual(next.pendingInterrupts, []);
    });

    test('the server is killed in between, and the answer still reaches the agent', async () => {
      const front = enter();
      const id = await coder.ask(front.threadId, questions('Which store?'));
      await front.runAgent();
      await stage.kill();
      coder.close();
      await stage.start();
      coder = await stage.agent();
      await front.runAgent({ resume: [resolved(front.pendingInterrupts[0], 'SQLite')] });
      const told = await coder.outcome(id);
      assert.deepEqual(told.answer.replies, [{ question: 0, labels: ['SQLite'] }]);
    });
  });
}
