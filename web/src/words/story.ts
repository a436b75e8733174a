/** The sentences about the story of one ask, fetched with the pages that say them. */

export { story } from './en-story';
