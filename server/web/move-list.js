// The list of a game's moves, two a row, on which a click goes to a move.

/** @import { Point, Size } from './types' */
/** @import { Mark } from './value-graph.js' */

import { boundsOf, pointName } from './board-geometry.js';
import { el, fill } from './dom.js';
import { t } from './texts.js';

/**
 * @param {readonly Point[]} first the moves @param {Size} size
 * @param {(ply: number) => void} go the position after so many moves is wanted
 * @param {readonly { ply: number, text: string }[]} [notes] lines to show after so many moves
 */
export function createMoveList(first, size, go, notes = []) {
  const list = el('ol', { class: 'moves', onclick: choose });
  const element = el('details', { class: 'move-list' }, el('summary', null, t('moves')), list);
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @type {HTMLElement | undefined} */
  let current;
  let bounds = size;
  set(first, size);

  /** @param {Event} event */
  function choose(event) {
    const ply = event.target instanceof HTMLElement ? event.target.closest('button')?.dataset.ply : undefined;
    if (ply) go(Number(ply));
  }

  /** @param {readonly Point[]} moves @param {Size} now */
  function set(moves, now) {
    bounds = now;
    buttons = moves.map((point, ply) => el('button', { type: 'button', class: 'move', 'data-ply': ply + 1 }, pointName(point, boundsOf(bounds))));
    const pairs = Math.ceil(moves.length / 2);
    fill(list, ...Array.from({ length: pairs }, (_, pair) => {
      const own = notes.filter(({ ply }) => Math.max(Math.ceil(ply / 2) - 1, 0) === pair);
      return el('li', null, ...buttons.slice(2 * pair, 2 * pair + 2), ...own.map(({ text }) => el('span', { class: 'move-note' }, text)));
    }));
    element.hidden = moves.length === 0;
  }

  return {
    element,
    set,
    /** Shows which move was the last. @param {number} ply */
    show(ply) {
      current?.removeAttribute('aria-current');
      current = buttons[ply - 1];
      current?.setAttribute('aria-current', 'true');
      if (element.open) current?.scrollIntoView({ block: 'nearest' });
    },
    /** @param {readonly Mark[]} marks */
    mark(marks) {
      for (const { ply, kind } of marks) buttons[ply]?.classList.add(kind);
    },
  };
}
