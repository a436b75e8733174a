/** A line cut where the words of a search stand in it. */
export function marked(text: string, words: string): { text: string; hit: boolean }[] {
  const wanted = words.trim().split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!wanted.length) return [{ text, hit: false }];
  const parts = text.split(new RegExp(`(${wanted.join('|')})`, 'gi'));
  return parts.map((part, at) => ({ text: part, hit: at % 2 === 1 })).filter((part) => part.text !== '');
}
