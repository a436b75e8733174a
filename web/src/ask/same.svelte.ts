/**
 * Whom one answer goes to: the ask that is open, and of those identical to it what a person has
 * ticked. Nothing joins by itself, and what is secret goes to the open one alone.
 */

import { SvelteSet } from 'svelte/reactivity';
import type { Ask } from '../api/schema';
import { inbox } from '../state/inbox.svelte';
import { outgoing } from '../state/outgoing.svelte';

export class Same {
  private ticked = new SvelteSet<string>();
  private readonly ask: () => Ask;

  constructor(ask: () => Ask) {
    this.ask = ask;
  }

  /** Whether an answer has a secret in it, which is nobody else's to get. */
  secret = $derived.by(() => this.ask().form?.fields?.some((field) => field.kind === 'secret') ?? false);
  /** The identical asks that still want an answer. */
  others = $derived.by(() => inbox.identical(this.ask()).filter((other) => !outgoing.sendings.has(other.id) && !inbox.deciding.has(other.id)));
  private joined = $derived.by(() => (this.secret ? [] : this.others.filter((other) => this.ticked.has(other.id))));
  /** Those that get the answer, the open one first. */
  chosen = $derived.by(() => [this.ask(), ...this.joined]);
  /** How many get it beside the open one. */
  count = $derived(this.joined.length);

  has(id: string): boolean {
    return this.ticked.has(id);
  }

  tick(ids: string[], on: boolean): void {
    for (const id of ids) {
      if (on) this.ticked.add(id);
      else this.ticked.delete(id);
    }
  }
}
