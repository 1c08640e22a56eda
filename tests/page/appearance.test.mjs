// Every screen in every theme, width and language: accessible, and never wider than the window.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults } from './axe.mjs';
import { begin, choose, put, sees, stage, twoPlay, unfold, visitor } from './harness.mjs';

const at = stage({ 'no-demo': false, 'bot-pace': 300 });
const WIDTHS = [320, 390, 768, 1024, 1440, 1920, 3840];
/** The theme in the settings, and what the system prefers. That `auto` is one of these is a test of its own.
 * Dark differs from light by colors alone, and what the system prefers changes nothing then, so widths are
 * measured only in light and in contrast, which has other borders.
 * @type {[theme: string, system: { colorScheme: 'light' | 'dark' }, isMeasured: boolean][]} */
const THEMES = [
  ['light', { colorScheme: 'dark' }, true],
  ['dark', { colorScheme: 'light' }, false],
  ['contrast', { colorScheme: 'light' }, true],
  ['contrast', { colorScheme: 'dark' }, false],
];

/** @param {import('playwright-core').Page} page */
async function assertFits(page) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width > 700 ? Math.round(width * 0.6) : 740 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${new URL(page.url()).pathname} is ${wide} too wide at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

for (const [theme, system, isMeasured] of THEMES) {
  test(`every screen, ${theme} where the system is ${system.colorScheme}`, async () => {
    const { ann, bob } = await twoPlay(at, system);
    await ann.page.evaluate(
      (chosen) => localStorage.setItem('fivefold.settings', JSON.stringify({ theme: chosen })),
      theme,
    );
    await ann.page.reload();
    await put(ann.page, 'h8');
    await sees(bob.page, 'h8', 'Black');
    await put(bob.page, 'h9');
    await sees(ann.page, 'h9', 'White');
    await bob.page.getByRole('button', { name: 'Offer draw' }).click();
    await ann.page.getByText('Bob offers a draw').waitFor();
    assert.deepEqual(await faults(ann.page), []);
    if (isMeasured) await assertFits(ann.page);
    await ann.page.getByRole('button', { name: 'Accept' }).click();
    await ann.page.getByRole('heading', { name: 'Draw' }).waitFor();
    assert.deepEqual(await faults(ann.page), []);

    for (const path of [
      '/',
      '/lobby',
      '/tv',
      '/games',
      '/collections',
      '/analyse',
      '/puzzles',
      '/leaderboard',
      '/nowhere',
    ]) {
      await ann.page.goto(path);
      await ann.page.locator('main > *').first().waitFor();
      if (path === '/') {
        await ann.page.locator('.shown a').first().waitFor();
        await choose(ann.page, 'friend');
        await unfold(ann.page);
      }
      assert.deepEqual(await faults(ann.page), [], path);
      if (isMeasured) await assertFits(ann.page);
    }
    await ann.page.getByRole('button', { name: 'Settings' }).click();
    assert.deepEqual(await faults(ann.page), []);
    if (isMeasured) await assertFits(ann.page);
    await ann.page.keyboard.press('Escape');
    await ann.page.goto('/');
    await begin(ann.page, 'friend');
    await ann.page.locator('.qr').waitFor();
    assert.deepEqual(await faults(ann.page), []);
    if (isMeasured) await assertFits(ann.page);
    assert.deepEqual(
      ann.complaints.filter((text) => !text.includes('404')),
      [],
    );
  });
}

test('the theme is the chosen one, or else follows the system at once', async () => {
  const { page } = await visitor(at.browser, at.server, { colorScheme: 'light' });
  /** How light page and board are, from 0 to 255, and whether text on the page is black or white. */
  const look = () =>
    page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      const light = (/** @type {number[]} */ [red = 0, green = 0, blue = 0]) => (red + green + blue) / 3;
      const read = (/** @type {string} */ text) => light((text.match(/\d+/g) ?? []).map(Number));
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.board-canvas'));
      const board = light([
        ...(canvas.getContext('2d')?.getImageData(canvas.width / 2 + 12, canvas.height / 2 + 12, 1, 1).data ?? []),
      ]);
      return [read(backgroundColor) > 127, board > 150, [0, 255].includes(read(color))].map(Number).join('');
    });
  const shows = async (/** @type {string} */ expected, /** @type {string} */ what) => {
    // The board is painted with the next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.equal(await look(), expected, what);
  };
  await page.goto('/analyse');
  await page.getByRole('gridcell').first().waitFor({ state: 'attached' });
  await shows('110', 'the system is light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shows('000', 'the system is dark');
  await page.emulateMedia({ contrast: 'more' });
  await shows('001', 'the system is dark and contrasts');
  await page.emulateMedia({ colorScheme: 'light' });
  await shows('111', 'the system is light and contrasts');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Theme').selectOption('dark');
  await shows('000', 'dark was chosen');
  await page.emulateMedia({ contrast: 'no-preference' });
  await page.getByLabel('Theme').selectOption('contrast');
  await shows('111', 'contrast was chosen');
});

