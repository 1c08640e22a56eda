// The way back from another site: the player is signed in, or chooses a name for a new account.

/** @import { View } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { t } from '../language/texts.js';
import { openDialog } from '../ui/dialog.js';
import { el, fill, linkButton, loadStyle } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { accountForm, nameField } from './account-form.js';
import { faultText } from './account-requests.js';
import { cameFrom } from './oidc.js';
import { showCodes } from './recovery-codes.js';
import { signedIn } from './sign-in.js';
import { ty } from './texts.js';

/** @type {View} */
export const view = (app, place) => {
  const { code, state, error } = Object.fromEntries(new URLSearchParams(location.search));
  // Nobody comes here again by going back.
  history.replaceState(history.state, '', '/oidc');
  app.tab('Fivefold');
  void arrive();

  async function arrive() {
    await loadStyle('account/account.css').catch(() => {});
    if (!state || !(code || error)) return sayFailed(ty('oidc_failed'));
    try {
      const answer = await request('POST', 'oidc/answer', code ? { code, state } : { error, state });
      if (answer?.ticket) return askName(answer.ticket);
      const path = cameFrom();
      if (answer?.account) {
        app.go(path);
        return await signedIn(app, answer.account.name);
      }
      // The server says by a message of its own what was added.
      if (!answer) app.toast(ty('oidc_confirmed'));
      app.go(path);
    } catch (fault) {
      sayFailed(faultText(fault));
    }
  }

  /** @param {string} text */
  function sayFailed(text) {
    fill(
      place,
      el(
        'div',
        { class: 'page' },
        el(
          'div',
          { class: 'card you arrival' },
          el('h1', null, ty('sign_in')),
          el('p', { role: 'alert' }, text),
          linkButton(cameFrom(), ty('back'), true),
        ),
      ),
    );
  }

  /** Nobody has an account by this person yet. @param {string} ticket */
  function askName(ticket) {
    const form = accountForm(
      [nameField(siteStorage.getItem(STORAGE_KEYS.name) ?? '', true)],
      ty('sign_up'),
      async ({ name }) => {
        const { recovery_codes: codes } = await request(
          'POST',
          'account',
          { name, oidc: ticket },
          siteStorage.getItem(STORAGE_KEYS.identity),
        );
        // First away from here: the page shows its view again for the new player.
        app.go(cameFrom());
        app.connection.signIn();
        // The guest is the account now.
        siteStorage.removeItem(STORAGE_KEYS.identity);
        siteStorage.removeItem(STORAGE_KEYS.name);
        const body = el('div', { class: 'you' });
        const dialog = openDialog(t('you'), body);
        fill(
          body,
          ...showCodes(dialog, codes, name, () => {
            dialog.close();
            app.toast(ty('signed_in', { name }));
          }),
        );
      },
    );
    fill(
      place,
      el(
        'div',
        { class: 'page' },
        el('div', { class: 'card you arrival' }, el('h1', null, ty('sign_up')), el('p', null, ty('oidc_name')), form),
      ),
    );
    form.querySelector('input')?.focus();
  }

  return () => {};
};
