// The moves of a reviewed game that are worth showing: mistakes, and the move that decided.

/** @import { Point, Review } from '../ui/protocol-types' */
/** @import { Mark } from './value-graph.js' */

/** The loss of winning chances from which a move is a mistake, or a blunder. */
export const MISTAKE = 0.12;
export const BLUNDER = 0.3;
/** Deciding moves to show at most. */
const DECIDING_MAX = 6;

/**
 * The best line in place of a mistake.
 * @param {Review} review @param {number} ply @param {Point | undefined} played @returns {readonly Point[]} none if the move was no mistake
 */
export function betterLine(review, ply, played) {
  const { loss = 0, line = [] } = review.moves[ply] ?? {};
  return loss >= MISTAKE && String(line[0]) !== String(played) ? line : [];
}

/**
 * The moves that turned the game: the deciding one and those that lost most.
 * @param {Review} review @returns {(Mark & {loss: number})[]} in the order of play
 */
export function decidingMoves(review) {
  /** @param {number} ply @returns {Mark & {loss: number}} */
  const mark = (ply) => {
    const loss = review.moves[ply]?.loss ?? 0;
    // The mistake that decided the game stays a mistake.
    return { ply, loss, kind: loss >= BLUNDER ? 'blunder' : loss >= MISTAKE ? 'mistake' : 'decided' };
  };
  const marks = review.moves
    .map((_, ply) => mark(ply))
    .filter(({ loss }) => loss >= MISTAKE)
    .sort((a, b) => b.loss - a.loss)
    .slice(0, DECIDING_MAX);
  const { decided } = review;
  if (decided !== undefined && !marks.some(({ ply }) => ply === decided)) marks.push(mark(decided));
  return marks.sort((a, b) => a.ply - b.ply);
}
