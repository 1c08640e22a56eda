// Where points are on the screen, and their names.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  boxAround,
  clamp,
  edgeHint,
  fit,
  nameStep,
  pan,
  parsePoint,
  pointAt,
  pointName,
  reveal,
  starPoints,
  toPixel,
  visible,
  zoom,
} from '../../server/web/board/board-geometry.js';

/** @import { Bounds, Point } from '../../server/web/board/board-geometry.js' */

const DESK = { width: 1000, height: 700 };
const PHONE = { width: 360, height: 360 };
/** @param {readonly number[]} actual @param {readonly number[]} expected */
const near = (actual, expected) =>
  actual.forEach((value, index) => {
    assert.ok(Math.abs(value - (expected[index] ?? NaN)) < 1e-6, `${actual} is not ${expected}`);
  });

test('a pixel leads back to the point that lies there', () => {
  for (const scale of [2, 7.3, 22.5, 96]) {
    const view = { x: 12.25, y: -7.5, scale };
    for (const point of /** @type {Point[]} */ ([
      [0, 0],
      [12, -8],
      [-300, 41],
      [999_999, -999_999],
    ])) {
      const [px, py] = toPixel(view, DESK, point);
      assert.deepEqual(pointAt(view, DESK, px, py, null), point);
      assert.deepEqual(pointAt(view, DESK, px + 0.4 * scale, py - 0.4 * scale, null), point);
    }
  }
});

test('there is no point outside the board', () => {
  const view = fit([15, 15], [], PHONE, true);
  assert.equal(pointAt(view, PHONE, 0, 180, [15, 15]), null);
  assert.deepEqual(pointAt(view, PHONE, ...toPixel(view, PHONE, [0, 14]), [15, 15]), [0, 14]);
  assert.equal(pointAt({ x: 1_000_000, y: 0, scale: 20 }, PHONE, 300, 180, null), null);
});

test('a board with borders fits whole, names included', () => {
  for (const bounds of /** @type {[number, number][]} */ ([
    [3, 3],
    [15, 15],
    [64, 10],
    [19, 64],
  ])) {
    for (const viewport of [DESK, PHONE]) {
      const view = fit(bounds, [], viewport, true);
      const seen = visible(view, viewport);
      assert.ok(seen.left <= -1 && seen.top <= -0.6, 'the names on the left, and the rim above');
      assert.ok(seen.right >= bounds[0] - 0.4 && seen.bottom >= bounds[1] - 0.001);
    }
  }
});

test('fit shows every stone of the board without borders, and is not too near', () => {
  /** @type {Point[]} */
  const stones = [
    [0, 0],
    [400, -120],
    [-77, 90],
  ];
  const view = fit(null, stones, DESK, true);
  for (const stone of stones) {
    const [px, py] = toPixel(view, DESK, stone);
    assert.ok(px > 0 && py > 0 && px < DESK.width && py < DESK.height);
  }
  assert.equal(fit(null, [[5, 5]], DESK, true).scale, fit(null, [], DESK, true).scale);
});

test('dragging moves what is under the finger along with it', () => {
  const view = { x: 3, y: 4, scale: 20 };
  near(toPixel(pan(view, 30, -50), DESK, [9, 9]), [
    toPixel(view, DESK, [9, 9])[0] + 30,
    toPixel(view, DESK, [9, 9])[1] - 50,
  ]);
});

test('zooming keeps the place under the pointer', () => {
  const view = { x: 3, y: 4, scale: 20 };
  const at = toPixel(view, DESK, [11, -2]);
  for (const factor of [0.2, 0.9, 1.5, 4]) near(toPixel(zoom(view, factor, ...at, DESK), DESK, [11, -2]), at);
});

