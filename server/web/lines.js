// Whether the last move of a game that nobody else judges, on the board for trying moves, has won
// it. In rooms the server says so; this repeats `line.rs` for the eye.

/** @import { Point, Rules } from './types' */

/** @type {Point[]} */
const AXES = [[1, 0], [0, 1], [1, 1], [1, -1]];

/**
 * The line that the last move has made, if that wins.
 * @param {readonly Point[]} moves Black's first @param {Rules} rules @returns {Point[] | undefined}
 */
export function winningLine(moves, { variant, k, size }) {
  const last = moves.at(-1);
  if (!last) return undefined;
  const side = (moves.length - 1) % 2;
  const stones = new Map(moves.map((point, ply) => [`${point}`, ply % 2]));
  const wanted = variant === 'mnk' ? k ?? 3 : 5;
  const exactly = variant === 'standard' || variant === 'caro' || (variant === 'renju' && side === 0);

  for (const [dx, dy] of AXES) {
    /** Along the axis from the last move: own stones, and what comes behind them. @param {1 | -1} way */
    const walk = (way) => {
      /** @type {Point[]} */
      const run = [];
      for (let step = 1; ; step += 1) {
        /** @type {Point} */
        const point = [last[0] + way * step * dx, last[1] + way * step * dy];
        const stone = stones.get(`${point}`);
        if (stone !== side) return { run, closed: stone !== undefined };
        run.push(point);
      }
    };
    const [behind, ahead] = [walk(-1), walk(1)];
    const line = [...behind.run.reverse(), last, ...ahead.run];
    const closed = behind.closed && ahead.closed;
    // In caro a five between two stones of the opponent is none; the border closes nothing.
    const caro = variant === 'caro' || (variant === 'caro_overline' && line.length === wanted);
    if (line.length < wanted || (exactly && line.length > wanted) || (caro && closed)) continue;
    return line;
  }
  return size === 'unbounded' || moves.length < size[0] * size[1] ? undefined : [];
}
