/** The rooms that the server can fill. */

import type { IconName } from '../parts/icons';
import { words } from '../words/words';
import type { Room } from '../state/place.svelte';

export const ROOMS: { room: Room; name: string; icon: IconName }[] = [
  { room: 'inbox', name: 'Inbox', icon: 'inbox' },
  { room: 'conversations', name: 'Conversations', icon: 'conversations' },
  { room: 'history', name: 'History', icon: 'history' },
  { room: 'insight', name: words.insight.room, icon: 'insight' },
  { room: 'rules', name: words.rules.room, icon: 'shield-check' },
  { room: 'agents', name: 'Agents and devices', icon: 'agents' },
];
