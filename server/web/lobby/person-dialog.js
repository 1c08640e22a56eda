// The dialog of another person: challenges them to a game, or mutes, blocks or reports them.

/** @import { App, PersonContext } from '../ui/view-types' */

import { memberName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { openDialog } from '../ui/dialog.js';
import { button, el } from '../ui/dom.js';
import { createGameOptions } from './game-options.js';

/** @param {App} app @param {{ member: string, name: string }} person @param {PersonContext} [context] */
export async function openPersonDialog(app, person, context = {}) {
  const { member, name } = person;
  const { personActions } = await import('../moderation/person-actions.js');
  const actions = personActions(app, person, context, () => dialog.close());
  const options = createGameOptions('anyone', () => app.connection.account);
  const send = el('button', { type: 'button', class: 'primary' }, t('challenge'));
  const profile = button(t('profile'), showProfile);
  const dialog = context.opposed
    ? openDialog(memberName(name), profile, actions)
    : openDialog(t('challenge_person', { name: memberName(name) }), profile, options.element, send, actions);

  /** Goes to the person's profile. A guest has none, and may have the name of somebody who has. */
  async function showProfile() {
    const path = `/player/${encodeURIComponent(name)}`;
    const answer = await fetch(`/api${path}`).catch(() => undefined);
    if (answer?.ok && (await answer.json()).member === member) {
      dialog.close();
      app.go(path);
    } else {
      const isGuest = answer?.ok || answer?.status === 404;
      profile.replaceWith(
        el('p', { class: 'hint', role: 'status' }, isGuest ? t('guest_no_profile', { name }) : t('failed')),
      );
    }
  }

  send.addEventListener('click', async () => {
    dialog.close();
    const { challenge } = await import('../account/friends.js');
    void challenge(app, person, options.settings());
  });
}
