// The engine's review of a finished game: gets it, and says how it is to be read.

/** @import { FinishedGame, Review, Stone } from '../ui/protocol-types' */

import { stoneOf } from '../client/room-state.js';
import { blackChance } from '../game/analysis-display.js';
import { formatPercent } from '../language/texts.js';
import { el } from '../ui/dom.js';
import { BLUNDER, MISTAKE } from './deciding-moves.js';
import { ta } from './texts.js';

const ASK_EVERY_MS = 1_000;
/** The winner's chance from which a game is decided, as in shared/src/review.rs. */
const DECIDED = 0.9;
/**
 * Reviews a game on this machine, or polls until the server has.
 * @param {FinishedGame} game @param {(done: number) => void} progress @param {AbortSignal} signal
 * @returns {Promise<Review | undefined>} nothing if the game has no review
 */
export async function fetchReview({ id, rules, moves, outcome: { winner }, black }, progress, signal) {
  try {
    const { reviewGame } = await import('../engine/engine.js');
    return await reviewGame(
      rules,
      moves.map(({ point }) => point),
      winner ? stoneOf(winner, black) : undefined,
      signal,
      progress,
    );
  } catch {
    // The server says why there is none.
  }
  for (;;) {
    const answer = await fetch(`/api/games/${id}/analysis`, { signal });
    if (answer.status === 200) return answer.json();
    if (answer.status === 202) progress((await answer.json()).done);
    else if (![429, 503].includes(answer.status)) return undefined;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    if (signal.aborted) return undefined;
  }
}

/** Says what the words and signs of a review mean. */
export function createLegend() {
  return el(
    'p',
    { class: 'hint' },
    ta('legend', { mistake: formatPercent(MISTAKE), blunder: formatPercent(BLUNDER), sure: formatPercent(DECIDED) }),
  );
}

/**
 * Black's chance of winning before each move, and at the end.
 * @param {Review} review @param {Stone} [winner] on the board @returns {number[]}
 */
export function blackChances(review, winner) {
  const values = review.moves.map(({ value }, ply) => blackChance(value, ply));
  // If the game did not end on the board, estimate the last value from the last move.
  const last = review.moves.at(-1);
  const before = values.at(-1) ?? 0.5;
  const side = review.moves.length % 2 === 1 ? -1 : 1;
  values.push(winner ? Number(winner === 'black') : Math.min(Math.max(before + side * (last?.loss ?? 0), 0), 1));
  return values;
}
