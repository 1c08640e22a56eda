// Every screen in every theme and width: readable for all, and never wider than the window.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { put, sees, stage, twoPlay, visitor } from './harness.mjs';

const at = stage('--bot-pace', '300');
const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WIDTHS = [320, 390, 768, 1024, 1440, 1920, 3840];
const THEMES = ['light', 'dark', 'contrast'];

/**
 * What axe finds that is serious.
 * @param {import('playwright-core').Page} page
 */
async function faults(page) {
  // By the debugger, which the page's policy does not hold back.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // @ts-expect-error axe is not part of the page.
    const { violations } = await window.axe.run();
    return violations
      .filter((/** @type {{ impact: string }} */ { impact }) => impact === 'serious' || impact === 'critical')
      .map((/** @type {{ id: string, nodes: { html: string, failureSummary: string }[] }} */ { id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
}

/** @param {import('playwright-core').Page} page */
async function assertFits(page) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width > 700 ? Math.round(width * 0.6) : 740 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${new URL(page.url()).pathname} is ${wide} too wide at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

for (const theme of THEMES) {
  test(`every screen, ${theme}`, async () => {
    const { ann, bob } = await twoPlay(at);
    await ann.page.evaluate((chosen) => localStorage.setItem('fivefold.settings', JSON.stringify({ theme: chosen })), theme);
    await ann.page.reload();
    await put(ann.page, 'h8');
    await sees(bob.page, 'h8', 'Black');
    await put(bob.page, 'h9');
    await sees(ann.page, 'h9', 'White');
    await bob.page.getByRole('button', { name: 'Offer a draw' }).click();
    await ann.page.getByText('Bob offers a draw.').waitFor();
    assert.deepEqual(await faults(ann.page), []);
    await assertFits(ann.page);
    await ann.page.getByRole('button', { name: 'Accept' }).click();
    await ann.page.getByRole('heading', { name: 'Draw' }).waitFor();
    assert.deepEqual(await faults(ann.page), []);

    for (const path of ['/', '/games', '/analyse', '/nowhere']) {
      await ann.page.goto(path);
      await ann.page.locator('main > *').first().waitFor();
      if (path === '/') {
        await ann.page.locator('.live').first().waitFor();
        await ann.page.locator('.options > summary').click();
      }
      assert.deepEqual(await faults(ann.page), [], path);
      await assertFits(ann.page);
    }
    await ann.page.getByRole('button', { name: 'Settings' }).click();
    assert.deepEqual(await faults(ann.page), []);
    await assertFits(ann.page);
    await ann.page.keyboard.press('Escape');
    await ann.page.goto('/');
    await ann.page.getByRole('button', { name: 'Play a friend' }).click();
    await ann.page.locator('.qr').waitFor();
    assert.deepEqual(await faults(ann.page), []);
    await assertFits(ann.page);
    assert.deepEqual(ann.complaints.filter((text) => !text.includes('404')), []);
  });
}

test('texts are there in every language, and fit', async () => {
  for (const [locale, word] of /** @type {const} */ ([['ru-RU', 'Играть с другом'], ['es-ES', 'Jugar con un amigo'], ['de-DE', 'Play a friend']])) {
    const { page } = await visitor(at.browser, at.server, { locale });
    await page.goto('/');
    await page.getByRole('button', { name: word }).waitFor();
    await assertFits(page);
    await page.getByRole('button', { name: word }).click();
    await page.locator('.qr').waitFor();
    await assertFits(page);
  }
});
