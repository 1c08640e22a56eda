// The player's own analyses: nothing that somebody wrote is replaced by something else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { playedGame, put, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** @param {Page} page */
const moves = (page) => page.locator('.tree .move').allTextContents();

/** Waits until the tree has these moves. @param {Page} page @param {string} expected */
async function reads(page, expected) {
  await page
    .waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('.tree .move')].map(({ textContent }) => textContent).join(' ') === wanted,
      expected,
    )
    .catch(async () => assert.equal((await moves(page)).join(' '), expected));
}

/** Waits until the browser keeps so many analyses. @param {Page} page @param {number} count */
function keeps(page, count) {
  return page.getByText(`Your analyses (${count})`).waitFor();
}

/** Writes a comment on the shown move. @param {Page} page @param {string} text */
async function comments(page, text) {
  await page.getByRole('button', { name: 'More about this move' }).click();
  await page.getByRole('menuitem', { name: 'Comment' }).click();
  await page.getByLabel('Comment on').fill(text);
}

test('a link, a text, a puzzle and a new one are analyses of their own, the newest first', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.getByText('Your analyses (0)').waitFor();
  await put(page, 'h8');
  await put(page, 'i9');
  await page.getByRole('button', { name: 'Previous move' }).click();
  await put(page, 'g7');
  await keeps(page, 1);
  await page.getByLabel('Name of this analysis').fill('My idea');
  // A link.
  await page.goto('/');
  await page.goto('/analyse#renju/h8h9j10');
  await reads(page, 'h8 h9 j10');
  await keeps(page, 2);
  // The same link again is the same analysis.
  await page.goto('/');
  await page.goto('/analyse#freestyle-19/k10');
  await keeps(page, 3);
  await page.goto('/');
  await page.goto('/analyse#renju/h8h9j10');
  await reads(page, 'h8 h9 j10');
  await keeps(page, 3);
  // A text.
  await page.getByText('Read text').click();
  await page.getByLabel('SGF, PSQ, or moves').fill('a1 b2 c3');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.locator('.file-status').getByText('3 moves read.').waitFor();
  await reads(page, 'a1 b2 c3');
  await keeps(page, 4);
  await page.getByRole('button', { name: 'Back to the analysis before' }).click();
  await reads(page, 'h8 h9 j10');
  await page.getByRole('button', { name: 'New analysis' }).click();
  await page.getByText('Black and White take turns').waitFor();
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju', 'by the rules that were shown');
  await page.getByText('Your analyses (4)').click();
  const titles = page.locator('.own-analyses .own b');
  assert.deepEqual(await titles.allTextContents(), ['a1 b2 c3', 'k10', 'h8 h9 j10', 'My idea']);
  await page
    .locator('.own-analyses')
    .getByRole('button', { name: /^My idea/ })
    .click();
  await reads(page, 'h8 i9 g7');
  assert.equal(await page.getByLabel('Name of this analysis').inputValue(), 'My idea');
  assert.deepEqual(complaints, []);
});

test('a deleted analysis comes back with Undo, whole', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8i9');
  await keeps(page, 1);
  await page.goto('/');
  await page.goto('/analyse#renju/h8');
  await keeps(page, 2);
  await put(page, 'h9');
  await page.getByText('Your analyses (2)').click();
  // The open one, too.
  await page.getByRole('button', { name: 'Delete “h8 h9”' }).click();
  await page.getByText('“h8 h9” was deleted.').waitFor();
  await page.getByText('Black and White take turns').waitFor();
  await keeps(page, 1);
  await page.reload();
  await keeps(page, 1);
  await page.getByText('Your analyses (1)').click();
  await page.getByRole('button', { name: 'Delete “h8 i9”' }).click();
  await keeps(page, 0);
  await page.locator('.own-analyses').getByRole('button', { name: 'Undo' }).click();
  await keeps(page, 1);
  await page
    .locator('.own-analyses')
    .getByRole('button', { name: /^h8 i9/ })
    .click();
  await reads(page, 'h8 i9');
  assert.deepEqual(complaints, []);
});

