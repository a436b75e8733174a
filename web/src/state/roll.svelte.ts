/** The agents that have come, and whether each is here now. */

import { get } from '../api/call';
import type { AgentRow, Agents } from '../api/schema';
import { feed } from './feed.svelte';

class Roll {
  agents = $state.raw<AgentRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');
  /** How many lists are on their way, and who was told of meanwhile: that is newer than the lists. */
  private underWay = 0;
  private heard = new Map<string, AgentRow>();

  constructor() {
    feed.on('agent', ({ agent }) => {
      if (this.underWay) this.heard.set(agent.id, agent);
      const rest = this.agents.filter((other) => other.id !== agent.id);
      this.agents = sorted([...rest, agent]);
    });
    feed.on('asked', ({ ask }) => {
      if (!this.agents.some((agent) => agent.id === ask.agent.id)) void this.load();
      else this.change(ask.agent.id, (agent) => ({ open: agent.open + 1, last_ask_at: ask.asked_at }));
    });
    feed.on('closed', ({ ask }) => this.change(ask.agent.id, (agent) => ({ open: Math.max(0, agent.open - 1) })));
    // Who came and went is not in the journal: what was missed while away is never told again.
    feed.on('ready', () => {
      if (this.state !== 'reading') void this.load();
    });
  }

  async load(): Promise<void> {
    this.underWay += 1;
    try {
      const { agents } = await get<Agents>('/v1/agents');
      this.agents = sorted([...agents.filter(({ id }) => !this.heard.has(id)), ...this.heard.values()]);
      this.state = 'read';
    } catch {
      this.state = 'failed';
    }
    this.underWay -= 1;
    if (!this.underWay) this.heard.clear();
  }

  private change(id: string, to: (agent: AgentRow) => Partial<AgentRow>): void {
    this.agents = this.agents.map((agent) => (agent.id === id ? { ...agent, ...to(agent) } : agent));
  }
}

function sorted(agents: AgentRow[]): AgentRow[] {
  return agents.sort((a, b) => Number(b.connected) - Number(a.connected) || b.open - a.open || a.name.localeCompare(b.name));
}

export const roll = new Roll();