test('nothing is animated where the system asks for less motion', async () => {
  for (const reducedMotion of /** @type {const} */ (['reduce', 'no-preference'])) {
    const { page } = await visitor(at.browser, at.server, { reducedMotion });
    await page.goto('/analyse#size=unbounded&moves=0,0+1,1');
    await page.getByRole('gridcell', { name: '0,0, Black' }).waitFor();
    const frames = await page.evaluate(async () => {
      const cell = document.querySelector('[role=gridcell]');
      // Each frame comes 10 ms after the last one, however long it takes.
      let now = performance.now();
      performance.now = () => now;
      const next = () => new Promise((resolve) => requestAnimationFrame(() => resolve((now += 10))));
      const button = /** @type {HTMLElement} */ (document.querySelector('.board-tool'));
      button.click();
      const sizes = [];
      for (let frame = 0; frame < 60; frame += 1) {
        await next();
        sizes.push(cell?.getBoundingClientRect().width ?? 0);
      }
      return new Set(sizes.slice(1)).size;
    });
    await page
      .getByRole('button', { name: 'Copy link' })
      .or(page.getByRole('button', { name: 'Share' }))
      .click();
    await page.locator('.toast').waitFor();
    const animated = await page.evaluate(
      () =>
        document.getAnimations().length > 0 ||
        getComputedStyle(document.querySelector('.toast') ?? document.body).animationName !== 'none',
    );
    if (reducedMotion === 'reduce') assert.deepEqual([frames, animated], [1, false]);
    else assert.ok(frames > 2 && animated, `${frames} sizes: the test would not see motion`);
  }
});

test('crosses and rings differ in shape, other stones in lightness', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/analyse#moves=e8+k8');
  await page.getByRole('gridcell', { name: 'k8, White' }).waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  for (const style of ['shaded', 'flat', 'marks']) {
    await page.getByLabel('Stones').selectOption(style);
    const { alike, lighter } = await page.evaluate(compare);
    if (style === 'marks') assert.ok(alike < 0.5, `${style}: ${alike} of what is covered is the same`);
    else assert.ok(alike > 0.8, `${style}: ${alike} of what is covered is the same`);
    assert.ok(lighter > 100, `${style}: White is lighter by ${lighter}`);
  }
});

/** Of two stones in the page: which part of what either covers both cover, and how much lighter
 * White is. What a colour-blind person sees of them is no less. */
async function compare() {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.board-canvas'));
  const whole = canvas.getBoundingClientRect();
  const ratio = canvas.width / whole.width;
  /** @param {string} name */
  const cut = (name) => {
    const cell =
      document.querySelector(`[role=gridcell][aria-label^="${name},"]`)?.getBoundingClientRect() ?? new DOMRect();
    const [x, y, side] = [cell.x - whole.x, cell.y - whole.y, cell.width].map((length) => Math.round(length * ratio));
    const data = canvas.getContext('2d')?.getImageData(x ?? 0, y ?? 0, side ?? 1, side ?? 1).data ?? [];
    return Array.from(
      { length: data.length / 4 },
      (_, at) => ((data[4 * at] ?? 0) + (data[4 * at + 1] ?? 0) + (data[4 * at + 2] ?? 0)) / 3,
    );
  };
  const [black, white, empty] = [cut('e8'), cut('k8'), cut('g6')];
  // Covered is what differs from a point without a stone.
  const covered = (/** @type {number[]} */ stone) => stone.map((light, at) => Math.abs(light - (empty[at] ?? 0)) > 12);
  const [one, other] = [covered(black), covered(white)];
  const both = one.filter((covers, at) => covers && other[at]).length;
  const either = one.filter((covers, at) => covers || other[at]).length;
  const mean = (/** @type {number[]} */ light, /** @type {boolean[]} */ where) =>
    light.reduce((sum, value, at) => sum + (where[at] ? value : 0), 0) / where.filter(Boolean).length;
  return { alike: both / either, lighter: mean(white, other) - mean(black, one) };
}

test('the texts of every language are shown, and fit', async () => {
  for (const [locale, word] of /** @type {const} */ ([
    ['ru-RU', 'Создать ссылку'],
    ['es-ES', 'Crear enlace'],
    ['de-DE', 'Create invite link'],
  ])) {
    const { page } = await visitor(at.browser, at.server, { locale });
    await page.goto('/');
    await choose(page, 'friend');
    await page.getByRole('button', { name: word }).waitFor();
    await assertFits(page);
    await page.getByRole('button', { name: word }).click();
    await page.locator('.qr').waitFor();
    await assertFits(page);
  }
});
