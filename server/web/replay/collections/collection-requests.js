// Requests about collections of games.

/** @import { CollectedGame } from '../../ui/protocol-types' */

import { request } from '../../ui/http-request.js';

/** `owner` is the owner's name, unless that is this player.
 * @typedef {{ id: string, name: string, shared: boolean, games: number, changed_at: number, owner?: string }} Collection */
/** @typedef {CollectedGame & { number: number }} NumberedGame */
/** @typedef {{ collection: Collection, games: NumberedGame[], next?: number }} CollectionPage */

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
