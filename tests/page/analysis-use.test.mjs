// The use of the analysis: keys, lines, files of other boards, large libraries, and what is in sight on a phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PHONE, put, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** Opens a file as a person does. @param {Page} page @param {string} name @param {Buffer | string} content */
function open(page, name, content) {
  return page.getByLabel('Open a file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
}

/** A library of RenLib: so many first moves, with 224 answers each, and so many moves after each of those. @param {number} first @param {number} third */
function libraryOf(first, third) {
  const point = (/** @type {number} */ place) => (Math.floor(place / 15) << 4) | ((place % 15) + 1);
  const bytes = [...Buffer.from('\xffRenLib\xff\x03\x04' + '\xff'.repeat(10), 'latin1'), 0, 0];
  for (let a = 0; a < first; a += 1) {
    bytes.push(point(a), a + 1 < first ? 0x80 : 0);
    for (let b = 1; b < 225; b += 1) {
      bytes.push(point((a + b) % 225), b < 224 ? 0x80 : 0);
      const others = Array.from({ length: 224 }, (_, c) => (a + b + 1 + c) % 225)
        .filter((place) => place !== a)
        .slice(0, third);
      for (const [c, place] of others.entries()) bytes.push(point(place), 0x40 | (c + 1 < third ? 0x80 : 0));
    }
  }
  return Buffer.from(bytes);
}

test('the arrows step wherever the focus is, and go between variations', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8i9h9');
  await page.getByText('3 moves', { exact: true }).waitFor();
  const is = (/** @type {number} */ ply) =>
    page.getByText(ply === 3 ? '3 moves' : `Move ${ply} of 3`, { exact: true }).waitFor();
  const places = [
    page.locator('body'),
    page.getByRole('gridcell', { name: /^a1, / }),
    page.getByRole('button', { name: 'Share' }),
    page.getByLabel('Rules'),
    page.getByRole('combobox', { name: 'Lines', exact: true }),
    page.locator('.own-analyses summary'),
    page.locator('.tree .move').first(),
  ];
  for (const place of places) {
    await place.evaluate((element) => element.focus());
    await page.keyboard.press('ArrowLeft');
    await is(2);
    await page.keyboard.press('ArrowRight');
    await is(3);
  }
  assert.equal(await page.getByLabel('Rules').inputValue(), 'freestyle', 'no choice was changed');
  // After a press on the board, too; with Shift the cursor moves.
  await page.keyboard.press('ArrowLeft');
  await put(page, 'a1');
  await page.keyboard.press('ArrowUp');
  await sees(page, 'h9', 'Black');
  await page.keyboard.press('ArrowDown');
  await sees(page, 'a1', 'Black');
  await page.getByRole('gridcell', { name: /^c3, / }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  assert.match(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''), /^d3, /);
  // In a field they move in the text.
  await page.getByLabel('Name of this analysis').fill('ab');
  await page.getByLabel('Name of this analysis').press('ArrowLeft');
  await sees(page, 'a1', 'Black');
  assert.deepEqual(complaints, []);
});

