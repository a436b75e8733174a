/** What a person should know about an ask they are not looking at. It stays until they close it or open the ask. */

import { announce } from './announce.svelte';

/** More than this nobody reads; the oldest goes first. */
const NEWS_MAX = 4;

export type News = { id: string; sentence: string };

class Newsboard {
  all = $state.raw<News[]>([]);

  tell(id: string, sentence: string): void {
    this.all = [...this.all.filter((other) => other.id !== id), { id, sentence }].slice(-NEWS_MAX);
    announce.say(sentence);
  }

  close(id: string): void {
    this.all = this.all.filter((other) => other.id !== id);
  }
}

export const news = new Newsboard();
