// The shipped puzzles and the solver of the page's module, for tests that solve puzzles on the page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { pointName } from '../../server/web/board/board-geometry.js';
import { loadModule } from '../../server/web/engine/module.js';
import { readPuzzles } from '../../server/web/puzzles/puzzle-set.js';
import { put, sees } from './harness.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { EngineAnswer, Point } from '../../server/web/ui/protocol-types' */
/** @import { Puzzle } from '../../server/web/puzzles/puzzle-set.js' */

const web = new URL('../../server/web/', import.meta.url);
const bytes = await readFile(new URL('engine/engine.wasm', web));
const ask = await loadModule(async (imports) =>
  WebAssembly.instantiate(await WebAssembly.compile(new Uint8Array(bytes)), imports),
);
const read = (/** @type {string} */ rules) => readFile(new URL(`puzzles/${rules}.txt`, web), 'utf8').then(readPuzzles);
/** The puzzles of freestyle and of renju. */
export const sets = /** @type {const} */ ([await read('freestyle'), await read('renju')]);

/** @param {'puzzle_answer' | 'puzzle_solution'} type @param {Puzzle} puzzle @param {readonly Point[]} played @returns {EngineAnswer} */
export const asked = (type, { rules, moves }, played) =>
  JSON.parse(ask(JSON.stringify({ type, rules, moves: [...moves, ...played] })));
/** @param {Point} point */
export const called = (point) => pointName(point, [15, 15]);
/** @param {Puzzle | undefined} puzzle @returns {Puzzle} */
export const found = (puzzle) => puzzle ?? assert.fail('there is no such puzzle');
/** A free point far from every stone. @param {Puzzle} puzzle */
export const farPoint = ({ moves }) => {
  const corners = /** @type {Point[]} */ ([
    [0, 0],
    [14, 0],
    [0, 14],
    [14, 14],
  ]);
  const distance = (/** @type {Point} */ [x, y]) =>
    Math.min(...moves.map(([a, b]) => Math.max(Math.abs(a - x), Math.abs(b - y))));
  return corners.reduce((best, corner) => (distance(corner) > distance(best) ? corner : best));
};

/** Opens a puzzle by its link. @param {Page} page @param {Puzzle} puzzle */
export async function open(page, puzzle) {
  await page.goto('about:blank');
  await page.goto(`/puzzles#${puzzle.id}`);
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  await sees(page, called(puzzle.first), 'empty');
}

/** Plays the module's solution on the page. @param {Page} page @param {Puzzle} puzzle */
export async function playSolution(page, puzzle) {
  /** @type {Point[]} */
  const played = [];
  for (;;) {
    const move = played.length === 0 ? puzzle.first : asked('puzzle_solution', puzzle, played).solution?.[0];
    assert.ok(move);
    await put(page, called(move));
    played.push(move);
    const { puzzle: answer } = asked('puzzle_answer', puzzle, played);
    if (answer === 'solved' || !answer?.goes_on) return;
    played.push(answer.goes_on);
    await sees(page, called(answer.goes_on), '(Black|White)');
    await page.locator('.voice').getByText('Go on').waitFor();
  }
}
