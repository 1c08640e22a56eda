// Games over days: chosen with the other clocks, and shown in days and hours, also on the smallest phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accept, begin, choose, put, stage, unfold, visitor } from './harness.mjs';

const at = stage();
const SMALL = { viewport: { width: 320, height: 568 } };
/** Two days, or a moment less. */
const TWO_DAYS = /^(2d|1d 23h)$/;

/** @param {import('playwright-core').Page} page */
async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(over, 0, 'nothing is wider than the screen');
}

test('two friends play with two days for each move on small phones', async () => {
  const ann = await visitor(at.browser, at.server, SMALL, 'Ann');
  const bob = await visitor(at.browser, at.server, SMALL, 'Bob');
  await ann.page.goto('/');
  await choose(ann.page, 'friend');
  await unfold(ann.page);
  await ann.page.getByLabel('Your color').selectOption('black');
  await ann.page.getByLabel('Another time control').selectOption({ label: '2d a move' });
  await fits(ann.page);
  await begin(ann.page, 'friend');
  const link = await ann.page.getByLabel('Link to this room').inputValue();
  await bob.page.goto(link);
  await bob.page.locator('.invitation').getByText('2d a move').waitFor();
  await fits(bob.page);
  await accept(bob.page, link);

  await ann.page.getByText(/^Your first move: (2d|1d 23h), or the game is aborted$/).waitFor();
  await ann.page.getByRole('button', { name: 'Abort' }).waitFor();
  await put(ann.page, 'h8');
  await bob.page.getByText(/^Your first move: (2d|1d 23h), or the game is aborted$/).waitFor();
  await put(bob.page, 'j9');
  await ann.page.getByRole('button', { name: 'Resign' }).waitFor();
  for (const { page } of [ann, bob]) {
    const clocks = await page.locator('.plate .clock').allTextContents();
    assert.equal(clocks.length, 2);
    for (const clock of clocks) assert.match(clock, TWO_DAYS);
    await fits(page);
  }
  // A player who leaves is away, and nothing can be claimed.
  await bob.context.close();
  await ann.page.locator('.plate', { hasText: 'Bob' }).getByText('away').waitFor();
  assert.equal(await ann.page.getByRole('button', { name: /claim/i }).count(), 0);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('days are offered in each language', async () => {
  for (const [locale, words] of /** @type {const} */ ([
    ['en', 'a move'],
    ['ru', 'на ход'],
    ['es', 'por jugada'],
  ])) {
    const { page, context } = await visitor(at.browser, at.server, { ...SMALL, locale });
    await page.goto('/');
    await choose(page, 'friend');
    const days = await page.locator('.home .options option').allTextContents();
    const offered = days.filter((text) => text.endsWith(words)).map((text) => Number.parseInt(text, 10));
    assert.deepEqual(offered, [30, 1, 2, 3, 5, 7, 14], locale);
    await context.close();
  }
});
