// Takes pictures of the main screens: `node tests/page/screenshots.mjs FOLDER [WORD]`.
// With a word, only those whose names contain it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { PHONE, Server, openBrowser, put, sees, visitor } from './harness.mjs';

const [, , folder = 'target/screenshots', word = ''] = process.argv;
const DESK = { viewport: { width: 1280, height: 800 } };
/** A short game, Black first. */
const MOVES = ['h8', 'i9', 'i7', 'g9', 'j8', 'h9', 'f9', 'j9', 'k9', 'g7', 'h6', 'j7'];

await mkdir(folder, { recursive: true });
const server = await Server.start('--bot-pace', '300');
const browser = await openBrowser();

try {
  for (const [device, options] of /** @type {const} */ ([['desk', DESK], ['phone', PHONE]])) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const ann = await visitor(browser, server, { ...options, colorScheme });
      const bob = await visitor(browser, server, { ...DESK });
      /** @param {string} name */
      const shoot = async (name) => {
        const file = `${name}-${device}-${colorScheme}.png`;
        if (file.includes(word)) await ann.page.screenshot({ path: join(folder, file) });
      };
      await ann.page.goto('/');
      await ann.page.evaluate(() => localStorage.setItem('fivefold.name', 'Ann'));
      await bob.page.goto('/');
      await bob.page.evaluate(() => localStorage.setItem('fivefold.name', 'Bob'));
      await ann.page.reload();
      await ann.page.waitForTimeout(1_500);
      await shoot('home');
      await ann.page.locator('.options > summary').click();
      await ann.page.locator('.options').getByLabel('Clock').selectOption({ label: '5+3' });
      await ann.page.getByLabel('Your colour').selectOption('black');
      await shoot('options');
      await ann.page.getByRole('button', { name: 'Play a friend' }).click();
      await ann.page.waitForURL('**/r/*');
      await ann.page.locator('.qr').waitFor();
      await shoot('invite');
      await bob.page.goto(new URL(ann.page.url()).pathname);
      await ann.page.getByRole('heading', { name: 'Your turn' }).waitFor();
      for (const [ply, point] of MOVES.entries()) {
        const mover = ply % 2 === 0 ? ann : bob;
        if (ply % 2 === 0 && device === 'phone') {
          await put(ann.page, point);
          await put(ann.page, point);
        } else {
          await put(mover.page, point);
        }
        await sees(ann.page, point, '');
        await sees(bob.page, point, '');
      }
      await bob.page.getByRole('button', { name: 'Offer a draw' }).click();
      await shoot('play');
      await ann.page.getByText('Bob offers a draw').waitFor();
      await shoot('offer');
      await bob.page.getByRole('button', { name: 'Undo' }).or(bob.page.getByText('You offered a draw')).first().waitFor();
      await bob.page.getByRole('button', { name: 'Resign' }).click();
      await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
      await shoot('won');
      await ann.page.goto('/games');
      await ann.page.locator('.game').first().waitFor();
      await shoot('games');
      await ann.page.getByRole('button', { name: 'Settings' }).click();
      await ann.page.locator('dialog').waitFor();
      await shoot('settings');
      await ann.page.keyboard.press('Escape');
      await ann.page.locator('.me').click();
      await ann.page.getByRole('button', { name: 'Show the link' }).click();
      await shoot('you');
      for (const one of [ann, bob]) {
        if (one.complaints.length > 0) console.error(device, colorScheme, one.complaints);
        await one.context.close();
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
