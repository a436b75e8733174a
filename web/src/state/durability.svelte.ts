/** What a power cut or a failover can cost, as the server says after each connection. */

import { get, house } from '../api/call';
import type { Health, NodeList } from '../api/schema';
import { login } from './login.svelte';
import { keep, kept } from './storage';

const UNSAFE = /^UNSAFE \((.*)\)$/;
const FAILOVER = /failover may lose/;

/** What can be lost: everything acknowledged for this reason, or the last moment before a failover. */
type Risk = { kind: 'unsafe'; why: string } | { kind: 'failover' };

class Durability {
  /** The server's own line; empty until it is known. */
  line = $state('');
  risk = $state.raw<Risk | undefined>();
  /** What the database of several nodes promises. */
  promise = $derived<'failover' | 'power' | undefined>(this.line === 'failover-safe' ? 'failover' : FAILOVER.test(this.line) ? 'power' : undefined);
  private read = $state(kept('durability.read') ?? '');
  shown = $derived(this.read === this.line ? undefined : this.risk);

  async load(): Promise<void> {
    try {
      const { durability } = await get<Health>('/v1/health');
      this.risk = await riskOf(durability);
      this.line = durability;
    } catch {
      // The next connection asks again.
    }
  }

  /** Not shown again on this device until the server says something else. */
  close(): void {
    this.read = this.line;
    keep('durability.read', this.line);
  }
}

async function riskOf(line: string): Promise<Risk | undefined> {
  const why = UNSAFE.exec(line)?.[1];
  if (why !== undefined) return { kind: 'unsafe', why };
  // One node alone promises no failover; of several, somebody expects one.
  if (!FAILOVER.test(line) || !login.isAdmin) return undefined;
  const { nodes } = await house.get<NodeList>('/v1/nodes');
  return nodes.length > 1 ? { kind: 'failover' } : undefined;
}

export const durability = new Durability();
