// Takes pictures of the openings' steps: `node tests/page/screenshots-openings.mjs FOLDER [WORD]`.
// With a word, only those whose names contain it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { accept, begin, openBrowser, PHONE, put, Server, sees, visitor } from './harness.mjs';

const [, , folder = 'target/screenshots', word = ''] = process.argv;
const DESK = { viewport: { width: 1280, height: 800 } };
const LANDSCAPE = { ...PHONE, viewport: { width: 863, height: 360 } };

await mkdir(folder, { recursive: true });
const server = await Server.start({ 'no-demo': false });
const browser = await openBrowser();

/**
 * Two players in a room with this opening, and a camera for the screen of the one who acts.
 * @param {string} device @param {import('playwright-core').BrowserContextOptions} options
 * @param {'light' | 'dark'} colorScheme @param {object} game
 */
async function opened(device, options, colorScheme, game) {
  const kept = {
    name: 'fivefold.options',
    value: JSON.stringify({ variant: 'freestyle', size: '15', clock: 3, colour: 'black', ...game }),
  };
  const storageState = { cookies: [], origins: [{ origin: server.url, localStorage: [kept] }] };
  const [ann, bob] = [
    await visitor(browser, server, { ...options, colorScheme, storageState }, 'Ann'),
    await visitor(browser, server, { ...options, colorScheme }, 'Bob'),
  ];
  await ann.page.goto('/');
  await begin(ann.page, 'friend');
  await accept(bob.page, await ann.page.getByLabel('Link to this room').inputValue());
  await ann.page.locator('.opening').waitFor();
  return {
    ann: ann.page,
    bob: bob.page,
    /** @param {import('playwright-core').Page} page @param {string} name */
    async shoot(page, name) {
      await page.waitForTimeout(900);
      const file = `opening-${name}-${device}-${colorScheme}.png`;
      if (file.includes(word)) await page.screenshot({ path: join(folder, file) });
    },
    async close() {
      for (const one of [ann, bob]) {
        if (one.complaints.length > 0) console.error(device, colorScheme, one.complaints);
        await one.context.close();
      }
    },
  };
}

/** @param {import('playwright-core').Page} page @param {string[]} names */
async function place(page, names) {
  for (const name of names) {
    await put(page, name);
    await sees(page, name, '(Black|White|empty, offered)');
  }
}

/** @param {import('playwright-core').Page} page @param {string | RegExp} name */
const press = (page, name) => page.locator('.opening').getByRole('button', { name }).click();

try {
  for (const [device, options, scheme] of /** @type {const} */ ([
    ['desk', DESK, 'light'],
    ['phone', PHONE, 'light'],
    ['landscape', LANDSCAPE, 'light'],
  ])) {
    const swap2 = await opened(device, options, scheme, { opening: 'swap2' });
    await place(swap2.ann, ['h8', 'i9']);
    await swap2.shoot(swap2.ann, 'put');
    await place(swap2.ann, ['j6']);
    await press(swap2.ann, 'Confirm');
    await swap2.bob.locator('.choice').waitFor();
    await swap2.shoot(swap2.bob, 'choose');
    await swap2.shoot(swap2.ann, 'wait');
    await press(swap2.bob, /^Play Black/);
    await swap2.ann.getByRole('heading', { name: 'Your move' }).waitFor();
    await swap2.shoot(swap2.ann, 'over');
    await swap2.close();

    const rif = await opened(device, options, scheme, { opening: 'rif', variant: 'renju' });
    await place(rif.ann, ['h8', 'h9']);
    await rif.shoot(rif.ann, 'zone');
    await place(rif.ann, ['h7']);
    await press(rif.ann, 'Confirm');
    await press(rif.bob, /^Keep White/);
    await rif.bob.getByText('Stone 1 of 1').waitFor();
    await put(rif.bob, 'h6');
    await rif.ann.getByText('Offered 0 of 2').waitFor();
    await put(rif.ann, 'g8');
    await put(rif.ann, 'i7');
    await rif.shoot(rif.ann, 'same');
    await place(rif.ann, ['g9']);
    await press(rif.ann, 'Confirm');
    await sees(rif.bob, 'g9', 'empty, offered');
    await rif.shoot(rif.bob, 'select');
    await rif.close();

    const pro = await opened(device, options, scheme, { opening: 'pro' });
    await put(pro.ann, 'h8');
    await pro.bob.getByText('you place a stone').waitFor();
    await put(pro.bob, 'i8');
    await pro.ann.getByText('The middle 5×5 is not allowed.').waitFor();
    await pro.shoot(pro.ann, 'beyond');
    await pro.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
