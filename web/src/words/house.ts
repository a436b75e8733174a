/** The sentences about agents, devices, settings and the first steps, fetched with the pages that say them. */

export { house } from './en-house';
