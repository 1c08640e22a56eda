// What each player did in an opening, in one line each: for the room, the replay and screen readers.

/** @import { MadeAct, Point, Seat } from '../ui/protocol-types' */
/** @import { TextKey } from '../language/texts.js' */

import { opponent, stoneOf } from '../client/room-state.js';
import { t } from '../language/texts.js';

/**
 * @param {readonly MadeAct[]} acts
 * @param {Seat} first the seat that began
 * @param {{ name: (seat: Seat) => string, called: (point: Point) => string }} words
 * @returns {{ ply: number, text: string, swapped: boolean }[]} each with how many stones were on the board then
 */
export function openingLines(acts, first, { name, called }) {
  let black = first;
  let ply = 0;
  return acts.flatMap(({ by, act }) => {
    const player = { name: name(by) };
    const points = (/** @type {readonly Point[]} */ all) => all.map(called).join(' ');
    const lines = [];
    if (act.take) {
      const swapped = act.take !== stoneOf(by, black);
      if (swapped) black = opponent(black);
      const text = t(/** @type {TextKey} */ (`opening_${swapped ? 'swapped' : 'kept'}_${act.take}`), player);
      return [{ ply, text, swapped }];
    }
    const put = act.put ?? (act.select ? [act.select] : []);
    ply += put.length;
    if (act.put) lines.push(t('opening_placed', { ...player, points: points(act.put) }));
    if (act.declare) lines.push(t('opening_declared', { ...player, count: act.declare }));
    if (act.offer) lines.push(t('opening_offered_by', { ...player, points: points(act.offer) }));
    if (act.select) lines.push(t('opening_selected', { ...player, points: called(act.select) }));
    return lines.map((text) => ({ ply, text, swapped: false }));
  });
}
