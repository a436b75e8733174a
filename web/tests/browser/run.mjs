// Every test of the page in a real browser, one after the other. A word after the name of this
// file runs only the tests whose name has it.

import { after, before } from 'node:test';
import { launch } from './browser.mjs';
import { shared } from './shared.mjs';

before(async () => {
  shared.browser = await launch();
});
after(async () => {
  await shared.browser?.close();
});

const FILES = ['kinds', 'same', 'review', 'live', 'shown', 'racing', 'offline', 'nodes', 'hostile', 'markdown', 'keyboard', 'typing', 'hands', 'undo', 'drafts', 'risk', 'rooms', 'talks', 'inplace', 'message', 'past', 'rules', 'insight', 'weight', 'moving', 'phone', 'zoom', 'access'];
const only = process.argv[2];
for (const file of FILES.filter((name) => !only || name === only)) await import(`./${file}.mjs`);
