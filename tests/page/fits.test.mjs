// Nothing is cut, at small widths and with text twice as large, with the longest names, ratings and numbers, on
// every screen and in every language: measured, not looked at.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { choose, online, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage('--no-demo');

/** A phone, the smallest first, a desk at 200 %, a phone on its side, and a small desk. */
const SIZES = /** @type {const} */ ([[320, 568], [360, 640], [390, 844], [720, 450], [844, 390], [1024, 768]]);
/** As long as names may be. */
const NAMES = ['Wilhelmina Wolkenstein W', 'Maximilian Hohenzollernm'];
const MOVES = 110;

/**
 * In the page: what is cut, broken within a word, wrapped where it must not be, or behind something else.
 * @returns {string[]}
 */
function faults() {
  /** One line each. */
  const NUMBERS = '.plate .name, .plate .note, .clock, .move, .move-number, .step-place, .turns, .brand span, .way-to span, .rate b, .chip, .bar button';
  const WHOLE = `${NUMBERS}, button, .button, .seg label, .opponents b, .link, th, .game .mark`;
  /** @type {string[]} */
  const found = [];
  const seen = (/** @type {Element} */ one) => one.getClientRects().length > 0 && !one.closest('.spoken, [aria-hidden=true], .toasts, .board-grid, dialog:not([open])')
    && getComputedStyle(one).visibility === 'visible' && one.getBoundingClientRect().width > 1;
  const area = document.querySelector('dialog[open]') ?? document;
  for (const element of area.querySelectorAll(WHOLE)) {
    if (!seen(element)) continue;
    const called = `${element.tagName.toLowerCase()}.${element.className} “${element.textContent?.trim().slice(0, 40)}”`;
    if (element instanceof HTMLInputElement && element.scrollWidth > element.clientWidth + 1) found.push(`cut: ${called}`);
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      if (!text.trim() || !node.parentElement || !seen(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
      const lines = new Set(rects.map(({ top }) => Math.round(top)));
      if (element.matches(NUMBERS) && lines.size > 1) found.push(`wrapped: ${called}`);
      // A word on two lines is broken.
      if (lines.size > 1) {
        for (const { index, 0: word } of text.matchAll(/[^\s\u00ad·×-]+/g)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size > 1) found.push(`broken: “${word}” of ${called}`);
        }
      }
      for (let box = /** @type {Element | null} */ (node.parentElement); box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        const [clip, { left, right, top, bottom }] = [/hidden|clip/, box.getBoundingClientRect()];
        for (const rect of rects) {
          const aside = clip.test(style.overflowX) && (rect.right > right + 1 || rect.left < left - 1);
          const below = clip.test(style.overflowY) && (rect.bottom > bottom + 3 || rect.top < top - 3);
          if (aside || below) found.push(`cut by .${box.className}: ${called}`);
        }
        if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
        if (style.position === 'fixed') break;
      }
    }
  }
  for (const first of area.querySelectorAll('.primary')) {
    if (!seen(first) || first.matches(':disabled')) continue;
    first.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = first.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    if (top && !first.contains(top)) found.push(`“${first.textContent}” is behind ${top.className || top.tagName}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  const widest = [...document.querySelectorAll('main *')].find((one) => one.getBoundingClientRect().right > clientWidth + 1 && one.getBoundingClientRect().right >= scrollWidth - 1);
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px wider than its window: ${widest?.tagName}.${widest?.className}`);
  return [...new Set(found)];
}

/** Measures a screen at each size. @param {Page} page @param {string} what @param {string[]} found */
async function measure(page, what, found) {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    found.push(...(await page.evaluate(faults)).map((fault) => `${what} ${width}×${height}: ${fault}`));
  }
}

/** A long game in which nobody wins, by the identities of both players: the room, and the last ply.
 * @param {Page} page @param {string[]} identities */
