// Takes pictures of the board: `node tests/page/screenshots-board.mjs FOLDER`. The heat
// map, the board without borders from afar, replay with the value graph, and analysis.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { begin, openBrowser, PHONE, playedGame, Server, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const [, , folder = 'target/screenshots'] = process.argv;
const DESK = { viewport: { width: 1280, height: 800 } };
/** A game with some turns, Black first, that a five ends. */
const GAME = [
  'h8',
  'i9',
  'i7',
  'g9',
  'j8',
  'h9',
  'f9',
  'j9',
  'k9',
  'g7',
  'h6',
  'j7',
  'g8',
  'f8',
  'i8',
  'k8',
  'h7',
  'h5',
  'g6',
  'j5',
  'i6',
  'k6',
  'f6',
  'e6',
  'j6',
];

await mkdir(folder, { recursive: true });
const server = await Server.start({ 'no-demo': false, 'bot-pace': 100 });
const browser = await openBrowser();
try {
  const game = await playedGame({ server, browser }, GAME);
  for (const [device, options] of /** @type {const} */ ([
    ['desk', DESK],
    ['phone', PHONE],
  ])) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const { page, context, complaints } = await visitor(browser, server, { ...options, colorScheme });
      const shoot = async (/** @type {string} */ name) => {
        await page.mouse.move(2, 2);
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) });
      };
      await page.goto(
        `/analyse#${new URLSearchParams({ variant: 'freestyle', size: 'unbounded', moves: sprawl(600) })}`,
      );
      await page.getByRole('gridcell', { name: /^0,0, / }).waitFor();
      await shoot('unbounded');
      await page.goto(`${game}?ply=16`);
      await page.getByRole('slider').waitFor({ timeout: 90_000 });
      await page.getByLabel('Show the best moves').check();
      await page.evaluate(() => scrollTo(0, 0));
      await shoot('replay');
      if (device === 'phone') {
        await page.getByRole('slider').scrollIntoViewIfNeeded();
        await shoot('replay-graph');
      }
      await page.goto(
        `/analyse#${new URLSearchParams({ variant: 'renju', size: '15', moves: GAME.slice(0, 12).join(' ') })}`,
      );
      await page.locator('.lines li').first().waitFor();
      await page.waitForTimeout(1_500);
      await page.evaluate(() => scrollTo(0, 0));
      await shoot('analyse');
      await heat(page);
      await shoot('heat');
      if (complaints.length > 0) console.error(device, colorScheme, complaints);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

/** A room against a bot, a few moves later, with the weights of all candidates. @param {Page} page */
async function heat(page) {
  await page.evaluate(() =>
    localStorage.setItem(
      'fivefold.options',
      JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black' }),
    ),
  );
  await page.goto('/');
  await begin(page, 'bot');
  await page.getByText('Your move', { exact: true }).waitFor();
  await page.locator('.assist > summary').click();
  for (let times = 1; times <= 4; times += 1) {
    await page.getByRole('button', { name: 'Bot moves' }).click();
    await page.getByText(`${2 * times} moves`).waitFor();
  }
  await page.getByLabel('Which bot helps').selectOption('attack');
  await page.getByRole('button', { name: 'Heat map' }).click();
  await page.waitForTimeout(500);
  await page.evaluate(() => scrollTo(0, 0));
}

/** Whether the next stone there makes a five. @param {readonly [number, number][]} moves @param {[number, number]} point */
function wins(moves, [x, y]) {
  const own = new Set(moves.filter((_, ply) => ply % 2 === moves.length % 2).map(String));
  const run = (/** @type {number} */ dx, /** @type {number} */ dy) => {
    let length = 0;
    while (own.has(`${x + dx * (length + 1)},${y + dy * (length + 1)}`)) length += 1;
    return length;
  };
  return [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
  ].some(([dx = 0, dy = 0]) => run(dx, dy) + run(-dx, -dy) >= 4);
}

/** Stones that lie as in a long game that nobody wins. @param {number} count */
function sprawl(count) {
  /** @type {[number, number][]} */
  const moves = [[0, 0]];
  const taken = new Set(['0,0']);
  let state = 7;
  const random = (/** @type {number} */ below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  while (moves.length < count) {
    const [x, y] = moves[random(moves.length)] ?? [0, 0];
    /** @type {[number, number]} */
    const point = [x + random(7) - 3, y + random(5) - 2];
    if (!taken.has(`${point}`) && !wins(moves, point)) moves.push(point);
    taken.add(`${point}`);
  }
  return moves.join(' ');
}
