// Profiles and the leaderboard: ratings of games that were played, the record against the visitor, and the
// ways there.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { faults } from './axe.mjs';
import { built, openBrowser, PHONE, Server, visitor } from './harness.mjs';

/** @import { Browser, Page } from 'playwright-core' */

const PASSWORD = 'correct horse';
const NAMES = ['Anna', 'Bori', 'Chloe', 'Дима'];
const WIDTHS = [320, 360, 768, 1024, 1440];

/** @type {Server} */
let server;
/** @type {Browser} */
let browser;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  for (const name of NAMES) {
    const answer = await fetch(`${server.url}/api/account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: PASSWORD }),
    });
    assert.equal(answer.status, 201, await answer.text());
  }
  await server.terminate();
  await promisify(execFile)(built('rated_games'), [server.data, ...NAMES]);
  await server.again();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Signs in by the page's cookie. @param {Page} page @param {string} name */
async function signIn(page, name) {
  await page.goto('/learn');
  const status = await page.evaluate(
    async (body) =>
      (await fetch('/api/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status,
    JSON.stringify({ name, password: PASSWORD }),
  );
  assert.equal(status, 200);
  await page.evaluate(() => localStorage.setItem('fivefold.account', '1'));
}

/** @param {Page} page */
async function assertFits(page) {
  const was = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 740 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${new URL(page.url()).pathname} is ${wide} too wide at ${width}`);
  }
  if (was) await page.setViewportSize(was);
}

test('a profile shows ratings, their history, results and games', async () => {
  const { page, complaints } = await visitor(browser, server);
  await page.goto('/player/anna');
  await page.getByRole('heading', { name: 'Anna', level: 1 }).waitFor();
  const card = page.getByRole('button', { name: /^Gomoku \(standard\), normal \d+ 72 rated games/ });
  await card.waitFor();
  assert.equal(await card.getAttribute('aria-pressed'), 'true');
  const graph = page.getByRole('img', { name: /^Rating from \d+ on .* to \d+ on / });
  await graph.waitFor();
  assert.equal(await graph.locator('.plot-band').count(), 1);
  await page.getByText('48 won, 0 drawn, 24 lost').first().waitFor();
  // The table says what the graph draws.
  await page.getByText('As a table').click();
  const rows = await page.locator('.rating-graph tbody tr').allTextContents();
  assert.ok(rows.length > 20, `${rows.length} days`);
  const shown = await card.locator('b').textContent();
  assert.ok(rows[0]?.includes(shown ?? '-'), `${rows[0]} has ${shown}`);
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  await page.waitForFunction((days) => document.querySelectorAll('.rating-graph tbody tr').length < days, rows.length);
  assert.equal(await page.locator('.list tbody a[href^="/game/"]').count(), 12);
  assert.equal(await page.locator('.small-board canvas').count(), 12);
  for (const rating of await page.locator('.list td:nth-child(3) .num').allTextContents())
    assert.match(rating, /^ \d{3,4}$/);
  // 72 games, with each stone by turns.
  const sum = (/** @type {string} */ words) =>
    (words.match(/\d+/g) ?? []).reduce((total, number) => total + Number(number), 0);
  const stones = await page.locator('.by-stone p').allTextContents();
  assert.equal(stones.length, 2);
  assert.equal(sum(stones.join(' ')), 72);
  assert.deepEqual(await page.locator('.met a').allTextContents(), ['Bori', 'Chloe', 'Дима']);
  assert.deepEqual(await page.locator('.met b').allTextContents(), ['16–8', '16–8', '16–8']);
  await page
    .getByRole('link', { name: 'won' })
    .or(page.getByRole('link', { name: 'lost' }))
    .first()
    .click();
  await page.getByRole('gridcell').first().waitFor({ state: 'attached' });
  assert.deepEqual(complaints, []);
});

test('who is signed in sees the record against them, and challenges', async () => {
  const { page } = await visitor(browser, server);
  await signIn(page, 'Chloe');
  await page.goto('/player/Anna');
  await page.getByRole('heading', { name: 'You against Anna' }).waitFor();
  await page.getByText('8 won, 0 drawn, 16 lost').waitFor();
  await page.getByRole('button', { name: 'Challenge', exact: true }).click();
  await page.getByRole('dialog', { name: /Anna/ }).waitFor();
  await page.keyboard.press('Escape');
  // One's own profile has neither.
  await page.goto('/player/Chloe');
  await page.getByRole('heading', { name: 'Chloe', level: 1 }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Challenge', exact: true }).count(), 0);
  assert.equal(await page.getByText('You against').count(), 0);
});

test('the leaderboard lists players, marks the visitor, and leads to profiles', async () => {
  const { page, complaints } = await visitor(browser, server);
  await signIn(page, 'Bori');
  await page.goto('/');
  await page.locator('header').getByRole('link', { name: 'Players' }).click();
  await page.getByRole('heading', { name: 'Leaderboard', level: 1 }).waitFor();
  const names = page.locator('.leaders tbody tr td:nth-child(2)');
  await names.first().waitFor();
  assert.deepEqual(await names.allTextContents(), ['Anna', 'Bori (you)', 'Chloe', 'Дима']);
  await page.getByLabel('Rules').selectOption('renju/15');
  await page.getByText('Nobody has enough rated games here yet.').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('pool'), 'renju/15/normal');
  await page.getByLabel('Rules').selectOption('standard/15');
  await page.getByRole('link', { name: 'Дима' }).click();
  await page.getByRole('heading', { name: 'Дима', level: 1 }).waitFor();
  assert.equal(decodeURIComponent(new URL(page.url()).pathname), '/player/Дима');
  assert.deepEqual(complaints, []);
});

test('an unknown player has no page', async () => {
  const { page } = await visitor(browser, server);
  for (const name of ['Nobody', '%E0%A4%A']) {
    await page.goto(`/player/${name}`);
    await page.getByRole('heading', { name: 'No such player' }).waitFor();
  }
  await page.locator('main').getByRole('link', { name: 'Leaderboard' }).click();
  await page.getByRole('heading', { name: 'Leaderboard', level: 1 }).waitFor();
});

for (const [theme, locale] of /** @type {const} */ ([
  ['light', 'en'],
  ['dark', 'ru'],
  ['contrast', 'es'],
])) {
  test(`both pages are accessible and fit, ${theme} in ${locale}`, async () => {
    for (const options of [{ locale }, { ...PHONE, locale }]) {
      const { page, context, complaints } = await visitor(browser, server, options);
      await signIn(page, 'Chloe');
      await page.evaluate(
        (chosen) => localStorage.setItem('fivefold.settings', JSON.stringify({ theme: chosen })),
        theme,
      );
      for (const path of ['/player/Anna', '/leaderboard']) {
        await page.goto(path);
        await page.locator('.plot-line, .leaders').first().waitFor({ state: 'attached' });
        assert.deepEqual(await faults(page), [], path);
        await assertFits(page);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });
}
