/** What goes on in a conversation, in a word. */

import type { ConversationRow } from '../api/schema';
import { talk } from '../words/talk';

export type Doing = { kind: 'waits' | 'working' | 'away' | 'queued' | 'idle'; words: string; tone: string };

export function doingOf(row: ConversationRow): Doing {
  const w = talk;
  if (row.open || row.turn === 'waiting') return { kind: 'waits', words: w.waits, tone: 'text-warning' };
  if (row.turn === 'running') return { kind: 'working', words: w.working, tone: 'text-primary' };
  if (row.queued) return { kind: 'queued', words: w.queuedN(row.queued), tone: 'text-muted' };
  if (!row.agent.connected) return { kind: 'away', words: w.disconnected, tone: 'text-muted' };
  return { kind: 'idle', words: w.idle, tone: 'text-muted' };
}
