// The keys of an account in the dialog “You”: passkeys, tokens for programs, and other devices.

/** @import { AccountAnswer, Passkey, Token } from './account-requests.js' */
/** @import { Frame } from './you-dialog.js' */

import { copyText } from '../browser/clipboard.js';
import { DAY_MS } from '../client/clock.js';
import { dotted, formatDate, languageCode, t } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { change, withKey } from './confirm.js';
import { deviceCodeForm, showLink } from './device-link.js';
import { siteButton } from './oidc.js';
import { createPasskey, passkeysWork } from './passkeys.js';
import { ty } from './texts.js';

/** What a token may allow, as the protocol names it. */
const SCOPES = ['play', 'watch', 'challenge', 'games:read', 'account:read'];
/** How long a token may be valid, in days. */
const DAYS = [30, 90, 365];
/** Most letters of a key's name. */
const LABEL_MAX = 80;

let fields = 0;

/** A labelled input. @param {string} text @param {HTMLElement} input */
function labelled(text, input) {
  fields += 1;
  input.id = `key-field-${fields}`;
  return el('div', { class: 'account-field' }, el('label', { for: input.id }, text), input);
}

/** What a token allows, in words. @param {string} scope */
function scopeName(scope) {
  return SCOPES.includes(scope) ? ty(/** @type {'scope_play'} */ (`scope_${scope.replace(':', '_')}`)) : scope;
}

/** @param {number} at */
function day(at) {
  return formatDate(at, { dateStyle: 'medium' });
}

/**
 * A key in a list, and the button that removes it.
 * @param {Passkey} key @param {string} more @param {() => void} remove
 */
function keyLine({ label, used_at: used }, more, remove) {
  const about = dotted(used ? ty('seen', { date: day(used) }) : ty('never_used'), more);
  return el(
    'li',
    null,
    el('div', null, el('bdi', null, label), el('span', { class: 'hint' }, about)),
    button(ty('remove'), remove, { 'aria-label': ty('remove_key', { label }) }),
  );
}

/**
 * A list of keys, each with the button that removes it.
 * @param {HTMLElement} line where a fault is shown
 */
function keyList(line) {
  const element = el('ol', { class: 'signed-in-on' });
  /** @param {Passkey[]} keys */
  function show(keys) {
    fill(
      element,
      ...keys.map((one) =>
        keyLine(one, '', () =>
          attempt(line, async () => {
            if (await change('DELETE', `account/passkeys/${one.id}`)) show(keys.filter(({ id }) => id !== one.id));
          }),
        ),
      ),
    );
  }
  return { element, show };
}

/** @param {AccountAnswer} answer */
export function passkeySection({ passkeys }) {
  const line = faultLine();
  const list = keyList(line);
  const label = el('input', { maxLength: LABEL_MAX, autocomplete: 'off' });
  const add = button(ty('add_passkey'), () =>
    attempt(line, async () => {
      const done = await withKey(async () => {
        const answer = await createPasskey({ for: 'add' });
        await request('POST', 'account/passkeys', { ...answer, label: label.value });
        return true;
      });
      if (!done) return;
      label.value = '';
      list.show((await request('GET', 'account')).passkeys);
    }),
  );
  const missing = el('p', { class: 'hint', hidden: true }, ty('no_passkeys_here'));
  const adding = el('div', { class: 'account-form' }, labelled(ty('key_label'), label), add);
  void passkeysWork().then((work) => {
    adding.hidden = !work;
    missing.hidden = work;
  });

  list.show(passkeys);
  return el('div', null, el('p', { class: 'hint' }, ty('passkeys_how')), list.element, adding, missing, line);
}

/** The other sites that open the account. @param {AccountAnswer} answer @param {string} site */
export function siteSection({ oidc }, site) {
  const line = faultLine();
  const list = keyList(line);
  list.show(oidc);
  return el(
    'div',
    null,
    el('p', { class: 'hint' }, ty('oidc_how', { site })),
    list.element,
    siteButton('oidc_add', 'add', withKey),
    line,
  );
}

