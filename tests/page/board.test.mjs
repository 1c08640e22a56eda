// The board, by mouse, touch and keyboard, against the real server.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accept, begin, PHONE, stage, TABLET, visitor } from './harness.mjs';

/** @import { BrowserContextOptions, Page } from 'playwright-core' */

const here = stage();

/** A game against the bot, as Black.
 * @param {Record<string, unknown>} [game] the choices of the start page @param {BrowserContextOptions} [options] */
async function againstBot(game = {}, options = {}) {
  const guest = await visitor(here.browser, here.server, options);
  const kept = JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black', ...game });
  await guest.context.addInitScript((value) => {
    if (!localStorage.getItem('fivefold.options')) localStorage.setItem('fivefold.options', value);
  }, kept);
  await guest.page.goto('/');
  await begin(guest.page, 'bot');
  await guest.page.getByText('Your move', { exact: true }).waitFor();
  return { ...guest, ...handle(guest.page) };
}

/** What one can do with the board of a page. @param {Page} page */
function handle(page) {
  const cell = (/** @type {string} */ name) => page.getByRole('gridcell', { name: new RegExp(`^${name}, `) });
  return {
    /** What a point is called. @param {string} name */
    label: async (name) => (await cell(name).getAttribute('aria-label')) ?? '',
    /** The middle of a point on the screen. @param {string} name */
    async at(name) {
      const box = await cell(name).boundingBox();
      assert.ok(box);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
    /** Waits for a point to be called something. @param {string} name @param {string} label */
    async called(name, label) {
      await page
        .getByRole('gridcell', { name: `${name}, ${label}` })
        .first()
        .waitFor();
    },
    /** How many stones of a colour there are. @param {string} colour */
    stones: (colour) => page.getByRole('gridcell', { name: new RegExp(`, ${colour}`) }).count(),
  };
}

for (const [device, options] of /** @type {const} */ ([
  ['phone', PHONE],
  ['tablet', TABLET],
])) {
  test(`on a ${device} no single stray tap places a stone`, async () => {
    const { page, at, label, called, stones, complaints } = await againstBot({}, options);
    const tap = async (/** @type {string} */ name) => {
      const { x, y } = await at(name);
      await page.touchscreen.tap(x, y);
    };
    const confirm = page.locator('.board-touch .primary');
    for (const name of ['a1', 'o15', 'h8', 'c12', 'n2', 'h9', 'g7', 'o1']) {
      await tap(name);
      await page.getByRole('button', { name: `Place on ${name}` }).waitFor();
    }
    assert.equal(await stones('Black'), 0);
    await tap('h8');
    await tap('h8');
    await called('h8', 'Black');
    await page.getByText('Your move', { exact: true }).waitFor();
    assert.equal(await stones('White'), 1);
    assert.equal(await confirm.isVisible(), false);
    const free = (await label('a1')).includes('empty') ? 'a1' : 'o1';
    await tap(free);
    await confirm.click();
    await called(free, 'Black');
    assert.deepEqual(complaints, []);
  });

  test(`on a ${device} swipes and pinches over the board move neither page nor stones`, async () => {
    const { page, context, at, stones } = await againstBot({}, options);
    const [from, to] = [await at('h12'), await at('h3')];
    const touch = await context.newCDPSession(page);
    const fingers = async (
      /** @type {'touchStart' | 'touchMove' | 'touchEnd'} */ type,
      /** @type {{x: number, y: number}[]} */ ...touchPoints
    ) => {
      await touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: touchPoints.map((point, id) => ({ ...point, id })),
      });
    };
    const step = (/** @type {number} */ i) => ({ x: from.x, y: from.y + ((to.y - from.y) * i) / 8 });
    await fingers('touchStart', from);
    for (let i = 1; i <= 8; i += 1) await fingers('touchMove', step(i));
    await fingers('touchEnd');
    await fingers('touchStart', step(4), step(5));
    for (let i = 1; i <= 4; i += 1) await fingers('touchMove', step(4 - i), step(5 + i / 2));
    await fingers('touchEnd');
    const screen = await page.evaluate(() => [scrollX, scrollY, visualViewport?.scale, visualViewport?.offsetTop]);
    assert.deepEqual(screen, [0, 0, 1, 0]);
    assert.equal(await stones('Black'), 0);
    assert.equal(
      await page.getByRole('button', { name: 'Show everything' }).isVisible(),
      true,
      'the pinch enlarged the board',
    );
  });
}

test('the mouse places on release, where it was pressed, or not at all', async () => {
  const { page, at, called, stones } = await againstBot();
  const [h8, j8] = [await at('h8'), await at('j8')];
  await page.mouse.move(h8.x, h8.y);
  await page.mouse.down();
  assert.equal(await stones('Black'), 0);
  await page.mouse.move(j8.x, j8.y, { steps: 4 });
  await page.mouse.up();
  assert.equal(await stones('Black'), 0);
  await page.mouse.click(j8.x, j8.y);
  await called('j8', 'Black');
});

