// The list of a game's moves, two a row, on which a click goes to a move.

/** @import { Point, Size } from '../ui/protocol-types' */
/** @import { Mark } from '../analysis/value-graph.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { t } from '../language/texts.js';
import { el, fill } from '../ui/dom.js';

/**
 * @param {readonly Point[]} first the moves @param {Size} size
 * @param {(ply: number) => void} go the position after so many moves is wanted
 * @param {readonly { ply: number, text: string }[]} [notes] lines to show after so many moves
 */
export function createMoveList(first, size, go, notes = []) {
  const element = el('div', { class: 'moves', role: 'group', 'aria-label': t('moves'), onclick: choose });
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** The listed moves. @type {readonly Point[]} */
  let listed = [];
  /** @type {HTMLElement | undefined} */
  let current;
  let bounds = size;
  set(first, size);
  // Its place grows and shrinks with what stands around it.
  new ResizeObserver(() => bringIntoSight(true)).observe(element);

  /** Scrolls by whole rows, within the list only: the page stays where it is. */
  function bringIntoSight(always = false) {
    if (!current) return element.scrollTo(0, 0);
    if (!element.clientHeight) return;
    const [list, move] = [element.getBoundingClientRect(), current.getBoundingClientRect()];
    if (always || move.top < list.top || move.bottom > list.bottom)
      element.scrollTop = Math.ceil((element.scrollTop + move.bottom - list.bottom) / move.height) * move.height;
    if (move.left < list.left || move.right > list.right) element.scrollLeft += move.right - list.right + 8;
  }

  /** @param {Event} event */
  function choose(event) {
    const ply = event.target instanceof HTMLElement ? event.target.closest('button')?.dataset.ply : undefined;
    if (ply) go(Number(ply));
  }

  /** @param {readonly Point[]} moves @param {Size} now */
  function set(moves, now) {
    const grown =
      String(now) === String(bounds) &&
      listed.length <= moves.length &&
      listed.every((point, ply) => String(point) === String(moves[ply]));
    if (!grown) {
      buttons = [];
      fill(element);
    }
    bounds = now;
    for (let ply = buttons.length; ply < moves.length; ply += 1) add(ply, /** @type {Point} */ (moves[ply]));
    listed = [...moves];
  }

  /** @param {number} ply @param {Point} point */
  function add(ply, point) {
    if (ply % 2 === 0) element.append(el('span', { class: 'move-number' }, String(ply + 1)));
    const button = el(
      'button',
      { type: 'button', class: ply % 2 === 0 ? 'move' : 'move second', 'data-ply': ply + 1 },
      pointName(point, boundsOf(bounds)),
    );
    buttons.push(button);
    element.append(button);
    for (const note of notes) {
      if (Math.max(note.ply, 1) === ply + 1) element.append(el('span', { class: 'move-note' }, note.text));
    }
  }

  return {
    element,
    set,
    /** Shows which move was the last. @param {number} ply */
    show(ply) {
      const now = buttons[ply - 1];
      // The player may have scrolled the list since.
      if (now === current) return;
      current?.removeAttribute('aria-current');
      current = now;
      current?.setAttribute('aria-current', 'step');
      bringIntoSight();
    },
    /** @param {readonly Mark[]} marks */
    mark(marks) {
      for (const { ply, kind } of marks) buttons[ply]?.classList.add(kind);
    },
  };
}
