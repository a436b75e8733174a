/** The sentences about rules, fetched with the pages that say them. */

export { rules } from './en-rules';
