/** The counts behind the plots, for a span of days and one agent or all. */

import { get } from '../api/call';
import type { Stats, StatsBy, StatsRow } from '../api/schema';

export const SPANS = [7, 30, 90] as const;
export type Span = (typeof SPANS)[number];

export type Counts = {
  from: Date;
  to: Date;
  all: StatsRow | undefined;
  before: StatsRow | undefined;
  /** One for each day of the span, in order, with nothing where nothing ended. */
  days: { at: Date; row: StatsRow | undefined }[];
  hours: (StatsRow | undefined)[];
  agents: StatsRow[];
  tools: StatsRow[];
  matters: StatsRow[];
};

const two = (n: number) => String(n).padStart(2, '0');
const keyOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

class Figures {
  span = $state<Span>(30);
  agent = $state('');
  counts = $state.raw<Counts | undefined>();
  failed = $state(false);
  private turn = 0;

  async load(): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const to = new Date();
    const from = new Date(to.getFullYear(), to.getMonth(), to.getDate() - this.span + 1);
    const earlier = new Date(to.getFullYear(), to.getMonth(), to.getDate() - 2 * this.span + 1);
    const ahead_min = -to.getTimezoneOffset();
    const read = async (by: StatsBy, since: Date, until?: Date) => {
      const query = { by, ahead_min, from: since.toISOString(), to: until?.toISOString(), agent: this.agent || undefined };
      return (await get<Stats>('/v1/stats', query)).rows;
    };
    try {
      const [all, before, days, hours, agents, tools, matters] = await Promise.all([
        read('all', from),
        read('all', earlier, from),
        read('day', from),
        read('hour', from),
        read('agent', from),
        read('tool', from),
        read('matter', from),
      ]);
      if (turn !== this.turn) return;
      const byDay = new Map(days.map((row) => [row.key, row]));
      const byHour = new Map(hours.map((row) => [row.key, row]));
      this.counts = {
        from,
        to,
        all: all[0],
        before: before[0],
        days: Array.from({ length: this.span }, (_, n) => {
          const at = new Date(from.getFullYear(), from.getMonth(), from.getDate() + n);
          return { at, row: byDay.get(keyOf(at)) };
        }),
        hours: Array.from({ length: 24 }, (_, hour) => byHour.get(two(hour))),
        agents,
        tools,
        matters,
      };
      this.failed = false;
    } catch {
      if (turn === this.turn) this.failed = true;
    }
  }
}

export const figures = new Figures();
