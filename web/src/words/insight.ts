/** The sentences about figures, fetched with the pages that say them. */

export { insight } from './en-insight';
