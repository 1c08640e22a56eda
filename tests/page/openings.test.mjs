// Openings: stones that wait to be confirmed, choices with their consequences, offered fifth stones, and
// the same stones, seats and colors for everybody.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accept, begin, choose, PHONE, put, sees, stage, unfold, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { BrowserContextOptions } from 'playwright-core' */

const at = stage();
const LANDSCAPE = { ...PHONE, viewport: { width: 863, height: 360 } };

/**
 * Ann has made a room with this opening and begins; Bob has come.
 * @param {object} options of the game @param {BrowserContextOptions} [screen] Ann's and Bob's
 */
async function opened(options, screen = {}) {
  const kept = {
    name: 'fivefold.options',
    value: JSON.stringify({ variant: 'freestyle', size: '15', clock: 0, colour: 'black', ...options }),
  };
  const storageState = { cookies: [], origins: [{ origin: at.server.url, localStorage: [kept] }] };
  const ann = await visitor(at.browser, at.server, { ...screen, storageState }, 'Ann');
  const bob = await visitor(at.browser, at.server, screen, 'Bob');
  await ann.page.goto('/');
  await begin(ann.page, 'friend');
  const link = await ann.page.getByLabel('Link to this room').inputValue();
  await accept(bob.page, link);
  return { ann, bob, link };
}

/** @param {Page} page @param {string} text */
const title = (page, text) => page.getByRole('heading', { name: text }).waitFor();
/** @param {Page} page @param {string | RegExp} text */
const shows = (page, text) => page.locator('.opening').getByText(text).first().waitFor();
/** That somebody did something, in the list of the opening's acts. @param {Page} page @param {string} text */
const tells = (page, text) => page.locator('.opening-lines').getByText(text).waitFor({ state: 'attached' });
/** @param {Page} page @param {string | RegExp} name */
const press = (page, name) => page.locator('.opening').getByRole('button', { name }).click();

/**
 * Places stones that wait, and confirms them.
 * @param {Page} page @param {string[]} names
 */
async function placeAll(page, names) {
  await page.locator('.opening').getByRole('button', { name: 'Confirm' }).waitFor();
  for (const name of names) {
    await put(page, name);
    await sees(page, name, '(Black|White|empty, offered)');
  }
  await press(page, 'Confirm');
}

/**
 * Puts the one stone that the opening asks for.
 * @param {Page} page @param {string} name
 */
async function putOne(page, name) {
  await page.locator('.opening').getByText('Stone 1 of 1').waitFor();
  await put(page, name);
}

/** The three stones of swap2, confirmed. @param {{ ann: { page: Page }, bob: { page: Page } }} both */
async function threePlaced({ ann, bob }) {
  await title(ann.page, 'Opening: Swap2 – you place three stones');
  await title(bob.page, 'Opening: Swap2 – Ann places three stones');
  await placeAll(ann.page, ['h8', 'h9', 'j10']);
  await title(bob.page, 'Opening: Swap2 – you choose');
}

test('an opening is chosen among those that the rules offer', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, {}, 'Ann');
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  const opening = page.getByLabel('Opening');
  await opening.locator('option', { hasText: 'Swap2' }).waitFor({ state: 'attached' });
  assert.deepEqual(await opening.locator('option').allTextContents(), [
    'Free',
    'Swap1 (pie)',
    'Swap',
    'Swap2',
    'Pro',
    'Long Pro',
  ]);
  await opening.selectOption('swap2');
  await page.locator('.options').getByText('The other picks a side, or places two more').waitFor();
  await page.locator('.options summary').getByText('Swap2').waitFor();
  await page.locator('.options').getByLabel('Rules').selectOption('renju');
  await opening.locator('option', { hasText: 'Taraguchi-10' }).waitFor({ state: 'attached' });
  assert.equal(await opening.inputValue(), 'swap2', 'an opening that the new rules offer too stays chosen');
  await page.locator('.options').getByLabel('Rules').selectOption('mnk');
  await page.waitForFunction(
    () => document.querySelectorAll('.opening-how').length === 1 && !document.querySelector('option[value=swap2]'),
  );
  assert.equal(await opening.inputValue(), 'free');
  assert.deepEqual(complaints, []);
});