test('a board with borders never leaves the viewport, nor becomes smaller than it', () => {
  const whole = fit([19, 19], [], PHONE, true);
  near(Object.values(clamp({ ...whole, scale: 2 }, [19, 19], [], PHONE, true)), Object.values(whole));
  const near_corner = clamp({ x: 500, y: -500, scale: whole.scale * 3 }, [19, 19], [], PHONE, true);
  const seen = visible(near_corner, PHONE);
  near([seen.right, seen.top], [18.62, -0.62]);
});

test('without borders the stones say how small it becomes', () => {
  assert.equal(clamp({ x: 0, y: 0, scale: 0.01 }, null, [], DESK, true).scale, 6);
  /** @type {Point[]} */
  const far = [
    [0, 0],
    [2000, 0],
  ];
  assert.equal(clamp({ x: 0, y: 0, scale: 0.01 }, null, far, DESK, true).scale, fit(null, far, DESK, true).scale);
});

test('a hint at the edge points to stones out of sight', () => {
  const view = { x: 0, y: 0, scale: 20 };
  assert.equal(edgeHint(view, DESK, [3, 3], 20), null);
  const right = edgeHint(view, DESK, [100, 0], 20);
  near([right?.x ?? 0, right?.y ?? 0, right?.angle ?? 9], [980, 350, 0]);
  const up = edgeHint(view, DESK, [0, -100], 20);
  near([up?.x ?? 0, up?.y ?? 0, up?.angle ?? 9], [500, 20, -Math.PI / 2]);
});

test('the board moves no further than needed to show a point', () => {
  const view = { x: 0, y: 0, scale: 20 };
  assert.deepEqual(reveal(view, DESK, [5, 5], 2), view);
  near(Object.values(reveal(view, DESK, [40, 5], 2)), [40 - 25 + 2, 0, 20]);
});

test('coordinates at the edge do not overlap', () => {
  assert.deepEqual(
    [30, 12, 3, 0.1].map((scale) => nameStep(scale, 24)),
    [1, 2, 10, 500],
  );
});

/** @type {[string, Bounds, Point | null][]} */
const TYPED = [
  ['h8', [15, 15], [7, 7]],
  ['H8', [15, 15], [7, 7]],
  [' a1 ', [15, 15], [0, 14]],
  ['o15', [15, 15], [14, 0]],
  ['aa1', [64, 64], [26, 63]],
  ['bl64', [64, 64], [63, 0]],
  ['p1', [15, 15], null],
  ['h16', [15, 15], null],
  ['h0', [15, 15], null],
  ['8h', [15, 15], null],
  ['', [15, 15], null],
  ['7,7', [15, 15], [7, 7]],
  ['-3,4', null, [-3, 4]],
  ['-3, 4', null, [-3, 4]],
  ['3 -4', null, [3, -4]],
  ['h8', null, null],
  ['1000001,0', null, null],
];
test('points are typed as people write them', () => {
  for (const [text, bounds, expected] of TYPED) assert.deepEqual(parsePoint(text, bounds), expected, text);
});

test('every point of a board has a name that leads back to it', () => {
  /** @type {[number, number]} */
  const bounds = [64, 37];
  for (let x = 0; x < 64; x += 1) {
    for (let y = 0; y < 37; y += 1) assert.deepEqual(parsePoint(pointName([x, y], bounds), bounds), [x, y]);
  }
  assert.equal(pointName([-2, 17], null), '-2,17');
});

test('star points are at their usual places', () => {
  const dots = (/** @type {number} */ side) =>
    starPoints([side, side])
      .map((point) => pointName(point, [side, side]))
      .join(' ');
  assert.equal(dots(15), 'd12 d4 h8 l12 l4');
  assert.equal(dots(19), 'd16 d10 d4 j16 j10 j4 p16 p10 p4');
  assert.equal(dots(3), '');
});

test('the box around no points is none', () => {
  assert.equal(boxAround([]), null);
  assert.deepEqual(boxAround([[3, -1]], 2), { left: 1, top: -3, right: 5, bottom: 1 });
});
