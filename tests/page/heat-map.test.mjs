// Marks of the heat map, made from weights.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heatMarks, weightText } from '../../server/web/board/heat-map.js';

test('a weight has at most five characters', () => {
  /** @type {[number, number | undefined, string][]} */
  const cases = [
    [0, undefined, '0'],
    [0.1, undefined, '0.1'],
    [0.25, undefined, '0.3'],
    [8.2, undefined, '8.2'],
    [12.8, undefined, '13'],
    [999, undefined, '999'],
    [1000, undefined, '1k'],
    [7700, undefined, '7.7k'],
    [209_998.9, undefined, '210k'],
    [-4, undefined, '−4'],
    [10, 3, '#3'],
    [-10, 4, '−#4'],
    [0, 9, '0'],
  ];
  for (const [weight, plies, text] of cases) assert.equal(weightText({ weight, plies }), text);
});

test('the greatest weights are the best, and drawn last', () => {
  const marks = heatMarks([
    { point: [0, 0], weight: 5 },
    { point: [1, 0], weight: 1 },
    { point: [2, 0], weight: 5 },
  ]);
  assert.deepEqual(
    marks.map(({ point, strength, best }) => [point[0], strength, best]),
    [
      [1, 0, false],
      [0, 1, true],
      [2, 1, true],
    ],
  );
});

test('where all are equal none is the best', () => {
  const marks = heatMarks([
    { point: [0, 0], weight: 0 },
    { point: [1, 0], weight: 0 },
  ]);
  assert.deepEqual(
    marks.map(({ strength, best }) => [strength, best]),
    [
      [0.5, false],
      [0.5, false],
    ],
  );
});

test('no candidates make no marks', () => assert.deepEqual(heatMarks([]), []));
