// A short walk in Firefox and WebKit: home, a game with a bot, dialogs, analysis, boards for other sites, a game between
// the two with chat, and a server that goes away and comes back.
//
// `OUTAGE_MS` is how long it is away; `tests/run slow` takes longer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { openBrowser, playedGame, put, Server, sees, twoPlay, visitor } from './harness.mjs';
import {
  appears,
  missing,
  openFirefox,
  openWebKit,
  press,
  putStone,
  seesStone,
  soon,
  vanishes,
} from './other-browsers.mjs';

/** @import { Visitor } from './other-browsers.mjs' */

/** Long enough that a browser which delays sockets after failures would show it. */
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 4_000);
/** How soon after it everybody is back, of which 1.5 s are the page's wait; the rest is a loaded machine's. */
const BACK_WITHIN_MS = 3_000;

/** @type {Server} */
let server;
/** @type {Visitor[]} */
let visitors = [];

before(async () => {
  if (missing) return;
  server = await Server.start();
  visitors = await Promise.all([openFirefox(server.url), openWebKit(server.url)]);
});
after(async () => {
  await Promise.all(visitors.map((visitor) => visitor.close()));
  await server?.stop();
});

/** Runs a part of the walk in each browser. @param {(visitor: Visitor) => Promise<void>} part */
const each = async (part) => void (await Promise.all(visitors.map(part)));

/** In the page: by how many pixels a box is higher than its rows, with its padding and their gaps.
 * @param {string} selector */
function excessHeight(selector) {
  const box = /** @type {HTMLElement} */ (document.querySelector(selector));
  const { height } = box.getBoundingClientRect();
  const rows = [...box.children].map((one) => /** @type {HTMLElement} */ (one));
  const stretched = rows.map((one) => one.getBoundingClientRect().height);
  // As high as they are by themselves.
  box.style.alignItems = 'start';
  const own = rows.map((one) => one.getBoundingClientRect().height);
  box.style.alignItems = '';
  const last = /** @type {HTMLElement} */ (rows.at(-1)).getBoundingClientRect();
  return Math.max(
    ...stretched.map((one, at) => one - (own[at] ?? 0)),
    box.scrollHeight > height ? 0 : box.getBoundingClientRect().bottom - last.bottom - 30,
  );
}

test('a bot answers on the board, and dialogs are as high as what they contain', { skip: missing || false }, () =>
  each(async (visitor) => {
    await visitor.goto('/');
    await press(visitor, '.opponents label', 'A bot');
    await press(visitor, '.level label', '1');
    await press(visitor, '.start');
    await appears(visitor, '.status', 'Your move');
    await putStone(visitor, 'c3');
    await soon(`${visitor.kind}: the bot's stone`, () =>
      visitor.evaluate(() => document.querySelectorAll('.moves .move').length >= 2),
    );
    await appears(visitor, '.status', 'Your move');

    await press(visitor, '.gear');
    await appears(visitor, 'dialog[open]');
    const excess = await visitor.evaluate(excessHeight, 'dialog[open]');
    assert.ok(excess < 4, `${visitor.kind}: the dialog is ${excess} px too high`);
    await visitor.key('Escape');
    await vanishes(visitor, 'dialog');
    await press(visitor, '.bar .me');
    await appears(visitor, 'dialog[open] h2');
    await press(visitor, 'dialog .close');
    await vanishes(visitor, 'dialog');
  }),
);

test('the analysis has its engine, its menu, and its marks', { skip: missing || false }, () =>
  each(async (visitor) => {
    await visitor.goto('/analyse#moves=h8+i9+h9');
    await appears(visitor, '.tree .move', 'h9');
    await press(visitor, '.more-move');
    await appears(visitor, '.move-menu');
    const excess = await visitor.evaluate(excessHeight, '.move-menu');
    assert.ok(excess < 4, `${visitor.kind}: the menu is ${excess} px too high`);
    await visitor.key('Escape');
    await vanishes(visitor, '.move-menu');
    const lines = () => visitor.evaluate(() => document.querySelectorAll('.lines li').length > 0);
    // The analysis begins by itself.
    await soon(`${visitor.kind}: the engine's lines`, lines, 40_000);
    const mark = await visitor.evaluate(() => {
      const move = document.querySelector('.tree .move');
      move?.classList.add('mistake');
      return move && getComputedStyle(move).textDecorationStyle;
    });
    assert.equal(mark, 'wavy', visitor.kind);
  }),
);

