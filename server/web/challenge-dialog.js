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
  const profile = el('a', { href: `/player/${encodeURIComponent(name)}`, hidden: true, onclick: () => dialog.close() }, t('profile'));
  const dialog = openDialog(t('challenge_person', { name }), profile, options.element, send);
  // Guests have no profile, and may have the name of somebody who has one.
  void fetch(`/api/player/${encodeURIComponent(name)}`).then(async (answer) => {
    profile.hidden = !answer.ok || (await answer.json()).member !== member;
  }, () => {});
  send.addEventListener('click', async () => {
    dialog.close();
    (await app.seeks()).start({ type: 'challenge', member, settings: options.settings() }, name);
  });
}
