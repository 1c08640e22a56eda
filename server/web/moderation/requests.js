// Requests about other people, for an account by its cookie, or for a guest by their identity.

/** @import { App } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { request } from '../ui/http-request.js';

/** Somebody on the player's list. @typedef {{ member: string, name: string, kind: 'block' | 'mute', at: number }} Entry */
/** A report of the player's own. @typedef {{ name: string, kind: string, at: number, state: 'open' | 'acted' | 'dismissed' }} OwnReport */

/**
 * Asks as the player.
 * @param {App} app
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path below `/api/`
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export function ask({ connection }, method, path, body) {
  return request(method, path, body, connection.account ? null : siteStorage.getItem(STORAGE_KEYS.identity));
}

/** The player's list. @param {App} app @returns {Promise<Entry[]>} */
export async function listed(app) {
  return (await ask(app, 'GET', 'blocks')).blocks;
}

/** Takes somebody from the list, or puts them on it. @param {App} app @param {{ member: string, name: string }} person @param {'block' | 'mute' | null} kind */
export async function setListed(app, { member, name }, kind) {
  if (kind) await ask(app, 'POST', 'blocks', { member, name, kind });
  else await ask(app, 'DELETE', `blocks/${member}`);
  // A chat that is shown loads its lines again.
  dispatchEvent(new Event('fivefold-listed'));
}
