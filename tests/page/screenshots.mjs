// Takes pictures of every screen in its states and sizes: `node tests/page/screenshots.mjs FOLDER [WORD...]`.
// With words, only of screens and sizes that are named, such as `game`, `lobby-phone` or `opening-desk-dark`.
// The board's marks and every opening have commands of their own: `screenshots-board.mjs`, `screenshots-openings.mjs`.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { accept, begin, choose, openBrowser, PHONE, put, Server, sees, visitor } from './harness.mjs';

/** @import { BrowserContextOptions, Page } from 'playwright-core' */

const [, , folder = 'target/screenshots', ...words] = process.argv;
/** @type {Record<string, BrowserContextOptions>} */
const SIZES = {
  desk: { viewport: { width: 1440, height: 900 } },
  narrow: { viewport: { width: 1024, height: 768 } },
  phone: PHONE,
  landscape: { ...PHONE, viewport: { width: 863, height: 360 }, screen: { width: 863, height: 360 } },
};
/** A game that Black wins, Black first. */
const MOVES =
  'h8 i8 f5 h9 j7 i9 j9 i10 i11 j8 i7 k7 h10 g9 f7 g7 f6 e9 f9 f8 h6 d10 c11 m5 l6 k12 g8 k8 i6 l8 m8 j11 l13 h7 j6 k6 g6'.split(
    ' ',
  );
/** Where the game stands while it goes on. */
const MIDDLE = 24;

await mkdir(folder, { recursive: true });
const browser = await openBrowser();
const server = await Server.start({ 'no-demo': false, 'bot-pace': 400 });
const quiet = await Server.start();

/** What a screen needs to take its pictures.
 * @typedef {{ size: string, scheme: 'light' | 'dark', shoot: (page: Page, state: string) => Promise<void>, person: (name: string, where?: Server, options?: object) => Promise<Page>, other: (name: string, where?: Server) => Promise<Page> }} Stage */

