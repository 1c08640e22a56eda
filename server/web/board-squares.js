// Which boards have squares with crosses and noughts, rather than lines with stones.

/** Whether stones are played into squares rather than on crossings.
 * @param {import('./board-geometry.js').Bounds} bounds */
export function hasSquares(bounds) {
  return bounds !== null && bounds[0] <= 5 && bounds[1] <= 5;
}