test('a text is kept as it is typed, and 40 steps can be undone after a reload', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  const played = Array.from(
    { length: 40 },
    (_, ply) => `${'abcdefghjk'.charAt(ply % 10)}${1 + 3 * Math.floor(ply / 10)}`,
  );
  for (const name of played) await put(page, name);
  await reads(page, played.join(' '));
  await comments(page, 'half a sent');
  await page.waitForFunction(() => Object.entries(localStorage).some(([, value]) => value.includes('half a sent')));
  // The tab dies without a farewell; another one opens.
  const second = await context.newPage();
  await second.goto('/analyse');
  await second.locator('.tree-comment', { hasText: 'half a sent' }).waitFor();
  const undo = second.getByRole('button', { name: 'Undo' });
  for (let times = 0; times < 41; times += 1) await undo.click();
  await reads(second, '');
  assert.ok(await undo.isDisabled());
  assert.deepEqual(complaints, []);
});

test('two tabs with one analysis lose nothing of each other', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8');
  await keeps(page, 1);
  const other = await context.newPage();
  await other.goto('/analyse');
  await reads(other, 'h8');
  await put(page, 'a1');
  await page.waitForFunction(() =>
    Object.entries(localStorage).some(([key, value]) => key.startsWith('fivefold.analyses.') && value.includes('770e')),
  );
  await put(other, 'o15');
  await keeps(other, 2);
  await other.getByText('Your analyses (2)').click();
  assert.deepEqual((await other.locator('.own-analyses .own b').allTextContents()).sort(), ['h8 a1', 'h8 o15']);
  assert.deepEqual(complaints, []);
});

