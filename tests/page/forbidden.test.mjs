// The marks of renju's forbidden points, against the cases that the server's rules are tested with.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { forbiddenPoints } from '../../server/web/forbidden.js';
import { parsePoint } from '../../server/web/geometry.js';

const data = new URL('../../shared/testdata/', import.meta.url);
const cases = (/** @type {string} */ name) =>
  readFileSync(new URL(name, data), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** @import { Point } from '../../server/web/geometry.js' */

/** Stones as moves: which stone came when does not matter here.
 * @param {Point[]} black @param {Point[]} white @returns {Point[]} */
function moves(black, white) {
  assert.ok(white.length <= black.length);
  const nowhere = /** @type {Point} */ ([-1, -1]);
  return black.flatMap((point, index) => [point, white[index] ?? nowhere]);
}

test('every forbidden point of a position is marked, and no other', () => {
  for (const { size, black, white, forbidden } of cases('renju_points.jsonl')) {
    const found = forbiddenPoints(moves(black, white), [size, size]).map(String).sort();
    assert.deepEqual(found, forbidden.map((/** @type {[number, number]} */ [x, y]) => `${x},${y}`).sort());
  }
});

test('a point is marked exactly where the move is forbidden', () => {
  const point = (/** @type {string} */ name) => {
    const parsed = parsePoint(name, [15, 15]);
    assert.ok(parsed);
    return parsed;
  };
  for (const { black, white, move, forbidden, kind, source } of cases('renju_moves.jsonl')) {
    const found = forbiddenPoints(moves(black.map(point), white.map(point)), [15, 15]).map(String);
    assert.equal(found.includes(String(point(move))), forbidden, `${move} ${kind} ${source}`);
  }
});
