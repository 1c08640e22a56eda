// The replay of finished games, and the analysis board.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { PHONE, playedGame, put, sees, stage, twoPlay, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();
/** @type {Promise<string> | undefined} */
let address;
/** Where a game lies that Black has won in nine moves, h8 to l8; it is played once. */
const played = () => (address ??= playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']));

/** @param {Page} page @param {string} label */
const called = (page, label) => page.getByRole('gridcell', { name: label }).first().waitFor();

test('buttons and keys step through a game, and the address holds the ply', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto(await played());
  await page.getByRole('heading', { name: 'Black won' }).waitFor();
  await called(page, 'l8, Black, last move, winning line');
  await page.getByRole('button', { name: 'Previous move' }).click();
  await called(page, 'l8, empty');
  assert.equal(new URL(page.url()).search, '?ply=8');
  await page.getByRole('gridcell', { name: /^h8, / }).focus();
  await page.keyboard.press(',');
  await page.getByText('Move 7 of 9').waitFor();
  await page.keyboard.press('<');
  await page.getByText('Move 0 of 9').waitFor();
  await called(page, 'h8, empty');
  await page.keyboard.press('>');
  await called(page, 'l8, Black, last move, winning line');
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(complaints, []);
});

test('a link leads to the position that was shared', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto(`${await played()}?ply=3`);
  await called(page, 'i8, Black, last move');
  await called(page, 'j2, empty');
});

test('a shared position is in the query of its link, where previews find it', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.addInitScript(() => {
    Object.assign(navigator, { share: undefined });
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (/** @type {string} */ text) => void Object.assign(window, { copied: text }) },
    });
  });
  await page.goto('/analyse#moves=h8+i9');
  await called(page, 'i9, White, last move');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Copied').waitFor();
  const link = String(await page.evaluate(() => /** @type {any} */ (window).copied));
  assert.equal(new URL(link).search, '?variant=freestyle&size=15%2C15&moves=h8+i9');
  await page.goto(link);
  await called(page, 'i9, White, last move');
  const picture = await page.locator('meta[property="og:image"]').getAttribute('content');
  assert.equal(picture, link.replace('/analyse?', '/analyse.png?'));
  const answer = await page.request.get(picture ?? '');
  assert.deepEqual([answer.status(), answer.headers()['content-type']], [200, 'image/png']);
  assert.deepEqual(complaints, []);
});

test('autoplay plays the game', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto(`${await played()}?ply=6`);
  await page.getByRole('button', { name: 'Autoplay', exact: true }).click();
  // Light letters on the light bar cannot be read.
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  assert.notEqual(await stop.evaluate((it) => getComputedStyle(it).backgroundColor), 'rgba(0, 0, 0, 0)');
  await called(page, 'l8, Black, last move, winning line');
  await page.getByRole('button', { name: 'Autoplay', exact: true }).waitFor();
});

test('the graph of the review leads to any move', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto(await played());
  const graph = page.getByRole('slider', { name: 'Value of the game' });
  await graph.waitFor({ timeout: 90_000 });
  assert.equal(await graph.getAttribute('aria-valuemax'), '9');
  assert.equal(await graph.getAttribute('aria-valuenow'), '9');
  await graph.focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Move 8 of 9').waitFor();
  assert.match((await graph.getAttribute('aria-valuetext')) ?? '', /^8\. n2: Black/);
  const box = await graph.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 3, box.y + 40);
  await page.getByText('Move 0 of 9').waitFor();
  await page.getByText('Deciding moves').waitFor();
  // The words and signs are explained, and each move says whose it was.
  await page
    .getByText(
      'A percentage is the winning chance that a move cost its player: a mistake from 12%, a blunder from 30%.',
    )
    .waitFor();
  const turns = page.locator('.turn');
  assert.ok((await turns.count()) > 0);
  assert.equal(await page.locator('.turn .stone').count(), await turns.count());
});

test('a game can be downloaded as files and as a picture', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto(await played());
  /** @type {[string, RegExp][]} */
  const files = [
    ['SGF', /^\(;.*SZ\[15\].*;B\[hh\].*;W\[hn\]/s],
    ['PSQ', /^Piskvorky 15x15.*\n8,8,/s],
    ['JSON', /"moves":/],
    ['PNG', /^\x89PNG/],
  ];
  for (const [name, beginning] of files) {
    const waiting = page.waitForEvent('download');
    await page
      .getByRole('link', { name, exact: true })
      .or(page.getByRole('button', { name, exact: true }))
      .click();
    const download = await waiting;
    assert.match(await readFile(await download.path(), 'latin1'), beginning, name);
    assert.match(download.suggestedFilename(), new RegExp(`\\.${name.toLowerCase()}$`));
  }
});

