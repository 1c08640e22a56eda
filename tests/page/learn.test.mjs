// The page to learn at: a reader solves lessons by mouse and by keyboard, learns which stones are
// wrong, and needs no network after a visit.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { put, sees, Server, stage, visitor } from './harness.mjs';

const at = stage('--no-demo');

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
  const server = await Server.start('--no-demo');
  t.after(() => server.stop());
  const { page, complaints } = await visitor(at.browser, server, { serviceWorkers: 'allow' });
  await page.goto('/');
  await page.evaluate(async () => void await navigator.serviceWorker.ready);
  await server.kill();
  await page.goto('/learn#forbidden_overline');
  await page.getByRole('heading', { name: 'Forbidden: six' }).waitFor();
  await put(page, 'h8');
  await page.getByText('Right. So two of Black’s own rows').waitFor({ timeout: 20_000 });
  assert.deepEqual(complaints, []);
});
