// At 200 % zoom everything is there, and nothing moves for whoever wants stillness.

import assert from 'node:assert/strict';
import * as asks from './asks.mjs';
import { open, scene } from './house.mjs';

/** What a window of 1440 by 900 has left when everything is twice as large. */
const TWICE = { width: 720, height: 450 };

scene('200 % zoom: nothing sticks out, and what decides can be reached', async ({ stage, enter }) => {
  const page = await enter({ size: TWICE, deviceScaleFactor: 2 });
  const fits = async (what) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${what} sticks out by ${over} px`);
  };
  /** Whether the whole of it is on screen and nothing lies over its middle. */
  const reachable = async (button, what) => {
    const hit = await button.evaluate((node) => {
      const { left, top, right, bottom } = node.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      // A button that is not ready lets the pointer through to what holds it.
      const free = over !== null && (node.contains(over) || over.contains(node));
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && free;
    });
    assert.equal(hit, true, `${what} cannot be reached`);
  };
  const all = {};
  for (const kind of ['cache', 'push', 'edit', 'release', 'invoice', 'tool', 'dropdown', 'status']) all[kind] = await stage.ask(asks[kind]);
  await page.getByRole('link', { name: /Which database/ }).waitFor();
  await fits('inbox');
  for (const [kind, ask] of Object.entries(all)) {
    await open(page, stage, ask);
    await fits(kind);
    for (const button of await page.getByRole('button', { name: /^(Deny|Allow|Hold to allow|Always…|Send answer|Next: .*|Skip( all)?|Decline|Send, .*)/ }).all()) await reachable(button, `${kind}: ${await button.innerText()}`);
  }
  await page.getByRole('button', { name: 'Always…' }).click();
  await page.getByLabel('For', { exact: true }).waitFor();
  await fits('always');
  await reachable(page.getByRole('button', { name: 'Allow and make this rule' }), 'always');
  await page.keyboard.press('Escape');
  const ann = await stage.device('ann', 'phone');
  await stage.answer(ann, all.status, { verdict: { allow: true, scope: 'always' } });
  await stage.counted(1);
  for (const [room, text] of [['rules', 'git status'], ['insight', 'Answer time per day'], ['history', 'git status'], ['conversations', 'Release 2.4'], ['agents', 'shop-api'], ['settings', 'Theme']]) {
    await page.goto(`${stage.url}/#/${room}`);
    await page.getByText(text).filter({ visible: true }).first().waitFor();
    await fits(room);
  }
});

scene('reduced motion: colours may change, nothing travels', async ({ stage, enter }) => {
  const page = await enter();
  const still = async (what) => {
    const moving = await page.evaluate(() => {
      const calm = new Set(['none', 'opacity', 'background-color', 'color', 'border-color', 'border-top-color', 'border-right-color', 'border-bottom-color', 'border-left-color']);
      const seconds = (text) => Math.max(...text.split(',').map((one) => Number.parseFloat(one)));
      return [...document.querySelectorAll('*')].flatMap((node) => {
        const style = getComputedStyle(node);
        // Holding must be seen to count; it is the one thing that fills.
        const travels = !node.classList.contains('fill') && seconds(style.transitionDuration) > 0 && style.transitionProperty.split(', ').some((name) => !calm.has(name));
        const plays = style.animationName !== 'none' && seconds(style.animationDuration) > 0.001;
        return travels || plays ? [`${node.tagName} ${node.className} ${style.transitionProperty} ${style.animationName}`] : [];
      });
    });
    assert.deepEqual(moving, [], what);
  };
  const [timed, risky] = [await stage.ask({ ...asks.push, timeout_s: 100 }), await stage.ask(asks.invoice)];
  await page.getByRole('link', { name: /git fetch/ }).waitFor();
  await still('inbox');
  for (const ask of [timed, risky]) {
    await open(page, stage, ask);
    await still('approval');
  }
  await page.goto(`${stage.url}/#/settings`);
  await page.getByText('Theme').first().waitFor();
  await still('settings');
});
