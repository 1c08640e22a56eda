// The moves of a review that turned the game.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decidingMoves } from '../../server/web/analysis/deciding-moves.js';

/** @param {number[]} losses @param {number} [decided] */
const kinds = (losses, decided) =>
  decidingMoves({ moves: losses.map((loss) => ({ value: { chance: 0.5 }, loss, line: [] })), decided }).map(
    ({ ply, kind }) => [ply, kind],
  );

test('the move that decided is a mistake where its player lost by it', () => {
  assert.deepEqual(kinds([0, 0.15, 0.3, 0.1], 3), [
    [1, 'mistake'],
    [2, 'blunder'],
    [3, 'decided'],
  ]);
  assert.deepEqual(kinds([0, 0.15, 0.66, 0], 2), [
    [1, 'mistake'],
    [2, 'blunder'],
  ]);
  assert.deepEqual(kinds([0, 0.2, 0, 0], 1), [[1, 'mistake']]);
  assert.deepEqual(
    kinds([0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.16], 6).at(-1),
    [6, 'mistake'],
    'however many others lost more',
  );
  assert.deepEqual(kinds([0, 0]), []);
});
