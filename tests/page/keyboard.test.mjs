// The keyboard on a board: it is there when a game begins, and a key that can begin a point is no command.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, sees, stage, visitor } from './harness.mjs';

const at = stage();

/** A game against a bot on this board. @param {Record<string, unknown>} game */
async function againstBot(game) {
  const guest = await visitor(at.browser, at.server);
  await guest.page.addInitScript(
    (kept) => localStorage.setItem('fivefold.options', kept),
    JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black', ...game }),
  );
  await guest.page.goto('/');
  await begin(guest.page, 'bot');
  await guest.page.getByText('Your move', { exact: true }).waitFor();
  /** What the focus is on. */
  const focus = () => guest.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  return { ...guest, focus };
}

test('a whole game by keyboard alone without borders, with negative points', async (t) => {
  const { page, focus, complaints } = await againstBot({ size: 'unbounded' });
  // The board has the keyboard, since the game has begun.
  assert.match(await focus(), /^0,0, /);
  await page.keyboard.type('-3,2');
  assert.equal(await page.getByLabel('Point, such as h8').inputValue(), '-3,2');
  await page.keyboard.press('Enter');
  await sees(page, '-3,2', 'Black');
  const over = page.getByText(/^(You won|You lost|Draw)$/);
  for (let step = 0; !(await over.isVisible()); step += 1) {
    assert.ok(step < 200, 'the bot wins some day');
    await page.getByText(/^(Your move|You won|You lost|Draw)$/).waitFor();
    if (await over.isVisible()) break;
    const name = `${-5 - 2 * (step % 4)},${-4 + 3 * Math.floor(step / 4)}`;
    if ((await page.getByRole('gridcell', { name: new RegExp(`^${name}, (Black|White)`) }).count()) > 0) continue;
    await page.keyboard.type(`${name}\n`);
    await page
      .getByText(/ is thinking$|^(Your move|You won|You lost|Draw)$/)
      .first()
      .waitFor();
  }
  const stones = await page
    .getByRole('gridcell', { name: /^-?\d+,-?\d+, (Black|White)/ })
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label') ?? ''));
  t.diagnostic(
    `${stones.length} stones, ${stones.filter((name) => name.startsWith('-') || name.includes(',-')).length} of them on negative points; ${await over.textContent()}`,
  );
  assert.deepEqual(complaints, []);
});

test('a digit begins a point, and no letter does without borders', async () => {
  const { page, focus } = await againstBot({ size: 'unbounded' });
  const typed = page.getByLabel('Point, such as h8');
  await page.keyboard.press('h');
  assert.match(await focus(), /^0,0, /, 'a letter is no point here');
  await page.keyboard.type('0,-1');
  assert.equal(await typed.inputValue(), '0,-1');
  await page.keyboard.press('Escape');
  const width = async () => (await page.getByRole('gridcell').first().boundingBox())?.width ?? 0;
  const first = await width();
  await page.keyboard.press('_');
  await page.waitForFunction(
    (old) => (document.querySelector('[role=gridcell]')?.getBoundingClientRect().width ?? 0) < 0.8 * old,
    first,
  );
});

test('the question mark lists the keys of the board that is there', async () => {
  const { page, complaints } = await againstBot({});
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.getByText('Type a point: its letter, then its number').waitFor();
  await dialog.getByText('The weights of all points, where help is allowed').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goto('/analyse#freestyle-unbounded/0,0;-1,-1');
  await page.locator('.tree .move').first().waitFor();
  await page.keyboard.press('?');
  await dialog.getByText('Type a point: two numbers').waitFor();
  await dialog.getByText('One move back or on').first().waitFor();
  assert.equal(await dialog.getByText('where help is allowed').count(), 0);
  await page.keyboard.press('Escape');
  // In a field it is a letter.
  await page.getByLabel('Name of this analysis').press('?');
  assert.equal(await dialog.count(), 0);
  assert.deepEqual(complaints, []);
});

test('the weight of a point is in words where it is seen, and follows the cursor', async () => {
  const { page, complaints } = await againstBot({});
  await page.keyboard.type('h8\n');
  await sees(page, 'h8', 'Black');
  await page.getByText('Your move', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: /^h8, / }).focus();
  await page.keyboard.press('T');
  const words = page.locator('.voice').getByText(/^h8: /);
  await words.waitFor();
  for (const [key, name] of [
    ['ArrowUp', 'h9'],
    ['ArrowRight', 'i9'],
    ['ArrowDown', 'i8'],
  ]) {
    await page.keyboard.press(key ?? '');
    await page
      .locator('.voice')
      .getByText(new RegExp(`^${name}: .`))
      .waitFor();
  }
  // A screen reader has it with the point.
  await page
    .getByRole('gridcell', { name: /^[a-o]\d+, empty, ./ })
    .first()
    .waitFor({ state: 'attached' });
  assert.deepEqual(complaints, []);
});

test('a five that is closed at both ends is explained, in a game and in the analysis', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const why = page.getByText(/(Player 1|Black): five in a row, but both ends are closed\. In caro that does not win\./);
  await page.goto('/local#caro/h8g8i8m8j8a1k8a2');
  await page.getByRole('button', { name: 'Two people at this board' }).click();
  await page.getByText('8 moves', { exact: true }).waitFor();
  assert.equal(await why.count(), 0);
  await page.keyboard.type('l8\n');
  await sees(page, 'l8', 'Black');
  await why.waitFor();
  await page.keyboard.type('a3\n');
  await sees(page, 'a3', 'White');
  // It is still about the five, not about the answer.
  await page.getByText('In caro that does not win. Player 2 played a3.').waitFor();
  await page.keyboard.type('o1\n');
  await sees(page, 'o1', 'Black');
  await why.waitFor({ state: 'detached' });
  await page.goto('/analyse#caro/h8g8i8m8j8a1k8a2l8');
  await why.waitFor();
  // One free end wins; so does a closed five by other rules.
  await page.goto('/analyse#caro/h8g8i8a4j8a1k8a2l8');
  await page.reload();
  await page.getByText('Black won').waitFor();
  assert.equal(await why.count(), 0);
  assert.deepEqual(complaints, []);
});
