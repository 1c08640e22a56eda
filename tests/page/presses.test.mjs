// How many presses people need for what they come for, from opening the page on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PHONE, put, sees, stage, visitor } from './harness.mjs';

const at = stage();

/** Somebody new, and how often they have pressed something. @param {import('playwright-core').BrowserContextOptions} options */
async function somebody(options) {
  const one = await visitor(at.browser, at.server, options);
  await one.context.addInitScript(() =>
    addEventListener(
      'pointerdown',
      () => sessionStorage.setItem('presses', String(Number(sessionStorage.getItem('presses')) + 1)),
      true,
    ),
  );
  await one.page.goto('/');
  await one.page.locator('.find:enabled').waitFor();
  return { ...one, presses: () => one.page.evaluate(() => Number(sessionStorage.getItem('presses'))) };
}

test('a beginner plays level 1 with a hint', async () => {
  for (const options of [PHONE, {}]) {
    const { page, presses, complaints } = await somebody(options);
    await page.locator('.opponents label', { hasText: 'A bot' }).click();
    await page.locator('.level label', { hasText: /^1$/ }).click();
    await page.getByRole('button', { name: 'Play the bot (level 1)' }).click();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    await page.getByRole('button', { name: 'Hint' }).click();
    const hint = page.getByText(/^Try [a-o]\d+\.$/);
    await hint.waitFor();
    assert.equal(await presses(), 4, 'a bot, its level, play, hint');
    const point = (await hint.textContent())?.slice('Try '.length, -1) ?? '';
    await put(page, point);
    // A finger shows the stone first.
    if (options === PHONE) await put(page, point);
    await sees(page, point, '(Black|White)');
    assert.equal(await presses(), options === PHONE ? 6 : 5);
    assert.deepEqual(complaints, []);
  }
});

test('an analyst sees the best lines, and tries the first move', async () => {
  const { page, presses, complaints } = await somebody({});
  await page.getByRole('link', { name: 'Analysis' }).click();
  const line = page.locator('.lines li').first();
  await line.waitFor();
  assert.equal(await presses(), 1, 'the page: the analysis begins by itself');
  await put(page, 'h8');
  await sees(page, 'h8', 'Black');
  await line.waitFor();
  assert.equal(await presses(), 2);
  assert.deepEqual(complaints, []);
});
