// The dialog of another person: challenges them to a game, or mutes, blocks or reports them.

/** @import { App } from './view-types' */

import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { createGameOptions } from './game-options.js';
import { t } from './texts.js';

/** Where the person was met; opposed: in a running game, in which nobody challenges the other.
 * @typedef {import('./moderation/person-actions.js').Context & { opposed?: boolean }} Context */

/** @param {App} app @param {{ member: string, name: string }} person @param {Context} [context] */
export async function openPersonDialog(app, person, context = {}) {
  const { member, name } = person;
  const { personActions } = await import('./moderation/person-actions.js');
  const actions = personActions(app, person, context, () => dialog.close());
  const options = createGameOptions('anyone');
  const send = el('button', { type: 'button', class: 'primary' }, t('challenge'));
  const profile = el('a', { href: `/player/${encodeURIComponent(name)}`, hidden: true, onclick: () => dialog.close() }, t('profile'));
  const dialog = context.opposed ? openDialog(name, profile, actions) : openDialog(t('challenge_person', { name }), profile, options.element, send, actions);
  // Guests have no profile, and may have the name of somebody who has one.
  void fetch(`/api/player/${encodeURIComponent(name)}`).then(async (answer) => {
    profile.hidden = !answer.ok || (await answer.json()).member !== member;
  }, () => {});
  send.addEventListener('click', async () => {
    dialog.close();
    (await app.seeks()).start({ type: 'challenge', member, settings: options.settings() }, name);
  });
}
