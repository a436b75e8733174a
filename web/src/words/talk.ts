/** The sentences of conversations, fetched with the page that says them. */

export { notes, talk } from './en-talk';
