// Boards of every size on every kind of screen: drawing move by move gives the same picture as drawing
// at once, and every stone is drawn whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { stage, visitor } from './harness.mjs';

// In the program the modules are joined, and the board's cannot be imported.
const here = stage({ 'page-folder': fileURLToPath(new URL('../../server/web', import.meta.url)) });

/** Screens in CSS pixels, with the device pixels for one. */
const SCREENS = /** @type {const} */ ([
  ['a phone', 412, 915, 2.625],
  ['a phone on its side', 844, 390, 3],
  ['a laptop', 1366, 768, 1],
  ['a large screen', 1920, 1080, 2],
]);
/** Boards as wide as high, and some that are not. @type {[number, number][]} */
const BOARDS = [
  ...Array.from({ length: 62 }, (_, at) => /** @type {[number, number]} */ ([at + 3, at + 3])),
  [3, 4],
  [4, 3],
  [3, 10],
  [10, 3],
  [5, 64],
  [64, 5],
  [7, 19],
  [40, 12],
];

/** @type {import('playwright-core').Page | undefined} */
let opened;
/** The one page, with a window of some size. @param {number} width @param {number} height */
async function pageOf(width, height) {
  if (!opened) {
    opened = (await visitor(here.browser, here.server)).page;
    await opened.goto('/analyse');
    await opened.getByRole('gridcell').first().waitFor({ state: 'attached' });
  }
  await opened.setViewportSize({ width, height });
  return opened;
}

/**
 * Puts stones one by one on boards painted by one surface, as a game does, and tells of those that
 * are not there as a whole, and of pixels that a surface of its own, which sees only the last
 * position, paints otherwise.
 * @param {{ boards: readonly ([number, number] | null)[], ratio: number, scales?: readonly number[] }} asked
 */
async function faults({ boards, ratio, scales = [0] }) {
  const [{ BoardCanvas }, { fit }, { frameOf, pixelOf }] = await Promise.all(
    ['canvas', 'geometry', 'drawing'].map((module) => import(`/web/live/board/board-${module}.js`)),
  );
  const viewport = document.querySelector('.board-stage')?.getBoundingClientRect() ?? new DOMRect();
  /** @type {string[]} */
  const found = [];
  const one = document.createElement('canvas');
  const surface = new BoardCanvas(one);
  let numbers = false;
  for (const bounds of boards)
    for (const scale of scales) {
      const [right, bottom] = bounds ? [bounds[0] - 1, bounds[1] - 1] : [6, 6];
      const [left, top] = bounds ? [0, 0] : [-6, -6];
      const [middle, centre] = [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];
      // Corners, the middles of the sides, and the centre with its neighbours.
      const points = [
        [left, top],
        [right, bottom],
        [right, top],
        [left, bottom],
        [middle, centre],
        [middle, top],
        [right, centre],
        [middle, bottom],
        [left, centre],
        [middle + 1, centre],
        [middle, centre + 1],
        [middle + 1, centre + 1],
      ];
      const moves = [...new Map(points.map((point) => [`${point}`, point])).values()];
      const view = bounds ? fit(bounds, [], viewport, true) : { x: 0.3, y: -0.4, scale };
      const step = view.scale * ratio;
      numbers = !numbers;
      const scene = { bounds, names: true, style: 'shaded', numbers, shades: [] };
      const what = `${bounds ?? `without borders at ${scale}`}`;
      for (let plies = 0; plies <= moves.length; plies += 1) {
        surface.paint({ ...scene, moves: moves.slice(0, plies) }, view, viewport, ratio, !bounds);
        const last = moves[plies - 1];
        // Smaller stones are but a few pixels: the comparison below is for them.
        if (!last || step < 20) continue;
        const [px, py] = pixelOf(frameOf(view, viewport, ratio), last);
        // Between the marks of the last move, within and around.
        const ring = 0.34 * step;
        const half = Math.ceil(ring) + 1;
        // Without borders names lie along the rim, over what is there.
        const free = half + (bounds ? 0 : 40 * ratio);
        if (px < free || py < free || px > one.width - free || py > one.height - free) continue;
        const side = 2 * half + 1;
        const data = one.getContext('2d')?.getImageData(px - half, py - half, side, side).data ?? [];
        for (let turn = 0; turn < 16; turn += 1) {
          const [x, y] = [half + ring * Math.cos((turn * Math.PI) / 8), half + ring * Math.sin((turn * Math.PI) / 8)];
          const at = 4 * (Math.round(y) * side + Math.round(x));
          // Wood is lighter than Black, and not as blue as White.
          if (plies % 2 ? (data[at] ?? 255) < 130 : (data[at + 2] ?? 0) > 165) continue;
          found.push(
            `${what}: move ${plies} at ${last} is not there as a whole: ${data[at]},${data[at + 1]},${data[at + 2]} at ${turn}`,
          );
          break;
        }
      }
      const other = document.createElement('canvas');
      new BoardCanvas(other).paint({ ...scene, moves }, view, viewport, ratio, false);
      const [grown, whole] = [one, other].map(
        (canvas) =>
          new Uint32Array(
            canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data.buffer ?? new ArrayBuffer(0),
          ),
      );
      const pixels = one.width * one.height;
      let wrong = 0;
      while (wrong < pixels && grown?.[wrong] === whole?.[wrong]) wrong += 1;
      if (wrong < pixels)
        found.push(
          `${what}: pixel ${wrong % one.width},${Math.floor(wrong / one.width)} of ${one.width},${one.height} is another`,
        );
    }
  return found;
}

for (const [name, width, height, ratio] of SCREENS) {
  test(`on ${name} stones are drawn whole on boards of every size`, async () => {
    const page = await pageOf(width, height);
    assert.deepEqual(await page.evaluate(faults, { boards: BOARDS, ratio }), []);
  });

  test(`on ${name} stones are drawn whole on the board without borders`, async () => {
    const page = await pageOf(width, height);
    assert.deepEqual(await page.evaluate(faults, { boards: [null], ratio, scales: [0.5, 1, 6, 11.3, 34, 50, 96] }), []);
  });
}

test('crosses and rings keep their shape with numbers', async () => {
  const page = await pageOf(1366, 768);
  const painted = await page.evaluate(async () => {
    const module = '/web/live/board/board-canvas.js';
    const { BoardCanvas } = await import(module);
    const [canvas, viewport] = [document.createElement('canvas'), { width: 400, height: 400 }];
    new BoardCanvas(canvas).paint(
      {
        bounds: null,
        moves: [
          [-1, 0],
          [1, 0],
          [0, 3],
        ],
        names: false,
        style: 'marks',
        numbers: true,
        shades: [],
      },
      { x: 0, y: 0, scale: 100 },
      viewport,
      1,
      false,
    );
    /** Whether the place beside a stone, in hundredths of a step, is wood. @param {number} x @param {number} dx @param {number} dy */
    const wood = (x, dx, dy) => {
      const [red, green, blue] = canvas.getContext('2d')?.getImageData(200 + 100 * x + dx, 200 + dy, 1, 1).data ?? [];
      return Math.abs((red ?? 0) - 210) + Math.abs((green ?? 0) - 162) + Math.abs((blue ?? 0) - 100) < 70;
    };
    return {
      cross: [wood(-1, 38, 12), wood(-1, 12, -38), !wood(-1, 21, 21), !wood(-1, -21, 21)],
      ring: [wood(1, 9, -18), wood(1, 9, 18), !wood(1, 31, 0), !wood(1, 0, -31)],
    };
  });
  assert.deepEqual(painted, { cross: [true, true, true, true], ring: [true, true, true, true] });
});
