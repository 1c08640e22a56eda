// Requests about collections of games.

/** @import { CollectedGame } from '../../ui/protocol-types' */

import { RefusedError } from '../../client/refused-error.js';
import { refusedAnswer } from '../../language/refusals.js';
import { request } from '../../ui/http-request.js';

/** `owner` is the owner's name, unless that is this player.
 * @typedef {{ id: string, name: string, shared: boolean, games: number, changed_at: number, owner?: string }} Collection */
/** @typedef {CollectedGame & { number: number }} NumberedGame */
/** @typedef {{ collection: Collection, games: NumberedGame[], next?: number }} CollectionPage */
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

/** @returns {Promise<Collection[]>} the most recently changed first */
export async function listCollections() {
  return (await request('GET', 'collections')).collections;
}

/** @param {string} name @param {boolean} shared @returns {Promise<Collection>} */
export function makeCollection(name, shared) {
  return request('POST', 'collections', { name, shared });
}

/** @param {string} id @param {{ name: string, shared: boolean }} settings */
export function changeCollection(id, { name, shared }) {
  return request('PUT', `collections/${id}`, { name, shared });
}

/** @param {string} id */
export function deleteCollection(id) {
  return request('DELETE', `collections/${id}`);
}

/** @param {string} id @param {string} player a part of a player's name, or nothing @param {number} [after] @returns {Promise<CollectionPage>} */
export function readCollection(id, player, after) {
  const query = new URLSearchParams({ ...(player && { player }), ...(after && { after: String(after) }) });
  return request('GET', `collections/${id}?${query}`);
}

/** @param {string} id @param {number} number */
export function deleteGame(id, number) {
  return request('DELETE', `collections/${id}/games/${number}`);
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
