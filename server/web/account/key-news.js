// Says in all open pages of an account what has changed in its keys.

/** @import { App } from '../ui/view-types' */
/** @import { LobbyNews } from '../ui/protocol-types' */

import { ty } from './texts.js';

/** Whose challenges were told of. @type {Set<string>} */
const told = new Set();

/** @param {App} app @param {Extract<LobbyNews, { type: 'account_changed' }>} news */
export function tell(app, { change, label }) {
  // The server says it at each connection.
  if (change === 'friend_challenges' && told.has(label)) return;
  told.add(label);
  app.toast(ty(`news_${change}`, { label }));
}
