// QR codes of links, read back with an independent decoder.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import decode from 'jsqr';
import { encodeQr } from '../../server/web/ui/qr-encoder.js';
import { begin, stage, visitor } from './harness.mjs';

const at = stage();
/** Pixels for one module. */
const SCALE = 3;
/** Light modules around the code. */
const MARGIN = 4;
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
  const side = (rows.length + 2 * MARGIN) * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let at = 0; at < side * side; at += 1) {
    const dark = rows[Math.floor(at / side / SCALE) - MARGIN]?.[Math.floor((at % side) / SCALE) - MARGIN];
    if (dark) pixels.set([0, 0, 0, 255], 4 * at);
  }
  return decode(pixels, side, side)?.data;
}

test('every link has a code that reads as the link', () => {
  for (const link of LINKS) assert.equal(read(encodeQr(link) ?? []), link, `${link.length} bytes`);
});

test('codes of every length read as their text, up to the limit', () => {
  for (let length = 1; length <= 520; length += 1) {
    const text = 'x'.repeat(length);
    assert.equal(read(encodeQr(text) ?? []), text, `${length} bytes`);
  }
  assert.equal(encodeQr('x'.repeat(521)), undefined);
  assert.equal(encodeQr('ё'.repeat(261)), undefined);
});

test('the picture on the screen reads as the link beside it', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await begin(page, 'friend');
  const link = await page.getByLabel('Link to this room').inputValue();
  const picture = [...(await page.locator('.qr').screenshot())];
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
