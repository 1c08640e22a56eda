// Asks for a key to the account again, where something would change its keys and none was used lately.

import { openDialog } from '../ui/dialog.js';
import { button, el } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { accountForm, faultLine, passwordField } from './account-form.js';
import { attempt } from './account-requests.js';
import { siteButton } from './oidc.js';
import { passkeysWork, usePasskey } from './passkeys.js';
import { ty } from './texts.js';

/**
 * Does something, and again after the player has shown a key, if the server asks for that.
 * @template T
 * @param {() => Promise<T>} act
 * @returns {Promise<T | undefined>} nothing if the player turns it down
 */
export async function withKey(act) {
  try {
    return await act();
  } catch (error) {
    if (reasonOf(error) !== 'confirm_first') throw error;
    return (await showsKey()) ? act() : undefined;
  }
}

/** Sends a change that asks for a key. Nothing comes back if the player shows none.
 * @param {'POST' | 'DELETE'} method @param {string} path @param {object} [body] */
export function change(method, path, body) {
  return withKey(async () => (await request(method, path, body)) ?? {});
}

/** Whether the player has shown a key. @returns {Promise<boolean>} */
async function showsKey() {
  const { has_password: hasPassword, passkeys, oidc } = await request('GET', 'account');
  const canPass = passkeys.length > 0 && (await passkeysWork());
  return new Promise((resolve) => {
    const line = faultLine();
    let shown = false;
    /** @param {object} key */
    const confirm = async (key) => {
      await request('POST', 'account/confirm', key);
      shown = true;
      dialog.close();
    };
    const form = hasPassword && accountForm([passwordField()], ty('confirm'), ({ password }) => confirm({ password }));
    const pass =
      canPass &&
      button(
        ty('use_passkey'),
        () => attempt(line, async () => confirm({ passkey: await usePasskey({ for: 'confirm' }) })),
        { class: hasPassword ? '' : 'primary' },
      );
    const dialog = openDialog(
      ty('confirm'),
      el(
        'div',
        { class: 'you' },
        el('p', { class: 'hint' }, ty('confirm_how')),
        form,
        pass,
        oidc.length > 0 && siteButton('oidc_use', 'confirm'),
        line,
      ),
    );
    dialog.addEventListener('close', () => resolve(shown));
  });
}
