// Invitations: a seat is taken by a press or a key, never by a program that only opens the link; and links
// as people send them.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { accept, atOnce, begin, choose, put, sees, stage, unfold, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** Ann waits in a room as Black; its link. */
async function invite() {
  const ann = await visitor(at.browser, at.server, {}, 'Ann');
  await ann.page.goto('/');
  await choose(ann.page, 'friend');
  await unfold(ann.page);
  await ann.page.getByLabel('Your color').selectOption('black');
  await begin(ann.page, 'friend');
  return { ann, link: await ann.page.getByLabel('Link to this room').inputValue() };
}

test('a program that opens the link takes no seat; a friend does by one key, after reading what is played', async () => {
  const { ann, link } = await invite();
  const scanner = await visitor(at.browser, at.server);
  await scanner.page.goto(link);
  await ann.page.getByText('1 watching').waitFor({ state: 'attached' });
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await bob.page.goto(link);
  const card = bob.page.locator('.invitation');
  await card.getByRole('heading', { name: 'Ann invites you to a game' }).waitFor();
  await card.getByText('You play White').waitFor();
  assert.equal(await bob.page.evaluate(() => document.activeElement?.textContent), 'Play against Ann');
  await ann.page.getByText('2 watching').waitFor({ state: 'attached' });
  assert.equal(await ann.page.locator('.plate.vacant').count(), 1);
  await bob.page.keyboard.press('Enter');
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  await ann.page.locator('.plate', { hasText: 'Bob' }).waitFor();
  await scanner.page.locator('.summary').getByText('Both seats are taken. You are watching.').waitFor();
  assert.equal(await scanner.page.getByRole('button', { name: /^Play/ }).count(), 0);
  assert.deepEqual([...ann.complaints, ...bob.complaints, ...scanner.complaints], []);
});

test('a visitor who only watches can still play later', async () => {
  const { ann, link } = await invite();
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await bob.page.goto(link);
  await bob.page.getByRole('button', { name: 'Watch', exact: true }).click();
  await bob.page.getByRole('gridcell', { name: /^h8,/ }).waitFor({ state: 'attached' });
  assert.equal(await bob.page.locator('.invitation').isVisible(), false);
  await bob.page.locator('.voice').getByRole('button', { name: 'Play against Ann' }).click();
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await bob.page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a guest who is gone before a first move leaves the seat to the next who presses', async () => {
  const { ann, link } = await invite();
  const gone = await visitor(at.browser, at.server, {}, 'Gone');
  await accept(gone.page, link);
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await bob.page.goto(link);
  await bob.page.getByText('Both seats are taken').waitFor();
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await gone.context.close();
  await bob.page.locator('.invitation').getByRole('button', { name: 'Play against Ann' }).click();
  await ann.page.locator('.plate', { hasText: 'Bob' }).waitFor();
  // The new game begins with the same colors.
  await sees(ann.page, 'h8', 'empty');
  await put(ann.page, 'i9');
  await sees(bob.page, 'i9', 'Black');
  await put(bob.page, 'h9');
  await sees(ann.page, 'h9', 'White');
  // Who has made a move keeps the seat.
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(link);
  await eve.page.getByText('Both seats are taken').waitFor();
  await bob.context.close();
  await eve.page.locator('.plate.away').waitFor();
  assert.equal(await eve.page.getByRole('button', { name: /^Play/ }).count(), 0);
  assert.deepEqual([...ann.complaints, ...eve.complaints], []);
});

test('links are read as people send them', async () => {
  const table = await readFile(new URL('../../shared/testdata/sent_codes.tsv', import.meta.url), 'utf8');
  const rows = table
    .trim()
    .split('\n')
    .filter((row) => !row.startsWith('#'))
    .map((row) => row.split('\t'));
  assert.ok(rows.length > 20);
  const { link } = await invite();
  const room = new URL(link).pathname;
  const code = room.slice('/r/'.length);
  const { page } = await visitor(at.browser, at.server);
  for (const [text = '', read] of rows) {
    // The first half of the code of the table, and the second, in letters of either size.
    const sent = JSON.parse(text)
      .replace(/k7m2qp/i, code.slice(0, 6))
      .replace(/xw9abc/i, code.slice(6));
    const written = /[A-Z]/.test(text.slice(1, 14)) ? sent.replace(code, code.toUpperCase()) : sent;
    // A change of the part behind # alone would load nothing.
    await page.goto('about:blank');
    const answer = await page.goto(`/r/${written}`);
    if (read === 'no') {
      await page.getByRole('heading', { name: /not found$/ }).waitFor();
      continue;
    }
    assert.equal(answer?.status(), 200, written);
    await page.getByRole('heading', { name: 'Ann invites you to a game' }).waitFor();
    assert.equal(await page.evaluate(() => location.pathname), room, written);
  }
  await page.goto(`/R/${code.toUpperCase()}`);
  await page.getByRole('heading', { name: 'Ann invites you to a game' }).waitFor();
});

