/** The agents that have come, and whether each is here now. */

import { get } from '../api/call';
import type { AgentRow, Agents } from '../api/schema';
import { feed } from './feed.svelte';

class Roll {
  agents = $state.raw<AgentRow[]>([]);
  state = $state<'reading' | 'read' | 'failed'>('reading');

  constructor() {
    feed.on('agent', ({ agent }) => {
      const rest = this.agents.filter((other) => other.id !== agent.id);
      this.agents = sorted([...rest, agent]);
    });
    feed.on('asked', ({ ask }) => {
      if (!this.agents.some((agent) => agent.id === ask.agent.id)) void this.load();
      else this.count(ask.agent.id, 1);
    });
    feed.on('closed', ({ ask }) => this.count(ask.agent.id, -1));
    // Who came and went is not in the journal: what was missed while away is never told again.
    feed.on('ready', () => {
      if (this.state !== 'reading') void this.load();
    });
  }

  async load(): Promise<void> {
    try {
      this.agents = sorted((await get<Agents>('/v1/agents')).agents);
      this.state = 'read';
    } catch {
      this.state = 'failed';
    }
  }

  private count(id: string, by: number): void {
    this.agents = this.agents.map((agent) => (agent.id === id ? { ...agent, open: Math.max(0, agent.open + by) } : agent));
  }
}

function sorted(agents: AgentRow[]): AgentRow[] {
  return agents.sort((a, b) => Number(b.connected) - Number(a.connected) || b.open - a.open || a.name.localeCompare(b.name));
}

export const roll = new Roll();
