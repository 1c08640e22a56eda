// The server comes back with an older backup: the page says how many moves are gone, and shows the server's board.

import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { test } from 'node:test';

import { faults } from './axe.mjs';
import { openBrowser, put, Server, sees, twoPlay } from './harness.mjs';

const LOST = 'Connection lost. Reconnecting…';

/** Puts a copy of a stopped server's folder in place of another. @param {string} from @param {string} to */
async function copy(from, to) {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true });
}

/** What each language says of so many moves. @type {[string, number, string][]} */
const TEXTS = [
  ['en', 1, 'The server was restored; the last 1 move is gone.'],
  ['en', 4, 'The server was restored; the last 4 moves are gone.'],
  ['ru', 1, 'Сервер восстановлен из копии; потерян 1 последний ход.'],
  ['ru', 4, 'Сервер восстановлен из копии; потеряны 4 последних хода.'],
  ['ru', 5, 'Сервер восстановлен из копии; потеряны 5 последних ходов.'],
  ['ru', 21, 'Сервер восстановлен из копии; потерян 21 последний ход.'],
  ['es', 1, 'El servidor se ha restaurado; se ha perdido la última jugada (1).'],
  ['es', 4, 'El servidor se ha restaurado; se han perdido las últimas 4 jugadas.'],
];

test('each language counts the moves', async () => {
  for (const [language, count, expected] of TEXTS) {
    const { texts } = await import(`../../server/web/language/${language}.js`);
    const rule = new Intl.PluralRules(language).select(count);
    assert.equal(texts.restored[rule].replace('{count}', count), expected);
  }
});

test('after an older backup the page says what is gone, and the game goes on from there', async () => {
  const server = await Server.start();
  const browser = await openBrowser();
  const [empty, backup] = [`${server.data}-empty`, `${server.data}-backup`];
  try {
    await server.terminate();
    await copy(server.data, empty);
    await server.again();
    const { ann, bob } = await twoPlay({ server, browser });
    await put(ann.page, 'h8');
    await sees(bob.page, 'h8', 'Black');
    await server.terminate();
    await copy(server.data, backup);
    await server.again();
    const pages = [ann.page, bob.page];
    await ann.page.getByText(LOST).waitFor({ state: 'hidden' });
    for (const [ply, point] of ['h9', 'i8', 'i9', 'j8'].entries()) {
      const [mover, other] = ply % 2 === 0 ? [bob.page, ann.page] : [ann.page, bob.page];
      await mover.getByRole('heading', { name: 'Your move' }).waitFor();
      await put(mover, point);
      await sees(other, point, ply % 2 === 0 ? 'White' : 'Black');
    }
    await server.terminate();
    for (const page of pages) {
      await page.getByText(LOST).waitFor();
      await page.evaluate(() => {
        const { news } = Object.assign(globalThis, { news: /** @type {string[]} */ ([]) });
        const polite = document.querySelector('.spoken[role=status]');
        if (polite)
          new MutationObserver(() => news.push(polite.textContent ?? '')).observe(polite, { childList: true });
      });
    }
    await copy(backup, server.data);
    await server.again();
    for (const page of pages) {
      await page.getByRole('alert').getByText('The server was restored; the last 4 moves are gone.').waitFor();
      await sees(page, 'j8', 'empty');
      await sees(page, 'h8', 'Black');
    }
    assert.deepEqual(await faults(ann.page), []);
    // It stands in place of the news that the connection is back.
    await ann.page.waitForTimeout(1_500);
    for (const page of pages) {
      const news = await page.evaluate(() => /** @type {{ news?: string[] }} */ (globalThis).news ?? []);
      assert.ok(!news.some((text) => text.startsWith('Connected again')), news.join());
      await page.getByRole('button', { name: 'Understood' }).click();
      await page.getByText('The server was restored').waitFor({ state: 'detached' });
    }
    await put(bob.page, 'g7');
    await sees(ann.page, 'g7', 'White');
    // A backup from before the room was made.
    await server.terminate();
    await copy(empty, server.data);
    await server.again();
    for (const page of pages)
      await page.getByText('the server was restored from a backup without it').first().waitFor();
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
  } finally {
    await browser.close();
    await server.stop();
    await Promise.all([empty, backup].map((folder) => rm(folder, { recursive: true, force: true })));
  }
});
