/** How an agent is linked to the server, as a dot and words. */

import type { AgentRow } from '../api/schema';
import { ago, when } from '../lib/time';
import { house } from '../words/house';

const words = house.agents;

export function linkOf(agent: AgentRow, now: number): { dot: string; text: string; words: string } {
  const at = (text: string) => new Date(text);
  if (agent.links && agent.since) return { dot: 'bg-(--allow-fill)', text: '', words: words.links(agent.links, when(at(agent.since), now)) };
  if (agent.connected) return { dot: 'bg-(--allow-fill)', text: '', words: words.asking };
  if (agent.open && agent.left_at) return { dot: 'bg-error', text: 'text-error', words: words.lost(ago(at(agent.left_at), now), agent.open) };
  if (agent.open) return { dot: 'bg-error', text: 'text-error', words: words.away(agent.open) };
  return { dot: 'bg-edge', text: 'text-muted', words: words.notLinked };
}