test('swap2: stones wait to be confirmed, and the second player takes White', async () => {
  const both = await opened({ opening: 'swap2' });
  const { ann, bob } = both;
  await shows(ann.page, 'Stone 1 of 3: black');
  await shows(ann.page, 'Keep it even: Bob can pick the better side.');
  assert.ok(await ann.page.getByRole('button', { name: 'Confirm' }).isDisabled());
  await put(ann.page, 'h8');
  await shows(ann.page, 'Stone 2 of 3: white');
  await put(ann.page, 'a1');
  await sees(ann.page, 'a1', 'White');
  await press(ann.page, 'Undo');
  await sees(ann.page, 'a1', 'empty');
  await sees(bob.page, 'h8', 'empty');
  await press(ann.page, 'Undo');
  await threePlaced(both);
  for (const page of [ann.page, bob.page]) await sees(page, 'j10', 'Black');
  await bob.page.getByRole('button', { name: 'Play Black Ann places the next stone' }).waitFor();
  const free = bob.page.getByRole('button', { name: /Take back|Offer draw/, disabled: false });
  assert.equal(await free.count(), 0);
  await press(bob.page, 'Play White You place the next stone');
  await title(bob.page, 'Your move');
  for (const [page, first, second] of /** @type {const} */ ([
    [ann.page, 'You', 'Bob'],
    [bob.page, 'Ann', 'You'],
  ])) {
    await tells(page, `${second} kept White`);
    await tells(page, `The opening is over. Black: ${first}.`);
  }
  await put(bob.page, 'i9');
  for (const page of [ann.page, bob.page]) await sees(page, 'i9', 'White');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('swap2: the second player takes Black, for a spectator who comes in the middle too', async () => {
  const both = await opened({ opening: 'swap2' });
  const { ann, bob, link } = both;
  await threePlaced(both);
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(link);
  await title(eve.page, 'Opening: Swap2 – Bob chooses');
  await tells(eve.page, 'Ann placed h8 h9 j10');
  for (const { page } of [ann, bob, eve])
    assert.equal(await page.locator('.plate').getByText('no color yet').count(), 2);
  await press(bob.page, 'Play Black Ann places the next stone');
  await title(ann.page, 'Your move');
  for (const [{ page }, first, second] of /** @type {const} */ ([
    [ann, 'You', 'Bob'],
    [bob, 'Ann', 'You'],
    [eve, 'Ann', 'Bob'],
  ])) {
    await tells(page, `${second} switched to Black`);
    // The black stone was Ann's, who is White now.
    if (page !== eve.page) await page.locator('.summary').getByText(`${first} played j10.`).waitFor();
    await page.locator('.plate.swapped').first().waitFor();
    await page.locator('.plate', { hasText: 'Bob' }).getByText('Black').waitFor();
  }
  await put(ann.page, 'i9');
  for (const { page } of [ann, bob, eve]) await sees(page, 'i9', 'White');
  await eve.page.reload();
  await tells(eve.page, 'Bob switched to Black');
  await eve.page.locator('.plate', { hasText: 'Bob' }).getByText('Black').waitFor();
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  const replay = await ann.page.getByRole('link', { name: 'Review game' }).getAttribute('href');
  await eve.page.goto(replay ?? '');
  await eve.page.locator('.opening-lines').getByText('Bob switched to Black').waitFor();
  // The line about it moves no move into the other color's column.
  const lefts = await eve.page
    .locator('.moves .move')
    .evaluateAll((moves) => moves.map((move) => move.getBoundingClientRect().x));
  assert.equal(lefts.length, 4);
  assert.deepEqual([lefts[0], lefts[1]], [lefts[2], lefts[3]]);
  await eve.page.locator('.about').getByText('Swap2').waitFor();
  await ann.page.goto('/games');
  await ann.page.locator('.game', { hasText: 'Swap2' }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints, ...eve.complaints], []);
});

test('swap2: two more stones, and the first player picks', async () => {
  const both = await opened({ opening: 'swap2' }, LANDSCAPE);
  const { ann, bob } = both;
  await threePlaced(both);
  await press(bob.page, 'Place two more stones Ann then picks a side');
  await shows(bob.page, 'Stone 1 of 2: white');
  await press(bob.page, 'Choose something else');
  await press(bob.page, /^Place two more/);
  await placeAll(bob.page, ['i9', 'g7']);
  await title(ann.page, 'Opening: Swap2 – you pick a side');
  await press(ann.page, 'Play Black Bob places the next stone');
  await title(bob.page, 'Your move');
  await put(bob.page, 'k9');
  for (const page of [ann.page, bob.page]) await sees(page, 'k9', 'White');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('pro: zones are kept, also by typed points', async () => {
  const { ann, bob } = await opened({ opening: 'pro' });
  await shows(ann.page, 'Only the point in the middle is allowed.');
  await put(ann.page, 'h9');
  await shows(ann.page, 'h9 is not allowed now.');
  await sees(ann.page, 'h9', 'empty, not allowed now');
  await put(ann.page, 'h8');
  await title(bob.page, 'Opening: Pro – you place a stone');
  await putOne(bob.page, 'a1');
  await shows(ann.page, 'The middle 5×5 is not allowed.');
  await put(ann.page, 'j9');
  await shows(ann.page, 'j9 is not allowed now.');
  await ann.page.getByRole('gridcell', { name: /^h8,/ }).focus();
  await ann.page.keyboard.type('k9');
  await ann.page.keyboard.press('Enter');
  await title(bob.page, 'Your move');
  await sees(bob.page, 'k9', 'Black');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('RIF on a phone: fifth stones that are the same count once, and White picks one', async () => {
  const { ann, bob } = await opened({ opening: 'rif', variant: 'renju' }, PHONE);
  await title(ann.page, 'Opening: RIF – you place three stones');
  await put(ann.page, 'h8');
  await shows(ann.page, 'Only the middle 3×3 is allowed.');
  await put(ann.page, 'h9');
  await shows(ann.page, 'Only the middle 5×5 is allowed.');
  await placeAll(ann.page, ['h7']);
  await press(bob.page, 'Keep White You place the next stone');
  await title(bob.page, 'Opening: RIF – you place a stone');
  // A touch shows the stone first.
  const box = await bob.page.getByRole('gridcell', { name: /^h6,/ }).boundingBox();
  assert.ok(box);
  for (const _ of ['shown', 'placed']) await bob.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await title(ann.page, 'Opening: RIF – you offer options for the fifth move');
  await put(ann.page, 'g8');
  await shows(ann.page, 'Offered 1 of 2.');
  await put(ann.page, 'i7');
  await shows(ann.page, 'Same as number 1, rotated or mirrored.');
  await shows(ann.page, 'Offered 1 of 2.');
  await put(ann.page, 'g8');
  await shows(ann.page, 'Offered 0 of 2.');
  await put(ann.page, 'g8');
  await placeAll(ann.page, ['g9']);
  await title(bob.page, 'Opening: RIF – you pick the fifth move');
  for (const { page } of [ann, bob]) await sees(page, 'g9', 'empty, offered, number 2');
  await put(bob.page, 'a1');
  await shows(bob.page, 'a1 is not offered.');
  await put(bob.page, 'g9');
  await title(bob.page, 'Your move');
  for (const [{ page }, first, second] of /** @type {const} */ ([
    [ann, 'You', 'Bob'],
    [bob, 'Ann', 'You'],
  ])) {
    await sees(page, 'g9', 'Black');
    await sees(page, 'g8', 'empty$');
    await tells(page, `${first} offered g8 g9`);
    await tells(page, `${second} picked g9`);
  }
  await put(bob.page, 'i6');
  for (const { page } of [ann, bob]) await sees(page, 'i6', 'White');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('Soosyrv-8: White says how many options for the fifth move Black offers', async () => {
  const { ann, bob } = await opened({ opening: 'soosyrv8', variant: 'renju' });
  await placeAll(ann.page, ['h8', 'h9', 'h7']);
  await press(bob.page, /^Keep White/);
  await putOne(bob.page, 'h6');
  await shows(bob.page, 'Say how many options for the fifth move Black will offer.');
  assert.ok(await bob.page.getByRole('button', { name: 'Confirm' }).isDisabled());
  await bob.page.getByLabel('How many options for the fifth move will Black offer? 1–8').selectOption('3');
  await press(bob.page, 'Confirm');
  await press(ann.page, 'Switch to White Bob offers 3 options for the fifth move');
  await title(bob.page, 'Opening: Soosyrv-8 – you offer options for the fifth move');
  await tells(bob.page, 'You: Black will offer 3 options for the fifth move');
  await placeAll(bob.page, ['g8', 'g9', 'k10']);
  await title(ann.page, 'Opening: Soosyrv-8 – you pick the fifth move');
  await put(ann.page, 'k10');
  await title(ann.page, 'Your move');
  await sees(bob.page, 'k10', 'Black');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('Taraguchi-10: sides change after each stone, and each stone is put by the right player', async () => {
  const { ann, bob } = await opened({ opening: 'taraguchi10', variant: 'renju' }, LANDSCAPE);
  await putOne(ann.page, 'h8');
  await press(bob.page, 'Switch to Black Ann places the next stone');
  await putOne(ann.page, 'h9');
  await press(bob.page, 'Keep Black You place the next stone');
  await putOne(bob.page, 'j10');
  await press(ann.page, 'Switch to Black Bob places the next stone');
  await putOne(bob.page, 'k8');
  await title(ann.page, 'Opening: Taraguchi-10 – you choose');
  const names = await ann.page.locator('.choice button').allTextContents();
  assert.deepEqual(names, [
    'Switch to WhiteBob places the next stone',
    'Place one fifth moveIn the middle 9×9. Bob may then switch',
    'Offer tenBob picks one',
  ]);
  await press(ann.page, /^Place one fifth/);
  await putOne(ann.page, 'a1');
  await shows(ann.page, 'a1 is not allowed now.');
  await put(ann.page, 'g6');
  await press(bob.page, 'Switch to Black Ann places the next stone');
  await title(ann.page, 'Your move');
  await put(ann.page, 'i7');
  for (const { page } of [ann, bob]) {
    await sees(page, 'i7', 'White');
    await page.locator('.plate', { hasText: 'Bob' }).getByText('Black').waitFor();
    assert.equal(
      await page
        .locator('.opening-lines')
        .getByText(/switched/)
        .count(),
      3,
    );
  }
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});