/** Screens by name. @type {Record<string, (stage: Stage) => Promise<void>>} */
const SCREENS = {
  async home({ shoot, person, other }) {
    const page = await person('Anna');
    await page.goto('/');
    await page.locator('.shown a').first().waitFor();
    await page.waitForTimeout(8_000);
    await shoot(page, 'first');
    for (const opponent of /** @type {const} */ (['friend', 'bot'])) {
      await choose(page, opponent);
      await shoot(page, opponent);
    }
    await choose(page, 'anyone');
    await page.getByRole('button', { name: 'Other rules and clocks' }).click();
    await page.locator('.find').click();
    await page.getByText('Looking for an opponent').waitFor();
    await shoot(page, 'waiting');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const [ilse, bori] = [await other('Ilse'), await other('Bori')];
    await ilse.goto('/lobby');
    await ilse.getByRole('button', { name: 'Post and wait' }).click();
    await choose(page, 'friend');
    await begin(page, 'friend');
    const link = await page.getByLabel('Link to this room').inputValue();
    await shoot(page, 'invite');
    await accept(bori, link);
    await page.locator('.plate', { hasText: 'Bori' }).waitFor();
    const black = (await page.title()).startsWith('●');
    if (!black) await put(bori, 'h8');
    await page.goto('/');
    await page.locator('.own-room .now').waitFor();
    await choose(page, 'anyone');
    await page.waitForTimeout(2_000);
    await shoot(page, 'back');
    const alone = await person('Anna', quiet);
    await alone.goto('/');
    await alone.getByRole('button', { name: 'Play now' }).waitFor();
    await shoot(alone, 'empty');
  },

  async game({ size, shoot, person, other }) {
    const { page, bori } = await played(person, other, MOVES.slice(0, MIDDLE), { clock: 3 });
    await page.mouse.move(2, 2);
    await shoot(page, 'turn');
    if (size === 'phone' || size === 'landscape') {
      await tap(page, 'l6');
      await page.getByRole('button', { name: 'Place on l6' }).waitFor();
      await shoot(page, 'aim');
      await tap(page, 'l6');
      await sees(page, 'l6', 'Black');
    } else {
      await put(page, 'l6');
    }
    await put(bori, 'k12');
    await sees(page, 'k12', 'White');
    await bori.getByLabel('Send a message').fill('that was close last time');
    await bori.keyboard.press('Enter');
    await bori.getByRole('button', { name: 'Offer draw' }).click();
    await page.getByText('Bori offers a draw').waitFor();
    await shoot(page, 'offer');
    await page.getByRole('button', { name: 'Decline' }).click();
    for (const [index, point] of MOVES.slice(MIDDLE + 2).entries())
      await move(index % 2 ? bori : page, [page, bori], point, index % 2 === 0);
    await page.getByRole('heading', { name: 'You won' }).waitFor();
    await page.mouse.move(2, 2);
    await page.waitForTimeout(1_500);
    await shoot(page, 'won');
    if (size !== 'desk' && size !== 'phone') return;
    const low = await played(person, other, ['h8', 'i9'], { clock: 1 });
    await low.page.waitForTimeout(53_000);
    await shoot(low.page, 'low');
  },

  async opening({ shoot, person, other }) {
    const { page, bori } = await played(person, other, [], { opening: 'swap2', clock: 3 }, true);
    for (const point of ['h8', 'i9', 'j6']) {
      await put(bori, point);
      await sees(bori, point, '(Black|White)');
    }
    await bori.getByRole('button', { name: 'Confirm' }).click();
    await page.locator('.choice').waitFor();
    await shoot(page, 'choose');
    await page.getByRole('button', { name: /^Place two more/ }).click();
    await put(page, 'g7');
    if (await page.getByRole('button', { name: 'Place on g7' }).isVisible()) await put(page, 'g7');
    await sees(page, 'g7', 'White');
    await shoot(page, 'put');
  },

  async lobby({ shoot, person, other }) {
    const alone = await person('Anna', quiet);
    await alone.goto('/lobby');
    await alone.locator('.none').filter({ visible: true }).waitFor();
    await shoot(alone, 'none');
    const page = await person('Anna');
    const people = await Promise.all(['Ilse', 'Quang', 'Guest 4410', 'Matteo'].map((name) => other(name)));
    for (const [index, one] of people.entries()) {
      await one.goto('/lobby');
      await one
        .locator('.post')
        .getByLabel('Rules')
        .selectOption({ index: index % 4 });
      await one.getByRole('button', { name: 'Post and wait' }).click();
      await one.getByText('Looking for an opponent').waitFor();
    }
    await page.goto('/lobby');
    await page.locator('.open-seek').nth(3).waitFor();
    await shoot(page, 'some');
    await page.getByRole('button', { name: 'Live games' }).click();
    await page.waitForTimeout(1_500);
    await shoot(page, 'live');
    const stuck = await person('Anna');
    await stuck.routeWebSocket('**/ws', () => {});
    await stuck.goto('/lobby');
    await stuck.getByText('Connecting…').first().waitFor();
    await shoot(stuck, 'loading');
    const cut = await person('Anna');
    await cut.routeWebSocket('**/ws', (socket) => void socket.close({ code: 1011 }));
    await cut.goto('/lobby');
    await cut.getByRole('button', { name: 'Retry now' }).waitFor();
    await shoot(cut, 'error');
  },

  async puzzles({ shoot, person }) {
    const page = await person('Anna');
    await page.goto('/puzzles');
    await page
      .getByText(/^(Black|White) to move/)
      .first()
      .waitFor();
    await shoot(page, 'ask');
    const corners = ['a1', 'o15', 'a15', 'o1'];
    for (const corner of corners)
      if (await page.getByRole('gridcell', { name: `${corner}, empty` }).count()) {
        await place(page, corner);
        break;
      }
    await page.getByText('doesn’t win').waitFor();
    await shoot(page, 'wrong');
    await page.getByRole('button', { name: 'Show solution' }).click();
    await page.getByText('The solution', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next puzzle' }).waitFor();
    await shoot(page, 'solved');
  },

  async learn({ shoot, person }) {
    const page = await person('Anna');
    await page.goto('/learn#tic_tac_toe');
    await page.getByRole('heading', { name: 'Tic-tac-toe' }).waitFor();
    await shoot(page, 'ask');
    await place(page, 'c1');
    await page.getByRole('link', { name: 'Next lesson' }).waitFor();
    await shoot(page, 'solved');
  },

  async notfound({ shoot, person }) {
    const page = await person('Anna');
    for (const [state, path] of /** @type {const} */ ([
      ['room', '/r/jgsqshuy29hw'],
      ['page', '/nowhere'],
    ])) {
      await page.goto(path);
      await page.locator('.not-found').waitFor();
      await shoot(page, state);
    }
  },

  async other({ shoot, person }) {
    const page = await person('Anna');
    await page.goto(`/analyse#moves=${MOVES.slice(0, 16).join('+')}`);
    await sees(page, 'g7', 'White');
    await page.locator('.lines li').first().waitFor();
    await page.waitForTimeout(1_500);
    await page.evaluate(() => scrollTo(0, 0));
    await shoot(page, 'analysis');
    await page.goto('/games');
    await page.waitForTimeout(800);
    await shoot(page, 'games');
    await page.getByRole('button', { name: 'Settings' }).click();
    await shoot(page, 'settings');
  },
};

/**
 * Anna's game against Bori after some moves; Anna plays Black unless Bori begins.
 * @param {Stage['person']} person @param {Stage['other']} other @param {string[]} moves @param {object} game @param {boolean} [begins] whether Bori begins
 */
async function played(person, other, moves, game, begins = false) {
  const options = JSON.stringify({
    variant: 'freestyle',
    size: '15',
    colour: begins ? 'white' : 'black',
    opening: 'free',
    ...game,
  });
  const [page, bori] = [await person('Anna', server), await other('Bori')];
  await page.addInitScript((kept) => localStorage.setItem('fivefold.options', kept), options);
  await page.goto('/');
  await begin(page, 'friend');
  await accept(bori, await page.getByLabel('Link to this room').inputValue());
  await page.locator('.plate', { hasText: 'Bori' }).waitFor();
  await bori.locator('.plate', { hasText: 'Anna' }).waitFor();
  for (const [index, point] of moves.entries())
    await move(index % 2 ? bori : page, [page, bori], point, index % 2 === 0);
  return { page, bori };
}

/** Places a stone; by touch that takes two presses. @param {Page} page @param {string} point */
async function place(page, point) {
  await put(page, point);
  const confirm = page.getByRole('button', { name: `Place on ${point}` });
  if ((await page.evaluate(() => matchMedia('(pointer: coarse)').matches)) && (await confirm.isVisible()))
    await confirm.click();
}

/** @param {Page} mover @param {Page[]} both @param {string} point @param {boolean} touches */
async function move(mover, both, point, touches) {
  await put(mover, point);
  if (touches && (await mover.evaluate(() => matchMedia('(pointer: coarse)').matches))) await put(mover, point);
  for (const page of both) await sees(page, point, '(Black|White)');
}

/** @param {Page} page @param {string} name */
async function tap(page, name) {
  const box = await page.getByRole('gridcell', { name: new RegExp(`^${name},`) }).boundingBox();
  if (box) await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

try {
  for (const [screen, take] of Object.entries(SCREENS))
    for (const [size, options] of Object.entries(SIZES))
      for (const scheme of /** @type {const} */ (['light', 'dark'])) {
        if (words.length > 0 && !words.some((word) => `${screen}-${size}-${scheme}-`.startsWith(`${word}-`))) continue;
        /** @type {Awaited<ReturnType<typeof visitor>>[]} */
        const people = [];
        const person = async (/** @type {string} */ name, where = server) => {
          const one = await visitor(browser, where, { ...options, colorScheme: scheme }, name);
          people.push(one);
          return one.page;
        };
        const other = async (/** @type {string} */ name, where = server) => {
          const one = await visitor(browser, where, SIZES.desk, name);
          people.push(one);
          return one.page;
        };
        const shoot = async (/** @type {Page} */ page, /** @type {string} */ state) => {
          await page.waitForTimeout(500);
          await page.screenshot({ path: join(folder, `${screen}-${state}-${size}-${scheme}.png`) });
        };
        try {
          await take({ size, scheme, shoot, person, other });
        } catch (error) {
          console.error(screen, size, scheme, error);
        }
        for (const { complaints, context } of people) {
          const wrong = complaints.filter((text) => !text.includes('404'));
          if (wrong.length > 0) console.error(screen, size, scheme, wrong);
          await context.close();
        }
      }
} finally {
  await browser.close();
  await server.stop();
  await quiet.stop();
}
