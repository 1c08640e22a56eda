// Two people play by a link: to a five, with offers, takebacks and chat.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, choose, identityLink, PHONE, put, sees, stage, twoPlay, unfold, visitor } from './harness.mjs';

const at = stage();

/**
 * Plays moves, Black's first, until both have seen them.
 * @param {import('playwright-core').Page[]} players
 * @param {string[]} moves
 */
async function playAll(players, moves) {
  for (const [ply, point] of moves.entries()) {
    const mover = players[ply % 2];
    if (mover) await put(mover, point);
    for (const page of players) await sees(page, point, ply % 2 === 0 ? 'Black' : 'White');
  }
}

test('two browsers play to a five, and a rematch', async () => {
  const { ann, bob } = await twoPlay(at);
  await playAll([ann.page, bob.page], ['h8', 'h9', 'i8', 'i9', 'j8', 'j9', 'k8', 'k9', 'l8']);
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  await bob.page.getByRole('heading', { name: 'You lost' }).waitFor();
  await sees(bob.page, 'j8', 'Black, winning line');

  await bob.page.getByRole('button', { name: 'Rematch' }).click();
  await ann.page.getByText('Bob wants a rematch').waitFor();
  await ann.page.getByRole('button', { name: 'Accept' }).click();
  // Colours are swapped.
  await bob.page.getByRole('heading', { name: 'Your move' }).waitFor();
  await playAll([bob.page, ann.page], ['a1', 'b1']);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

/** Two play, Ann resigns and asks for a rematch. */
async function annAsksForRematch() {
  const { ann, bob } = await twoPlay(at);
  await playAll([ann.page, bob.page], ['h8', 'h9']);
  await ann.page.getByRole('button', { name: 'Resign' }).click();
  await bob.page.getByRole('heading', { name: 'You won' }).waitFor();
  await ann.page.getByRole('button', { name: 'Rematch' }).click();
  await bob.page.getByText('Ann wants a rematch').waitFor();
  return { ann, bob };
}

test('a rematch is withdrawn and declined, and whoever waits is told that the other left', async () => {
  const { ann, bob } = await annAsksForRematch();
  await ann.page.locator('.offers').getByRole('button', { name: 'Cancel' }).click();
  await bob.page.getByText('Ann wants a rematch').waitFor({ state: 'detached' });
  await bob.page.getByRole('button', { name: 'Rematch' }).click();
  await ann.page.getByRole('button', { name: 'Decline' }).click();
  await bob.page.getByText('Your opponent does not want a rematch.').waitFor();
  // It is Ann's turn to ask.
  await ann.page.getByRole('button', { name: 'Rematch' }).click();
  await bob.page.getByText('Ann wants a rematch').waitFor();
  await bob.page.getByRole('link', { name: 'Leave' }).click();
  await ann.page.locator('.offers').getByText('Bob has left.').waitFor();
  await ann.page.locator('.offers').getByText('You asked for a rematch.').waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('who closes the window while a rematch is asked for is named as away', async () => {
  const { ann, bob } = await annAsksForRematch();
  await ann.context.close();
  await bob.page.locator('.offers').getByText('Ann is away.').waitFor();
  assert.deepEqual(bob.complaints, []);
});

test('resigning can be undone for a moment; what asks the opponent is sent at once', async () => {
  const { ann, bob } = await twoPlay(at);
  /** @param {import('playwright-core').Page} page @param {string | RegExp} name */
  const ask = async (page, name) => {
    await page.getByRole('button', { name }).click();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, String(name));
  };
  await playAll([ann.page, bob.page], ['h8', 'h9']);
  await ann.page.locator('.summary').getByText('Bob played h9.').waitFor();
  await bob.page.locator('.summary').getByText('You played h9.').waitFor();
  await ann.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.getByRole('button', { name: 'Undo' }).click();
  await ask(ann.page, 'Offer draw');
  await bob.page.getByText('Ann offers a draw').waitFor();
  await bob.page.getByRole('button', { name: 'Decline' }).click();
  await ask(bob.page, 'Take back');
  await ann.page.getByText('Bob asks to take a move back').waitFor();
  await ann.page.getByRole('button', { name: 'Accept' }).click();
  await sees(ann.page, 'h9', 'empty');
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  // Both want another game. The second to press sees what the first has asked, or not yet.
  const another = /^(Rematch|Accept)$/;
  await Promise.all([ask(ann.page, another), ask(bob.page, another)]);
  await bob.page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a third visitor watches, chats apart, and looks back undisturbed', async () => {
  const { ann, bob, link } = await twoPlay(at);
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(link);
  await ann.page.getByText('1 watching').waitFor();
  await playAll([ann.page, bob.page], ['h8', 'h9']);
  await sees(eve.page, 'h9', 'White');
  await eve.page.getByRole('button', { name: 'Previous move' }).click();
  await eve.page.getByText('Move 1 of 2').waitFor();
  await put(ann.page, 'i8');
  await eve.page.getByText('Move 1 of 3').waitFor();
  await sees(eve.page, 'i8', 'empty');

  await eve.page.getByLabel('Send a message').fill('l8 wins');
  await eve.page.keyboard.press('Enter');
  await ann.page.getByLabel('Send a message').fill('good luck');
  await ann.page.keyboard.press('Enter');
  await bob.page.locator('.chat-lines').getByText('good luck').waitFor();
  await eve.page.locator('.chat-lines').getByText('good luck').waitFor();
  await eve.page.locator('.chat-lines').getByText('l8 wins').waitFor();
  assert.equal(await ann.page.locator('.chat-lines').getByText('l8 wins').count(), 0);
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.locator('.chat-lines').getByText('l8 wins').waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints, ...eve.complaints], []);
});

test('a game against the bot, on a phone, appears among the player’s games', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, PHONE);
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  await page.getByLabel('Your color').selectOption('black');
  await choose(page, 'bot');
  await page.locator('.level').getByText('1', { exact: true }).click();
  await begin(page, 'bot');
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  const box = await page.getByRole('gridcell', { name: /^h8,/ }).boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.touchscreen.tap(x, y);
  await sees(page, 'h8', 'empty');
  await page.touchscreen.tap(x, y);
  await sees(page, 'h8', 'Black');
  await page
    .getByRole('button', { name: /^[a-o]\d+$/ })
    .nth(1)
    .waitFor();
  await page.getByRole('button', { name: 'Resign' }).tap();
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await page.getByRole('link', { name: 'Fivefold' }).tap();
  await page.getByRole('link', { name: 'Your games' }).tap();
  await page
    .locator('.game', { hasText: 'Bot, level 1' })
    .locator('.game-players')
    .getByText('You', { exact: true })
    .waitFor();
  await page.getByLabel('Search').fill('nobody');
  await page.getByText('Nothing found.').waitFor();
  assert.deepEqual(complaints, []);
});

