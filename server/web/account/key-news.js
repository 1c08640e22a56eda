// Says in all open pages of an account what has changed in its keys.

/** @import { App } from '../ui/view-types' */
/** @import { LobbyNews } from '../ui/protocol-types' */

import { ty } from './texts.js';

/** @param {App} app @param {Extract<LobbyNews, { type: 'account_changed' }>} news */
export function tell(app, { change, label }) {
  app.toast(ty(`news_${change}`, { label }));
}
