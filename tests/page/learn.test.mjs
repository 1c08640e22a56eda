// The page to learn at: a reader solves lessons by mouse and by keyboard, learns which stones are
// wrong, and needs no network after a visit.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, choose, put, Server, sees, stage, visitor } from './harness.mjs';

const at = stage();

test('a wrong stone goes back, a right one wins, and the lesson is remembered', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await page.getByRole('link', { name: 'Learn', exact: true }).click();
  await page.getByRole('heading', { name: 'Tic-tac-toe' }).waitFor();
  await put(page, 'a1');
  await page.getByText('That does not win at once. Try another point.').waitFor();
  await sees(page, 'a1', 'empty');
  await put(page, 'c1');
  await page.getByText('Right. On larger boards').waitFor();
  await sees(page, 'c1', 'X');
  await page.getByRole('link', { name: 'Next lesson' }).click();
  await page.getByRole('heading', { name: 'Gomoku (freestyle)' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: /^Tic-tac-toe ?, done$/ }).click();
  await page.getByRole('heading', { name: 'Tic-tac-toe' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a win by force is played to its end against the longest defense', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/learn#four_three');
  await page.getByRole('heading', { name: 'Four and three' }).waitFor();
  await put(page, 'a1');
  await page.getByText('Your opponent can answer that. Try another point.').waitFor({ timeout: 20_000 });
  await sees(page, 'a1', 'empty');
  await put(page, 'i8');
  // The four has one answer.
  await page.getByText('Right. White answers at j8. Go on.').waitFor({ timeout: 20_000 });
  const done = page.getByText('Right. The four forces White');
  for (let moves = 0; moves < 4 && !(await done.isVisible()); moves += 1) {
    await page.getByRole('button', { name: 'Show me' }).click();
    const shown = await page.getByText(/^Try \w+\.$/).textContent({ timeout: 20_000 });
    const name = shown?.match(/Try (\w+)/)?.[1] ?? '';
    await put(page, name);
    await page.getByText(/^Right\. /).waitFor({ timeout: 20_000 });
  }
  await done.waitFor();
  assert.deepEqual(complaints, []);
});

test('what the rules are is said where they are chosen, and in their room', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, { viewport: { width: 390, height: 844 } });
  await page.goto('/');
  await choose(page, 'friend');
  const rules = page.locator('.options').getByLabel('Rules');
  for (const [variant, text] of /** @type {const} */ ([
    ['mnk', '3 in a row wins.'],
    ['freestyle', 'Five or more in a row wins.'],
    ['standard', 'Exactly five in a row wins; six or more does nothing.'],
    ['renju', 'Black may not make two threes or two fours at once, or six in a row.'],
    ['caro_overline', 'Six or more always wins.'],
    ['caro', 'unless the opponent has closed both ends.'],
  ])) {
    await rules.selectOption(variant);
    await page.locator('.options').getByText(text).waitFor();
  }
  await page.locator('.options').getByLabel('Board').selectOption('unbounded');
  await page.locator('.options').getByText('The board has no edges: drag it to look around.').waitFor();
  await begin(page, 'friend');
  await page
    .locator('.invitation')
    .getByText('unless the opponent has closed both ends. The board has no edges')
    .waitFor();
  await page.getByRole('button', { name: 'Caro · without borders · No clock' }).click();
  await page.locator('.about').getByText('unless the opponent has closed both ends. The board has no edges').waitFor();
  await page.goto('/');
  await choose(page, 'anyone');
  await page.getByRole('button', { name: 'Other rules and clocks' }).click();
  await page.locator('.seek').getByText('Exactly five in a row wins; six or more does nothing.').waitFor();
  await page.goto('/analyse#renju-15x15/7,7');
  await page.getByText('Black may not make two threes or two fours at once').first().waitFor({ state: 'attached' });
  assert.deepEqual(complaints, []);
});

test('forbidden points are found and openings begun', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/learn#forbidden_double_three');
  await page.getByText('Find the point that Black must not take.').waitFor();
  await put(page, 'a1');
  await page.getByText('Black may play there. Try another point.').waitFor();
  await put(page, 'i8');
  await page.getByText('Right. White may play there').waitFor();
  await sees(page, 'i8', 'empty, forbidden for Black');
  await page.goto('/learn#pro');
  await page.getByText('Place stone 1 of 3.').waitFor();
  await put(page, 'a1');
  await page.getByText('a1 is not allowed now. Only the point in the middle is allowed.').waitFor();
  for (const name of ['h8', 'h9']) await put(page, name);
  await page.getByText('Place stone 3 of 3.').waitFor();
  await put(page, 'j8');
  await page.getByText('j8 is not allowed now.').waitFor();
  await put(page, 'k8');
  await page.getByText('Black’s second stone goes at least three points away from it.').waitFor();
  assert.deepEqual(complaints, []);
});

/** A free point near the middle. @param {import('playwright-core').Page} page */
async function freeNear(page) {
  const labels = await page
    .getByRole('gridcell', { name: /^[ghi][789], empty$/ })
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label') ?? ''));
  return labels[0]?.split(',')[0] ?? 'f6';
}