test('a hint tells more with each press, and is gone with the next move', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await choose(page, 'bot');
  await unfold(page);
  await page.getByLabel('Your color').selectOption('black');
  await begin(page, 'bot');
  await playAll([page], ['h8']);
  // A hint is for one position: the bot has to have moved.
  await page.getByRole('gridcell', { name: /, White/ }).waitFor({ state: 'attached' });
  const hint = page.getByRole('button', { name: 'Hint' });
  for (const text of [/^Try [a-o]\d+\.$/, /^Good moves: ([a-o]\d+ ){4}[a-o]\d+$/, /^This is what the bot sees\.$/]) {
    await hint.click();
    await page.locator('.voice').getByText(text).waitFor();
    assert.equal(await hint.getAttribute('aria-pressed'), 'true');
  }
  await hint.click();
  assert.equal(await hint.getAttribute('aria-pressed'), 'false');
  await hint.click();
  await page.locator('.voice').getByText(/^Try /).waitFor();
  await playAll([page], ['a15']);
  await page.locator('.voice').getByText(/^Try /).waitFor({ state: 'hidden' });
  assert.deepEqual(complaints, []);
});

test('a link moves the identity to another device', async () => {
  const { link } = await identityLink(at, 'Ann');
  const there = await visitor(at.browser, at.server);
  /** @type {string[]} */
  const asked = [];
  there.page.on('request', (request) => asked.push(request.url()));
  await there.page.goto(link);
  await there.page.getByRole('button', { name: 'Yes' }).click();
  await there.page.getByRole('button', { name: 'Ann' }).waitFor();
  assert.ok(!asked.some((url) => url.includes(link.split(/[=&]/)[1] ?? '?')), 'the server does not see it');
});

test('renju’s forbidden points are shown while Black is to move', async () => {
  const kept = { name: 'fivefold.options', value: JSON.stringify({ variant: 'renju', size: '15', clock: 0 }) };
  const { ann, bob } = await twoPlay(at, {
    storageState: { cookies: [], origins: [{ origin: at.server.url, localStorage: [kept] }] },
  });
  await playAll([ann.page, bob.page], ['h8', 'a15', 'i8', 'c15', 'g7', 'e15', 'g6', 'g15']);
  await sees(ann.page, 'g8', 'forbidden for Black');
  await put(ann.page, 'g8');
  await ann.page.locator('.toast').getByText('Forbidden for Black: a double three.').waitFor();
  await playAll([ann.page, bob.page], ['j8']);
  await sees(ann.page, 'g8', 'empty');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a search finds games beyond the first page', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const named = (/** @type {number} */ number, /** @type {string} */ name) => ({
    id: String(number),
    rules: { variant: 'freestyle', size: [15, 15] },
    visibility: 'public',
    first: { member: '0', name },
    second: { bot: { kind: 'attack' } },
    black: 'first',
    started_at: 0,
    ended_at: number,
    plies: 9,
    outcome: { reason: 'agreement' },
  });
  // Three pages of fifty, and Zoe in the last game of all.
  await page.route('**/api/games?*', (route) => {
    const before = Number(new URL(route.request().url()).searchParams.get('before') ?? 151);
    const games = Array.from({ length: 50 }, (_, at) => named(before - 1 - at, before - 1 - at === 1 ? 'Zoe' : 'Ann'));
    return route.fulfill({ json: { games, next: before > 51 ? before - 50 : undefined } });
  });
  await page.goto('/games');
  await page.locator('.game').nth(49).waitFor();
  assert.equal(await page.locator('.game').count(), 50);
  for (const name of ['My games', 'Public games']) await page.getByRole('button', { name }).waitFor();
  await page.getByLabel('Search').fill('zoe');
  await page.locator('.game', { hasText: 'Zoe' }).waitFor();
  assert.equal(await page.locator('.game').count(), 1);
  assert.deepEqual(complaints, []);
});
