// Everything that is open, as one form: all of it goes back at once.

import { useState, type FormEvent } from 'react';
import { answers, type Ask, type Reply } from './asks';
import { Questions } from './Questions';

interface Interrupt {
  id: string;
  message?: string;
  metadata?: Record<string, unknown>;
}

interface Props {
  interrupts: Interrupt[];
  resolve: (payload: unknown, id: string) => unknown;
  cancel: (id: string) => unknown;
}

export function Asks({ interrupts, resolve, cancel }: Props) {
  const [replies, setReplies] = useState<Record<string, Record<string, Reply>>>({});
  const [verdicts, setVerdicts] = useState<Record<string, boolean>>({});
  const asks = interrupts.map((interrupt) => ({
    interrupt,
    ask: interrupt.metadata as unknown as Ask,
  }));

  /** What goes back for one of them; nothing while it is not answered. */
  const payload = ({ interrupt, ask }: (typeof asks)[number]): unknown => {
    if (ask.matter === 'questions') return answers(ask.questions ?? [], replies[interrupt.id] ?? {});
    const approved = verdicts[interrupt.id];
    // The digest says what was on the screen; without it nothing of high risk can be allowed.
    return ask.matter === 'approval' && approved !== undefined ? { approved, digest: ask.digest } : undefined;
  };
  const ready = asks.every((one) => one.ask.matter === 'form' || payload(one) !== undefined);

  const send = (event: FormEvent) => {
    event.preventDefault();
    // CopilotKit keeps them until the last one is there, and then starts one run with all of them.
    for (const one of asks) {
      const said = payload(one);
      void (said === undefined ? cancel(one.interrupt.id) : resolve(said, one.interrupt.id));
    }
  };

  return (
    <form className="asks" onSubmit={send} aria-label="What the agent asks">
      {asks.map(({ interrupt, ask }) => (
        <section key={interrupt.id}>
          {ask.title && <h3>{ask.title}</h3>}
          {ask.matter === 'questions' && (
            <Questions
              name={interrupt.id}
              questions={ask.questions ?? []}
              replies={replies[interrupt.id] ?? {}}
              change={(key, reply) =>
                setReplies((all) => ({ ...all, [interrupt.id]: { ...all[interrupt.id], [key]: reply } }))
              }
            />
          )}
          {ask.matter === 'approval' && ask.action && (
            <fieldset>
              <legend>
                {ask.agent} wants to use {ask.action.tool}
                {ask.action.risk === 'high' && ' (high risk)'}
              </legend>
              <pre>{ask.action.input}</pre>
              {[true, false].map((approved) => (
                <label key={String(approved)}>
                  <input
                    type="radio"
                    name={interrupt.id}
                    checked={verdicts[interrupt.id] === approved}
                    onChange={() => setVerdicts((all) => ({ ...all, [interrupt.id]: approved }))}
                  />
                  <span>{approved ? 'Allow once' : 'Deny'}</span>
                </label>
              ))}
            </fieldset>
          )}
          {ask.matter === 'form' && <p>{interrupt.message} (Sending puts this one aside.)</p>}
        </section>
      ))}
      <button disabled={!ready}>Send all answers</button>
    </form>
  );
}
