// The dialog that challenges somebody to a game.

/** @import { App } from './view-types' */

import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { createGameOptions } from './game-options.js';
import { t } from './texts.js';

/** @param {App} app @param {{ member: string, name: string }} person */
export function openChallengeDialog(app, { member, name }) {
  const options = createGameOptions('anyone');
  const send = el('button', { type: 'button', class: 'primary' }, t('challenge'));
  const dialog = openDialog(t('challenge_person', { name }), options.element, send);
  send.addEventListener('click', async () => {
    dialog.close();
    (await app.seeks()).start({ type: 'challenge', member, settings: options.settings() }, name);
  });
}
