// Somebody types, wherever the focus is, and nothing is answered by it.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { scene } from './house.mjs';

/** Ordinary words, words of programs, and everything that is a key on this page. */
const WORDS = `
a I y d s o n v u g yes no all add any ask day deny allow skip docs shop yarn said says so do you your they today
the of and to in is was for that on with as at by it from or be this have not are but had his her which one we
there been if more when will would who what out up them then she him my than its time no about into only other new
some could these two may first any now such like our over man me even most made after also did many before must
through back years where much way well down should because each just those people mister how too little state good
very make world still own see men work long get here between both life being under never same another know while
last might us great old year off come since against go came right used take three
yarn dry sudo deploy apply array delay keyboard query display body type ready verify proxy retry dynamic yaml dd yy
dismiss discard undo edit add stand send second node done code build cargo docker node debug diff find grep sed awk
select insert update delete drop table index async await yield static struct enum string number object class import
ok okay nay yay dude odd sods 1 2 3 42 007 1st 2nd`.trim().split(/\s+/);

const buttons = { ...asks.confirm, agent: 'buttons-bot' };
/** Everything in it is valid as it stands: only what presses Send could send it. */
const form = { matter: 'form', agent: 'form-bot', form: { message: 'Anything to add?', fields: [{ name: 'note', title: 'Remark', kind: 'text' }, { name: 'dry', title: 'Dry run', kind: 'boolean', default: true }, { name: 'lane', title: 'Lane', kind: 'one_of', options: [{ value: 'stable' }, { value: 'beta' }], default: 'stable' }] } };
const OPEN = {
  approval: asks.status,
  'approval that is a no by default': { ...asks.shell('git log'), action: { ...asks.shell('git log').action, flags: ['default_no'] } },
  'question with a choice made': { ...asks.dropdown, agent: 'choice-bot', questions: [{ text: 'Which lane?', choices: [{ label: 'Left' }, { label: 'Right' }], default: ['Left'] }] },
  'question of one click': buttons,
  form,
};

/** Puts the focus somewhere; the name says where. */
const PLACES = {
  body: (page) => page.evaluate(() => document.activeElement?.blur()),
  heading: (page) => page.locator('main h1').first().focus(),
  'list row': (page) => page.locator('a[aria-current=true]').first().focus(),
  'first button of the bar': (page) => page.locator('main button[data-decides]').first().focus(),
  'last button of the bar': (page) => page.locator('main button[data-decides]').last().focus(),
  'tick or choice': (page) => page.locator('main input[type=radio], main input[type=checkbox], main h1').first().focus(),
  'search field': (page) => page.getByRole('searchbox', { name: 'Search what waits' }).first().focus(),
  filter: (page) => page.getByRole('combobox', { name: 'Agent' }).first().focus(),
  'field of the ask': (page) => page.locator('main textarea, main input[type=text], main input[data-answer], main h1').first().focus(),
  dialog: (page) => page.keyboard.press('?'),
};

/** Leaves whatever typing has led to, and opens the ask anew as it was sent. */
async function fresh(page, ask) {
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage).filter((one) => one.includes('.draft.'))) localStorage.removeItem(name);
    document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
    location.hash = '#/settings';
  });
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.evaluate((id) => (location.hash = `#/inbox/${id}`), ask.id);
  await page.locator('main h1').first().waitFor();
  await page.getByRole('searchbox', { name: 'Search what waits' }).first().fill('');
  await page.getByRole('combobox', { name: 'Agent' }).first().selectOption('');
  await page.clock.runFor(1200);
}

/** What the browser is told of one key; without a wait for each, thousands go in a second. */
function strokes(key) {
  const text = key === 'Enter' ? '\r' : key === 'Escape' ? '' : key;
  const code = key.length > 1 ? { Enter: 13, Escape: 27 }[key] : key.toUpperCase().charCodeAt(0);
  const down = { type: text ? 'keyDown' : 'rawKeyDown', key, windowsVirtualKeyCode: code, ...(text ? { text, unmodifiedText: text } : {}) };
  return [down, { type: 'keyUp', key, windowsVirtualKeyCode: code }];
}

async function hammer(session, keys) {
  await Promise.all(keys.flatMap(strokes).map((stroke) => session.send('Input.dispatchKeyEvent', stroke)));
}

/** A page with one ask of each kind open, whose clock moves only when it is told to. */
async function desk(stage, enter) {
  const page = await enter({ clock: true });
  const sent = [];
  page.on('request', (request) => /\/(answer|dismiss)$/.test(request.url()) && sent.push(request.url()));
  const open = [];
  for (const [name, body] of Object.entries(OPEN)) open.push({ name, ask: await stage.ask(body) });
  await page.getByText(`${open.length} waiting`).filter({ visible: true }).first().waitFor();
  await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
  /** Whatever was held goes out by now. */
  const untouched = async (how) => {
    await page.clock.runFor(5000);
    assert.deepEqual(sent, [], how);
  };
  const stillOpen = async () => {
    for (const { name, ask } of open) assert.equal((await stage.look(ask.id)).state, 'open', name);
  };
  return { page, open, untouched, stillOpen };
}

