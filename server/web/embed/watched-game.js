// A game that is only watched: the players, the board, and a line of text below it. It takes no moves.

/** @import { Player, Rules, Stone } from '../ui/protocol-types' */

import { createBoard } from '../board/board.js';
import { STONES } from '../client/room-state.js';
import { playerName, stoneSign } from '../game/display-names.js';
import { el, fill } from '../ui/dom.js';

/** One of the players. @typedef {{ player: Player | null | undefined, turn?: boolean, won?: boolean, away?: boolean, rating?: string }} Side */

/**
 * Puts the parts of a game into an element, as large as that is.
 * @param {HTMLElement} place @param {import('../board/board.js').BoardOptions} options @param {...Node} below what stands below the board
 */
export function createWatchedGame(place, options, ...below) {
  const boardPlace = el('div', { class: 'board' });
  const [black, white] = [createSide('black'), createSide('white')];
  const status = el('p', { class: 'watched-status', role: 'status' });
  const element = el(
    'div',
    { class: 'watched' },
    el('div', { class: 'watched-players' }, black.element, white.element),
    el('div', { class: 'watched-board' }, boardPlace),
    status,
    ...below,
  );
  // A board reads its size from its place in the document.
  place.append(element);
  const board = createBoard(boardPlace, options);
  const sides = { black, white };
  return {
    board,
    status,
    /** The players' clocks. */
    clocks: STONES.map((stone) => sides[stone].clock),
    /** @param {Stone} stone @param {Side} side @param {Rules} [rules] none if nobody has a colour yet */
    showSide: (stone, side, rules) => sides[stone].show(side, rules),
    remove() {
      board.remove();
      element.remove();
    },
  };
}

/** A player's name with the stone before it. @param {Stone} stone */
function createSide(stone) {
  const name = el('span', { class: 'watched-name' });
  const clock = el('span', { class: 'watched-clock', role: 'timer', 'aria-live': 'off' });
  const element = el('div', { class: 'watched-side' }, name, clock);
  let shown = '';
  return {
    element,
    clock,
    /** @param {Side} side @param {Rules} [rules] */
    show({ player, turn = false, won = false, away = false, rating = '' }, rules) {
      const classes = { turn, won, away };
      for (const [kind, is] of Object.entries(classes)) element.classList.toggle(kind, is);
      const state = JSON.stringify([player, rating, rules]);
      if (state === shown) return;
      shown = state;
      fill(
        name,
        rules && stoneSign(stone, rules),
        el('bdi', { title: playerName(player) }, playerName(player)),
        rating && el('small', null, ` ${rating}`),
      );
    },
  };
}
