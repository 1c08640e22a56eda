// QR codes of links, read back with an independent decoder.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import decode from 'jsqr';

import { stage, visitor } from './harness.mjs';
import { qrModules } from '../../server/web/qr-code.js';

const at = stage();
/** Pixels for one module. */
const SCALE = 3;
const IDENTITY = '0123456789abcdef'.repeat(4);
const LINKS = [
  'http://localhost/',
  'http://127.0.0.1:8080/r/k7m2qpxw9abc',
  `https://fivefold.example.org/#identity=${IDENTITY}&name=Ann`,
  `https://fivefold.example.org/#identity=${IDENTITY}&name=${encodeURIComponent('Ж'.repeat(24))}`,
  // The longest name that there is, and an address of 64 characters.
  `https://${'a'.repeat(56)}/#identity=${IDENTITY}&name=${encodeURIComponent('😀'.repeat(24))}`,
];

/** @param {boolean[][]} rows */
function read(rows) {
  const side = rows.length * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4);
  for (let at = 0; at < side * side; at += 1) {
    const dark = rows[Math.floor(at / side / SCALE)]?.[Math.floor((at % side) / SCALE)];
    pixels.set([dark ? 0 : 255, dark ? 0 : 255, dark ? 0 : 255, 255], 4 * at);
  }
  return decode(pixels, side, side)?.data;
}

test('every link has a code that reads as the link', () => {
  for (const link of LINKS) assert.equal(read(qrModules(link) ?? []), link, `${link.length} bytes`);
});

test('codes of every size read as their text, up to the limit', () => {
  for (const length of [1, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, 134, 135, 192, 271, 367, 425, 520]) {
    const text = 'x'.repeat(length);
    assert.equal(read(qrModules(text) ?? []), text, `${length} bytes`);
  }
  assert.equal(qrModules('x'.repeat(521)), undefined);
  assert.equal(qrModules('ё'.repeat(261)), undefined);
});

test('the picture on the screen reads as the link beside it', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await page.getByRole('button', { name: 'Play a friend' }).click();
  const link = await page.getByLabel('Link to this room').inputValue();
  const picture = [...await page.locator('.qr').screenshot()];
  const { data, width, height } = await page.evaluate(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const pixels = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? [];
    return { data: [...pixels], width: bitmap.width, height: bitmap.height };
  }, picture);
  assert.equal(decode(Uint8ClampedArray.from(data), width, height)?.data, link);
  assert.deepEqual(complaints, []);
});