test('other rules and boards keep the legal moves, say what they removed, and can be undone', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  // Six in a row by Black wins here, and White has a corner that a smaller board lacks.
  await page.goto('/analyse#freestyle/h8a1i8h9j8i9');
  await reads(page, 'h8 a1 i8 h9 j8 i9');
  await page.getByLabel('Rules').selectOption('renju');
  await page.waitForURL(/#renju\//);
  await reads(page, 'h8 a1 i8 h9 j8 i9');
  assert.equal(await page.locator('.file-status').textContent(), '');
  await page.getByLabel('Rules').selectOption('freestyle');
  await page.waitForURL(/#freestyle\//);
  await page.getByRole('combobox', { name: 'Board' }).selectOption('19');
  // The middle stays the middle.
  await reads(page, 'j10 c3 k10 j11 l10 k11');
  await page.getByRole('combobox', { name: 'Board' }).selectOption('13');
  await page.locator('.file-status').getByText('5 moves are not possible by these rules and were removed.').waitFor();
  await reads(page, 'g7');
  await page.locator('.file-status').getByRole('button', { name: 'Undo' }).click();
  await reads(page, 'j10 c3 k10 j11 l10 k11');
  // Tic-tac-toe has a board of its own.
  await page.getByLabel('Rules').selectOption('mnk');
  await page.waitForURL(/#mnk3-3\//);
  await page
    .locator('.file-status')
    .getByText(/^5 moves are not/)
    .waitFor();
  await sees(page, 'b2', 'X');
  await page.locator('.file-status').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('combobox', { name: 'Board' }).selectOption('unbounded');
  await page.waitForURL(/-unbounded\/0,0;-7,7;/);
  await page.getByLabel('Rules').selectOption('renju');
  await page.waitForURL(/#renju\/h8a1i8h9j8i9$/);
  assert.deepEqual(complaints, []);
});

test('a move that another rule forbids is removed from every variation', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8a15i8c15g7e15g6g15');
  await put(page, 'g8');
  await page.getByRole('button', { name: 'Previous move' }).click();
  await put(page, 'o1');
  await page.getByLabel('Rules').selectOption('renju');
  await page.locator('.file-status').getByText('1 move is not possible by these rules and was removed.').waitFor();
  await reads(page, 'h8 a15 i8 c15 g7 e15 g6 g15 o1');
  assert.deepEqual(complaints, []);
});

test('share takes everything along, or says what stays behind', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'));
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.goto('/analyse#renju/h8i9');
  await reads(page, 'h8 i9');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Copied').waitFor();
  assert.match(await copied(), /\/analyse\?variant=renju&size=15%2C15&moves=h8\+i9$/);
  await page.getByRole('button', { name: 'Previous move' }).click();
  await put(page, 'h9');
  await comments(page, 'Ёж & "quotes" 五');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Variations, later moves and comments stay behind.').waitFor();
  await page.getByRole('button', { name: 'Link with everything: 3 moves' }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes('#tree='));
  const link = await copied();
  const { page: friend, complaints: others } = await visitor(at.browser, at.server);
  await friend.goto(link);
  await reads(friend, 'h8 i9 h9');
  await friend.locator('.tree ul .tree-comment', { hasText: 'Ёж & "quotes" 五' }).waitFor();
  assert.equal(await friend.getByLabel('Rules').inputValue(), 'renju');
  await keeps(friend, 1);
  await friend.goto('/');
  await friend.goto(link);
  await reads(friend, 'h8 i9 h9');
  await keeps(friend, 1);
  // Too much for a link.
  await comments(page, 'x'.repeat(7_000));
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('All of it is too much for a link.').waitFor();
  assert.deepEqual([...complaints, ...others], []);
});

test('a review stays with its game, over other moves, a reload, and from the game’s page', async () => {
  const path = await playedGame(at, ['h8', 'a1', 'h9', 'a3', 'h10', 'a5', 'h11', 'a7', 'h12']);
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto(path);
  await page.getByRole('slider', { name: 'Value of the game' }).waitFor({ timeout: 90_000 });
  await page.getByRole('button', { name: 'Analysis', exact: true }).click();
  await page.waitForURL(/\/analyse#/);
  const graph = page.getByRole('slider', { name: 'Value of the game' });
  await graph.waitFor();
  const marked = page.locator('.tree .move .sign').first();
  await marked.waitFor();
  await page.getByRole('button', { name: 'First move' }).click();
  await put(page, 'o15');
  await graph.waitFor();
  await page.getByRole('button', { name: 'More about this move' }).click();
  await page.getByRole('menuitem', { name: 'Make main line' }).click();
  await graph.waitFor();
  await keeps(page, 1);
  await page.reload();
  await graph.waitFor();
  await marked.waitFor();
  // The game leads to its analysis again, with what was added.
  await page.goto('/');
  await page.goto(path);
  await page.getByRole('button', { name: 'Analysis', exact: true }).click();
  await page.locator('.tree .move', { hasText: 'o15' }).waitFor();
  await keeps(page, 1);
  assert.deepEqual(complaints, []);
});

test('a library of 12,000 moves opens, and is there after a reload', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#renju/h8');
  await page
    .getByLabel('Open a file')
    .setInputFiles({ name: 'many.lib', mimeType: '', buffer: Buffer.from(libraryOf(60, 200)) });
  await page.locator('.file-status').getByText('12,060 moves read.').waitFor({ timeout: 30_000 });
  await page.getByText('169 more variations').waitFor();
  await keeps(page, 2);
  await page.reload();
  await page.locator('.tree .move').first().waitFor();
  await page.locator('.own-analyses summary').click();
  await page
    .locator('.own-analyses')
    .getByText(/12,060 moves/)
    .waitFor();
  assert.deepEqual(complaints, []);
});

/** A library: so many first moves, each with so many answers. @param {number} first @param {number} answers */
function libraryOf(first, answers) {
  const point = (/** @type {number} */ at) => (Math.floor(at / 15) << 4) | ((at % 15) + 1);
  const bytes = [...Buffer.from('\xffRenLib\xff\x03\x04' + '\xff'.repeat(10), 'latin1'), 0, 0];
  for (let at = 0; at < first; at += 1) {
    bytes.push(point(at), at + 1 < first ? 0x80 : 0);
    for (let answer = 0; answer < answers; answer += 1)
      bytes.push(point((at + 1 + answer) % 225), 0x40 | (answer + 1 < answers ? 0x80 : 0));
  }
  return bytes;
}