test('boards for other sites are live, without an origin of their own', { skip: missing || false }, async (t) => {
  const browser = await openBrowser();
  t.after(() => browser.close());
  const at = { server, browser };
  const shows = (/** @type {Visitor} */ one, /** @type {string} */ name, /** @type {string} */ what) =>
    soon(`${one.kind}: ${what} on ${name}`, () =>
      one.evaluate(
        (/** @type {string} */ start) => !!document.querySelector(`[role=gridcell][aria-label^="${start}"]`),
        `${name}, ${what}`,
      ),
    );
  const board = async (/** @type {Visitor} */ one, /** @type {string} */ path) => {
    await one.goto(`/embed${path}`);
    assert.equal(await one.evaluate(() => self.origin), 'null', one.kind);
  };
  await each(async (one) => {
    await board(one, '/position?moves=h8+i9');
    await shows(one, 'i9', 'White');
  });
  const game = await playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']);
  await each(async (one) => {
    await board(one, game);
    await shows(one, 'l8', 'Black');
  });
  const { ann, bob, link } = await twoPlay(at);
  await each(async (one) => {
    await board(one, new URL(link).pathname);
    await shows(one, 'h8', 'empty');
  });
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await each((one) => shows(one, 'h8', 'Black').then(() => {}));
});

/** Says something in the room's chat. @param {Visitor} visitor @param {string} text */
async function say(visitor, text) {
  await press(visitor, '.chat form input');
  await visitor.type(text);
  await visitor.key('Enter');
}

test('Firefox plays WebKit, they talk, and both are back as soon as the server is', {
  skip: missing || false,
}, async (t) => {
  const [host, guest] = /** @type {[Visitor, Visitor]} */ (visitors);
  await host.goto('/');
  await press(host, '.opponents label', 'A friend');
  await press(host, '.start');
  await appears(host, '.link');
  const link = new URL(await host.evaluate(() => location.href));
  await guest.goto(link.pathname);
  const turn = (/** @type {Visitor} */ one) => one.evaluate(() => document.querySelector('.status')?.textContent ?? '');
  // The button is gone once the seat is taken.
  await press(guest, 'button', 'Play against');
  await soon(
    'the game begins',
    async () => /Your move|thinking/.test(await turn(host)) && /Your move|thinking/.test(await turn(guest)),
  );
  const [black, white] = (await turn(host)) === 'Your move' ? [host, guest] : [guest, host];
  await putStone(black, 'h8');
  await seesStone(white, 'h8');

  await say(host, 'hello');
  await appears(guest, '.chat-lines', 'hello');
  await say(guest, 'well met');
  await appears(host, '.chat-lines', 'well met');
  for (const one of visitors) {
    const [field, card] = await one.evaluate(() =>
      ['.chat form', '.chat'].map((what) => document.querySelector(what)?.getBoundingClientRect().toJSON()),
    );
    assert.ok(
      field.top > card.top && field.bottom <= card.bottom && card.bottom <= 862 && card.height > 120,
      `${one.kind}: the field of the chat is in its card: ${JSON.stringify([field, card])}`,
    );
  }

  // A third one watches, in Chromium.
  const chromium = await openBrowser();
  t.after(() => chromium.close());
  const { page: watcher } = await visitor(chromium, server);
  await watcher.goto(link.pathname);
  await watcher.getByRole('gridcell', { name: /^h8, Black/ }).waitFor({ state: 'attached' });
  await server.kill();
  await each((one) => appears(one, '.lost').then(() => {}));
  await new Promise((resolve) => {
    setTimeout(resolve, OUTAGE_MS);
  });
  await server.again();
  const since = performance.now();
  const back = async (/** @type {string} */ kind, /** @type {Promise<unknown>} */ there) => {
    await there;
    const took = Math.round(performance.now() - since);
    t.diagnostic(`${kind} is back ${took} ms after an outage of ${OUTAGE_MS} ms`);
    return took;
  };
  const took = await Promise.all([
    ...visitors.map((one) => back(one.kind, vanishes(one, '.lost', '', 60_000))),
    back('Chromium', watcher.locator('.lost').waitFor({ state: 'hidden', timeout: 60_000 })),
  ]);
  assert.ok(Math.max(...took) < BACK_WITHIN_MS, `back after ${took} ms`);
  await putStone(white, 'i9');
  await seesStone(black, 'i9');
  await watcher.getByRole('gridcell', { name: /^i9, White/ }).waitFor({ state: 'attached' });
});