test('a whole game by keyboard alone', async () => {
  const { page, stones } = await againstBot({ variant: 'mnk' });
  /** What the focus is on. */
  const focus = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let tabs = 0; !/^b2, /.test(await focus()); tabs += 1) {
    assert.ok(tabs < 40, 'the board is reached by Tab');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'b2, X' }).waitFor();
  const over = page.getByText(/^(You won|You lost|Draw)$/);
  // To the first corner, and from there over every square.
  const [up, down, left, right] = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
  const tour = [up, up, left, left, right, right, down, left, left, down, right, right];
  for (let way = 0; !(await over.isVisible()); way += 1) {
    await page.getByText(/^(Your move|You won|You lost|Draw)$/).waitFor();
    if (await over.isVisible()) break;
    assert.ok(way < 9 * tour.length);
    await page.keyboard.press(tour[way % tour.length] ?? up);
    const before = await stones('X');
    if (/empty/.test(await focus())) {
      await page.keyboard.press(' ');
      await page.waitForFunction(
        (count) => document.querySelectorAll('[role=gridcell][aria-label*=", X"]').length > count,
        before,
      );
    }
  }
  assert.ok((await stones('X')) >= 3);
});

test('points can be typed, and invalid ones play nothing', async () => {
  const { page, called, stones } = await againstBot();
  await page.getByRole('gridcell', { name: /^h8, / }).focus();
  await page.keyboard.type('p1');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByLabel('Point, such as h8').getAttribute('aria-invalid'), 'true');
  await page.getByRole('alert').getByText('There is no point “p1” on this board').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await page.keyboard.type('g7');
  assert.equal(await stones('Black'), 0);
  await page.keyboard.press('Enter');
  await called('g7', 'Black');
});

test('a premove is played on the player’s turn', async () => {
  const { white, theirs, black } = await whiteWaits();
  const point = await theirs.at('h9');
  await white.page.mouse.click(point.x, point.y);
  await theirs.called('h9', 'empty, your next move');
  const mine = await black.at('h8');
  await black.page.mouse.click(mine.x, mine.y);
  await black.called('h9', 'White, last move');
});

test('a premove is visible, and one press cancels it', async () => {
  const { white, theirs, black } = await whiteWaits();
  const cancel = white.page.getByRole('button', { name: 'Cancel' });
  assert.equal(await cancel.isVisible(), false);
  const point = await theirs.at('h9');
  await white.page.mouse.click(point.x, point.y);
  await white.page.getByText('h9 will be played on your turn').first().waitFor();
  assert.equal((await cancel.boundingBox())?.height, 44, 'its word is whole');
  await cancel.click();
  await theirs.called('h9', 'empty');
  assert.match(await theirs.label('h9'), /empty$/);
  await cancel.waitFor({ state: 'hidden' });
  // It is a setting.
  await white.page.mouse.click(point.x, point.y);
  await cancel.waitFor();
  await white.page.getByRole('button', { name: 'Settings' }).click();
  await white.page.getByLabel('Choose my next move while my opponent thinks').uncheck();
  await white.page.keyboard.press('Escape');
  await cancel.waitFor({ state: 'hidden' });
  await white.page.mouse.click(point.x, point.y);
  await white.page.getByRole('alert').getByText('You cannot place a stone now').waitFor({ state: 'attached' });
  const mine = await black.at('h8');
  await black.page.mouse.click(mine.x, mine.y);
  await theirs.called('h8', 'Black, last move');
  assert.match(await theirs.label('h9'), /empty$/);
});

test('on a phone a touch makes no premove unless that is switched on', async () => {
  const { white, theirs, black } = await whiteWaits(PHONE);
  const { page } = white;
  const tap = async (/** @type {string} */ name) => {
    const { x, y } = await theirs.at(name);
    await page.touchscreen.tap(x, y);
  };
  const [confirm, advice] = [page.locator('.board-touch .primary'), page.getByText('Tap a point, then tap it again')];
  for (const name of ['h9', 'h9', 'c3']) await tap(name);
  assert.deepEqual([await confirm.isVisible(), await advice.isVisible()], [false, false]);
  assert.match(await theirs.label('h9'), /empty$/);

  await page.getByRole('button', { name: 'Settings' }).tap();
  await page.getByLabel('Choose my next move while my opponent thinks').check();
  await page.keyboard.press('Escape');
  await tap('h9');
  assert.equal(await advice.isVisible(), false);
  await page.getByRole('button', { name: 'Place on h9 next' }).tap();
  await page.locator('.premoved').getByText('h9 will be played on your turn').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).tap();
  assert.match(await theirs.label('h9'), /empty$/);
  const mine = await black.at('h8');
  await black.page.mouse.click(mine.x, mine.y);
  await advice.waitFor();
});

