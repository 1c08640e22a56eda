// Which boards have squares with crosses and noughts, rather than lines with stones.

/** @import { Size, Stone } from '../ui/protocol-types' */

/** Whether stones are played into squares rather than on crossings.
 * @param {import('./board-geometry.js').Bounds} bounds */
export function hasSquares(bounds) {
  return bounds !== null && bounds[0] <= 5 && bounds[1] <= 5;
}

/** What a stone is called on a board. @param {Stone} stone @param {Size} [size] */
export function drawnName(stone, size) {
  if (!size || size === 'unbounded' || !hasSquares(size)) return stone;
  return stone === 'black' ? 'crosses' : 'noughts';
}
