// What the dialog “You” shows a guest: keep their name and games by signing up, or sign in, or set a new
// password by a recovery code; and below, what they can do as a guest.

/** @import { App } from '../ui/view-types' */
/** @import { Frame } from './you-dialog.js' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { button, el } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { accountForm, codeField, faultLine, nameField, newPasswordField, passwordField } from './account-form.js';
import { attempt, faultText } from './account-requests.js';
import { challengesFold } from './challenges-fold.js';
import { codeByEmail } from './email.js';
import { guestIdentity } from './guest-identity.js';
import { siteButton } from './oidc.js';
import { createPasskey, passkeysWork, usePasskey } from './passkeys.js';
import { peopleFold } from './people-fold.js';
import { signedIn } from './sign-in.js';
import { ty } from './texts.js';

/** Refusals that the field of the name shows. */
const NAME_FAULTS = ['account_name', 'name_taken', 'name_reserved', 'name_looks_like_bot'];

/** @param {Frame} frame */
export function guestSections(frame) {
  const signIn = button(ty('sign_in'), () => frame.show(...signInSections(frame)));
  return [
    el(
      'section',
      { class: 'sign-up' },
      el('h3', null, ty('keep')),
      el('p', { class: 'hint' }, ty('keep_how')),
      ...signUpForm(frame),
      el('div', { class: 'row' }, el('span', { class: 'hint' }, ty('have_account')), signIn),
    ),
    el('hr', null),
    ...guestIdentity(frame.app, frame.close),
    peopleFold(frame.app),
    challengesFold(frame.app),
    deleteFold(frame.app),
  ];
}

/** Deletes the guest, and begins as a new one. @param {App} app */
function deleteFold({ connection }) {
  const form = accountForm(
    [],
    ty('delete_guest_now'),
    async () => {
      await request('DELETE', 'guest', undefined, siteStorage.getItem(STORAGE_KEYS.identity));
      siteStorage.removeItem(STORAGE_KEYS.name);
      connection.startAsNewPlayer();
    },
    'danger',
  );
  return el(
    'details',
    { name: 'account' },
    el('summary', null, ty('delete_guest')),
    el('p', { class: 'hint' }, ty('delete_guest_how')),
    form,
  );
}

/** @param {Frame} frame */
function signUpForm(frame) {
  const { app } = frame;
  /** The name whose answer was lost on the way: it may be this guest's already. */
  let lost = '';
  const known = siteStorage.getItem(STORAGE_KEYS.name) ?? '';
  const name = nameField(known, true);
  /** @param {string[]} codes @param {string} as */
  const finish = (codes, as) => {
    app.connection.signIn();
    // The guest is the account now.
    siteStorage.removeItem(STORAGE_KEYS.identity);
    siteStorage.removeItem(STORAGE_KEYS.name);
    frame.codes(codes, as, () => {
      frame.close();
      app.toast(ty('signed_in', { name: as }));
    });
  };
  const form = accountForm([name, newPasswordField('password')], ty('sign_up'), async (values) => {
    const { name } = values;
    const codes =
      (lost === name && (await codesAgain(values))) ||
      (await signUp(values).catch((error) => {
        lost = error instanceof TypeError ? name : '';
        throw error;
      }));
    finish(codes, values.name);
  });
  const byPasskey = passkeyButton(ty('sign_up_passkey'), async () => {
    const as = name.input.value.trim();
    name.say(as ? '' : ty('fill_in'));
    if (!as) return name.input.focus();
    const identity = siteStorage.getItem(STORAGE_KEYS.identity);
    try {
      const passkey = await createPasskey({ for: 'sign_up', name: as }, identity);
      finish((await request('POST', 'account', { name: as, passkey }, identity)).recovery_codes, as);
    } catch (error) {
      if (!NAME_FAULTS.includes(reasonOf(error))) throw error;
      name.say(faultText(error));
      name.input.focus();
    }
  });
  return [form, byPasskey, siteButton('oidc_go', 'sign_in')];
}

/** A button that does something with a passkey, where those work. @param {string} text @param {() => Promise<void>} act */
function passkeyButton(text, act) {
  const line = faultLine();
  const ask = button(text, () => attempt(line, act));
  const place = el('div', { hidden: true }, ask, line);
  void passkeysWork().then((work) => void (place.hidden = !work));
  return place;
}

/** Makes an account, and returns its recovery codes. @param {{ name: string, password: string }} values @returns {Promise<string[]>} */
async function signUp({ name, password }) {
  const { recovery_codes: codes } = await request(
    'POST',
    'account',
    { name, password },
    siteStorage.getItem(STORAGE_KEYS.identity),
  );
  return codes;
}

/** Signs in with what may have become an account, and returns new recovery codes.
 * @param {{ name: string, password: string }} values @returns {Promise<string[] | undefined>} */
async function codesAgain({ name, password }) {
  try {
    await request('POST', 'session', { name, password });
    return (await request('POST', 'account/codes', { password })).recovery_codes;
  } catch {
    return undefined;
  }
}

/** @param {Frame} frame */
function signInSections(frame) {
  const { app } = frame;
  const form = accountForm([nameField(''), passwordField()], ty('sign_in'), async ({ name, password }) => {
    await opened(
      await request('POST', 'session', { name, password }).catch(async (error) => {
        if (reasonOf(error) === 'account_closed')
          frame.show(...(await closedSections(frame, error, { name, password })));
        throw error;
      }),
    );
  });
  const byPasskey = passkeyButton(ty('sign_in_passkey'), async () => {
    await opened(await request('POST', 'session', { passkey: await usePasskey({ for: 'sign_in' }) }));
  });
  /** @param {{ account: { name: string } }} answer */
  const opened = async ({ account }) => {
    frame.close();
    await signedIn(app, account.name);
  };
  const lost = button(ty('lost_password'), () => frame.show(...recoverySections(frame)));
  return [
    el('h3', null, ty('sign_in')),
    form,
    byPasskey,
    siteButton('oidc_go', 'sign_in'),
    el('div', { class: 'row' }, lost, back(frame)),
  ];
}

/** What an account that an operator has closed is shown. @param {Frame} frame @param {unknown} error @param {{ name: string, password: string }} typed */
async function closedSections(frame, error, typed) {
  const [{ appealForm }, { faultText, tm }] = await Promise.all([
    import('../moderation/notice.js'),
    import('../moderation/texts.js'),
  ]);
  return [
    el('h3', null, tm('closed')),
    el('p', null, faultText(error)),
    el('h3', null, tm('appeal')),
    appealForm((text) => request('POST', 'appeals', { ...typed, text })),
    el('div', { class: 'row' }, back(frame)),
  ];
}

/** @param {Frame} frame */
function recoverySections(frame) {
  const { app } = frame;
  const name = nameField('');
  const form = accountForm(
    [name, codeField(), newPasswordField('new_password')],
    ty('recover'),
    async ({ name, code, new_password: password }) => {
      const { account, recovery_codes_left: count } = await request('POST', 'recovery', { name, code, password });
      app.connection.signIn();
      frame.close();
      app.toast(ty('recovered', { name: account.name, count }));
    },
  );
  return [
    el('h3', null, ty('lost_password')),
    el('p', { class: 'hint' }, ty('recover_how')),
    form,
    codeByEmail(name.input),
    el('div', { class: 'row' }, back(frame)),
  ];
}

/** @param {Frame} frame */
function back(frame) {
  return button(ty('back'), () => frame.show(...guestSections(frame)));
}
