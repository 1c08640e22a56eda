// Collections: games from files of each kind, the import in the background, and who sees what.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { elsewhere, guest, own, signUp, TRUST } from './accounts.mjs';
import { faults } from './axe.mjs';
import { LIBRARY } from './engine-vectors.mjs';
import { PHONE, sees, shoot, stage } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);

/** Two games, the second of which plays on a stone. */
const SGF =
  '(;FF[4]GM[4]SZ[15]RU[renju]PB[Ann]PW[<b>Bob</b>]RE[B+]DT[2026-01-02];B[hh];W[ig](;B[ii])(;B[gg]))\n(;SZ[15];B[hh];W[hh])';
/** The second game is the first one, mirrored. */
const LISTS = 'standard 15x15\nh8 i9 j10\nh8 g9 f10\nh8 z99\n\nh8 a1 b2';

/** Somebody with an account. @param {string} name @param {object} [options] */
async function person(name, options) {
  const someone = await guest(at, { ...elsewhere(), ...options });
  await signUp(someone.page, name);
  return someone;
}

/** Makes a collection, and shows its page. @param {Page} page @param {string} name */
async function make(page, name) {
  await page.goto('/collections');
  await page.getByLabel('Name of the collection').fill(name);
  await page.getByRole('button', { name: 'Make collection' }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

/** Adds files. @param {Page} page @param {...[string, string | readonly number[]]} files */
async function add(page, ...files) {
  await page
    .locator('input[type=file]')
    .setInputFiles(files.map(([name, content]) => ({ name, mimeType: '', buffer: Buffer.from(content) })));
}

/** Waits until the import has ended like this. @param {Page} page @param {string} how */
async function ended(page, how) {
  await page
    .locator('.import strong')
    .getByText(new RegExp(` ${how}$`))
    .waitFor();
}

/** In the page: pastes a text, or drops files with texts. @param {string[]} what */
function bring([how, ...texts]) {
  const data = new DataTransfer();
  if (how === 'paste') data.setData('text/plain', texts[0] ?? '');
  else for (const [at, text] of texts.entries()) data.items.add(new File([text], `${at}.txt`));
  const type = { bubbles: true, cancelable: true };
  const event =
    how === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: data, ...type })
      : new DragEvent('drop', { dataTransfer: data, ...type });
  document.querySelector('.games')?.dispatchEvent(event);
}

/** So many games that differ, one a line: however they are turned, Black has h8 and i8, and White two of the points above.
 * @param {number} count */
function manyGames(count) {
  const above = Array.from(
    { length: 105 },
    (_, at) => `${String.fromCharCode(97 + (at % 15))}${9 + Math.floor(at / 15)}`,
  );
  const pairs = above.flatMap((one, at) => above.slice(at + 1).map((other) => `h8 ${one} i8 ${other}`));
  return pairs.slice(0, count).join('\n');
}

test('games come from files of each kind, and what could not be read is listed by file and line', async () => {
  const { page, complaints } = await person('Anja');
  await page.goto('/games');
  await page.getByRole('link', { name: 'Your collections' }).click();
  await page.getByText('No collections yet.').waitFor();
  assert.deepEqual(await faults(page), []);
  await make(page, 'Old games');
  await page.getByText('No games yet.').waitFor();
  assert.deepEqual(await faults(page), []);
  await add(
    page,
    ['a.sgf', SGF],
    ['book.lib', LIBRARY],
    ['lists.txt', LISTS],
    ['empty.sgf', ''],
    ['x.sgf', '\0\x01\x02'],
  );
  await ended(page, 'finished');
  const report = page.locator('.import');
  // One of the SGF, two lines of the library, two of the lists.
  await report.getByText('5 games added').waitFor();
  await report.getByText('1 duplicate was left out.').waitFor();
  await report.getByText('4 problems', { exact: true }).click();
  const problems = await report.locator('details').first().locator('li').allTextContents();
  assert.match(problems[0] ?? '', /^a\.sgf, line 2: move 2, h8: /);
  assert.match(problems[1] ?? '', /^lists\.txt, line 4: /);
  assert.match(problems[2] ?? '', /^empty\.sgf: There are no games in the file\.$/);
  assert.match(problems[3] ?? '', /^x\.sgf: This is not a game file\.$/);
  await report.getByText('Parts of games that were left out').click();
  await report.getByText('1 move of variations was left out').waitFor();
  assert.deepEqual(await faults(page), []);
  await shoot(page, 'collection');
  const waiting = page.waitForEvent('download');
  await report.getByRole('button', { name: 'Save the list' }).click();
  const saved = await readFile(await (await waiting).path(), 'utf8');
  assert.match(saved, /^a\.sgf:2: move 2, h8: .+\nlists\.txt:4: .+\nempty\.sgf: .+\nx\.sgf: .+\n$/);

  // The same again adds nothing.
  await page.locator('.collected').nth(4).waitFor();
  await add(page, ['a.sgf', SGF], ['book.lib', LIBRARY], ['lists.txt', LISTS]);
  await ended(page, 'finished');
  await report.getByText('0 games added').waitFor();
  await report.getByText('6 duplicates were left out.').waitFor();
  await report.getByRole('button', { name: 'Close' }).click();
  await report.waitFor({ state: 'detached' });
  assert.equal(await page.locator('.collected').count(), 5);

  // A pasted text is a file, too, and so are files that are dropped.
  for (const [how, ...texts] of /** @type {[string, ...string[]][]} */ ([
    ['paste', 'h8 b3 c4'],
    ['drop', 'h8 b3 c5', 'h8 b3 c6'],
  ])) {
    await page.evaluate(bring, [how, ...texts]);
    await ended(page, 'finished');
    await report.getByText(`${texts.length} game`).waitFor();
    await report.getByRole('button', { name: 'Close' }).click();
  }
  await page.getByText('8 games · private').waitFor();

  // A game opens in the analysis with its names, and is there once.
  for (let times = 0; times < 2; times += 1) {
    await page.locator('.collected a').first().click();
    await sees(page, 'i7', 'Black');
    await page.locator('.players').getByText('Ann – <b>Bob</b>').waitFor();
    assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
    await page.getByText('Your analyses (1)').waitFor();
    await page.getByRole('link', { name: 'Your collections' }).click();
    await page.locator('.collection').click();
  }
  assert.deepEqual(own(complaints), []);
});

