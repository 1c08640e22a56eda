// Asks what the rules say of a position: outcome, forbidden points, imported games. The page's own scripts
// know no rules.

/** @import { Judged, Point, Rules } from './types' */

/**
 * @param {{rules: Rules} & ({moves: readonly Point[]} | {text: string})} question `text` of a file
 * @param {AbortSignal} [signal]
 * @returns {Promise<Judged>} fails with a `RefusedError` if the text is no game
 */
export async function fetchJudged(question, signal) {
  const { judgePosition } = await import('./engine/engine.js');
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
      fetchJudged({ rules, moves }, signal).then((answer) => {
        judged = answer;
        changed();
      }, () => {
        // Ask again the next time that the position is shown.
        if (!signal.aborted) asked = '';
      });
      return undefined;
    },
    remove: () => end.abort(),
  };
}

/** Whether there may be forbidden points. @param {Rules} rules @param {readonly Point[]} moves */
export function mayForbid(rules, moves) {
  return rules.variant === 'renju' && moves.length % 2 === 0;
}
