// Asks what the rules say of a position: outcome, forbidden points, imported games. The page's own scripts
// know no rules.

/** @import { Judged, Point, Rules } from '../ui/protocol-types' */

/**
 * @param {{rules: Rules} & ({moves: readonly Point[]} | {text: string})} question `text` of a file
 * @param {AbortSignal} [signal]
 * @returns {Promise<Judged>} fails with a `RefusedError` if the text is no game
 */
export async function fetchJudged(question, signal) {
  const { judgePosition } = await import('../engine/engine.js');
  return judgePosition(question, signal);
}

/** Asks about one position at a time. @param {() => void} changed an answer arrived */
export function createJudge(changed) {
  let asked = '';
  let end = new AbortController();
  /** @type {Judged | undefined} */
  let judged;
  return {
    /**
     * @param {Rules} rules @param {readonly Point[]} moves
     * @returns {Judged | undefined} nothing until the answer arrives
     */
    of(rules, moves) {
      const wanted = JSON.stringify([rules, moves]);
      if (wanted === asked) return judged;
      asked = wanted;
      judged = undefined;
      end.abort();
      end = new AbortController();
      const { signal } = end;
      fetchJudged({ rules, moves }, signal).then(
        (answer) => {
          judged = answer;
          changed();
        },
        () => {
          // Ask again the next time that the position is shown.
          if (!signal.aborted) asked = '';
        },
      );
      return undefined;
    },
    remove: () => end.abort(),
  };
}

/** Whether the last move made a five whose two ends are closed, which does not win in caro. @param {Rules} rules @param {readonly Point[]} moves */
export function isClosedFive({ variant }, moves) {
  const last = moves.at(-1);
  if (!last || !variant.startsWith('caro')) return false;
  const stones = new Map(moves.map((point, ply) => [`${point}`, ply % 2]));
  const own = (moves.length - 1) % 2;
  return [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
  ].some(([dx = 0, dy = 0]) => {
    /** How far the row goes in a direction, and whether the opponent closes it. */
    const reach = (/** @type {number} */ way) => {
      let far = 1;
      const at = () => stones.get(`${last[0] + way * far * dx},${last[1] + way * far * dy}`);
      while (at() === own) far += 1;
      return { far: far - 1, closed: at() === 1 - own };
    };
    const [one, other] = [reach(1), reach(-1)];
    return one.far + other.far === 4 && one.closed && other.closed;
  });
}

/** Whether there may be forbidden points. @param {Rules} rules @param {readonly Point[]} moves */
export function mayForbid(rules, moves) {
  return rules.variant === 'renju' && moves.length % 2 === 0;
}