test('one to five lines, from Black’s side, which the page says', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8i9');
  const lines = page.locator('.lines li');
  await page.getByText(/^Black’s chances · depth \d/).waitFor({ timeout: 30_000 });
  await page.waitForFunction(() => document.querySelectorAll('.lines li').length === 3);
  for (const count of ['1', '5']) {
    await page.getByRole('combobox', { name: 'Lines', exact: true }).selectOption(count);
    await page.waitForFunction((wanted) => document.querySelectorAll('.lines li').length === Number(wanted), count);
  }
  const shares = async () => (await lines.locator('b').allTextContents()).map((text) => Number(text.replace('%', '')));
  // With Black to move the best is the highest for Black, and with White to move the lowest.
  await page.waitForFunction(() => /depth [5-9]|depth 1\d/.test(document.querySelector('.thought')?.textContent ?? ''));
  const black = await shares();
  assert.ok(
    black.every((share, index) => index === 0 || share <= (black[index - 1] ?? 0)),
    String(black),
  );
  await put(page, 'g7');
  await page.locator('.thought').waitFor({ state: 'hidden' });
  await page.locator('.thought').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.lines li').length === 5);
  await page.waitForFunction(() => /depth [5-9]|depth 1\d/.test(document.querySelector('.thought')?.textContent ?? ''));
  const white = await shares();
  assert.ok(
    white.every((share, index) => index === 0 || share >= (white[index - 1] ?? 0)),
    String(white),
  );
  assert.equal(await page.locator('.value-words').textContent(), `Black ${white[0]}%`);
  // The choice is remembered, and so is that somebody wants no analysis.
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.lines li').length === 5);
  await page.getByRole('button', { name: 'Live analysis' }).click();
  await lines.first().waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByRole('button', { name: 'Live analysis', pressed: false }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a file of another size or rule opens with its own, and Tic-tac-toe has its board', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#renju/h8');
  const board = page.getByRole('combobox', { name: 'Board' });
  await page.locator('.tree .move').first().waitFor();
  await open(page, 'small.sgf', '(;SZ[9]RU[standard];B[ee];W[ef])');
  await page.waitForURL(/#standard-9\/e5e4$/);
  assert.deepEqual([await board.inputValue(), await page.getByLabel('Rules').inputValue()], ['9', 'standard']);
  await open(page, 'long.psq', 'Piskvorky 20x12, 11:11, 0\r\n10,6,0\r\n11,6,0\r\n-1\r\n');
  await page.waitForURL(/-20x12\/j7k7$/);
  assert.equal(await board.inputValue(), '20,12');
  await page.getByRole('button', { name: 'New analysis' }).click();
  await page.getByLabel('Rules').selectOption('mnk');
  await page.waitForURL(/#mnk3-3\/$/);
  assert.equal(await page.getByRole('gridcell').count(), 9);
  await page.getByLabel('Rules').selectOption('standard');
  await page.waitForURL(/#standard\/$/);
  assert.deepEqual(complaints, []);
});

test('on a phone a comment has its button in sight, and the steps stay', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, PHONE);
  await page.goto('/analyse#freestyle/h8i9h9');
  await page.getByRole('button', { name: 'More about this move' }).click();
  await page.getByRole('menuitem', { name: 'Comment' }).click();
  await page.getByLabel('Comment on').fill('Line one\nLine two\nLine three\nLine four');
  const done = page.getByRole('button', { name: 'Done' });
  const [button, card, steps, moves] = await Promise.all(
    [done, page.locator('.comment-field'), page.locator('.steps'), page.locator('.moves-card')].map((one) =>
      one.boundingBox(),
    ),
  );
  assert.ok(button && card && steps && moves);
  assert.ok(button.y >= card.y && button.y + button.height <= card.y + card.height, 'the button is whole');
  assert.ok(steps.y >= moves.y && steps.y + steps.height <= moves.y + moves.height + 1, 'the steps are whole');
  await done.click();
  await page.locator('.tree-comment', { hasText: 'Line four' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('an unknown address leads to the main pages', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/nowhere');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  for (const [name, path] of [
    ['Analysis', '/analyse'],
    ['Puzzles', '/puzzles'],
    ['Learn', '/learn'],
    ['Lobby', '/lobby'],
  ]) {
    assert.equal(await page.locator('.not-found').getByRole('link', { name, exact: true }).getAttribute('href'), path);
  }
  await page.goto('/analysis#freestyle/h8');
  await page.waitForURL(/\/analyse#freestyle\/h8$/);
  await sees(page, 'h8', 'Black');
});

test('a library of a million moves opens beside the page, with progress, and can be stopped', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  page.setDefaultTimeout(120_000);
  const library = libraryOf(190, 22);
  await page.goto('/analyse#renju/h8');
  await page.locator('.tree .move').first().waitFor();
  await page.getByRole('button', { name: 'Live analysis' }).click();
  await page.evaluate(() => {
    /** What the page does while it reads: the shown parts, and the longest that it stands still. */
    const seen = { parts: new Set(), longest: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: 'longtask' });
    const look = () => {
      const bar = document.querySelector('.file-status progress');
      if (bar?.hasAttribute('value')) seen.parts.add(bar.getAttribute('value'));
      requestAnimationFrame(look);
    };
    look();
  });
  const began = Date.now();
  await open(page, 'million.lib', library);
  await page.locator('.file-status').getByText('979,070 moves read.').waitFor();
  const { parts, longest } = await page.evaluate(() => {
    const { parts: shown, longest: most } = /** @type {any} */ (globalThis).seen;
    return { parts: shown.size, longest: most };
  });
  console.log(
    `979,070 moves: ${Date.now() - began} ms, ${parts} parts shown, the page stood still for ${Math.round(longest)} ms at most`,
  );
  assert.ok(parts >= 3, `${parts} parts`);
  // Another move of it, and one more of one's own.
  await page.locator('.tree ul .move').first().click();
  await page.getByRole('button', { name: 'First move' }).click();
  await put(page, 'o1');
  await page.locator('.tree .move[aria-current=step]', { hasText: 'o1' }).waitFor();
  // It is stopped while it is read.
  await page.getByRole('button', { name: 'New analysis' }).click();
  await put(page, 'h8');
  await open(page, 'million.lib', library);
  await page.locator('.file-status').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.file-status progress').waitFor({ state: 'detached' });
  await sees(page, 'h8', 'Black');
  assert.deepEqual(complaints, []);
});

test('more than a million moves, and letters and moves after a pass, are named', async () => {
  const { page } = await visitor(at.browser, at.server);
  page.setDefaultTimeout(60_000);
  await page.goto('/analyse#renju/h8');
  await page.locator('.tree .move').first().waitFor();
  await open(page, 'more.lib', libraryOf(200, 22));
  await page.locator('.file-status').getByText('The file has more moves than the 1,000,000 that fit here.').waitFor();
  await sees(page, 'h8', 'Black');
  // h8, then a letter on a point, and after a pass a move.
  const head = Buffer.from('\xffRenLib\xff\x03\x04' + '\xff'.repeat(10), 'latin1');
  await open(
    page,
    'notes.lib',
    Buffer.concat([head, Buffer.from([0, 0, 0x78, 0, 0x69, 0xc3, 1, 0, 0x41, 0, 0, 0, 0x69, 0x40])]),
  );
  await page
    .locator('.file-status')
    .getByText(/left out/)
    .waitFor();
});
