/** Puts the focus on the heading of what has just opened, never on a button. */
export function headed(node: HTMLElement, takes = true): void {
  if (!takes) return;
  node.tabIndex = -1;
  // A person who is typing in the search field goes on typing.
  if (document.activeElement instanceof HTMLInputElement) return;
  node.focus({ preventScroll: true });
}