for (const [which, kind] of Object.keys(OPEN).entries()) {
  scene(`words typed at machine speed answer nothing, wherever the focus is: ${kind}`, async ({ stage, enter }) => {
    const { page, open, untouched, stillOpen } = await desk(stage, enter);
    const session = await page.context().newCDPSession(page);
    const { ask } = open[which];
    const places = Object.entries(PLACES);
    for (const [at, [place, focus]] of places.entries()) {
      await fresh(page, ask);
      await focus(page);
      const dealt = WORDS.filter((_, word) => (word + which) % places.length === at);
      await hammer(session, [...dealt.map((word) => `${word} g${word} `).join('')]);
      await untouched(`focus on ${place}: ${dealt.join(' ')}`);
    }
    await fresh(page, ask);
    await hammer(session, WORDS.flatMap((word) => ['/', ...word, 'Enter', 'Escape']));
    await untouched('a slash before each word');
    await stillOpen();
  });
}

scene('words typed as people type answer nothing, wherever the focus is', async ({ stage, enter }) => {
  const { page, open, untouched, stillOpen } = await desk(stage, enter);
  const places = Object.entries(PLACES);
  const turns = open.flatMap(({ name, ask }) => places.map(([place, focus]) => ({ name, ask, place, focus })));
  for (const [at, { name, ask, place, focus }] of turns.entries()) {
    await fresh(page, ask);
    await focus(page);
    const dealt = WORDS.filter((_, word) => word % turns.length === at);
    for (const [beat, key] of [...`${dealt.join(' ')} `].entries()) {
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      // From 40 to 200 ms between two keys.
      await page.clock.runFor(40 + ((beat * 73) % 161));
    }
    await untouched(`${name}, focus on ${place}: ${dealt.join(' ')}`);
  }
  await stillOpen();
});

scene('a slash leads to the search field of every list before the next letter comes', async ({ stage, enter }) => {
  const page = await enter();
  const ask = await stage.ask(asks.status);
  await page.getByRole('link', { name: /git status/ }).waitFor();
  for (const [path, label] of [['inbox', 'Search what waits'], [`inbox/${ask.id}`, 'Search what waits'], ['history', 'Search the history'], ['conversations', 'Search conversations'], ['rules', 'Search rules'], ['agents', 'Search agents and devices']]) {
    await page.goto(`${stage.url}/#/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    // The key comes before the browser tells anybody that the address has changed.
    await page.evaluate((to) => {
      location.hash = `#/${to}`;
      dispatchEvent(new KeyboardEvent('keydown', { key: '/', cancelable: true }));
    }, path);
    await page.keyboard.type('yarn');
    const field = page.getByRole('searchbox', { name: label }).filter({ visible: true });
    await field.waitFor();
    assert.equal(await field.inputValue(), 'yarn', path);
    assert.equal(await field.evaluate((node) => node === document.activeElement), true, path);
    await page.keyboard.press('Escape');
    assert.equal(await field.inputValue(), '');
  }
  // On a phone the list is behind the ask, and its field is not even there.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate((id) => (location.hash = `#/inbox/${id}`), ask.id);
  await page.getByRole('button', { name: /^Allow\b/ }).waitFor();
  await page.keyboard.type('/yarn');
  assert.equal(await page.getByRole('searchbox', { name: 'Search what waits' }).filter({ visible: true }).inputValue(), 'yarn');
  assert.equal((await stage.look(ask.id)).state, 'open');
});

scene('a verdict key counts when it stands alone, after the ask stood still with its end on screen', async ({ stage, enter }) => {
  const page = await enter({ clock: true });
  const long = await stage.ask(asks.shell(Array.from({ length: 900 }, (_, at) => `echo ${at}`).join(' && ')));
  await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
  await page.goto(`${stage.url}/#/inbox/${long.id}`);
  await page.getByRole('heading', { name: /wants to run/ }).waitFor();
  await page.clock.runFor(2000);
  const strip = page.getByRole('region', { name: 'Answers you can still undo' });
  for (const key of ['d', 'y']) {
    await page.keyboard.press(key);
    await page.clock.runFor(2000);
    assert.equal(await strip.count(), 0, `${key} before the end was on screen`);
  }
  while (!(await page.getByText('Whole command seen').isVisible())) await page.locator('[data-scroller]').evaluate((node) => node.scrollBy(0, 300));
  await page.clock.runFor(100);
  await page.keyboard.press('d');
  await page.clock.runFor(2000);
  assert.equal(await strip.count(), 0, 'too soon after its end came into view');
  await page.keyboard.press('d');
  await page.clock.runFor(499);
  assert.equal(await strip.count(), 0, 'not alone for long enough');
  await page.clock.runFor(2);
  await strip.getByText('Denying…').waitFor();
  assert.equal((await stage.look(long.id)).state, 'open');
  await page.clock.runFor(3000);
  assert.equal((await stage.outcome(long.id)).answer.verdict.allow, false);
});
