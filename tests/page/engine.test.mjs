// The rules and the engine on the player's own processor, and the server where that does not work.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, playedGame, stage, visitor } from './harness.mjs';

const at = stage();

/** Moves of a renju game after which g8 is forbidden. */
const DOUBLE_THREE = 'h8 a15 i8 c15 g7 e15 g6 g15';

test('nothing of the engine is loaded before it is used', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  /** @type {string[]} */
  const loaded = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto('/');
  await page.locator('.opponents').waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(
    loaded.filter((path) => path.includes('/engine/')),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('only the worker may run WebAssembly', async () => {
  const { page } = await visitor(at.browser, at.server);
  const loading = page.waitForResponse(/engine\/worker\.js$/);
  const index = await page.goto('/analyse');
  assert.doesNotMatch((await index?.headerValue('content-security-policy')) ?? '', /wasm|unsafe/);
  const worker = await loading;
  assert.match((await worker.headerValue('content-security-policy')) ?? '', /script-src 'self' 'wasm-unsafe-eval'/);
  const refused = await page.evaluate(() =>
    WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => '', String),
  );
  assert.match(refused, /Content Security Policy/);
  const other = await page.evaluate(() => {
    try {
      return String(new Worker('/web/other.js'));
    } catch (error) {
      return String(error);
    }
  });
  assert.match(other, /TypeError/);
});

test('positions are judged and analysed without the server', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto(`/analyse#${new URLSearchParams({ variant: 'renju', moves: DOUBLE_THREE })}`);
  await page.getByRole('gridcell', { name: 'g8, forbidden for Black' }).waitFor({ state: 'attached' });
  await page.locator('.lines li').nth(2).waitFor();
  assert.match((await page.locator('.lines li').first().textContent()) ?? '', /^(\d+%|−?#\d*) [a-o]\d/);
  // Each step ends a search and begins another.
  for (let ply = 7; ply >= 3; ply -= 1) {
    await page.getByRole('button', { name: 'Previous move' }).click();
    await page.getByText(`Move ${ply} of 8`).waitFor();
    await page.locator('.lines li').nth(2).waitFor();
  }
  await page.getByRole('button', { name: 'Live analysis' }).click();
  await page.locator('.lines li').first().waitFor({ state: 'hidden' });
  assert.deepEqual(complaints, []);
});

test('help in a room comes from the own processor', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  /** @type {string[]} */
  const sent = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)).type)),
  );
  await page.route('**/api/**', (route) => route.abort());
  await page.addInitScript(() =>
    localStorage.setItem(
      'fivefold.options',
      JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black' }),
    ),
  );
  await page.goto('/');
  await begin(page, 'bot');
  await page.locator('.assist > summary').click();
  for (const plies of [2, 4]) {
    await page.getByRole('button', { name: 'Bot moves' }).click();
    await page.getByText(`${plies} moves`).waitFor();
  }
  await page.getByRole('button', { name: 'Live analysis' }).click();
  await page.locator('.assist .lines li').nth(2).waitFor();
  await page.getByLabel('Which bot helps').selectOption('attack');
  await page.getByRole('button', { name: 'Weight', exact: true }).click();
  const box = await page.getByRole('gridcell', { name: /^h8, / }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
  await page
    .locator('.assist [role=status]')
    .getByText(/^[a-o]\d+: /)
    .waitFor();
  assert.deepEqual(
    sent.filter((type) => type === 'analyse' || type === 'weights'),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('a finished game is reviewed on the own processor', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const address = await playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']);
  await page.route('**/api/games/*/analysis', (route) => route.abort());
  await page.goto(address);
  await page.getByRole('slider', { name: 'Value of the game' }).waitFor({ timeout: 60_000 });
  await page.getByText('Deciding moves').waitFor();
  assert.deepEqual(complaints, []);
});

test('without WebAssembly the server answers', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.route('**/engine/worker.js', (route) => route.abort());
  const answered = page.waitForResponse('**/api/analyse');
  await page.goto(`/analyse#${new URLSearchParams({ variant: 'renju', moves: DOUBLE_THREE })}`);
  await page.getByRole('gridcell', { name: 'g8, forbidden for Black' }).waitFor({ state: 'attached' });
  await answered;
  await page.locator('.lines li').nth(2).waitFor();
  const address = await playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']);
  const reviewed = page.waitForResponse('**/api/games/*/analysis');
  await page.goto(address);
  await reviewed;
  await page.getByRole('slider', { name: 'Value of the game' }).waitFor({ timeout: 90_000 });
});
