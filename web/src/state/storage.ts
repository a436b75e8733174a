/** What this device keeps between visits. A browser that keeps nothing for us changes nothing. */

const PREFIX = 'sayso.';

let owner = '';

/** Says whose things `mine` names from now on. */
export function useOwner(person: string): void {
  owner = person;
}

/** What an older page kept without a name belongs to the person who was logged in with it. */
export function adoptUnnamed(): void {
  for (const name of ['draft.', 'outgoing.', 'message.'].flatMap(keptNames)) {
    keep(mine(name), kept(name) ?? '');
    drop(name);
  }
}

/**
 * The name of something that belongs to the person who is logged in. Someone else who logs in with
 * this browser is never shown it; with the browser's own tools its storage can be read by anyone.
 */
export function mine(name: string): string {
  return `for.${encodeURIComponent(owner).replaceAll('.', '%2E')}.${name}`;
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Full or closed: the page works, it only forgets.
  }
}

export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function drop(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept.
  }
}

export function keptNames(start: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + start))
      .map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** A kept value, when it is what it should be. */
export function keptAs<T>(name: string, is: (value: unknown) => value is T): T | undefined {
  const text = kept(name);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
