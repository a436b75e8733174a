/** The rooms that the server can fill. */

import type { IconName } from '../parts/icons';
import type { Room } from '../state/place.svelte';

export const ROOMS: { room: Room; name: string; icon: IconName }[] = [
  { room: 'inbox', name: 'Inbox', icon: 'inbox' },
  { room: 'conversations', name: 'Conversations', icon: 'conversations' },
  { room: 'history', name: 'History', icon: 'history' },
  { room: 'agents', name: 'Agents and devices', icon: 'agents' },
];
