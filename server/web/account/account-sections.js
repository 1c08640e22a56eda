// What the dialog “You” shows an account: where it is signed in, and how to change its name, password and
// recovery codes, to have all its data, to delete it, and to sign out.

/** @import { AccountAnswer, Session } from './account-requests.js' */
/** @import { Frame } from './you-dialog.js' */

import { formatDate, t } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { accountForm, faultLine, nameField, newPasswordField, passwordField } from './account-form.js';
import { attempt } from './account-requests.js';
import { botFold } from './bot-section.js';
import { challengesFold } from './challenges-fold.js';
import { change } from './confirm.js';
import { emailFold } from './email.js';
import { friendsFold } from './friends-fold.js';
import { deviceSection, passkeySection, siteSection, tokenSection } from './key-sections.js';
import { otherSite } from './oidc.js';
import { peopleFold } from './people-fold.js';
import { endHere } from './pushes.js';
import { pushesFold } from './pushes-fold.js';
import { ty } from './texts.js';
import { timeOffFold } from './time-off-fold.js';

/** The pages of operators. @type {['/moderation' | '/admin', 'queue' | 'server'][]} */
const OPERATOR_PAGES = [
  ['/moderation', 'queue'],
  ['/admin', 'server'],
];

/** @param {Frame} frame @param {AccountAnswer} answer */
export function accountSections(frame, answer) {
  const { account, sessions, recovery_codes_left: count, has_password: hasPassword, operator } = answer;
  const { app } = frame;
  const { name } = account;
  /** Without a password, the dialog asks for another key where one is needed. @param {string} [how] */
  const secret = (how) => (hasPassword ? [passwordField(how)] : []);
  const line = faultLine();
  const rename = accountForm([nameField(name, true), ...secret()], ty('save'), async ({ name: next, password }) => {
    if (!(await change('POST', 'account/name', { name: next, password }))) return;
    app.connection.signIn();
    finish(ty('renamed', { name: next }));
  });
  const newPassword = accountForm(
    [...secret(), newPasswordField('new_password')],
    ty('save'),
    async ({ password, new_password }) => {
      if (!(await change('POST', 'account/password', { password, new_password }))) return;
      finish(ty('password_new'));
    },
  );
  const newCodes = accountForm(secret(ty('new_codes_how')), ty('new_codes'), async ({ password }) => {
    const fresh = await change('POST', 'account/codes', { password });
    if (fresh) frame.codes(fresh.recovery_codes, name, frame.close);
  });
  const remove = accountForm(
    secret(ty('delete_how')),
    ty('delete_account'),
    async ({ password }) => {
      if (!(await change('DELETE', 'account', { password }))) return;
      app.connection.signOut();
      void endHere();
      finish(ty('deleted'));
    },
    'danger',
  );
  const signOut = button(ty('sign_out'), () =>
    attempt(line, async () => {
      await request('DELETE', 'session');
      app.connection.signOut();
      void endHere();
      finish(t('signed_out'));
    }),
  );

  /** @param {string} text */
  function finish(text) {
    frame.close();
    app.toast(text);
  }

  return [
    el(
      'div',
      null,
      el('h3', { class: 'account-name' }, el('bdi', null, name)),
      el('p', { class: 'hint' }, ty('since', { date: formatDate(account.made_at, { dateStyle: 'medium' }) })),
      el('a', { href: `/player/${encodeURIComponent(name)}`, onclick: frame.close }, t('profile')),
    ),
    sessionList(line, sessions),
    el(
      'div',
      null,
      friendsFold(frame),
      pushesFold(frame),
      emailFold(),
      timeOffFold(),
      fold(ty('passkeys', { count: answer.passkeys.length }), passkeySection(answer)),
      siteFold(answer),
      fold(ty('device_title'), deviceSection(frame)),
      fold(ty('change_name'), rename),
      fold(ty(hasPassword ? 'change_password' : 'set_password'), newPassword),
      fold(ty('codes_left', { count }), newCodes),
      fold(ty('tokens', { count: answer.tokens.length }), tokenSection(answer)),
      botFold(frame),
      fold(ty('delete_account'), remove),
      peopleFold(app),
      challengesFold(app),
    ),
    ...(operator ? OPERATOR_PAGES.map(([href, text]) => el('a', { href, onclick: frame.close }, ty(text))) : []),
    el(
      'div',
      { class: 'row' },
      signOut,
      button(ty('export'), () => attempt(line, () => download(name))),
    ),
    line,
  ];
}

/** One change of the account, closed until it is wanted. @param {string} text @param {HTMLElement} form */
function fold(text, form) {
  return el('details', { name: 'account' }, el('summary', null, text), form);
}

/** How to sign in through the other site, where there is one or was. @param {AccountAnswer} answer */
function siteFold(answer) {
  const place = el('div');
  const title = ty('oidc_title', { number: answer.oidc.length });
  void otherSite().then(
    (site) => (site || answer.oidc.length > 0) && fill(place, fold(title, siteSection(answer, site ?? ''))),
  );
  return place;
}

/** Where the account is signed in. @param {HTMLElement} line @param {Session[]} sessions */
function sessionList(line, sessions) {
  const title = el('h3', { tabIndex: -1 }, ty('sessions'));
  const list = el('ol', { class: 'signed-in-on' });
  const others = button(ty('end_others'), () => end('sessions', () => false));

  /** @param {string} path @param {(session: Session) => boolean} stays besides the current one */
  const end = (path, stays) =>
    attempt(line, async () => {
      await request('DELETE', path);
      show((sessions = sessions.filter((one) => one.current || stays(one))));
      title.focus();
    });

  /** @param {Session[]} shown */
  function show(shown) {
    fill(
      list,
      ...shown.map((session) =>
        el(
          'li',
          null,
          el(
            'div',
            null,
            el('span', null, session.label),
            el(
              'span',
              { class: 'hint' },
              session.current
                ? ty('this_device')
                : ty('seen', { date: formatDate(session.seen_at, { dateStyle: 'medium' }) }),
            ),
          ),
          !session.current &&
            button(ty('end_session'), () => end(`sessions/${session.id}`, ({ id }) => id !== session.id), {
              'aria-label': ty('end_session_on', { label: session.label }),
            }),
        ),
      ),
    );
    others.hidden = shown.length < 3;
  }
  show(sessions);
  return el('section', null, title, list, others);
}

/** Saves all data of the account as a file. @param {string} name */
async function download(name) {
  const data = await request('GET', 'account/export');
  const address = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }));
  el('a', { href: address, download: `fivefold-${name}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
