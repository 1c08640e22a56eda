// The analysis: trees from files and to files, by button, by drag and drop and by paste; better moves; and games
// that go on from a position.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { LIBRARY } from './engine-vectors.mjs';
import { put, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();
const SGF =
  '(;FF[4]GM[4]SZ[15]RU[renju]PB[Ann]PW[<b>Bob</b>]C[The start];B[hh](;W[ig]C[first];B[ii])(;W[hi]C[<img src=x onerror=alert(1)>]))';

/** @param {Page} page */
const moves = (page) => page.locator('.tree .move').allTextContents();

/** Puts a file on the page as a person does by dragging it. @param {Page} page @param {string} name @param {readonly number[]} bytes @param {'drop' | 'paste'} how */
function bring(page, name, bytes, how) {
  return page.evaluate(
    ([called, content, type]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], called));
      const target = document.querySelector('.board-stage');
      if (type === 'paste')
        return target?.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      for (const step of ['dragover', 'drop'])
        target?.dispatchEvent(new DragEvent(step, { dataTransfer: data, bubbles: true, cancelable: true }));
      return undefined;
    },
    /** @type {const} */ ([name, bytes, how]),
  );
}

test('SGF with variations and comments comes in by each way, and goes out as it came', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  page.on('dialog', () => assert.fail('something ran'));
  const bytes = [...Buffer.from(SGF)];
  /** @type {Record<string, () => Promise<unknown>>} */
  const ways = {
    button: () =>
      page
        .getByLabel('Open a file')
        .setInputFiles({ name: 'game.sgf', mimeType: 'application/x-go-sgf', buffer: Buffer.from(SGF) }),
    drop: () => bring(page, 'game.sgf', bytes, 'drop'),
    'a pasted file': () => bring(page, 'game.sgf', bytes, 'paste'),
    'a pasted text': () =>
      page.evaluate((text) => {
        const data = new DataTransfer();
        data.setData('text/plain', text);
        document.body.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      }, SGF),
  };
  for (const [way, open] of Object.entries(ways)) {
    await page.goto('/');
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.goto('/analyse');
    await page.getByRole('button', { name: 'Open a file' }).waitFor();
    await open();
    await page.locator('.file-status').getByText('4 moves read.').waitFor();
    assert.deepEqual(await moves(page), ['h8', 'i9', 'h7', 'i7'], way);
    assert.deepEqual(
      await page.locator('.tree-comment').allTextContents(),
      ['The start', 'first', '<img src=x onerror=alert(1)>'],
      way,
    );
  }
  await page.getByText('Ann – <b>Bob</b>').waitFor();
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save SGF' }).click();
  const saved = await readFile(await (await waiting).path(), 'utf8');
  for (const part of ['RU[renju]', 'PB[Ann]', 'C[The start]', 'C[first]', '(\n;W[hi]C[<img src=x onerror=alert(1)>])'])
    assert.ok(saved.includes(part), `${part}: ${saved}`);
  // The same tree again.
  await page.getByRole('button', { name: 'New analysis' }).click();
  await page.getByLabel('Open a file').setInputFiles({ name: 'again.sgf', mimeType: '', buffer: Buffer.from(saved) });
  await page.locator('.file-status').getByText('4 moves read.').waitFor();
  await page.locator('.tree .move').nth(3).waitFor();
  assert.deepEqual(await moves(page), ['h8', 'i9', 'h7', 'i7']);
  assert.deepEqual(complaints, []);
});

test('PSQ holds the shown line, and libraries of RenLib are read', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#renju/');
  await page.getByLabel('Open a file').setInputFiles({ name: 'book.lib', mimeType: '', buffer: Buffer.from(LIBRARY) });
  await page.locator('.file-status').getByText('3 moves read.').waitFor();
  assert.deepEqual(await moves(page), ['h8', 'h7', 'i9']);
  assert.deepEqual(await page.locator('.tree-comment').allTextContents(), ['é']);
  await page.locator('.tree').getByRole('button', { name: '2. i9' }).click();
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save PSQ' }).click();
  const saved = await readFile(await (await waiting).path(), 'utf8');
  assert.match(saved, /^Piskvorky 15x15, 11:11, 0\r\n8,8\r\n9,7\r\n/);
  await page.getByLabel('Open a file').setInputFiles({ name: 'line.psq', mimeType: '', buffer: Buffer.from(saved) });
  await page.locator('.file-status').getByText('2 moves read.').waitFor();
  await sees(page, 'i9', 'White');
  assert.deepEqual(complaints, []);
});

test('a broken file says why, and loses nothing', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8i9');
  await page.locator('.tree .move').nth(1).waitFor();
  /** @type {[Buffer, RegExp][]} */
  const files = [
    [Buffer.from('(;SZ[15];B[hh](;W[ig'), /^Line 1 is not part of a game.*`\]` is missing/],
    [Buffer.from(LIBRARY.slice(0, -2)), /^Line 1 is not part of a game.*byte 26: a variation is missing/],
    [Buffer.from([0, 1, 2, 3, 255]), /^“x.sgf” is not a game file\. SGF, PSQ/],
    [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0', 'latin1'), /^“x.sgf” is not a game file/],
    [Buffer.from('<!doctype html><title>A page</title>'), /^“x.sgf” is not a game file/],
    [Buffer.from('h8 i9 z99'), /^Line 1 is not part of a game/],
    [Buffer.from(''), /^No moves were found/],
  ];
  for (const [buffer, expected] of files) {
    await page.getByLabel('Open a file').setInputFiles({ name: 'x.sgf', mimeType: '', buffer });
    await page.locator('.file-status').getByText(expected).waitFor();
    assert.deepEqual(await moves(page), ['h8', 'i9']);
  }
  // Moves against the rules are left out, with the reason.
  await page
    .getByLabel('Open a file')
    .setInputFiles({ name: 'x.sgf', mimeType: '', buffer: Buffer.from('(;SZ[15];B[hh](;W[hh];B[aa])(;W[ii]))') });
  await page
    .locator('.file-status')
    .getByText(/^2 moves read\. 2 moves were left out\. Move 2 cannot be played: There is a stone/)
    .waitFor();
  await page.getByRole('button', { name: 'Back to the analysis before' }).click();
  await sees(page, 'i9', 'White');
  assert.deepEqual(
    complaints.filter((text) => !/status of 4/.test(text)),
    [],
  );
});

