// Dead ends: every page and dialog leads on, and says early what cannot be.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { elsewhere, guest, own, PASSWORD, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { stage, visitor } from './harness.mjs';

const at = stage(TRUST);

test('players and lessons are reached on a phone and on a small desk', async () => {
  for (const viewport of [
    { width: 320, height: 568 },
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
  ]) {
    for (const [name, path] of /** @type {const} */ ([
      ['Players', '/leaderboard'],
      ['Learn', '/learn'],
    ])) {
      const { page, context } = await visitor(at.browser, at.server, { viewport });
      await page.goto('/');
      await page.getByRole('link', { name, exact: true }).filter({ visible: true }).first().click();
      await page.waitForURL(`**${path}`);
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
        0,
        `${viewport.width} ${name}`,
      );
      await context.close();
    }
  }
});

test('an empty list of games leads to a game', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  for (const colorScheme of /** @type {const} */ (['dark', 'light'])) {
    await page.emulateMedia({ colorScheme });
    await page.goto('/games');
    await page.locator('.games').getByRole('link', { name: 'On this device' }).waitFor();
    assert.deepEqual(await faults(page), [], 'its words can be read');
  }
  await page.locator('.games').getByRole('link', { name: 'Find an opponent' }).click();
  await page.locator('.find:enabled').waitFor();
  assert.deepEqual(complaints, []);
});

test('the page of operators is closed to others', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/moderation');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByText('Only operators of this server can see this.').waitFor();
  assert.equal(await page.locator('.moderation').count(), 0);
  await page.locator('main').getByRole('button', { name: 'You' }).click();
  await page.getByRole('dialog').waitFor();
});

test('a name of two alphabets is marked while it is typed, and codes that are written down are left', async () => {
  const { page, complaints } = await guest(at, elsewhere());
  const dialog = await you(page);
  const name = dialog.getByLabel('Name', { exact: true });
  for (const [typed, isFault] of /** @type {const} */ ([
    ['Аnn', true],
    ['Ann B', true],
    ['_a', true],
    ['A', false],
    ['Ann-2', false],
    ['Ёж', false],
    ['五目', false],
    ['Ωμέγα', false],
  ])) {
    await name.fill(typed);
    assert.equal((await name.getAttribute('aria-invalid')) === 'true', isFault, typed);
  }
  await name.fill('Written');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
  await dialog.getByRole('button', { name: 'I’ve written them down' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Written' }).waitFor();
  assert.deepEqual(own(complaints), []);
});

test('after a first rated game, the profile says where it is, and its graph names one day once', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const none = { games: 0, won: 0, drawn: 0, lost: 0 };
  const rating = {
    pool: 'standard/15/normal',
    rating: 1662,
    deviation: 290,
    provisional: true,
    games: 1,
    won: 1,
    drawn: 0,
    lost: 0,
  };
  const now = Date.now();
  const answers = {
    history: {
      points: [
        { at: now - 60_000, rating: 1500, deviation: 350 },
        { at: now - 1_000, rating: 1662, deviation: 290 },
      ],
    },
    leaderboard: { places: [] },
  };
  await page.route('**/api/**', (route) => {
    const url = route.request().url();
    const json = url.includes('history')
      ? answers.history
      : url.includes('leaderboard')
        ? answers.leaderboard
        : {
            name: 'Ann',
            member: '0123456789abcdef',
            made_at: now,
            ratings: [rating],
            games: [],
            by_stone: { black: none, white: none },
            opponents: [],
          };
    return route.fulfill({ json });
  });
  await page.goto('/player/Ann');
  await page.getByText('Games that began in the lobby are listed for their players only.').waitFor();
  await page.locator('.plot-band').waitFor({ state: 'attached' });
  const days = await page.locator('.plot text[text-anchor=middle]').allTextContents();
  assert.ok(days.length > 0);
  assert.equal(new Set(days).size, days.length, days.join());
  assert.deepEqual(complaints, []);
});
