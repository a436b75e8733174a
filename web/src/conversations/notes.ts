/** Tool notes that stand one after the other, as the calls they tell of, and what they come to in a line. */

import type { Entry } from '../api/schema';
import { notes } from '../words/talk';

export type Call = { seq: number; tool: string; text: string; result: string; status: string };
export type Row = { kind: 'entry'; entry: Entry } | { kind: 'notes'; seq: number; at: string; calls: Call[]; ms: number };

type Deed = keyof typeof notes.did;
/** What tools of the programs we know do, by the name they go by. */
const DEEDS: [Deed, RegExp][] = [
  ['read', /^(read|read_?file|view|cat|notebookread)$/],
  ['searched', /^(grep|glob|search|ls|find|list_?dir|websearch|search_?files|codebase_?search)$/],
  ['ran', /^(bash|shell|exec|run|run_?command|execute_?command|local_?shell)$/],
  ['edited', /^(edit|multiedit|write|write_?file|notebookedit|apply_?patch|str_?replace|create_?file)$/],
  ['fetched', /^(webfetch|fetch|http|browse)$/],
];

const deedOf = (tool: string): Deed => DEEDS.find(([, names]) => names.test(tool.toLowerCase()))?.[0] ?? 'other';

/** A note that a tool ended belongs to the oldest one that said it began. */
function callsOf(notes: Entry[]): Call[] {
  const calls: Call[] = [];
  for (const { seq, tool, text, status } of notes) {
    const began = status && status !== 'running' ? calls.find((call) => call.status === 'running' && call.tool === tool) : undefined;
    if (began) [began.status, began.result] = [status ?? '', text ?? ''];
    else calls.push({ seq, tool: tool ?? '', text: text ?? '', result: '', status: status ?? '' });
  }
  return calls;
}

/** "6 tool notes: read 4 files, ran 2 searches", where the tools are known. */
export function summaryOf(calls: Call[]): string {
  const counts = new Map<Deed, number>();
  for (const { tool } of calls) counts.set(deedOf(tool), (counts.get(deedOf(tool)) ?? 0) + 1);
  const head = notes.head(calls.length);
  if ([...counts.keys()].every((deed) => deed === 'other')) return head;
  const order = [...DEEDS.map(([deed]) => deed), 'other' as const].filter((deed) => counts.has(deed));
  return `${head}: ${order.map((deed) => notes.did[deed](counts.get(deed) ?? 0)).join(', ')}`;
}

/** The entries as rows: notes of tools that follow each other are one. What a note says of no tool stands alone. */
export function rowsOf(entries: Entry[]): Row[] {
  const rows: Row[] = [];
  let notes: Entry[] = [];
  const flush = () => {
    const [first, last] = [notes[0], notes.at(-1)];
    if (first && last) rows.push({ kind: 'notes', seq: first.seq, at: first.at, calls: callsOf(notes), ms: Date.parse(last.at) - Date.parse(first.at) });
    notes = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'note' && entry.tool) notes.push(entry);
    else {
      flush();
      rows.push({ kind: 'entry', entry });
    }
  }
  flush();
  return rows;
}
