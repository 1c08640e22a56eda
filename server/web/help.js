// Help from the bots beside a game: what they think of the points, shown on the board.

/** @import { Board } from './board.js' */
/** @import { Room } from './room.js' */
/** @import { App, Shown } from './types' */

import { el } from './dom.js';

/**
 * The part of the room's view that offers help.
 * @param {App} app
 * @param {Room} room
 * @param {Board} board
 * @param {() => void} redraw has the view show the board again, with what `shown` adds
 */
export function createHelp(app, room, board, redraw) {
  const element = el('div', { class: 'help' });
  return {
    element,
    /** What the board shows beside the position.
     * @returns {Partial<Shown>} */
    shown: () => ({}),
    /** After every change of the room. */
    update() {},
    remove() {},
  };
}