test('two first tabs that open an invitation at once are one person, whose seat both have', async () => {
  await atOnce([1, 2, 3, 4], async () => {
    const { ann, link } = await invite();
    const { page, context, complaints } = await visitor(at.browser, at.server);
    const tabs = [page, await context.newPage()];
    await Promise.all(tabs.map((tab) => tab.goto(link)));
    await Promise.all(tabs.map((tab) => tab.locator('.invitation .big').waitFor()));
    await page.locator('.invitation .big').click();
    await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
    await Promise.all(tabs.map((tab) => tab.locator('.plate.you').waitFor()));
    assert.equal(new Set(await Promise.all(tabs.map((tab) => tab.locator('.me').textContent()))).size, 1);
    assert.deepEqual(complaints, []);
    await Promise.all([ann.context.close(), context.close()]);
  });
});

test('every bot takes a seat, from the home page and in a room that waits, and a third person watches', async (t) => {
  const names = { engine: 'Bot, level 3', attack: 'Bot “Attack”', pattern: 'Bot “Patterns”', minimax: 'Bot “Perfect”' };
  await atOnce(Object.entries(names), async ([kind, name]) => {
    const { page, complaints, context } = await visitor(at.browser, at.server, {}, 'Ann');
    /** Plays a move, which the bot answers before a spectator's eyes. @param {string} point */
    const play = async (point) => {
      await page.locator('.plate', { hasText: name }).waitFor();
      await page.getByRole('heading', { name: 'Your move' }).waitFor();
      const moves = (await page.getByRole('gridcell', { name: /, (Black|White|X|O)\b/ }).count()) + 2;
      await put(page, point);
      const eve = await visitor(at.browser, at.server, {}, 'Eve');
      await eve.page.goto(page.url());
      await eve.page
        .getByRole('gridcell', { name: /, (Black|White|X|O)\b/ })
        .nth(moves - 1)
        .waitFor({ state: 'attached' });
      await eve.page.locator('.plate', { hasText: name }).waitFor();
      await eve.context.close();
    };
    await page.goto('/');
    await choose(page, 'bot');
    await page.getByRole('combobox', { name: 'Bot', exact: true }).selectOption(kind);
    if (kind === 'minimax')
      assert.deepEqual(await page.locator('.options').getByLabel('Rules').locator('option').allTextContents(), [
        'Tic-tac-toe',
      ]);
    await page.locator('.start').click();
    await play('a1');
    // The rules are back where people play.
    await page.goto('/');
    await choose(page, 'friend');
    if (kind === 'minimax') await page.locator('.options').getByLabel('Rules').selectOption('mnk');
    await begin(page, 'friend');
    const bots = page.locator('.invitation').getByRole('combobox', { name: 'Bot', exact: true });
    await bots.selectOption({ label: name });
    const eve = await visitor(at.browser, at.server, {}, 'Eve');
    await eve.page.goto(page.url());
    await page.getByRole('button', { name: 'Play this bot instead' }).click();
    await page.locator('.plate', { hasText: name }).waitFor();
    // The whole game: the player takes the first free point until it is over.
    const ended = page.getByRole('heading', { name: /^(You won|You lost|Draw)/ });
    const taken = (/** @type {Page} */ one) => one.getByRole('gridcell', { name: /, (Black|White|X|O)\b/ });
    const free = page.getByRole('gridcell', { name: /, empty/ }).first();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    while (!(await ended.isVisible())) {
      const stones = await taken(page).count();
      assert.ok(stones < 200, `${name}: the game ends`);
      // The last stone is there before the page says how the game ended.
      await free.or(ended).first().waitFor({ state: 'attached' });
      if ((await free.count()) === 0) continue;
      await put(page, (await free.getAttribute('aria-label'))?.split(',')[0] ?? '');
      // The own stone and the bot's.
      await taken(page)
        .nth(stones + 1)
        .or(ended)
        .first()
        .waitFor({ state: 'attached' });
    }
    await eve.page.locator('.is-over').waitFor();
    assert.equal(await taken(eve.page).count(), await taken(page).count());
    await eve.page.locator('.plate', { hasText: name }).waitFor();
    t.diagnostic(
      `${name}: ${await taken(page).count()} moves, ${await ended.textContent()}; for the third: ${await eve.page.locator('.status').textContent()}`,
    );
    assert.deepEqual([...complaints, ...eve.complaints], []);
    await Promise.all([context.close(), eve.context.close()]);
  });
});
