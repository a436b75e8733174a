/** Which key presses are commands and which are somebody typing. */

/** Whether the key goes into a field, or belongs to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  if (at.isContentEditable || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return true;
  return at instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(at.type);
}

/** Whether a dialog is in front; keys then belong to it. One that holds an ask takes the ask's keys. */
export function isCovered(): boolean {
  return document.querySelector('dialog[open]:not([data-ask])') !== null;
}
