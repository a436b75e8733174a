// One conversation with one agent: CopilotKit's chat, and what the agent asks in it.

import { CopilotChat, useAgent, useCopilotKit, useHumanInTheLoop, useInterrupt } from '@copilotkit/react-core/v2';
import { z } from 'zod';
import { Asks } from './Asks';
import { ToolAsk } from './ToolAsk';

export const AGENT = 'sayso';

/** Asks as interrupts: what sayso sends to a front end that declares no tool for them. */
function Interrupts() {
  useInterrupt({
    agentId: AGENT,
    render: ({ interrupts, resolve, cancel }) => (
      <Asks
        key={(interrupts ?? []).map((one) => one.id).join()}
        interrupts={interrupts ?? []}
        resolve={resolve}
        cancel={cancel}
      />
    ),
  });
  return null;
}

const option = z.object({ label: z.string(), description: z.string().optional() });
const parameters = z.object({
  questions: z.array(
    z.object({
      question: z.string(),
      header: z.string().optional(),
      options: z.array(option).optional(),
      multiSelect: z.boolean().optional(),
    }),
  ),
});

/** Asks as calls of a tool: declaring it is what makes sayso call it. */
function Tool() {
  useHumanInTheLoop({
    agentId: AGENT,
    name: 'ask_user_question',
    description: 'Asks the person questions and waits for the answers.',
    parameters,
    render: ({ args, status, respond, result, toolCallId }) =>
      status === 'inProgress' ? (
        <p>..</p>
      ) : (
        <ToolAsk id={toolCallId} questions={args.questions ?? []} respond={respond} result={result} />
      ),
  });
  return null;
}

export function Room({ conversation, tools }: { conversation: string; tools: boolean }) {
  const { agent } = useAgent({ agentId: AGENT });
  const { copilotkit } = useCopilotKit();
  return (
    <main>
      {tools ? <Tool /> : <Interrupts />}
      <header>
        <h1>{conversation}</h1>
        <button disabled={agent.isRunning} onClick={() => void copilotkit.runAgent({ agent })}>
          What is open?
        </button>
      </header>
      <CopilotChat agentId={AGENT} threadId={conversation} />
    </main>
  );
}
