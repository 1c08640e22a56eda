// Ratings of puzzles on the page: the first try counts, what is shown of it, and guests solve without.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { guest, own, signUp, TRUST } from './accounts.mjs';
import { faults } from './axe.mjs';
import { PHONE, put, shoot, stage } from './harness.mjs';
import { called, farPoint, open, playSolution, sets } from './puzzle-moves.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);
const SCREENS = /** @type {const} */ ([
  ['desk', { viewport: { width: 1280, height: 800 } }],
  ['phone', { ...PHONE, viewport: { width: 360, height: 640 } }],
]);
const short = sets[0].filter(({ kind, length }) => kind === 'fours' && length === 2);

/** @param {Page} page */
const shown = async (page) => (await page.locator('.puzzle-rating').textContent()) ?? '';

for (const [size, options] of SCREENS) {
  test(`the first try at a puzzle counts, and the profile has the rating: ${size}`, async () => {
    const { page, context, complaints } = await guest(at, options);
    const [one, other, third] = short;
    assert.ok(one && other && third);
    const name = `Puzzler-${size}`;
    await signUp(page, name);
    await open(page, one);
    await page.getByText('Your first try at each puzzle counts for your rating.').waitFor();
    const wrong = called(farPoint(one));
    await put(page, wrong);
    await page.getByText(`${wrong} doesn’t win`).waitFor({ timeout: 30_000 });
    await page
      .locator('.puzzle-rating')
      .getByText(/Your rating in puzzles: \d+\? \(-\d+\)/)
      .waitFor({ timeout: 30_000 });
    await shoot(page, `puzzle-failed-${size}`);
    const after = await shown(page);
    // The second try at the same puzzle solves it, and changes nothing.
    await playSolution(page, one);
    await page.getByText('Solved', { exact: true }).first().waitFor();
    assert.equal(await shown(page), after);
    await open(page, other);
    await page
      .locator('.puzzle-rating')
      .getByText(/Your rating in puzzles: \d+\?$/)
      .waitFor();
    await playSolution(page, other);
    await page
      .locator('.puzzle-rating')
      .getByText(/\(\+\d+\)/)
      .waitFor({ timeout: 30_000 });
    await shoot(page, `puzzle-solved-${size}`);
    assert.deepEqual(await faults(page), []);
    // The next one is near the rating: not one of the two.
    await page.getByRole('button', { name: 'Next puzzle' }).click();
    await page
      .locator('.voice')
      .getByText(/Find the win/)
      .waitFor();
    assert.ok(![one.id, other.id].includes(new URL(page.url()).hash.slice(1)));
    // Asking for help ends the try.
    await open(page, third);
    await page.getByRole('button', { name: 'Hint' }).click();
    await page
      .locator('.puzzle-rating')
      .getByText(/\(-\d+\)/)
      .waitFor({ timeout: 30_000 });
    await open(page, one);
    await page.getByRole('button', { name: 'Show solution' }).click();
    await page.locator('.puzzle-rating').getByText('You tried this puzzle before').waitFor({ timeout: 30_000 });
    await page.goto(`/player/${name}`);
    const card = page.getByRole('button', { name: /^Puzzles \d+\? 3 puzzles/ });
    await card.waitFor();
    await page.getByText('1 of 3 solved on the first try').waitFor();
    await page.getByRole('img', { name: /^Rating from \d+ on / }).waitFor();
    await shoot(page, `puzzle-profile-${size}`);
    assert.deepEqual(await faults(page), []);
    assert.deepEqual(own(complaints), []);
    await context.close();
  });
}

test('a guest solves puzzles, and the server learns nothing of it', async () => {
  const { page, context, complaints } = await guest(at);
  /** @type {string[]} */
  const sent = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/puzzles')) sent.push(request.url());
  });
  const [one] = short;
  assert.ok(one);
  await open(page, one);
  await playSolution(page, one);
  await page.getByText('Solved', { exact: true }).first().waitFor();
  assert.equal(await shown(page), '');
  assert.deepEqual(sent, []);
  assert.deepEqual(complaints, []);
  await context.close();
});
