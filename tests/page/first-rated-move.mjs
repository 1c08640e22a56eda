// The way of a newcomer to their first rated move: the test counts its inputs, the measurement its seconds too.

import { elsewhere, guest, named, PASSWORD, signUp, you } from './accounts.mjs';
import { put, sees, visitor } from './harness.mjs';

/** @import { Browser, Page } from 'playwright-core' */
/** @typedef {{ server: { url: string }, browser: Browser }} Stage */

const FIND = { name: /^(Find|Wait for) an opponent$/ };
/** The three stones of the opening. */
const STONES = ['h8', 'h9', 'j10'];

/** Somebody with an account waits in the pool that a newcomer finds chosen. @param {Stage} stage @param {string} name */
export async function waitingOpponent(stage, name) {
  const one = await guest(stage);
  await signUp(one.page, name);
  await one.page.getByRole('button', FIND).click();
  await one.page.getByText('Looking for an opponent').waitFor();
  return one;
}

/**
 * A fresh browser signs up, finds the one who waits, and puts its first stone in a rated game. The stones on the
 * board do not count as inputs.
 * @param {Stage} stage @param {{ page: Page }} other who waits @param {string} name of the newcomer
 */
export async function firstRatedMove(stage, other, name) {
  const since = performance.now();
  let inputs = 0;
  const input = (/** @type {Promise<void>} */ act) => {
    inputs += 1;
    return act;
  };
  const newcomer = await visitor(stage.browser, stage.server, elsewhere());
  const { page } = newcomer;
  await page.goto('/');
  const dialog = await you(page);
  await input(dialog.getByLabel('Name', { exact: true }).fill(name));
  await input(dialog.getByLabel('Password', { exact: true }).fill(PASSWORD));
  await dialog.getByLabel('Password', { exact: true }).press('Enter');
  await input(dialog.getByRole('button', { name: 'Copy and continue' }).click());
  await named(page, name);
  await input(page.getByRole('button', FIND).click());
  for (const one of [page, other.page]) await one.waitForURL('**/r/*');
  // Both learn that it counts before anybody acts.
  for (const one of [page, other.page]) await one.locator('.about').getByText('Rated').waitFor({ state: 'attached' });
  await page.getByRole('heading', { name: /places? three stones/ }).waitFor();
  const begins = (await page.title()).startsWith('● Your move');
  const first = begins ? page : other.page;
  for (const stone of STONES) await put(first, stone);
  await first.getByRole('button', { name: 'Confirm' }).click();
  if (!begins) {
    await page
      .locator('.opening')
      .getByRole('button', { name: /^Play White/ })
      .click();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    await put(page, 'i9');
  }
  for (const one of [page, other.page]) await sees(one, begins ? 'h8' : 'i9', '(Black|White)');
  return { ...newcomer, inputs, seconds: (performance.now() - since) / 1000 };
}
