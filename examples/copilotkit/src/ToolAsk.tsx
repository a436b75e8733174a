// The same questions as a tool that the front end draws: for `useHumanInTheLoop`.

import { useState } from 'react';
import { answers, type Question, type Reply } from './asks';
import { Questions } from './Questions';

/** A question as the tool `ask_user_question` has it. */
interface ToolQuestion {
  question: string;
  header?: string;
  options?: { label: string; description?: string }[];
  multiSelect?: boolean;
}

interface Props {
  id: string;
  questions: ToolQuestion[];
  respond?: (result: unknown) => Promise<void>;
  result?: string;
}

export function ToolAsk({ id, questions, respond, result }: Props) {
  const [replies, setReplies] = useState<Record<string, Reply>>({});
  const asked = questions.map((one): Question => {
    const choices = one.options ?? [];
    const pick = choices.length === 0 ? 'text' : one.multiSelect ? 'many' : 'one';
    return { key: one.question, text: one.question, tag: one.header, pick, choices, free_text: true };
  });
  if (result !== undefined) return <p>Answered.</p>;
  const said = answers(asked, replies);
  return (
    <form
      className="asks"
      aria-label="What the agent asks"
      onSubmit={(event) => {
        event.preventDefault();
        if (said) void respond?.(said);
      }}
    >
      <Questions
        name={id}
        questions={asked}
        replies={replies}
        change={(key, reply) => setReplies((all) => ({ ...all, [key]: reply }))}
      />
      <button disabled={!said || !respond}>Send all answers</button>
    </form>
  );
}
