// The account's e-mail address, if the server sends e-mail: its part of the dialog “You”, the link that confirms it, and
// the code for a lost password.

/** @import { App } from '../ui/view-types' */

import { languageCode } from '../language/texts.js';
import { openDialog } from '../ui/dialog.js';
import { button, el, fill, write } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { change } from './confirm.js';
import { signInWays } from './passkeys.js';
import { fetchPushes, storeSettings } from './pushes.js';
import { ty } from './texts.js';

/** Longest address. */
const ADDRESS_MAX = 254;

/** @typedef {{ available: boolean, address?: string, named?: string }} Email */

/** The part of the dialog “You”. */
export function emailFold() {
  const line = faultLine();
  const known = el('div');
  const field = el('input', { type: 'email', required: true, maxLength: ADDRESS_MAX, autocomplete: 'email' });
  /** @param {SubmitEvent} event */
  const send = (event) => {
    event.preventDefault();
    void attempt(line, async () => {
      const address = field.value.trim();
      if (!(await change('POST', 'email', { address, language: languageCode }))) return;
      field.value = '';
      await load();
      // Messages tell times, and the server does not know the player's clock otherwise.
      await storeSettings((await fetchPushes()).settings);
    });
  };
  const form = el(
    'form',
    { onsubmit: send },
    el('label', { class: 'field' }, el('span', null, ty('email_address')), field),
    el('button', { type: 'submit' }, ty('email_send')),
  );
  const fold = el(
    'details',
    { name: 'account', hidden: true },
    el('summary', null, ty('email')),
    el('p', { class: 'hint' }, ty('email_how')),
    known,
    form,
    line,
  );
  const forget = () =>
    attempt(line, async () => {
      if (await change('DELETE', 'email', {})) await load();
    });

  async function load() {
    /** @type {Email} */
    const { available, address, named } = await request('GET', 'email');
    fold.hidden = !(available || address || named);
    form.hidden = !available;
    fill(
      known,
      address && el('p', null, ty('email_confirmed', { address })),
      named && el('p', null, ty('email_waits', { address: named })),
      (address || named) && button(ty('email_forget'), forget),
    );
  }

  load().catch(() => {});
  return fold;
}

/** Asks before it confirms: mail scanners open links, too. @param {App} app @param {string} secret */
export function askToConfirm(app, secret) {
  const line = faultLine();
  const yes = button(
    ty('email_confirm'),
    () =>
      attempt(line, async () => {
        try {
          await request('POST', 'email/confirm', { secret });
        } catch (error) {
          if (reasonOf(error) !== 'wrong_code') throw error;
          return write(line, ty('email_old'));
        }
        dialog.close();
        app.toast(ty('email_done'));
      }),
    { class: 'primary' },
  );
  const dialog = openDialog(
    ty('email'),
    el('div', { class: 'you' }, el('p', null, ty('email_asks')), el('div', { class: 'row' }, yes), line),
  );
}

/** A button that asks for a recovery code by e-mail; hidden if the server sends none. @param {HTMLInputElement} name of the account */
export function codeByEmail(name) {
  const line = el('p', { class: 'hint', role: 'status' });
  const send = button(ty('email_code'), () =>
    attempt(line, async () => {
      const typed = name.value.trim();
      if (!typed) return name.focus();
      await request('POST', 'recovery/mail', { name: typed });
      write(line, ty('email_code_sent', { name: typed }));
    }),
  );
  const place = el('div', { hidden: true }, send, line);
  void signInWays().then(({ email }) => void (place.hidden = !email));
  return place;
}