test('a new move does not pull away a player who looks back', async () => {
  const { white, theirs, black } = await whiteWaits();
  const first = await black.at('h8');
  await black.page.mouse.click(first.x, first.y);
  await theirs.called('h8', 'Black');
  await white.page.getByRole('button', { name: 'Previous move' }).click();
  await theirs.called('h8', 'empty');
  const watcher = await visitor(here.browser, here.server);
  await watcher.page.goto(black.page.url());
  const seen = handle(watcher.page);
  await seen.called('h8', 'Black');
  await watcher.page.getByRole('button', { name: 'Previous move' }).click();
  await seen.called('h8', 'empty');
  await white.page.getByRole('button', { name: 'Latest move' }).click();
  const second = await theirs.at('i9');
  await white.page.mouse.click(second.x, second.y);
  await black.called('i9', 'White');
  await watcher.page.getByText('Move 0 of 2').waitFor();
  assert.match(await seen.label('h8'), /empty/);
  assert.match(await seen.label('i9'), /empty/);
});

test('the board without borders pans and zooms, and points to stones out of sight', async () => {
  const { page, called, stones } = await againstBot({ size: 'unbounded' });
  const canvas = page.locator('.board canvas');
  const box = await canvas.boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await called('0,0', 'Black');
  await page.getByText('Your move', { exact: true }).waitFor();
  const hint = page.locator('.board-hint');
  assert.equal(await hint.isVisible(), false);
  for (let times = 0; times < 3; times += 1) {
    await page.mouse.move(x - 200, y);
    await page.mouse.down();
    await page.mouse.move(x + 250, y, { steps: 5 });
    await page.mouse.up();
  }
  assert.equal(await stones('Black'), 1, 'dragging places nothing');
  await hint.click();
  await hint.waitFor({ state: 'hidden' });
  const width = async () => (await page.getByRole('gridcell', { name: '0,0, Black' }).boundingBox())?.width ?? 0;
  const before = await width();
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((/** @type {number} */ old) => {
    const one = document.querySelector('[role=gridcell]');
    return one && one.getBoundingClientRect().width > old * 1.2;
  }, before);
  await page.getByRole('button', { name: 'Show everything' }).click();
  await page.waitForFunction((/** @type {number} */ old) => {
    const one = document.querySelector('[role=gridcell]');
    return one && Math.abs(one.getBoundingClientRect().width - old) < 3;
  }, before);
});

test('the zoom buttons work at once, without borders too', async () => {
  for (const size of ['unbounded', '15']) {
    const { page } = await againstBot({ size });
    const width = async () => (await page.getByRole('gridcell').first().boundingBox())?.width ?? 0;
    const is = (/** @type {(now: number) => boolean} */ fits) => async () => {
      for (let tries = 0; tries < 300; tries += 1) {
        if (fits(await width())) return;
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
      assert.fail(`${size}: cells are ${await width()} wide`);
    };
    await page.getByRole('gridcell').first().focus();
    const first = await width();
    // With borders the buttons are there as soon as there is more to see.
    if (size === '15') await page.keyboard.press('+');
    else await page.getByRole('button', { name: 'Larger' }).click();
    await is((now) => now > 1.35 * first)();
    await page.getByRole('button', { name: 'Larger' }).click();
    await is((now) => now > 1.9 * first)();
    await page.getByRole('button', { name: 'Smaller' }).click();
    await is((now) => now < 1.5 * first)();
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('_');
    await is((now) => now < 1.05 * first)();
    await page.keyboard.press('+');
    await is((now) => now > 1.35 * first)();
  }
});

/** Both players of a game in which Black is to begin. @param {BrowserContextOptions} [options] of White's */
async function whiteWaits(options = {}) {
  const black = await againstFriend();
  const white = await visitor(here.browser, here.server, options);
  await accept(white.page, black.page.url());
  await black.page.getByText('Your move', { exact: true }).waitFor();
  await white.page.getByRole('heading', { name: / is thinking$/ }).waitFor();
  return { black, white, theirs: handle(white.page) };
}

/** A room of one's own as Black, in which a friend is awaited. */
async function againstFriend() {
  const guest = await visitor(here.browser, here.server);
  await guest.context.addInitScript(() =>
    localStorage.setItem(
      'fivefold.options',
      JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black' }),
    ),
  );
  await guest.page.goto('/');
  await begin(guest.page, 'friend');
  await guest.page.waitForURL('**/r/*');
  return { ...guest, ...handle(guest.page) };
}
