/** Where in the page a person is, as the part of the address behind the #. */

export type Room = 'inbox' | 'conversations' | 'history' | 'insight' | 'rules' | 'agents' | 'settings' | 'more';
const ROOMS: Room[] = ['inbox', 'conversations', 'history', 'insight', 'rules', 'agents', 'settings', 'more'];

class Place {
  room = $state<Room>('inbox');
  /** What is open in the room: an ask or a conversation. */
  id = $state<string | undefined>();

  constructor() {
    addEventListener('hashchange', () => this.read());
    this.read();
  }

  /** Goes where the address says. Who cannot wait until the browser tells of a change calls it: keys may come first. */
  read(): void {
    const [room, id] = location.hash.replace(/^#\/?/, '').split('/');
    this.room = ROOMS.find((known) => known === room) ?? 'inbox';
    this.id = id ? decodeURIComponent(id) : undefined;
  }

  go(room: Room, id?: string): void {
    location.hash = address(room, id);
    this.read();
  }
}

export function address(room: Room, id?: string): string {
  return id === undefined ? `#/${room}` : `#/${room}/${encodeURIComponent(id)}`;
}

export const place = new Place();