function playLong(page, identities, moves = MOVES) {
  return page.evaluate(async ([both, count]) => {
    const opened = await Promise.all(both.map((identity) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/ws`);
      /** @type {Map<string, (answer: any) => void>} */
      const waiting = new Map();
      const send = (/** @type {object} */ command) => new Promise((done) => {
        const id = crypto.randomUUID();
        waiting.set(id, done);
        socket.send(JSON.stringify({ ...command, id }));
      });
      socket.onmessage = ({ data }) => {
        const answer = JSON.parse(data);
        waiting.get(answer.id)?.(answer);
      };
      socket.onopen = async () => {
        await send({ type: 'hello', protocol: 1, identity });
        resolve(send);
      };
    })));
    const [ann, bob] = /** @type {((command: object) => Promise<any>)[]} */ (opened);
    if (!ann || !bob) throw new Error('two players');
    const { room } = await ann({ type: 'create', rules: { variant: 'freestyle', size: [15, 15] }, time: { type: 'fischer', main_ms: 600_000, increment_ms: 5_000 }, colour: 'black' });
    await bob({ type: 'join', room });
    await bob({ type: 'sit', room, seat: 'second' });
    // No five of a color in any direction.
    const points = Array.from({ length: 225 }, (_, index) => [index % 15, Math.floor(index / 15)]);
    const [black, white] = [0, 1].map((side) => points.filter(([x = 0, y = 0]) => Number(((x + 2 * y) & 3) >= 2) === side));
    for (let ply = 0; ply < count; ply += 1) {
      const point = (ply % 2 ? white : black)?.[ply >> 1];
      const answer = await (ply % 2 ? bob : ann)({ type: 'play', room, ply, point });
      if (answer.type !== 'done') throw new Error(JSON.stringify(answer));
    }
    return /** @type {string} */ (room);
  }, /** @type {const} */ ([identities, moves]));
}

for (const locale of ['en-GB', 'ru-RU', 'es-ES']) {
  test(`nothing is cut in ${locale}`, async () => {
    const [ann, bob] = await Promise.all(NAMES.map((name) => visitor(at.browser, at.server, { locale }, name)));
    assert.ok(ann && bob);
    const { page } = ann;
    /** @type {string[]} */
    const found = [];
    await page.goto('/');
    await bob.page.goto('/');
    await Promise.all([ann, bob].map((one) => online(one.page)));
    for (const opponent of /** @type {const} */ (['anyone', 'friend', 'bot'])) {
      await choose(page, opponent);
      if (opponent !== 'anyone') await page.locator('.options .seg input').first().waitFor({ state: 'attached' });
      await measure(page, `home, ${opponent},`, found);
    }
    for (const path of ['/lobby', '/games', '/leaderboard', '/puzzles', '/learn', '/local', '/nowhere']) {
      await page.goto(path);
      await page.locator('main h1, main h2, .message').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      await measure(page, path, found);
    }
    await page.goto(`/analyse#moves=${Array.from({ length: MOVES }, (_, at) => `${String.fromCharCode(97 + at % 15)}${1 + Math.floor(at / 15)}`).join('+')}`);
    await page.locator('.tree .move').nth(20).waitFor();
    await measure(page, '/analyse', found);
    for (const dialog of ['.gear', '.me']) {
      await page.setViewportSize({ width: 1024, height: 768 });
      await page.locator(dialog).click();
      await page.locator('dialog[open] h2').first().waitFor();
      await measure(page, `the dialog of ${dialog}`, found);
      await page.keyboard.press('Escape');
    }

    // Ratings as long as they get.
    await page.routeWebSocket('**/ws', (socket) => {
      socket.connectToServer().onMessage((text) => {
        const message = JSON.parse(String(text));
        const rating = { rating: 2662, provisional: true, change: -162 };
        socket.send(message.type === 'joined' ? JSON.stringify({ ...message, ratings: { game: message.snapshot?.game?.number, first: rating, second: rating } }) : text);
      });
    });
    await page.goto('/');
    const identities = await Promise.all([ann, bob].map((one) => one.page.evaluate(() => localStorage.getItem('fivefold.identity') ?? '')));
    const room = await playLong(page, identities);
    await page.goto(`/r/${room}`);
    await page.locator('.move').nth(MOVES - 1).waitFor({ state: 'attached' });
    await page.locator('.plate .note', { hasText: '2662? −162' }).first().waitFor();
    await measure(page, 'a running game', found);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.locator('.actions .danger').click();
    await page.locator('.is-over').waitFor({ timeout: 20_000 });
    await page.locator('a[href^="/game/"]').waitFor();
    await measure(page, 'a game that is over', found);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.locator('a[href^="/game/"]').click();
    await page.locator('.replay .move').first().waitFor();
    await measure(page, 'a replay', found);
    await page.goto('/');
    await choose(page, 'friend');
    await page.locator('.start').click();
    await page.locator('.link').waitFor();
    await measure(page, 'an invitation', found);
    assert.equal(found.join('\n'), '');
  });
}
