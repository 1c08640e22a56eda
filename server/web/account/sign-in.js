// What follows a sign-in: the page speaks for the account, and asks once whether the games of this browser's
// guest belong to it.

/** @import { App } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { openDialog } from '../ui/dialog.js';
import { button, el } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { endOthers } from './pushes.js';
import { ty } from './texts.js';

/** The guest whose games the player has left: the beginning of their identity. */
const ASKED = 'fivefold.asked';

/** @param {App} app @param {string} name */
export async function signedIn(app, name) {
  const identity = siteStorage.getItem(STORAGE_KEYS.identity);
  const asks = identity && siteStorage.getItem(ASKED) !== identity.slice(0, 8);
  const running = asks ? await runningGames(app) : 0;
  app.connection.signIn();
  app.toast(ty('signed_in', { name }));
  void endOthers();
  if (!asks) return;
  // Without an answer nothing is asked, and the guest stays.
  const own = await fetch('/api/games', { headers: { authorization: `Bearer ${identity}` } }).then(
    (answer) => answer.json(),
    () => ({}),
  );
  const count = running + (own.games?.length ?? 0);
  if (count > 0) askToTake(app, identity, count);
}

/** How many games of the guest are running: the socket still speaks for the guest. @param {App} app */
async function runningGames({ connection }) {
  if (connection.status !== 'open') return 0;
  const answer = await connection.send({ type: 'own_rooms' }).catch(() => undefined);
  return answer?.type === 'own_rooms'
    ? answer.rooms.filter(({ seat, phase }) => seat && phase === 'running').length
    : 0;
}

/** @param {App} app @param {string} identity @param {number} count */
function askToTake(app, identity, count) {
  const line = faultLine();
  const yes = button(
    ty('yes'),
    () =>
      attempt(line, async () => {
        await request('POST', 'account/guest', { identity });
        siteStorage.removeItem(STORAGE_KEYS.identity);
        siteStorage.removeItem(STORAGE_KEYS.name);
        dialog.close();
        app.connection.signIn();
      }),
    { class: 'primary' },
  );
  const no = button(ty('no'), () => {
    siteStorage.setItem(ASKED, identity.slice(0, 8));
    dialog.close();
  });
  const dialog = openDialog(
    ty('take_games', { count }),
    el(
      'div',
      { class: 'you' },
      el('p', { class: 'hint' }, ty('take_games_how')),
      el('div', { class: 'row' }, yes, no),
      line,
    ),
  );
}
