// Daily games: chosen with the other clocks, and shown in days and hours, also on the smallest phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { elsewhere, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { accept, ask, begin, choose, comeBack, put, putIn, sees, stage, twoPlay, unfold, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);
const SMALL = { viewport: { width: 320, height: 568 } };
const DAY_MS = 86_400_000;
/** A time for each move, and one for all with more after each. */
const THREE_DAYS = { type: 'daily', move_ms: 3 * DAY_MS };
const A_WEEK = { type: 'fischer', main_ms: 7 * DAY_MS, increment_ms: DAY_MS / 2 };
/** Two days, or a moment less. */
const TWO_DAYS = /^(2d|1d 23h)$/;

/** @param {Page} page */
async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(over, 0, 'nothing is wider than the screen');
}

/** Makes a room in which its maker has Black. @param {Page} page @param {object} time */
async function create(page, time) {
  const rules = { variant: 'freestyle', size: [15, 15] };
  const { room } = await ask(page, { type: 'create', rules, time, colour: 'black' });
  return room;
}

/** Begins a game, and returns its path. @param {Page} ann Black @param {Page} bob @param {object} time */
async function game(ann, bob, time) {
  const room = await create(ann, time);
  await ask(bob, { type: 'join', room }, { type: 'sit', room });
  return `/r/${room}`;
}

/** Makes the first move of a game that the page shows, and waits for it. @param {Page} page @param {string} path */
async function begins(page, path) {
  const room = path.slice('/r/'.length);
  await ready(page);
  await ask(page, { type: 'join', room }, { type: 'play', room, ply: 0, point: [7, 7] });
  await page.locator('.moves-card .move').first().waitFor({ state: 'attached' });
}

/** Waits for what only a daily game has. @param {Page} page */
const ready = (page) => page.locator('[aria-keyshortcuts]').waitFor({ state: 'attached' });

/** The button to the next game. @param {Page} page */
const nextOf = (page) => page.getByRole('button', { name: 'Next game', exact: true });

/** @param {Page} page @param {string} path */
const isAt = (page, path) => page.waitForURL((url) => url.pathname === path);

/** Whether an element is seen as a whole, without scrolling. @param {import('playwright-core').Locator} locator */
const inSight = (locator) =>
  locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const corners = [left + 8, right - 8].flatMap((x) => [top + 8, bottom - 8].map((y) => [x, y]));
    return corners.every(([x = 0, y = 0]) => document.elementFromPoint(x, y) === element);
  });

