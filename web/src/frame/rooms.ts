/** The rooms that the server can fill. */

import type { IconName } from '../parts/icons';
import { words } from '../words/words';
import type { Room } from '../state/place.svelte';

export const ROOMS: { room: Room; name: string; icon: IconName }[] = [
  { room: 'inbox', name: words.inbox.room, icon: 'inbox' },
  { room: 'conversations', name: words.talk.room, icon: 'conversations' },
  { room: 'history', name: words.history.room, icon: 'history' },
  { room: 'insight', name: words.frame.insight, icon: 'insight' },
  { room: 'rules', name: words.frame.rules, icon: 'shield-check' },
  { room: 'agents', name: words.frame.agents, icon: 'agents' },
];
