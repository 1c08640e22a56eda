// Turns bots' weights of points into marks of a heat map. Pure functions.

/** @typedef {import('./board-geometry.js').Point} Point */
/** @typedef {{point: Point, weight: number, plies?: number}} Weight `plies`: the end is proven. */
/** @typedef {{point: Point, strength: number, label: string, best: boolean}} HeatMark `strength` from 0 to 1. */

/**
 * The heat map of some candidates. Weights of bots span many sizes (0.1 to 99,999), so the strength
 * of a mark follows a power of the weight, from the least to the greatest. Equals of the greatest
 * are all the best, unless all are equal.
 * @param {readonly Weight[]} weights @param {(number: number) => string} [decimal] how the language writes a number
 * @returns {HeatMark[]} the strongest last, so that it is drawn on top
 */
export function heatMarks(weights, decimal) {
  const values = weights.map(({ weight }) => weight);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least;
  return weights
    .map((one) => ({
      point: one.point,
      strength: span ? ((one.weight - least) / span) ** 0.6 : 0.5,
      label: weightText(one, decimal),
      best: span > 0 && one.weight === most,
    }))
    .sort((a, b) => a.strength - b.strength);
}

/**
 * A weight in at most five characters; `#3` where the end is proven in so many plies.
 * @param {{weight: number, plies?: number}} weight @param {(number: number) => string} [decimal] @returns {string}
 */
export function weightText({ weight, plies }, decimal = String) {
  if (plies !== undefined && weight !== 0) return `${weight < 0 ? '−' : ''}#${plies}`;
  const size = Math.abs(weight);
  const sign = weight < 0 ? '−' : '';
  if (size >= 9950) return `${sign}${Math.round(size / 1000)}k`;
  if (size >= 1000) return `${sign}${decimal(Number((size / 1000).toFixed(1)))}k`;
  return `${sign}${size >= 10 ? Math.round(size) : decimal(Number(size.toFixed(1)))}`;
}
