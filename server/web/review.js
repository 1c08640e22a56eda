// The engine's review of a finished game: fetched when it is ready, and what is worth showing of it.

/** @import { FinishedGame, Progress, Review } from './types' */
/** @import { Mark } from './graph.js' */

import { blackChance } from './thought.js';

const ASK_EVERY_MS = 1_000;
/** What a move must lose of its side's chances to be a mistake, and to be a blunder. */
const MISTAKE = 0.12;
const BLUNDER = 0.3;
/** Moves that are called deciding, at most. */
const DECIDING_MAX = 6;

/**
 * Asks for the review until it is there.
 * @param {string} id @param {(progress: Progress) => void} progress @param {AbortSignal} signal
 * @returns {Promise<Review | undefined>} nothing where there is none to be had
 */
export async function fetchReview(id, progress, signal) {
  for (;;) {
    const answer = await fetch(`/api/games/${id}/analysis`, { signal });
    if (answer.status === 200) return answer.json();
    if (answer.status === 202) progress(await answer.json());
    else if (answer.status !== 503) return undefined;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    if (signal.aborted) return undefined;
  }
}

/**
 * Black's chance of winning before each move, and at the end.
 * @param {Review} review @param {FinishedGame} game @returns {number[]}
 */
export function course(review, game) {
  const values = review.moves.map(({ value }, ply) => blackChance(value, ply));
  const { winner, reason } = game.outcome;
  // Where the board did not decide, the last value is the last that is known of it.
  const decided = reason === 'five' || reason === 'forbidden';
  const last = review.moves.at(-1);
  const before = values.at(-1) ?? 0.5;
  const side = review.moves.length % 2 === 1 ? -1 : 1;
  values.push(decided ? (winner === 'black' ? 1 : 0) : Math.min(Math.max(before + side * (last?.loss ?? 0), 0), 1));
  return values;
}

/**
 * The moves that turned the game: the one after which it was decided, and those that lost most.
 * @param {Review} review @returns {(Mark & {loss: number})[]} in the order of play
 */
export function deciding(review) {
  /** @type {(Mark & {loss: number})[]} */
  const marks = review.moves
    .map(({ loss }, ply) => ({ ply, loss, kind: /** @type {Mark['kind']} */ (loss >= BLUNDER ? 'blunder' : 'mistake') }))
    .filter(({ loss }) => loss >= MISTAKE)
    .sort((a, b) => b.loss - a.loss)
    .slice(0, DECIDING_MAX);
  const { decided } = review;
  if (decided !== undefined) {
    const kind = /** @type {const} */ ('decided');
    const same = marks.findIndex(({ ply }) => ply === decided);
    if (same >= 0) marks.splice(same, 1);
    marks.push({ ply: decided, loss: review.moves[decided]?.loss ?? 0, kind });
  }
  return marks.sort((a, b) => a.ply - b.ply);
}