test('where the module does not run, the server reads a text', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.route('**/engine/worker.js', (route) => route.abort());
  await page.goto('/analyse');
  await page.getByText('Read text').click();
  await page.getByLabel('SGF, PSQ, or moves').fill(SGF);
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.locator('.file-status').getByText('3 moves read.').waitFor();
  await page.getByRole('button', { name: 'Save SGF' }).click();
  await page.locator('.file-status').getByText('This browser can’t read files here.').waitFor();
});

test('the engine’s lines and better moves become variations', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle/h8i9h9h10g8a1i8o15j8a15f8');
  await page.getByText('Black won').waitFor();
  await page.getByRole('button', { name: 'Review the main line' }).click();
  await page.getByRole('slider', { name: 'Value of the game' }).waitFor({ timeout: 90_000 });
  const better = page.locator('.tree .better').first();
  await better.waitFor();
  const point = ((await better.textContent()) ?? '').replace('better: ', '');
  await better.click();
  await page.locator('.tree ul .move[aria-current=step]', { hasText: point }).waitFor();
  assert.equal(await page.locator('.tree > .move').count(), 11, 'the main line stays, and so does its review');
  assert.ok(await page.getByRole('slider', { name: 'Value of the game' }).isVisible());
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.tree ul').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'First move' }).click();
  await page.getByRole('button', { name: 'Next move' }).click();
  // Three lines are there by themselves. A press on a move adds the line up to it.
  await page.waitForFunction(() => document.querySelectorAll('.lines li').length === 3);
  const third = page.locator('.lines li').nth(1).locator('.line').nth(2);
  await third.waitFor();
  await third.evaluate((button) => button instanceof HTMLElement && button.click());
  await page.getByText('4 moves', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a game goes on from a position, against any level', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/analyse#freestyle-20/h8i9h9');
  await sees(page, 'h9', 'Black');
  await page.getByRole('link', { name: 'Play on from here' }).click();
  await page.getByText('The game goes on after 3 moves. Gomoku (freestyle) · 20×20').waitFor();
  assert.equal(await page.getByLabel('Your color').inputValue(), 'white');
  await page.locator('.level label', { hasText: /^2$/ }).click();
  await page.getByRole('button', { name: 'Play the bot (level 2)' }).click();
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await page.getByText('3 moves', { exact: true }).waitFor();
  await put(page, 'g8');
  await page.getByText('5 moves', { exact: true }).waitFor();
  // It goes on after a reload, too.
  await page.reload();
  await page.getByRole('button', { name: 'Continue the game' }).click();
  await page.getByText('5 moves', { exact: true }).waitFor();
  await sees(page, 'h9', 'Black');
  await sees(page, 'g8', 'White');
  // With the other color, the bot moves next.
  await page.goto('about:blank');
  await page.goto('/local#renju/h8i9h9');
  await page.getByLabel('Your color').selectOption('black');
  await page.getByRole('button', { name: 'Play the bot (level 2)' }).click();
  await page.getByText('4 moves', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('files in other encodings are read as by the command line', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.getByRole('button', { name: 'Open a file' }).waitFor();
  const table = await readFile(new URL('../../shared/testdata/encodings.txt', import.meta.url), 'utf8');
  const lines = table.split('\n').filter((line) => line && !line.startsWith('#'));
  assert.ok(lines.length > 10);
  for (const line of lines) {
    const [hex = '', ...words] = line.split(' ');
    const text = words.join(' ');
    const [, black, white] = /PB\[(.*?)\]PW\[(.*?)\]/.exec(text) ?? [];
    await page.evaluate(() => document.querySelector('.players')?.replaceChildren());
    await bring(page, 'game.sgf', [...Buffer.from(hex, 'hex')], 'drop');
    await page.getByText(`${black} – ${white}`, { exact: true }).waitFor();
  }
  await bring(page, 'picture.sgf', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d], 'drop');
  await page.locator('.file-status').getByText('“picture.sgf” is not a game file.').waitFor();
});

test('the page names the parts of a file that it left out, and offers its other games', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/analyse');
  await page.getByRole('button', { name: 'Open a file' }).waitFor();
  const text = '(;SZ[15]RU[moon];B[hh];B[ii];W[])(;SZ[15];B[aa];W[bb];B[cc])';
  await bring(page, 'games.sgf', [...Buffer.from(text)], 'drop');
  const status = page.locator('.file-status');
  await status
    .getByText(
      '1 move read. The file has 1 more game. The file’s rules “moon” are not known. ' +
        '1 stone out of turn was left out: B[ii]. 1 pass was left out.',
    )
    .waitFor();
  await page.getByLabel('Game of the file').selectOption({ label: '2 of 2' });
  await status.getByText('3 moves read.').waitFor();
  assert.deepEqual(await moves(page), ['a15', 'b14', 'c13']);
  assert.equal(await page.getByLabel('Game of the file').inputValue(), '2');
  await bring(page, 'one.sgf', [...Buffer.from('(;SZ[15];B[hh])')], 'drop');
  await status.getByText('1 move read.').waitFor();
  assert.equal(await page.getByLabel('Game of the file').isVisible(), false);
});
