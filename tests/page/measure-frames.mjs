// Prints how long frames take while the board without borders is dragged, with 4,000 stones on it:
// `node measure-frames.mjs`, on a quiet machine. Needs no server but the files of the page. Here Chromium
// draws without a graphics card, so elsewhere it is faster.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

import { openBrowser } from './harness.mjs';

const STONES = 4_000;
const FRAMES = 300;
/** Pixels of CSS wide and high, device pixels for each, and how often the board is enlarged. */
const SCREENS = [
  [1280, 800, 1, 0],
  [1280, 800, 1, 3],
  [1920, 1080, 1, 0],
  [1920, 1080, 1, 3],
  [412, 824, 2.625, 0],
  [412, 824, 2.625, 3],
];
const PAGE = `<!doctype html><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/game/game.css"><body style="margin:0"><div id="place" style="height:100dvh"></div>
<script type="module">import { createBoard } from '/board/board.js';
window.board = createBoard(document.getElementById('place'));</script>`;
const TYPES = /** @type {Record<string, string>} */ ({ '.js': 'text/javascript', '.css': 'text/css' });

const server = createServer(async (request, response) => {
  const path = request.url ?? '/';
  const content =
    path === '/' ? PAGE : await readFile(new URL(`../../server/web${path}`, import.meta.url)).catch(() => '');
  response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html').end(content);
});
await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = server.address();
const port = typeof address === 'object' ? address?.port : 0;
const browser = await openBrowser();
console.log(`${STONES} stones, ${FRAMES} frames of dragging; milliseconds: median, 95%, 99%, longest`);
for (const [width = 0, height = 0, ratio = 1, larger = 0] of SCREENS) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: ratio });
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction(() => 'board' in window);
  const { frames, work, step } = await page.evaluate(drag, { moves: game(STONES), larger, count: FRAMES });
  const late = frames.filter((time) => time > 25).length;
  console.log(
    `${width}x${height} at ${ratio}, ${step.toFixed(0)} px a point: frames ${spread(frames)}, of that painting ${spread(work)}; ${late} frames missed`,
  );
  await page.close();
}
await browser.close();
server.close();

/** @param {number[]} times */
function spread(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 0.95, 0.99, 1].map((part) => (sorted[Math.round(part * (sorted.length - 1))] ?? 0).toFixed(1)).join(' ');
}

/** Stones that lie as in a long game: each near another. @param {number} count @returns {[number, number][]} */
function game(count) {
  /** @type {[number, number][]} */
  const moves = [[0, 0]];
  const taken = new Set(['0,0']);
  let state = 1;
  const random = (/** @type {number} */ below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  while (moves.length < count) {
    const [x, y] = moves[random(moves.length)] ?? [0, 0];
    /** @type {[number, number]} */
    const point = [x + random(5) - 2, y + random(5) - 2];
    if (!taken.has(`${point}`)) moves.push(point);
    taken.add(`${point}`);
  }
  return moves;
}

/** In the page: drags the board there and back, a step a frame.
 * @param {{moves: [number, number][], larger: number, count: number}} what */
async function drag({ moves, larger, count }) {
  /** @type {import('../../server/web/board/board.js').Board} */
  const board = /** @type {any} */ (window).board;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  board.show({ size: 'unbounded', moves });
  for (let times = 0; times < larger; times += 1) {
    /** @type {HTMLButtonElement | null} */ (document.querySelector('.board-tools button'))?.click();
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  for (let times = 0; times < 30; times += 1) await frame();
  const { canvas, surface } = board;
  canvas.setPointerCapture = () => {};
  const [middleX, middleY] = [canvas.clientWidth / 2, canvas.clientHeight / 2];
  const fire = (/** @type {string} */ type, /** @type {number} */ far) =>
    canvas.dispatchEvent(
      new PointerEvent(type, {
        pointerId: 1,
        pointerType: 'mouse',
        button: 0,
        buttons: 1,
        bubbles: true,
        clientX: middleX + 7 * far,
        clientY: middleY + 4 * far,
      }),
    );
  /** @type {number[]} */ const frames = [];
  /** @type {number[]} */ const work = [];
  const paint = surface.paint.bind(surface);
  let step = 0;
  surface.paint = (...all) => {
    const began = performance.now();
    const whole = paint(...all);
    step = all[1].scale;
    work.push(performance.now() - began);
    return whole;
  };
  fire('pointerdown', 0);
  fire('pointermove', 1);
  await frame();
  let before = performance.now();
  for (let i = 0; i < count; i += 1) {
    fire('pointermove', i < count / 2 ? i : count - i);
    await frame();
    frames.push(performance.now() - before);
    before = performance.now();
  }
  fire('pointerup', 0);
  return { frames, work, step };
}
