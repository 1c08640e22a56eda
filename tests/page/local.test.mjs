// Games on this device: against a bot without a server, and two people at one board.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { put, Server, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** The page for local games, with these options. @param {Page} page @param {object} options */
async function open(page, options) {
  await page.addInitScript((chosen) => localStorage.setItem('fivefold.local', JSON.stringify(chosen)), {
    variant: 'freestyle',
    size: '15',
    clock: 0,
    colour: 'black',
    opening: 'free',
    ...options,
  });
  await page.goto('/local');
}

test('a bot plays without a server, at any level', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page, complaints } = await visitor(at.browser, server);
  await open(page, {});
  await page.locator('.level label', { hasText: /^5$/ }).click();
  await page.getByRole('button', { name: 'Play the bot (level 5)' }).click();
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await server.kill();
  for (const [index, name] of ['h8', 'a1', 'o15', 'a15'].entries()) {
    await put(page, name);
    await page.getByText(`${2 * index + 2} moves`).waitFor();
    await sees(page, name, 'Black');
  }
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByText('6 moves').waitFor();
  await sees(page, 'a15', 'empty');
  await page.getByText('Bot, level 5').first().waitFor();
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('heading', { name: 'You lost' }).waitFor({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Rematch' }).click();
  // The colours change, so the bot begins.
  await page.getByText('1 move', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('every bot of the server plays, each by the rules that it knows', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, {});
  const bots = page.getByRole('combobox', { name: 'Bot', exact: true });
  await bots.waitFor();
  assert.deepEqual(await bots.locator('option').allTextContents(), ['Engine', 'Attack', 'Patterns', 'Perfect']);
  for (const [kind, name] of /** @type {const} */ ([
    ['pattern', 'Patterns'],
    ['attack', 'Attack'],
  ])) {
    await page.goto('/local');
    await bots.selectOption(kind);
    await page.locator('.level').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: `Play ${name}` }).click();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    await put(page, 'h8');
    await page.getByText('2 moves', { exact: true }).waitFor();
  }
  // The choice is remembered. A bot that plays one board only offers that board.
  await page.goto('/local');
  assert.equal(await bots.inputValue(), 'attack');
  await bots.selectOption('minimax');
  assert.deepEqual(await page.getByLabel('Rules').locator('option').allTextContents(), ['Tic-tac-toe']);
  await page.getByRole('button', { name: 'Play Perfect' }).click();
  await page.getByRole('gridcell', { name: /^c3,/ }).waitFor({ state: 'attached' });
  await page.evaluate(() => localStorage.setItem('fivefold.bot', '<b>'));
  await page.goto('/local');
  assert.equal(await bots.inputValue(), 'engine');
  await page.getByRole('button', { name: /^Play the bot/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a bot that never loses plays tic-tac-toe', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, { variant: 'mnk', size: '3' });
  await page.getByRole('combobox', { name: 'Bot', exact: true }).selectOption('minimax');
  await page.getByRole('button', { name: 'Play Perfect' }).click();
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await put(page, 'b2');
  await page.getByText('2 moves', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('two people play at one board, take back, agree on a draw, and go on after a reload', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, {});
  await page.getByRole('button', { name: 'Two people at this board' }).click();
  for (const [index, [name, stone]] of [
    ['h8', 'Black'],
    ['i9', 'White'],
    ['h9', 'Black'],
  ].entries()) {
    await put(page, name ?? '');
    await sees(page, name ?? '', stone ?? '');
    await page.getByText(index === 0 ? '1 move' : `${index + 1} moves`, { exact: true }).waitFor();
  }
  await page.reload();
  await page.getByRole('button', { name: 'Continue the game' }).click();
  await sees(page, 'h9', 'Black');
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByText('2 moves', { exact: true }).waitFor({ timeout: 20_000 });
  await sees(page, 'h9', 'empty');
  await page.getByRole('button', { name: 'Offer draw' }).click();
  await page.getByRole('button', { name: 'Accept' }).click({ timeout: 20_000 });
  await page.getByRole('heading', { name: /^Draw/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('openings are those of the server', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, { opening: 'swap2' });
  await page.getByRole('button', { name: 'Two people at this board' }).click();
  for (const name of ['h8', 'h9', 'j10']) {
    await put(page, name);
    await sees(page, name, '(Black|White)');
  }
  await page.locator('.opening').getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Opening: Swap2 – you choose').waitFor();
  assert.deepEqual(complaints, []);
});
