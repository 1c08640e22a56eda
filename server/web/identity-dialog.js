// The player's identity: the dialog with the name and the link for other devices, and the question that
// such a link asks.

/** @import { App } from './view-types' */

import { STORAGE_KEYS } from './connection.js';
import { openDialog } from './dialog.js';
import { el, fill } from './dom.js';
import { linkCard } from './link-card.js';
import { t } from './texts.js';

const NAME_MAX = 24;
/** An identity in the fragment of a link, which browsers do not send to servers. */
const CARRIED = /^#identity=([0-9a-f]{64})(?:&name=(.+))?$/;

/** @param {App} app */
export function openIdentityDialog(app) {
  const field = el('input', { maxLength: NAME_MAX, value: app.connection.name, autocomplete: 'nickname', required: true });
  const form = el('form', { class: 'row' },
    el('label', { class: 'field grow' }, el('span', null, t('your_name')), field), el('button', { class: 'primary' }, t('save')));
  const carry = el('div');
  const reveal = el('button', { type: 'button' }, t('show_link'));
  reveal.addEventListener('click', () => {
    const identity = localStorage.getItem(STORAGE_KEYS.identity);
    if (identity) fill(carry, linkCard(identityLink(identity, app.connection.name), t('other_device')));
  });
  fill(carry, reveal);
  const replace = el('button', { type: 'button', onclick: () => app.connection.replaceIdentity().then(() => {
    app.toast(t('link_replaced'));
    dialog.close();
  }, app.showError) }, t('replace_link'));
  const former = app.connection.formerIdentities().map(({ identity, name }) => el('button', {
    type: 'button', onclick: () => app.connection.switchIdentity(identity, name),
  }, t('switch_back', { name })));
  const dialog = openDialog(t('you'), form, el('p', { class: 'hint' }, t('name_how')),
    el('h3', null, t('other_device')), el('p', { class: 'hint' }, t('other_device_how')), carry,
    el('p', { class: 'hint' }, t('replace_link_how')), el('div', { class: 'row' }, replace),
    ...(former.length > 0 ? [el('p', { class: 'hint' }, t('former_players')), el('div', { class: 'row' }, ...former)] : []));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    app.connection.rename(field.value.trim()).then(() => dialog.close(), app.showError);
  });
}

/**
 * If the address carries an identity, asks whether to switch to that player.
 * @param {App} app
 */
export function offerIdentity(app) {
  const [, identity, called = ''] = CARRIED.exec(location.hash) ?? [];
  if (!identity) return;
  history.replaceState(null, '', location.pathname);
  const own = localStorage.getItem(STORAGE_KEYS.identity);
  if (identity === own) return;
  // The player's name here is known once the server has greeted us.
  if (own && !app.connection.you && app.connection.status !== 'replaced') return void app.connection.send({ type: 'ping' }).then(() => ask(app, identity, called, own));
  ask(app, identity, called, own);
}

/**
 * @param {App} app
 * @param {string} identity
 * @param {string} called
 * @param {string | null} own
 */
function ask(app, identity, called, own) {
  const { name } = app.connection;
  const yes = el('button', { type: 'button', class: 'primary', onclick: () => app.connection.switchIdentity(identity, decoded(called)) }, t('yes'));
  const no = el('button', { type: 'button' }, t('no'));
  const kept = own ? [el('p', null, t('current_player', { name })), linkCard(identityLink(own, name), t('current_player_link', { name }))] : [];
  const dialog = openDialog(t('switch_player'), el('p', null, t('switch_player_how')), ...kept, el('div', { class: 'row' }, yes, no));
  no.addEventListener('click', () => dialog.close());
}

/**
 * A link that gives another device this identity. It carries the name, because the server knows no
 * names of people without a seat.
 * @param {string} identity
 * @param {string} name
 */
function identityLink(identity, name) {
  return `${location.origin}/#identity=${identity}&name=${encodeURIComponent(name)}`;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
