// Says in all open pages of an account what has changed in its keys, and what its friends want.

/** @import { App } from '../ui/view-types' */
/** @import { LobbyNews } from '../ui/protocol-types' */

import { ty } from './texts.js';

/** The friends' challenges that were told of: by whom, and when they were made. @type {Set<string>} */
const told = new Set();

/** @param {App} app @param {Extract<LobbyNews, { type: 'account_changed' }>} news */
export function tell(app, { change, label, at }) {
  // The server says at each connection which challenges wait.
  const challenge = at && `${at} ${label}`;
  if (challenge && told.has(challenge)) return;
  if (challenge) told.add(challenge);
  app.toast(ty(`news_${change}`, { label }));
}