test('two friends play with two days for each move on small phones', async () => {
  const ann = await visitor(at.browser, at.server, SMALL, 'Ann');
  const bob = await visitor(at.browser, at.server, SMALL, 'Bob');
  await ann.page.goto('/');
  await choose(ann.page, 'friend');
  await unfold(ann.page);
  await ann.page.getByLabel('Your color').selectOption('black');
  await ann.page.getByLabel('Another time control').selectOption({ label: '2d a move' });
  await fits(ann.page);
  await begin(ann.page, 'friend');
  const link = await ann.page.getByLabel('Link to this room').inputValue();
  await bob.page.goto(link);
  await bob.page.locator('.invitation').getByText('2d a move').waitFor();
  await fits(bob.page);
  await accept(bob.page, link);

  await ann.page.getByText(/^Your first move: (2d|1d 23h), or the game is aborted$/).waitFor();
  await ann.page.getByRole('button', { name: 'Abort' }).waitFor();
  await put(ann.page, 'h8');
  await bob.page.getByText(/^Your first move: (2d|1d 23h), or the game is aborted$/).waitFor();
  await put(bob.page, 'j9');
  await ann.page.getByRole('button', { name: 'Resign' }).waitFor();
  for (const { page } of [ann, bob]) {
    const clocks = await page.locator('.plate .clock').allTextContents();
    assert.equal(clocks.length, 2);
    for (const clock of clocks) assert.match(clock, TWO_DAYS);
    await fits(page);
  }
  // A player who leaves is away, and nothing can be claimed.
  await bob.context.close();
  await ann.page.locator('.plate', { hasText: 'Bob' }).getByText('away').waitFor();
  assert.equal(await ann.page.getByRole('button', { name: /claim/i }).count(), 0);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('days are offered in each language', async () => {
  for (const [locale, words] of /** @type {const} */ ([
    ['en', 'a move'],
    ['ru', 'на ход'],
    ['es', 'por jugada'],
  ])) {
    const { page, context } = await visitor(at.browser, at.server, { ...SMALL, locale });
    await page.goto('/');
    await choose(page, 'friend');
    const days = await page.locator('.home .options option').allTextContents();
    const offered = days.filter((text) => text.endsWith(words)).map((text) => Number.parseInt(text, 10));
    assert.deepEqual(offered, [30, 1, 2, 3, 5, 7, 14], locale);
    await context.close();
  }
});

test('after a move the next game that waits is one press or one key away', async () => {
  const ann = await visitor(at.browser, at.server, {}, 'Ann');
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  const [week, three] = [await game(ann.page, bob.page, A_WEEK), await game(ann.page, bob.page, THREE_DAYS)];
  const short = await game(ann.page, bob.page, { type: 'daily', move_ms: DAY_MS });
  const { page } = ann;
  const next = nextOf(page);
  await page.goto(week);
  // What only this document has: no reload follows.
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.equal(await next.isVisible(), false, 'it is her turn here');
  await put(page, 'h8');
  // The one with the least time left comes first.
  await next.click();
  await isAt(page, short);
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.equal(await next.isVisible(), false, 'it is her turn here, too');
  // The board has the keyboard, and the key works before a move, too.
  await ready(page);
  await page.keyboard.press('Shift+X');
  await isAt(page, three);
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await put(page, 'h8');
  await next.waitFor();
  assert.equal(await next.getAttribute('title'), 'The next daily game that waits for your move (X)');
  await next.focus();
  await page.keyboard.press('Enter');
  await isAt(page, short);
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await put(page, 'h8');
  await page.getByRole('heading', { name: / is thinking$/ }).waitFor();
  await sees(page, 'h8', 'Black');
  await page.keyboard.press('Shift+X');
  await page.locator('.toast', { hasText: 'No other daily game waits for your move.' }).waitFor();
  assert.equal(await next.isVisible(), false, 'no other game waits');

  // A game that begins to wait is offered.
  await bob.page.goto(week);
  await put(bob.page, 'j9');
  await bob.page.getByRole('heading', { name: / is thinking$/ }).waitFor();
  await comeBack(page);
  await next.waitFor();
  assert.ok(await page.evaluate(() => 'isSame' in window), 'the page was not loaded again');
  // The key is a letter in texts.
  await page.goto(week);
  await ready(page);
  await page.getByLabel('Send a message').press('Shift+X');
  assert.equal(await page.getByLabel('Send a message').inputValue(), 'X');
  assert.equal(new URL(page.url()).pathname, week);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('the list of games says how much time is left for your move, in each language', async () => {
  for (const [locale, left] of /** @type {const} */ ([
    ['en', /^Your move against .+ · (2d|1d 23h) left$/],
    ['ru', /^Ваш ход против .+ · осталось \d/],
    ['es', /^Te toca contra .+ · quedan \d/],
  ])) {
    const ann = await visitor(at.browser, at.server, { ...elsewhere(), ...SMALL, locale }, 'Ann');
    const bob = await visitor(at.browser, at.server, elsewhere(), 'Bob');
    await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
    await game(ann.page, bob.page, { type: 'daily', move_ms: 2 * DAY_MS });
    await Promise.all([ann.page.goto('/games'), bob.page.goto('/games')]);
    await ann.page.locator('.own-state', { hasText: left }).waitFor();
    assert.deepEqual(await faults(ann.page), [], locale);
    await fits(ann.page);
    await bob.page.locator('.own-state', { hasText: / is thinking$/ }).waitFor();
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
    await Promise.all([ann.context.close(), bob.context.close()]);
  }
});

test('the key goes to each game that waits, and then back to the first', async () => {
  const ann = await visitor(at.browser, at.server, elsewhere(), 'Ann');
  const bob = await visitor(at.browser, at.server, elsewhere(), 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  /** @type {string[]} */
  const paths = [];
  for (const days of [1, 2, 3]) paths.push(await game(ann.page, bob.page, { type: 'daily', move_ms: days * DAY_MS }));
  const { page } = ann;
  const [first = ''] = paths;
  await page.goto(first);
  for (const [before, path] of paths.entries()) {
    await isAt(page, path);
    await page.locator('.about-text', { hasText: `${before + 1}d a move` }).waitFor({ state: 'attached' });
    await ready(page);
    await page.keyboard.press('Shift+X');
  }
  await isAt(page, first);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a live game and a spectator of a daily one have no way to the next', async () => {
  const { ann, bob } = await twoPlay(at);
  const daily = await game(ann.page, bob.page, THREE_DAYS);
  const here = new URL(ann.page.url()).pathname;
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  // The count of the games that wait is there, so the button would be, too.
  await comeBack(ann.page);
  await ann.page.getByLabel('Your move in 1 game').waitFor();
  await ann.page.keyboard.press('Shift+X');
  assert.equal(await nextOf(ann.page).count(), 0);
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(daily);
  await eve.page.getByText('Both seats are taken. You are watching.').waitFor();
  await eve.page.keyboard.press('Shift+X');
  assert.equal(await nextOf(eve.page).count(), 0);
  assert.equal(await eve.page.locator('.toast').count(), 0);
  assert.equal(new URL(ann.page.url()).pathname, here);
  assert.deepEqual([...ann.complaints, ...bob.complaints, ...eve.complaints], []);
});

test('the keys name the way to the next game, in each language on the smallest phone', async () => {
  for (const [locale, name, none, key] of /** @type {const} */ ([
    [
      'en',
      'Next game',
      'No other daily game waits for your move.',
      'In a daily game: the next one that waits for your move',
    ],
    ['ru', 'Следующая партия', 'Других заочных партий, где ваш ход, нет.', 'В заочной партии: следующая, где ваш ход'],
    [
      'es',
      'Siguiente partida',
      'No te toca mover en ninguna otra partida diaria.',
      'En una partida diaria: la siguiente en la que te toca mover',
    ],
  ])) {
    const ann = await visitor(at.browser, at.server, { ...SMALL, locale }, 'Ann');
    const bob = await visitor(at.browser, at.server, {}, 'Bob');
    await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
    const [one, other] = [await game(ann.page, bob.page, THREE_DAYS), await game(ann.page, bob.page, A_WEEK)];
    const { page } = ann;
    await page.goto(one);
    await begins(page, one);
    const next = page.getByRole('button', { name, exact: true });
    await next.waitFor();
    // On a phone held upright or on its side, which is also a window at 200 %.
    for (const viewport of [{ width: 640, height: 400 }, SMALL.viewport]) {
      await page.setViewportSize(viewport);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      assert.ok(await inSight(next), `${locale} ${viewport.width}`);
      await fits(page);
    }
    assert.deepEqual(await faults(page), [], locale);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText(key).waitFor();
    // A dialog keeps the key to itself.
    await page.keyboard.press('Shift+X');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, one);
    await next.click();
    await isAt(page, other);
    await begins(page, other);
    await page.keyboard.press('Shift+X');
    await page.locator('.toast', { hasText: none }).waitFor();
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
    await Promise.all([ann.context.close(), bob.context.close()]);
  }
});

test('a game with a time for all moves has a note, too', async () => {
  const ann = await visitor(at.browser, at.server, elsewhere());
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  await signUp(ann.page, 'Gerda');
  await accept(ann.page, `/r/${await create(bob.page, A_WEEK)}`);
  const note = ann.page.locator('.note');
  await note.locator('summary').click();
  await note.getByLabel('Your note').fill('Close the left side.');
  await note.getByLabel('Your note').blur();
  await note.getByText('Saved. Only you see it.').waitFor();
  assert.deepEqual(ann.complaints, []);
});

test('a note is kept if the page is hidden or left right after it was typed', async () => {
  const ann = await visitor(at.browser, at.server, elsewhere());
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  await signUp(ann.page, 'Jutta');
  const path = `/r/${await create(bob.page, A_WEEK)}`;
  await accept(ann.page, path);
  // The timer of the note never ends: only what is sent as the page goes away is kept.
  await ann.context.addInitScript(() => {
    const later = setTimeout;
    const wait = (/** @type {() => void} */ act, /** @type {number} */ ms) => later(act, ms === 3_000 ? 2 ** 30 : ms);
    Object.assign(globalThis, { setTimeout: wait });
  });
  await ann.page.goto(path);
  const note = ann.page.locator('.note');
  const field = note.getByLabel('Your note');
  await note.locator('summary').click();
  await field.fill('Close the left side.');
  await ann.page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await note.getByText('Saved. Only you see it.').waitFor();
  await field.fill('Open the right side.');
  await ann.page.goto('about:blank');
  // What a page sends as it goes away may arrive after the next one has asked.
  const kept = async () => (await ann.context.request.get(`/api/notes/${path.slice('/r/'.length)}`)).text();
  for (const end = Date.now() + 15_000; !(await kept()).includes('Open the right side.'); )
    assert.ok(Date.now() < end, 'what was typed last is not kept');
  await ann.page.goto(path);
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Open the right side.');
  assert.deepEqual(ann.complaints, []);
});

test('time off is taken and taken back in the dialog, and both players see it', async () => {
  const ann = await visitor(at.browser, at.server, elsewhere());
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  await signUp(ann.page, 'Holly');
  const path = `/r/${await create(bob.page, THREE_DAYS)}`;
  await accept(ann.page, path);
  await bob.page.goto(path);
  await Promise.all([ready(ann.page), ready(bob.page)]);
  const dialog = await you(ann.page);
  const fold = dialog.locator('details', { has: ann.page.locator('summary', { hasText: 'Time off' }) });
  await fold.locator('summary').click();
  await fold.getByText('30 days left this year').waitFor();
  // A day that is planned begins later: nobody is away yet.
  await fold.getByLabel('Days').fill('2');
  await fold.getByLabel('First day').fill(new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10));
  await fold.getByRole('button', { name: 'Take time off' }).click();
  await fold.getByRole('button', { name: 'Take it back' }).click();
  await fold.getByLabel('Days').fill('3');
  await fold.getByRole('button', { name: 'Take time off' }).click();
  await fold.getByText(/^From .* until /).waitFor();
  assert.deepEqual(await faults(ann.page), []);
  await ann.page.keyboard.press('Escape');
  await ann.page.getByText(/^You have time off until .*Your clock stands still\.$/).waitFor();
  await bob.page.getByText(/^Holly has time off until /).waitFor();
  await Promise.all([fits(ann.page), fits(bob.page)]);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a planned reply is played, and the opponent does not see the plan', async () => {
  const ann = await visitor(at.browser, at.server, { ...elsewhere(), ...SMALL });
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  await signUp(ann.page, 'Ivy');
  const path = `/r/${await create(bob.page, THREE_DAYS)}`;
  await accept(ann.page, path);
  await bob.page.goto(path);
  await Promise.all([ready(ann.page), ready(bob.page)]);
  const fold = ann.page.locator('details.plan');
  await ann.page.getByRole('button', { name: 'More', exact: true }).click();
  await fold.locator('summary').click();
  /** @param {...string} points */
  const plan = async (...points) => {
    await fold.getByRole('button', { name: 'Plan a reply' }).click();
    const dialog = ann.page.getByRole('dialog');
    for (const point of points) {
      await putIn(ann.page, dialog, point);
      await dialog.locator('.plan-names', { hasText: new RegExp(`\\b${point}$`) }).waitFor();
    }
    assert.deepEqual(await faults(ann.page), []);
    await fits(ann.page);
    await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await plan('h8', 'i9', 'a1', 'b2');
  await plan('h7', 'i8');
  await plan('c3', 'd4');
  assert.deepEqual(await fold.locator('li > span').allTextContents(), ['h8 i9, a1 b2', 'h7 i8', 'c3 d4']);
  await fold.getByRole('button', { name: 'Remove h7 i8' }).click();
  await fold.locator('li > span', { hasText: 'h7' }).waitFor({ state: 'detached' });
  await put(bob.page, 'h8');
  await Promise.all([sees(bob.page, 'i9', 'White'), sees(ann.page, 'i9', 'White')]);
  await fold.locator('li > span', { hasText: /^a1 b2$/ }).waitFor();
  assert.equal(await fold.locator('li').count(), 1);
  assert.equal(await bob.page.locator('details.plan').count(), 0, 'who has no account plans nothing');
  // A takeback ends what is left.
  const room = path.slice('/r/'.length);
  await ask(bob.page, { type: 'join', room }, { type: 'ask_takeback', room });
  await fold.locator('summary').press('Escape');
  await ann.page.getByRole('button', { name: 'Accept', exact: true }).click();
  await fold.locator('li').waitFor({ state: 'detached' });
  await put(bob.page, 'g7');
  await fold.getByText('You can plan replies on your opponent’s turn.').waitFor({ state: 'attached' });
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a seek that finds an opponent too late ends with the reason', async () => {
  const ann = await visitor(at.browser, at.server, elsewhere(), 'Ann');
  const eve = await visitor(at.browser, at.server, elsewhere(), 'Eve');
  let asked = 0;
  ann.page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"type":"seek"')) asked += 1;
    }),
  );
  await ann.page.goto('/lobby');
  await ann.page.locator('.post').getByLabel('Another time control').selectOption({ label: '3d a move' });
  await ann.page.getByRole('button', { name: 'Post and wait' }).click();
  await ann.page.getByText('Looking for an opponent').waitFor();
  // A guest has at most five daily games.
  for (let count = 0; count < 5; count += 1) await create(ann.page, THREE_DAYS);
  await eve.page.goto('/lobby');
  await eve.page.locator('.open-seek', { hasText: 'Ann' }).getByRole('button', { name: 'Accept' }).click();
  const reason = ann.page.locator('.toast', { hasText: 'You have 5 daily games.' });
  await reason.waitFor();
  await ann.page.getByText('Looking for an opponent').waitFor({ state: 'detached' });
  assert.equal(await reason.count(), 1);
  assert.equal(asked, 1, 'the page does not ask for the reason');
  assert.deepEqual([...ann.complaints, ...eve.complaints], []);
});
