// Codes for cameras: whether a link has one, with what a camera finds it by.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { qr } from '../../server/web/qr.js';

test('every link that is short enough has a code, and a longer one none', () => {
  for (const length of [1, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, 134]) {
    const rows = qr('x'.repeat(length)) ?? [];
    // Finders in three corners, and the alternating line between two of them.
    const [side, last] = [rows.length, rows.length - 1];
    assert.ok(side >= 21 && side <= 41 && side % 4 === 1, `${length}: ${side}`);
    for (const [x = 0, y = 0] of [[0, 0], [last - 6, 0], [0, last - 6]]) {
      const finder = Array.from({ length: 7 }, (_, down) => (rows[y + down] ?? []).slice(x, x + 7).map(Number).join(''));
      assert.deepEqual(finder, ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'], `${length}`);
    }
    assert.match((rows[6] ?? []).slice(6, last - 5).map(Number).join(''), /^(10)+1$/);
  }
  assert.equal(qr('x'.repeat(135)), undefined);
  assert.equal(qr('ё'.repeat(68)), undefined);
});