test('an import goes on beside other views, and waits for the network and for the server', async () => {
  const { page, complaints } = await person('Boris', PHONE);
  await make(page, 'Many');
  /** How the first batches fail. @type {('abort' | 503)[]} */
  const failing = ['abort', 503, 'abort'];
  /** @type {number[]} */
  const sizes = [];
  let isHeld = true;
  let letGo = () => {};
  const held = new Promise((resolve) => {
    letGo = () => resolve(undefined);
  });
  await page.route('**/api/collections/*/games', async (route) => {
    const fails = failing.shift();
    if (fails === 'abort') return route.abort();
    if (fails)
      return route.fulfill({
        status: fails,
        headers: { 'retry-after': '1' },
        contentType: 'application/json',
        body: '{"reason":"busy","text":""}',
      });
    sizes.push(route.request().postDataJSON().games.length);
    if (sizes.length === 2 && isHeld) await held;
    return route.continue();
  });
  await add(page, ['many.txt', manyGames(500)], ['more.txt', manyGames(510)]);
  const shown = page.locator('.import');
  await shown.getByText('waiting for the network').waitFor();
  await shown.getByText('waiting for the server').waitFor();
  await shown.getByText('200 games added').waitFor();
  // The browser asks before the tab is closed.
  const asking = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asking;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await page.locator('.tabs').getByRole('link', { name: 'Puzzles' }).click();
  await page.locator('body > .import').waitFor();
  await page.locator('main > *').first().waitFor();
  assert.deepEqual(await faults(page), []);
  isHeld = false;
  letGo();
  await ended(page, 'finished');
  await shown.getByText('510 games added').waitFor();
  // Small files share a batch with those after them.
  assert.deepEqual(sizes, [200, 200, 200, 200, 200, 10]);
  await shown.getByRole('link', { name: 'Show' }).click();
  await page.locator('main .import').getByText('500 duplicates were left out.').waitFor();
  await page.getByText('510 games · private').waitFor();
  assert.deepEqual(
    complaints.filter((text) => !/status of 503/.test(text)),
    [],
  );
});

test('an import that was stopped is done again', async () => {
  const { page, complaints } = await person('Carla');
  await make(page, 'Stopped');
  let batches = 0;
  await page.route('**/api/collections/*/games', async (route) => {
    batches += 1;
    // The second one never comes back.
    if (batches !== 2) await route.continue();
  });
  await add(page, ['many.txt', manyGames(300)]);
  await page.locator('.import').getByText('200 games added').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(page, 'stopped');
  await page.locator('.import').getByText('The games added so far stay.').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.getByRole('button', { name: 'Import again' }).click();
  await ended(page, 'finished');
  await page.locator('.import').getByText('100 games added').waitFor();
  await page.locator('.import').getByText('200 duplicates were left out.').waitFor();
  assert.equal(await page.locator('.import').count(), 1);
  assert.deepEqual(own(complaints), []);
});

