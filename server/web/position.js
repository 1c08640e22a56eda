// What the rules say of a position, which the server is asked: nothing here knows them.

/** @import { Judged, Point, Rules } from './types' */

import { boundsOf, pointName } from './geometry.js';
import { refusalText, refusedAnswer } from './refusals.js';

/**
 * @param {{rules: Rules} & ({moves: readonly Point[]} | {text: string})} question `text` of a file
 * @param {AbortSignal} [signal]
 * @returns {Promise<Judged>} fails with a `RefusedError` if the text is no game
 */
export async function askPosition(question, signal) {
  const answer = await fetch('/api/position', {
    method: 'POST', body: JSON.stringify(question), headers: { 'content-type': 'application/json' }, signal,
  });
  if (!answer.ok) throw await refusedAnswer(answer);
  return answer.json();
}

/** Why the next move of a list cannot be played. @param {Judged['unplayed']} why */
export function unplayedText(why = '') {
  return typeof why === 'string' ? why : refusalText(why);
}

/** Judges one position after the other. @param {() => void} changed there is an answer */
export function createJudge(changed) {
  let asked = '';
  let end = new AbortController();
  /** @type {Judged | undefined} */
  let judged;
  return {
    /**
     * @param {Rules} rules @param {readonly Point[]} moves
     * @returns {Judged | undefined} nothing before the server has said it
     */
    of(rules, moves) {
      const wanted = JSON.stringify([rules, moves]);
      if (wanted === asked) return judged;
      asked = wanted;
      judged = undefined;
      end.abort();
      end = new AbortController();
      const { signal } = end;
      askPosition({ rules, moves }, signal).then((answer) => {
        judged = answer;
        changed();
      }, () => {
        // The next time that it is shown, it is asked for again.
        if (!signal.aborted) asked = '';
      });
      return undefined;
    },
    remove: () => end.abort(),
  };
}

/** A position as the part of an address that comes after `/analyse#`. @param {Rules} rules @param {readonly Point[]} moves */
export function positionWords({ variant, size, k }, moves) {
  const names = moves.map((point) => pointName(point, boundsOf(size))).join(' ');
  return String(new URLSearchParams({ variant, size: String(size), ...(k !== undefined && { k: String(k) }), moves: names }));
}

/** Whether there may be forbidden points. @param {Rules} rules @param {readonly Point[]} moves */
export function mayForbid(rules, moves) {
  return rules.variant === 'renju' && moves.length % 2 === 0;
}
