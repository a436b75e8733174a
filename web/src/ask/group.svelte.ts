/**
 * The asks that are decided together with the one that is open: those identical to it, and those that
 * differ in one field. What was identical when it was opened starts with a tick; what differs, what
 * another agent asks and what came later joins only when a person says so.
 */

import { untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import type { Ask } from '../api/schema';
import { differenceOf, type Difference } from '../lib/groups';
import { inbox } from '../state/inbox.svelte';
import { outgoing } from '../state/outgoing.svelte';

export type Member = { ask: Ask; /** In what it differs from the one that is open. */ differs: Difference | undefined };

export class Group {
  private ticked = new SvelteSet<string>();
  private readonly ask: () => Ask;

  constructor(ask: () => Ask) {
    this.ask = ask;
    untrack(() => {
      const own = ask();
      for (const { ask: other, differs } of this.others) {
        if (!differs && other.agent.id === own.agent.id && other.workspace === own.workspace && other.action?.risk === own.action?.risk) this.ticked.add(other.id);
      }
    });
  }

  /** The others that still want an answer, identical ones first. */
  others = $derived.by((): Member[] => {
    const own = this.ask();
    const waits = ({ id }: Ask) => id !== own.id && !outgoing.sendings.has(id) && !inbox.deciding.has(id);
    const identical = inbox.identical(own).filter(waits);
    const alike = inbox.alike(own).filter(waits);
    return [...identical.map((ask) => ({ ask, differs: undefined })), ...alike.flatMap((ask) => ({ ask, differs: differenceOf(own, ask) }))];
  });
  private joined = $derived.by(() => this.others.filter(({ ask }) => this.ticked.has(ask.id)));
  /** Those that get the answer, the open one first. */
  chosen = $derived.by(() => [this.ask(), ...this.joined.map(({ ask }) => ask)]);
  /** Those of them to which an edit of the open one can go, too. */
  identical = $derived.by(() => [this.ask(), ...this.joined.filter(({ differs }) => !differs).map(({ ask }) => ask)]);
  /** How many there are, and how many of them are identical. */
  size = $derived(this.others.length + 1);
  alike = $derived(this.others.filter(({ differs }) => !differs).length + 1);
  /** The fields in which the others differ. */
  fields = $derived([...new Set(this.others.flatMap(({ differs }) => differs?.field ?? []))]);

  has(id: string): boolean {
    return this.ticked.has(id);
  }

  tick(id: string, on: boolean): void {
    if (on) this.ticked.add(id);
    else this.ticked.delete(id);
  }

  tickAll(): void {
    for (const { ask } of this.others) this.ticked.add(ask.id);
  }
}
