// A page for what is not there: a board with a gap, a message, and ways on.

import { paintGhost } from './board-marks.js';
import { createBoard } from './board.js';
import { el, fill } from './dom.js';

/** @import { Child } from './dom.js' */
/** @import { Point } from './board-geometry.js' */

/** Four stones of Black's in a row around a gap, and White's beside them. @type {Point[]} */
const MOVES = [[5, 9], [4, 6], [6, 8], [10, 9], [8, 6], [7, 10], [9, 5], [6, 4]];
/** @type {Point} */
const GAP = [7, 7];

/**
 * Shows the page. Returns its cleanup.
 * @param {HTMLElement} place @param {string} title @param {string} text @param {...Child} ways
 */
export function showNotFound(place, title, text, ...ways) {
  const boardPlace = el('div', { class: 'board', 'aria-hidden': 'true' });
  fill(place, el('section', { class: 'not-found' }, boardPlace,
    el('div', { class: 'message' }, el('h1', null, title), text && el('p', null, text), el('div', { class: 'row' }, ...ways))));
  const board = createBoard(boardPlace, { still: true });
  board.show({ size: [15, 15], moves: MOVES, unmarked: true, paint: (canvas, frame, palette) => paintGhost(canvas, frame, palette, GAP, false, [15, 15]) });
  return () => board.remove();
}