test('a finished game can be continued on the analysis board', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto(await played());
  await page.locator('.downloads').getByRole('button', { name: 'Analysis' }).click();
  await page.getByRole('heading', { name: 'Analysis' }).waitFor();
  await called(page, 'l8, Black, last move, winning line');
  await page.getByRole('button', { name: 'Previous move' }).click();
  await put(page, 'g8');
  await called(page, 'g8, Black, last move, winning line');
  await page.getByText('Black won').waitFor();
  assert.match(page.url(), /#freestyle\/h8h2i8j2j8l2k8n2g8$/);
  await page.locator('.tree ul').getByRole('button', { name: '9. g8' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a game is imported from text, and the engine analyses it', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.getByText('Read text').click();
  await page.getByLabel('SGF, PSQ, or moves').fill('(;SZ[15]RU[renju];B[hh];W[ig];B[ii];W[gg])');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByText('4 moves read.').waitFor();
  await called(page, 'g9, White, last move');
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
  await page.locator('.lines li').first().waitFor();
  assert.match((await page.locator('.lines li').first().textContent()) ?? '', /^(\d+%|−?#\d*) [a-o]\d/);
});

test('import errors name the line, and unplayable moves the reason', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.getByText('Read text').click();
  /** @type {[string, RegExp][]} */
  const cases = [
    ['h8\nz26', /^Line 2 is not part of a game/],
    ['', /^No moves were found/],
    ['h8 i9 h8', /^2 moves read\. Move 3 cannot be played: There is a stone on that point/],
    ['Piskvorky 20x20, 11:11, 0\r\n11,11,0\r\n12,10,130\r\nann\r\nbob\r\n-1\r\n', /^2 moves read\. Back/],
  ];
  for (const [text, told] of cases) {
    await page.getByLabel('SGF, PSQ, or moves').fill(text);
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.locator('.file-status').getByText(told).waitFor();
  }
  await called(page, 'k10, Black');
  assert.deepEqual(
    complaints.filter((text) => !/status of 4/.test(text)),
    [],
  );
});

test('a refused analysis shows the reason', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.route('**/engine/worker.js', (route) => route.abort());
  // It begins when it is asked to.
  await page.addInitScript(() => localStorage.setItem('fivefold.analysis_lines', '0'));
  await page.goto('/analyse');
  const answers = [
    { status: 503, body: 'x' },
    { status: 429, body: 'Too many questions. Wait a moment.\n' },
    undefined,
  ];
  const told = ['The server is busy', 'That was too fast.', 'That did not work.'];
  for (const [index, answer] of answers.entries()) {
    await page.route('**/api/analyse', (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.getByRole('button', { name: 'Live analysis' }).click();
    await page
      .locator('.live-analysis')
      .getByText(told[index] ?? '')
      .waitFor();
    await page.getByRole('button', { name: 'Live analysis' }).click();
    await page.unroute('**/api/analyse');
  }
});

test('a move against the rules disappears, with the reason', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto(`/analyse#${new URLSearchParams({ variant: 'renju', moves: 'h8 a15 i8 c15 g7 e15 g6 g15' })}`);
  await called(page, 'g8, forbidden for Black');
  await put(page, 'g8');
  await page
    .locator('.toast')
    .getByText(/Forbidden for Black: a double three/)
    .waitFor();
  await called(page, 'g8, forbidden for Black');
  await page.getByText('8 moves', { exact: true }).waitFor();
  await page.goto(
    `/analyse#${new URLSearchParams({ variant: 'mnk', size: '7,7', k: '4', moves: 'a1 a7 b1 b7 c1 c7 d1' })}`,
  );
  await page.reload();
  await page.getByText('Black won').waitFor();
  assert.match(page.url(), /#mnk4-7\//);
  assert.deepEqual(complaints, []);
});

test('a deciding move and the better one are shown on the board, in sight, and the player is “You”', async () => {
  const { ann, bob } = await twoPlay(at, { ...PHONE, viewport: { width: 390, height: 844 } });
  const moves = ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8'];
  for (const [ply, name] of moves.entries()) {
    const [mover, other] = ply % 2 ? [bob.page, ann.page] : [ann.page, bob.page];
    await mover.getByRole('heading', { name: 'Your move' }).waitFor();
    await put(mover, name);
    if (mover === ann.page) await put(mover, name);
    await sees(other, name, ply % 2 ? 'White' : 'Black');
  }
  const path = (await bob.page.getByRole('link', { name: 'Review game' }).getAttribute('href')) ?? '';
  const { page, complaints } = bob;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(path);
  await page.locator('.players').getByText('You').waitFor();
  const row = page.locator('.turning', { has: page.getByRole('button', { name: /^better: / }) }).first();
  await row.waitFor({ timeout: 90_000 });
  assert.match((await row.textContent()) ?? '', /You: (mistake|blunder)/);
  const inSight = () =>
    page.locator('.board-stage').evaluate((board) => {
      const { top, bottom } = board.getBoundingClientRect();
      return top >= -1 && bottom <= innerHeight + 1;
    });
  for (const button of [row.locator('.turn'), row.getByRole('button', { name: /^better: / })]) {
    await button.scrollIntoViewIfNeeded();
    await button.evaluate((one) => one.scrollIntoView({ block: 'start' }));
    assert.equal(await inSight(), false);
    await button.click();
    assert.equal(await inSight(), true);
  }
  assert.equal(new URL(page.url()).pathname, path);
  assert.equal(await page.getByLabel('Show the best moves on the board').isChecked(), true);
  assert.deepEqual(complaints, []);
});
