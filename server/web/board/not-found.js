// A page for what is not there: a board with a gap, a message, and ways on. Before it, a look whether the address is
// one that somebody has sent with more than itself.

import { el, fill } from '../ui/dom.js';
import { createBoard } from './board.js';
import { paintGhost } from './board-marks.js';

/** @import { Child } from '../ui/dom.js' */
/** @import { Point } from './board-geometry.js' */

/** Four stones of Black's in a row around a gap, and White's beside them. @type {Point[]} */
const MOVES = [
  [5, 9],
  [4, 6],
  [6, 8],
  [10, 9],
  [8, 6],
  [7, 10],
  [9, 5],
  [6, 4],
];
/** @type {Point} */
const GAP = [7, 7];

/**
 * Makes the address of a room or a game what it is if somebody has sent it with punctuation or capitals: the rule of
 * shared/src/protocol/sent_code.rs. Whether it is another one now.
 */
export function cleanAddress() {
  let { pathname } = location;
  try {
    pathname = decodeURIComponent(pathname);
  } catch {
    // It stays as it is.
  }
  const [, kind, code] =
    /^\/(r|game)\/[^\da-z]*([\da-z]+)/i.exec(pathname.replace(/[\xad\u200b-\u200f\u2060\ufeff]|\ufe0f/g, '')) ?? [];
  const path = `/${kind}/${code}`.toLowerCase();
  if (!code || path === location.pathname) return false;
  history.replaceState(history.state, '', path + location.search + location.hash);
  return true;
}

/**
 * Shows the page. Returns its cleanup.
 * @param {HTMLElement} place @param {string} title @param {string} text @param {...Child} ways
 */
export function showNotFound(place, title, text, ...ways) {
  const boardPlace = el('div', { class: 'board', 'aria-hidden': 'true' });
  fill(
    place,
    el(
      'section',
      { class: 'not-found' },
      boardPlace,
      el(
        'div',
        { class: 'message' },
        el('h1', null, title),
        text && el('p', null, text),
        el('div', { class: 'row' }, ...ways),
      ),
    ),
  );
  const board = createBoard(boardPlace, { still: true });
  board.show({
    size: [15, 15],
    moves: MOVES,
    unmarked: true,
    paint: (canvas, frame, palette) => paintGhost(canvas, frame, palette, GAP, false, [15, 15]),
  });
  return () => board.remove();
}
