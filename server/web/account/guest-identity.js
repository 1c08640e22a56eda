// A guest's identity, a secret of this browser: their name, the link for other devices, the question that
// such a link asks, and the players that they were here before.

/** @import { App } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { NAME_MAX } from '../client/protocol.js';
import { RefusedError } from '../client/refused-error.js';
import { openDialog } from '../ui/dialog.js';
import { button, el, fill } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { linkCard } from '../ui/link-card.js';
import { ty } from './texts.js';

/** An identity in the fragment of a link, which browsers do not send to servers. */
const CARRIED = /^#identity=([0-9a-f]{64})(?:&name=(.+))?$/;
/** Keeps them. */
const FORMER_KEY = 'fivefold.former';
/** Former identities to keep. */
const FORMER_MAX = 5;

/**
 * What a guest can do with their identity.
 * @param {App} app
 * @param {() => void} close closes the dialog
 */
export function guestIdentity(app, close) {
  const field = el('input', {
    maxLength: NAME_MAX,
    value: app.connection.name,
    autocomplete: 'nickname',
    required: true,
  });
  const form = el(
    'form',
    { class: 'row' },
    el('label', { class: 'field grow' }, el('span', null, ty('your_name')), field),
    el('button', null, ty('save')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    rename(app, field.value.trim()).then(close, app.showError);
  });
  const carry = el('div');
  const reveal = el('button', { type: 'button' }, ty('show_link'));
  reveal.addEventListener('click', () => {
    const identity = siteStorage.getItem(STORAGE_KEYS.identity);
    if (identity) fill(carry, linkCard(identityLink(identity, app.connection.name), ty('other_device')));
  });
  fill(carry, reveal);
  const replace = button(ty('replace_link'), () =>
    replaceIdentity(app).then(() => {
      app.toast(ty('link_replaced'));
      close();
    }, app.showError),
  );
  const former = formerIdentities().map(({ identity, name }) =>
    button(ty('switch_back', { name }), () => switchIdentity(app, identity, name).catch(app.showError)),
  );
  return [
    form,
    el('p', { class: 'hint' }, ty('name_how')),
    el('h3', null, ty('other_device')),
    el('p', { class: 'hint' }, ty('other_device_how')),
    carry,
    el('p', { class: 'hint' }, ty('replace_link_how')),
    el('div', { class: 'row' }, replace),
    ...(former.length > 0
      ? [el('p', { class: 'hint' }, ty('former_players')), el('div', { class: 'row' }, ...former)]
      : []),
  ];
}

/**
 * If the address carries an identity, asks whether to switch to that player.
 * @param {App} app
 */
export function offerIdentity(app) {
  const [, identity, called = ''] = CARRIED.exec(location.hash) ?? [];
  if (!identity) return;
  history.replaceState(null, '', location.pathname);
  const own = siteStorage.getItem(STORAGE_KEYS.identity);
  if (identity === own) return;
  // The player's name here is known once the server has greeted us.
  if (own && !app.connection.you && app.connection.status !== 'replaced')
    return void app.connection.send({ type: 'ping' }).then(() => askToBe(app, identity, called, own));
  askToBe(app, identity, called, own);
}

/**
 * @param {App} app
 * @param {string} identity
 * @param {string} called
 * @param {string | null} own
 */
function askToBe(app, identity, called, own) {
  const { name } = app.connection;
  const yes = button(ty('yes'), () => switchIdentity(app, identity, decoded(called)).catch(app.showError), {
    class: 'primary',
  });
  const no = el('button', { type: 'button' }, ty('no'));
  const kept =
    own && !app.connection.account
      ? [
          el('p', null, ty('current_player', { name })),
          linkCard(identityLink(own, name), ty('current_player_link', { name })),
        ]
      : [];
  const dialog = openDialog(
    ty('switch_player'),
    el('p', null, ty('switch_player_how')),
    ...kept,
    el('div', { class: 'row' }, yes, no),
  );
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

/** Identities used before on this device, the latest first.
 * @returns {{ identity: string, name: string }[]} */
function formerIdentities() {
  try {
    return JSON.parse(siteStorage.getItem(FORMER_KEY) ?? '[]');
  } catch {
    return [];
  }
}

/**
 * Switches to another identity and reloads the page. The current one is kept as a former one.
 * @param {App} app
 * @param {string} identity
 * @param {string} [name]
 */
async function switchIdentity({ connection }, identity, name) {
  // The account's cookie would speak instead.
  if (connection.account) {
    await request('DELETE', 'session');
    siteStorage.removeItem(STORAGE_KEYS.account);
  }
  const own = siteStorage.getItem(STORAGE_KEYS.identity);
  const others = formerIdentities().filter((one) => one.identity !== identity && one.identity !== own);
  if (own) others.unshift({ identity: own, name: siteStorage.getItem(STORAGE_KEYS.name) ?? connection.name });
  siteStorage.setItem(FORMER_KEY, JSON.stringify(others.slice(0, FORMER_MAX)));
  siteStorage.setItem(STORAGE_KEYS.identity, identity);
  if (name) siteStorage.setItem(STORAGE_KEYS.name, name);
  else siteStorage.removeItem(STORAGE_KEYS.name);
  location.reload();
}

/** @param {App} app @param {string} name */
async function rename({ connection }, name) {
  await connection.send({ type: 'set_name', name });
  siteStorage.setItem(STORAGE_KEYS.name, name);
  connection.name = name;
  connection.onchange();
}

/**
 * Replaces the secret identity and keeps seats and games. The new one is stored before it is sent,
 * so that a lost answer locks nobody out.
 * @param {App} app
 */
async function replaceIdentity({ connection }) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const identity = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  siteStorage.setItem(STORAGE_KEYS.next, identity);
  try {
    await connection.send({ type: 'replace_identity', identity });
  } catch (error) {
    siteStorage.removeItem(STORAGE_KEYS.next);
    // The server has nothing stored under this identity: a new one will do.
    if (error instanceof RefusedError && error.refusal.reason === 'nothing_to_keep')
      return connection.startAsNewPlayer();
    throw error;
  }
  connection.adoptNextIdentity();
}
