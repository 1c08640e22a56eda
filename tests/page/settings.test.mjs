// The settings of looks and sounds: they work at once, and stay.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stage, visitor } from './harness.mjs';

const at = stage();

/** In the page: the color of the board near its upper left corner. */
function ground() {
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.board-canvas'));
  const [red = 0, green = 0, blue = 0] = canvas.getContext('2d')?.getImageData(3, 3, 1, 1).data ?? [];
  return [red, green, blue].map((part) => part >> 3).join(' ');
}

test('boards have the chosen color at once and after a reload, and their coordinates can be read', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.locator('.board-canvas').waitFor();
  /** @type {Set<string>} */
  const seen = new Set();
  for (const [name, board] of /** @type {const} */ ([
    ['Kaya', 'kaya'],
    ['Maple', 'maple'],
    ['Cherry', 'cherry'],
    ['Walnut', 'walnut'],
    ['Plain', 'plain'],
  ])) {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Board color').selectOption(name);
    await page.locator(`[data-board=${board}]`).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(
      ([paint, before]) => !before.includes(new Function(`return (${paint})()`)()),
      /** @type {const} */ ([String(ground), [...seen]]),
    );
    seen.add(await page.evaluate(ground));
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      const contrast = await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'));
        const light = (/** @type {string} */ name) => {
          probe.style.color = `var(--${name})`;
          const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
        };
        const ratio = light('wood') / light('wood-ink');
        probe.remove();
        return ratio;
      });
      assert.ok(contrast >= 4.5, `${name}, ${colorScheme}: ${contrast}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }
  assert.equal(seen.size, 5);
  await page.reload();
  await page.locator('[data-board=plain]').waitFor();
  assert.deepEqual(complaints, []);
});

test('the volume is that of every sound, the settings play one, and the device rests in silence', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await context.addInitScript(() => {
    const gains = /** @type {number[]} */ ([]);
    const node = () => ({ frequency: {}, connect: (/** @type {unknown} */ to) => to, start() {}, stop() {} });
    Object.assign(window, {
      gains,
      AudioContext: class {
        state = 'running';
        currentTime = 0;
        constructor() {
          Object.assign(window, { device: this });
        }
        async suspend() {
          this.state = 'suspended';
        }
        async resume() {
          this.state = 'running';
        }
        createOscillator = node;
        createGain = () => ({
          ...node(),
          gain: {
            setValueAtTime: (/** @type {number} */ value) => gains.push(value),
            exponentialRampToValueAtTime() {},
          },
        });
      },
    });
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Settings' }).click();
  const played = async () => page.evaluate(() => Reflect.get(window, 'gains').splice(0));
  const test = page.getByRole('button', { name: 'Test sound' });
  await test.click();
  const loud = await played();
  assert.ok(loud.length > 0);
  await page.waitForFunction(() => Reflect.get(window, 'device').state === 'suspended');
  await test.click();
  assert.deepEqual(await played(), loud);
  assert.equal(await page.evaluate(() => Reflect.get(window, 'device').state), 'running');
  await page.getByLabel('Volume').fill('50');
  await played();
  await test.click();
  assert.deepEqual(
    await played(),
    loud.map((/** @type {number} */ gain) => gain / 2),
  );
  await page.getByLabel('Volume').fill('0');
  await test.click();
  assert.deepEqual(await played(), []);
  await page.getByLabel('Volume').fill('50');
  await page.getByLabel('Sounds').uncheck();
  assert.equal(await test.isDisabled(), true);
  await page.reload();
  await page.getByRole('button', { name: 'Settings' }).click();
  assert.equal(await page.getByLabel('Volume').inputValue(), '50');
  assert.deepEqual(complaints, []);
});
