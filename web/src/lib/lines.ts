/** An ask in a line: what it is about, and of which kind. */

import { SvelteMap } from 'svelte/reactivity';
import type { Ask } from '../api/schema';
import { filled, words as w } from '../words/words';

export type KindIcon = 'circle-dot' | 'list-checks' | 'terminal' | 'file-diff' | 'clipboard-list' | 'wrench' | 'layers';

/** What is asked, in a line. An act is its own line: what the agent calls it never stands in its place. */
export function matterLine(ask: Ask): string {
  return matterText(ask).replaceAll(/\r?\n/g, ' ');
}

function matterText(ask: Ask): string {
  switch (ask.matter) {
    case 'questions':
      return ask.title || (ask.questions?.[0]?.text ?? '');
    case 'form':
      return ask.title || (ask.form?.message ?? '');
    case 'approval':
      return actLine(ask);
  }
}

function actLine(ask: Ask): string {
  const action = ask.action;
  if (!action) return '';
  switch (action.act.kind) {
    case 'shell':
      return action.act.command ?? action.input;
    case 'edit':
    case 'write':
      return action.act.path ?? action.tool;
    case 'other':
      return `${action.tool} ${action.input}`;
  }
}

/** Whether the line is an act, drawn in monospace. */
export function isAct(ask: Ask): boolean {
  return ask.matter === 'approval';
}

export type KindLine = { icon: KindIcon; words: string; added?: number; removed?: number };

/** Of which kind it is, in words. */
export function kindLine(ask: Ask): KindLine {
  switch (ask.matter) {
    case 'questions': {
      const all = ask.questions ?? [];
      if (all.length > 1) return { icon: 'circle-dot', words: w.kinds.questions(all.length) };
      const pick = all[0]?.pick;
      if (pick === 'many') return { icon: 'list-checks', words: w.kinds.several };
      return { icon: 'circle-dot', words: pick === 'text' ? w.kinds.text : w.kinds.question };
    }
    case 'form': {
      const fields = ask.form?.fields?.length ?? 0;
      if (ask.form?.url) return { icon: 'clipboard-list', words: w.kinds.visit };
      return { icon: 'clipboard-list', words: w.kinds.form(fields) };
    }
    case 'approval':
      return actKind(ask);
  }
}

/** Counting an edit takes a comparison, which is fetched once the list stands; each is counted once. */
const counted = new SvelteMap<string, { added: number; removed: number }>();
const counting = new Set<string>();
/** Rows beyond this do without. */
const COUNTED_MAX = 20_000;
const LIST_STANDS_MS = 1000;
let comparison: Promise<typeof import('./diff')> | undefined;

function compare(): Promise<typeof import('./diff')> {
  comparison ??= new Promise((done) => setTimeout(done, LIST_STANDS_MS)).then(() => import('./diff'));
  return comparison;
}

function editCounts(ask: Ask): { added?: number; removed?: number } {
  const known = counted.get(ask.shape);
  if (known) return known;
  if (!counting.has(ask.shape) && counted.size < COUNTED_MAX) {
    counting.add(ask.shape);
    void count(ask.shape, ask.action?.act.old ?? '', ask.action?.act.new ?? '');
  }
  return {};
}

async function count(shape: string, old: string, now: string): Promise<void> {
  try {
    const { counts, diff } = await compare();
    counted.set(shape, counts(diff(old, now)));
  } catch {
    // The row does without, until it is drawn again.
    comparison = undefined;
  }
  counting.delete(shape);
}

/** How many lines a file of this text has. */
function lineCount(text: string): number {
  return text === '' ? 0 : (text.length > 1 && text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').length;
}

function actKind(ask: Ask): KindLine {
  const act = ask.action?.act;
  switch (act?.kind) {
    case 'shell':
      return { icon: 'terminal', words: w.kinds.shell };
    case 'edit':
      return { icon: 'file-diff', words: w.kinds.edit, ...editCounts(ask) };
    case 'write':
      return { icon: 'file-diff', words: w.kinds.write, added: lineCount(act.content ?? '') };
    case 'other':
    case undefined:
      return { icon: 'wrench', words: ask.action?.tool ?? w.kinds.tool };
  }
}

const DIALECTS: Record<string, string> = {
  native: 'API',
  whimmy: 'OpenClaw',
  chat: w.kinds.chat,
  agno: 'Agno',
  nebo: 'Nebo',
  'claude-control': 'Claude',
  claude_control: 'Claude',
  hook: 'Claude Code',
  mcp: 'MCP',
  acp: 'ACP',
  codex: 'Codex',
};

/** The name people know a wire language by. */
export function dialectName(dialect: string): string {
  return DIALECTS[dialect] ?? dialect;
}

/** What the heading of an approval says the agent wants. */
export function wants(ask: Ask): string {
  switch (ask.action?.act.kind) {
    case 'shell':
      return w.approval.wantsRun;
    case 'edit':
      return w.approval.wantsEdit;
    case 'write':
      return w.approval.wantsWrite;
    case 'other':
    case undefined:
      return filled(w.approval.wantsUse, { tool: ask.action?.tool ?? '' });
  }
}