/** A text to copy, which is not shown again. @param {string} text @param {string} label */
function toCopy(text, label) {
  const field = el('input', {
    class: 'code',
    readOnly: true,
    value: text,
    'aria-label': label,
    onfocus: () => field.select(),
  });
  const copy = el('button', { type: 'button', class: 'primary' }, t('copy'));
  copy.addEventListener('click', async () => {
    if (await copyText(text)) copy.textContent = t('copied');
    field.select();
  });
  return el('div', { class: 'row' }, field, copy);
}

/** Where other programs find the daily games of an account. @param {string} token that only reads games */
function feeds(token) {
  const address = (/** @type {string} */ file) =>
    new URL(`/${file}?${new URLSearchParams({ token, language: languageCode })}`, location.href).href;
  return [
    el('p', null, ty('feeds_how')),
    toCopy(address('games.ics'), ty('calendar')),
    toCopy(address('games.atom'), ty('feed')),
  ];
}

/**
 * The tokens of an account, or of a bot.
 * @param {{ tokens: Token[] }} holder
 * @param {string} how
 * @param {string} path of the tokens
 * @param {() => Promise<Token[]>} reload
 */
export function tokenSection(
  { tokens },
  how = ty('tokens_how'),
  path = 'account/tokens',
  reload = async () => (await request('GET', 'account')).tokens,
) {
  const line = faultLine();
  const list = el('ol', { class: 'signed-in-on' });
  const label = el('input', { maxLength: LABEL_MAX, autocomplete: 'off' });
  const days = el(
    'select',
    null,
    ...DAYS.map((count) => el('option', { value: String(count), selected: count === 365 }, ty('for_days', { count }))),
  );
  const scopes = SCOPES.map((scope) => el('input', { type: 'checkbox', value: scope, checked: scope === 'play' }));
  const made = el('div', { class: 'new-token', role: 'status' });
  const form = el(
    'form',
    { class: 'account-form' },
    labelled(ty('key_label'), label),
    labelled(ty('valid_for'), days),
    el(
      'fieldset',
      null,
      el('legend', null, ty('token_allows')),
      ...scopes.map((box) => el('label', { class: 'check' }, box, el('span', null, scopeName(box.value)))),
    ),
    el('button', null, ty('new_token')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(line, async () => {
      const wanted = scopes.filter(({ checked }) => checked).map(({ value }) => value);
      const asked = { label: label.value, scopes: wanted, for_ms: Number(days.value) * DAY_MS };
      const answer = await change('POST', path, asked);
      if (!answer) return;
      label.value = '';
      const only = wanted.length === 1 && wanted[0] === 'games:read' ? feeds(answer.token) : [];
      fill(made, el('p', null, ty('token_once')), toCopy(answer.token, ty('token')), ...only);
      made.querySelector('input')?.focus();
      show(await reload());
    });
  });

  /** @param {Token[]} shown */
  function show(shown) {
    fill(
      list,
      ...shown.map((one) =>
        keyLine(one, `${one.scopes.map(scopeName).join(', ')} · ${ty('until', { date: day(one.expires_at) })}`, () =>
          attempt(line, async () => {
            await request('DELETE', `${path}/${one.id}`);
            show(shown.filter(({ id }) => id !== one.id));
          }),
        ),
      ),
    );
  }
  show(tokens);
  return el('div', null, el('p', { class: 'hint' }, how), list, form, made, line);
}

/** Signs in another device: by a link that it opens, or by the code that it shows. @param {Frame} frame */
export function deviceSection({ app }) {
  const place = el('div');
  const line = faultLine();
  const link = button(ty('show_device_link'), () => attempt(line, () => showLink(app, place)));
  fill(place, link);
  return el(
    'div',
    null,
    el('p', { class: 'hint' }, ty('device_link_how')),
    place,
    line,
    el('p', { class: 'hint' }, ty('device_code_how')),
    deviceCodeForm(app, ''),
  );
}
