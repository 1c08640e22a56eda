// Sends a batch of games to a collection, and knows after which answers to send it again.

import { RefusedError } from '../../client/refused-error.js';
import { refusedAnswer } from '../../language/refusals.js';

/** The result of a batch: the duplicates and the refused games, by their positions in it.
 * @typedef {{ added: number, duplicates: number[], refused: { index: number, text: string }[] }} CollectAnswer */

/** Answers after which the same batch is sent again. */
const LATER = [408, 429, 502, 503, 504];

/** The server is busy or cannot be reached now. */
export class TryLater extends Error {
  /** @param {number} after in milliseconds, or 0 @param {boolean} isOffline whether there is no network */
  constructor(after, isOffline) {
    super('try later');
    this.after = after;
    this.isOffline = isOffline;
  }
}

/**
 * Adds games to a collection.
 * @param {string} id @param {string} batch `GamesToCollect` as JSON @param {AbortSignal} [signal]
 * @returns {Promise<CollectAnswer>} fails with `TryLater`, or with a `RefusedError`
 */
export async function addGames(id, batch, signal) {
  const answer = await fetch(`/api/collections/${id}/games`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: batch,
    signal,
  }).catch((error) => {
    signal?.throwIfAborted();
    throw error instanceof TypeError ? new TryLater(0, true) : error;
  });
  if (answer.ok) return answer.json();
  const error = await refusedAnswer(answer).catch(() => new RefusedError({ reason: '', text: '' }));
  // Only the operator can make space on the disk.
  if (!LATER.includes(answer.status) || error.refusal.reason === 'disk_full') throw error;
  const after = Number(answer.headers.get('retry-after')) * 1000 || Number(error.refusal.wait_ms) || 0;
  throw new TryLater(after, false);
}
