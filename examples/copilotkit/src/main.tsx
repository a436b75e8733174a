// Asks where the server is and who you are, then opens the conversation.

import { HttpAgent } from '@ag-ui/client';
import { CopilotKitProvider } from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { StrictMode, useMemo, useState, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { AGENT, Room } from './Room';
import './page.css';

interface Place {
  server: string;
  agent: string;
  conversation: string;
  token: string;
  tools: boolean;
}

function Entered({ place }: { place: Place }) {
  const agents = useMemo(() => {
    const agent = new HttpAgent({
      url: `${place.server}/agui/${encodeURIComponent(place.agent)}`,
      agentId: AGENT,
      threadId: place.conversation,
      headers: { Authorization: `Bearer ${place.token}` },
    });
    return { [AGENT]: agent };
  }, [place]);
  return (
    <CopilotKitProvider selfManagedAgents={agents}>
      <Room conversation={place.conversation} tools={place.tools} />
    </CopilotKitProvider>
  );
}

function Door() {
  const [place, setPlace] = useState<Place>();
  if (place) return <Entered place={place} />;
  const enter = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    setPlace({
      server: text('server').replace(/\/$/, ''),
      agent: text('agent'),
      conversation: text('conversation'),
      token: text('token'),
      tools: form.has('tools'),
    });
  };
  return (
    <form className="door" onSubmit={enter}>
      <h1>sayso and CopilotKit</h1>
      <label>Server <input name="server" defaultValue="http://127.0.0.1:7717" required /></label>
      <label>Agent <input name="agent" placeholder="coder" required /></label>
      <label>Conversation <input name="conversation" defaultValue="shop" required /></label>
      <label>Token of a person <input name="token" type="password" autoComplete="off" required /></label>
      <label><input name="tools" type="checkbox" /> Draw asks as a tool (useHumanInTheLoop)</label>
      <button>Enter</button>
    </form>
  );
}

createRoot(document.getElementById('root')!).render(<StrictMode><Door /></StrictMode>);