test('a collection is searched, changed, shared and deleted', async () => {
  const [ann, bob] = await Promise.all([person('Dora'), guest(at)]);
  await make(ann.page, 'First');
  const link = ann.page.url();
  const games = ['Ann', 'Ben', 'Čedo'].map((name, number) => `(;SZ[15]PB[${name}]PW[Eva];B[hh];W[i${'abc'[number]}])`);
  await add(ann.page, ['three.sgf', games.join('\n')]);
  await ended(ann.page, 'finished');
  const rows = ann.page.locator('.collected');
  await rows.nth(2).waitFor();
  await ann.page.getByLabel('Search by player').fill('čE');
  await ann.page.waitForFunction(() => document.querySelectorAll('.collected').length === 1);
  await rows.getByText('Čedo').waitFor();
  await ann.page.getByLabel('Search by player').fill('nobody');
  await ann.page.getByText('Nothing found.').waitFor();
  await ann.page.getByLabel('Search by player').fill('');
  await rows.nth(2).waitFor();

  await ann.page.getByRole('button', { name: 'Delete the game Ben – Eva' }).click();
  await rows.getByText('Ben – Eva was deleted.').waitFor();
  await ann.page.getByText('2 games · private').waitFor();
  await rows.getByRole('button', { name: 'Undo' }).click();
  await ann.page.getByText('3 games · private').waitFor();
  await ann.page.getByRole('button', { name: 'Delete the game Ben – Eva' }).waitFor();

  // Nobody else sees it before it is shared.
  await bob.page.goto(link);
  await bob.page.getByRole('heading', { name: 'Collection not found' }).waitFor();
  await ann.page.getByText('Change or delete the collection').click();
  await ann.page.getByLabel('Name of the collection').fill('  Second  ');
  await ann.page.getByLabel('Anyone with the link can see it').check();
  await ann.page.getByRole('button', { name: 'Save', exact: true }).click();
  await ann.page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
  await ann.page.getByRole('button', { name: 'Copy link' }).waitFor();
  await bob.page.reload();
  await bob.page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
  await bob.page.getByRole('link', { name: 'Dora' }).waitFor();
  assert.equal(await bob.page.locator('.collected').count(), 3);
  assert.equal(await bob.page.getByRole('button', { name: /Delete|Add games/ }).count(), 0);
  assert.deepEqual(await faults(bob.page), []);
  await bob.page.goto('/collections');
  await bob.page.getByText('Sign in or create an account.').waitFor();
  assert.deepEqual(await faults(bob.page), []);

  await ann.page.getByRole('button', { name: 'Delete collection' }).click();
  const dialog = ann.page.getByRole('dialog');
  await dialog.getByText('Delete “Second” with 3 games? This cannot be undone.').waitFor();
  await dialog.getByRole('button', { name: 'Delete collection' }).click();
  await ann.page.getByText('No collections yet.').waitFor();
  await bob.page.goto(link);
  await bob.page.getByRole('heading', { name: 'Collection not found' }).waitFor();
  for (const { complaints } of [ann, bob]) assert.deepEqual(own(complaints), []);
});

test('where the module does not run, an import says so', async () => {
  const { page } = await person('Fritz');
  await make(page, 'None');
  await page.route('**/engine/worker.js', (route) => route.abort());
  await add(page, ['a.sgf', SGF]);
  await ended(page, 'failed');
  await page.locator('.import').getByText('This browser can’t read files here.').waitFor();
});

for (const [language, collections] of [
  ['en', 'Your collections'],
  ['ru', 'Ваши коллекции'],
  ['es', 'Tus colecciones'],
]) {
  test(`collections fit on a small phone and at 200 %, in ${language}`, async () => {
    const { page } = await person(`Greta-${language}`);
    await make(page, 'Wolfgangundmaximilianhohenzollern, championship');
    const link = page.url();
    await page.evaluate(
      (code) => localStorage.setItem('fivefold.settings', JSON.stringify({ language: code })),
      language,
    );
    for (const viewport of [
      { width: 320, height: 568 },
      { width: 640, height: 360 },
    ]) {
      await page.setViewportSize(viewport);
      const check = async (/** @type {string} */ where) => {
        const wider = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return scrollWidth - clientWidth;
        });
        assert.ok(wider <= 0, `${where} is ${wider} px wider than ${viewport.width}`);
        assert.deepEqual(await faults(page), [], where);
      };
      await page.goto('/collections');
      await page.getByRole('heading', { name: collections }).waitFor();
      await page.locator('.collection').waitFor();
      await check('the list');
      await page.goto(link);
      await page.locator('.collections h1').waitFor();
      await add(page, ['averylongnameofafilethatgoesonandon.txt', LISTS]);
      await page.locator('.import-report:not([hidden])').waitFor();
      for (const summary of await page.locator('.collections summary').all()) await summary.click();
      await check('a collection');
      await page.goto('/games');
      await page.getByRole('link', { name: collections }).waitFor();
      await check('the games');
    }
  });
}
