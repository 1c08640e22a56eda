// A daily game whose days pass in moments, in two browsers: moves, time off, planned replies, a reminder, and a time
// that runs out. The server has a clock that the test sets, and the browsers' clocks go with it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { guest, own, signUp, TRUST, you } from './accounts.mjs';
import { ask, built, freePort, openBrowser, put, putIn, sees } from './harness.mjs';
import { confirmAddress, MailServer, startWithMail } from './mail-server.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Server } from './harness.mjs' */

const HOUR_MS = 3_600_000;
const DAY = { type: 'daily', move_ms: 24 * HOUR_MS };

const at =
  /** @type {{ server: Server, browser: import('playwright-core').Browser, mail: MailServer, metrics: string }} */ ({});

before(async () => {
  at.mail = await MailServer.start();
  const metrics = await freePort();
  at.metrics = `http://127.0.0.1:${metrics}/metrics`;
  const settings = { ...TRUST, 'metrics-listen': `127.0.0.1:${metrics}` };
  at.server = await startWithMail(at.mail, settings, built('server_at_set_time'));
  at.browser = await openBrowser();
});

after(async () => {
  await at.browser?.close();
  await at.server?.stop();
  at.mail?.close();
});

/**
 * Lets so many hours pass, for the server and for these pages, in which the players look at other things: a room that is
 * awake goes by a clock that nobody sets.
 * @param {number} hours @param {Page[]} pages
 */
async function pass(hours, ...pages) {
  await Promise.all(pages.map((page) => page.goto('/')));
  while (!(await (await fetch(at.metrics)).text()).includes('fivefold_rooms 0\n')) await pause(50);
  const now = Number(await at.server.say(hours * HOUR_MS));
  for (const page of pages) await page.clock.fastForward(now - (await page.evaluate(() => Date.now())));
}

/** Plans replies in the game that the page shows. @param {Page} page @param {...string[]} lines */
async function plan(page, ...lines) {
  const fold = page.locator('details.plan');
  await fold.locator('summary').click();
  for (const points of lines) {
    await fold.getByRole('button', { name: 'Plan a reply' }).click();
    const asked = page.getByRole('dialog');
    for (const point of points) {
      await putIn(page, asked, point);
      await asked.locator('.plan-names', { hasText: new RegExp(`\\b${point}$`) }).waitFor();
    }
    await asked.getByRole('button', { name: 'Keep', exact: true }).click();
    await asked.waitFor({ state: 'detached' });
  }
}

test('a daily game over simulated days', async () => {
  const ann = await guest(at, { viewport: { width: 1280, height: 900 } });
  const bori = await guest(at, { viewport: { width: 1280, height: 900 } });
  const pages = [ann.page, bori.page];
  const rules = { variant: 'freestyle', size: [15, 15] };
  const { room } = await ask(bori.page, { type: 'create', rules, time: DAY, colour: 'black' });
  await ask(ann.page, { type: 'join', room }, { type: 'sit', room });
  for (const page of pages) await page.clock.install();
  await Promise.all([signUp(ann.page, 'Ann'), signUp(bori.page, 'Bori')]);
  await confirmAddress(at.mail, ann.page, 'ann@club.example');
  const path = `/r/${room}`;
  const open = () => Promise.all(pages.map((page) => page.goto(path)));
  const clock = (/** @type {string} */ name, /** @type {RegExp} */ time) =>
    Promise.all(pages.map((page) => page.locator('.plate', { hasText: name }).getByText(time).waitFor()));

  // Moves: each has a day, and both pages know how much of it is left.
  await pass(20, ...pages);
  await open();
  await put(bori.page, 'h8');
  await sees(ann.page, 'h8', 'Black');
  await pass(5, ...pages);
  await open();
  await ann.page.getByText(/Your first move: 18h 59 mins/).waitFor();
  await bori.page.getByText(/Ann has 18h 59 mins for the first move/).waitFor();
  await put(ann.page, 'i9');
  await sees(bori.page, 'i9', 'White');

  // Time off: Ann's day stands still for two days.
  await put(bori.page, 'h7');
  await sees(ann.page, 'h7', 'Black');
  const dialog = await you(ann.page);
  const fold = dialog.locator('details', { has: ann.page.locator('summary', { hasText: 'Time off' }) });
  await fold.locator('summary').click();
  await fold.getByLabel('Days').fill('2');
  await fold.getByRole('button', { name: 'Take time off' }).click();
  await fold.getByText(/^From .* until /).waitFor();
  await ann.page.keyboard.press('Escape');
  await bori.page.getByText(/^Ann has time off until /).waitFor();
  await pass(47, ...pages);
  await open();
  await bori.page.getByText(/^Ann has time off until /).waitFor();
  await pass(20, ...pages);
  // Nineteen hours of her day are over.
  await open();
  await clock('Ann', /^0?4:59:/);
  await put(ann.page, 'i8');
  await sees(bori.page, 'i8', 'White');

  // Planned replies: one is played at once, the other never.
  await plan(ann.page, ['h6', 'h5'], ['a1', 'b2']);
  await ann.page.goto('/');
  await put(bori.page, 'h6');
  await sees(bori.page, 'h5', 'White');
  await put(bori.page, 'i7');
  await bori.page.goto('/');
  await ann.page.goto(path);
  await sees(ann.page, 'i7', 'Black');
  assert.equal(await ann.page.locator('.moves-card .move').count(), 7, 'nobody has planned for i7');
  await ann.page.goto('/');

  // Eight hours before the end Ann is reminded, and then her time is over though nobody is there.
  await pass(16.2, ...pages);
  const reminder = await at.mail.next();
  assert.match(reminder, /^Subject: Your time ends: \d{4}-\d\d-\d\d \d\d:\d\d UTC\r$/m);
  assert.match(reminder, new RegExp(`\\r\\nYour move against Bori .*\\r\\nhttp://localhost:\\d+${path}\\r\\n`));
  await pass(8, ...pages);
  for (const page of pages) {
    await page.goto(path);
    await page.getByText('Black won: time').first().waitFor();
  }
  assert.deepEqual(own([...ann.complaints, ...bori.complaints]), []);
});