test('the lessons of openings practice the decision, and the last lesson leads on', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  /** Places the three stones, and begins the practice. @param {string} lesson @param {string[]} stones */
  const placed = async (lesson, stones) => {
    await page.goto(`/learn#${lesson}`);
    await page.reload();
    await page.getByText('Place stone 1 of 3.').waitFor();
    for (const name of stones) await put(page, name);
    await page.getByRole('button', { name: 'Practice the decision' }).click();
  };
  const done = page.getByText(/^The engine says: (Black|White) .*\./);
  // A side, with three stones of the engine on the board.
  await placed('swap', ['a1', 'b2', 'c3']);
  await page.getByRole('button', { name: /^(Keep|Switch to|Play) White/ }).click({ timeout: 30_000 });
  await done.waitFor({ timeout: 30_000 });
  assert.equal(await page.getByRole('gridcell', { name: /, (Black|White)/ }).count(), 3);
  await page.getByRole('link', { name: 'Next lesson' }).waitFor();
  // Two more stones, after which the engine picks.
  await placed('swap2', ['h8', 'i9', 'j10']);
  await page.getByRole('button', { name: /Place two more stones/ }).click({ timeout: 30_000 });
  for (const name of ['a15', 'o15']) await put(page, name);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await done.waitFor({ timeout: 30_000 });
  assert.equal(await page.getByRole('gridcell', { name: /, (Black|White)/ }).count(), 5);
  // Nothing of it replaces the game on this device.
  assert.equal(await page.evaluate(() => localStorage.getItem('fivefold.local_game')), null);
  // Offers: the reader takes Black.
  await placed('rif', ['h8', 'h9', 'h10']);
  await page.getByRole('button', { name: /^(Keep|Switch to|Play) Black/ }).click({ timeout: 30_000 });
  await page.getByText('Offered 0 of 2.').waitFor({ timeout: 30_000 });
  for (const name of ['a1', 'o13']) await put(page, name);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await done.waitFor({ timeout: 30_000 });
  // The last lesson, when all others are done.
  await page.evaluate(() =>
    localStorage.setItem(
      'fivefold.learned',
      JSON.stringify(
        [...document.querySelectorAll('.lessons a')].map((link) => link.getAttribute('href')?.split('#')[1]),
      ),
    ),
  );
  await placed('taraguchi10', ['h8', 'h9', 'h10']);
  const take = page.locator('.opening').getByRole('button', { name: /^(Keep|Switch to|Place one fifth) / });
  const stone = page.getByText(/^Stone 1 of 1: /);
  const pick = page.getByText('Press one of the numbered points.');
  for (let acts = 0; acts < 12 && !(await done.isVisible()); acts += 1) {
    await take.or(done).or(stone).or(pick).first().waitFor({ timeout: 30_000 });
    if (await done.isVisible()) break;
    const before = await page.locator('.opening-body').textContent();
    if (await take.first().isVisible()) await take.first().click();
    else if (await stone.isVisible()) await put(page, await freeNear(page));
    else
      await put(
        page,
        (await page.getByRole('gridcell', { name: /offered, number 1$/ }).getAttribute('aria-label'))?.split(',')[0] ??
          '',
      );
    await page.waitForFunction(
      (words) =>
        document.querySelector('.opening-body')?.textContent !== words ||
        document.querySelector('.reply')?.textContent !== '',
      before,
      { timeout: 30_000 },
    );
  }
  await done.waitFor({ timeout: 30_000 });
  await page.getByText('That was the last lesson.').waitFor();
  await page.locator('.task').getByRole('link', { name: 'Puzzles' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a lesson is done by keyboard alone', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/learn#open_four');
  await page.getByRole('heading', { name: 'An open four' }).waitFor();
  await sees(page, 'h8', 'Black');
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.closest('.board-stage') !== null)) break;
  }
  // From the middle, which has a stone.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText(/^Right\. White answers at (e8|d8|i8|j8)\. Go on\./).waitFor({ timeout: 20_000 });
  assert.deepEqual(complaints, []);
});

test('lessons speak the language of the page, and broken storage does not stop them', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, { locale: 'es-ES' });
  await page.addInitScript(() => localStorage.setItem('fivefold.learned', '{"a":'));
  await page.goto('/learn');
  await page.getByRole('heading', { name: 'Tres en raya' }).waitFor();
  await page.getByText('Juegan las X: gana de inmediato.').waitFor();
  const { page: russian, complaints: others } = await visitor(at.browser, at.server, { locale: 'ru-RU' });
  await russian.goto('/learn#trap');
  await russian.getByRole('heading', { name: 'Ловушка' }).waitFor();
  assert.deepEqual([...complaints, ...others], []);
});

test('lessons work without a network after one visit', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page, complaints } = await visitor(at.browser, server, { serviceWorkers: 'allow' });
  await page.goto('/');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await server.kill();
  await page.goto('/learn#forbidden_overline');
  await page.getByRole('heading', { name: 'Forbidden: six' }).waitFor();
  await put(page, 'h8');
  await page.getByText('Right. So two of Black’s own rows').waitFor({ timeout: 20_000 });
  assert.deepEqual(complaints, []);
});
