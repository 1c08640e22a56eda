// Two dialogs: settings, and who one is.

/** @import { App } from './types' */

import { KEPT } from './connection.js';
import { el, fill } from './dom.js';
import { linkCard } from './invite.js';
import { check, select } from './options.js';
import { change, settings } from './settings.js';
import { LANGUAGES, t } from './texts.js';

const NAME_MAX = 24;
/** An identity in the part of a link that browsers tell no server. */
const CARRIED = /^#identity=([0-9a-f]{64})(?:&name=(.+))?$/;

/** @param {App} app */
export function openSettings(app) {
  const theme = select(t('theme'), [
    ['auto', t('theme_auto')], ['light', t('theme_light')], ['dark', t('theme_dark')], ['contrast', t('theme_contrast')],
  ]);
  const language = select(t('language'), [['auto', t('language_auto')], ...Object.entries(LANGUAGES)]);
  const stones = select(t('stones'), [['shaded', t('stones_shaded')], ['flat', t('stones_flat')], ['marks', t('stones_marks')]]);
  const dialog = open(app, t('settings'),
    choice(theme, 'theme'), choice(language, 'language'), choice(stones, 'stones'),
    toggle(t('sounds'), 'sounds'), toggle(t('confirm_touch'), 'confirm'), toggle(t('premoves'), 'premoves'), toggle(t('numbers'), 'numbers'),
    toggle(t('coordinates'), 'coordinates'), toggle(t('show_chat'), 'chat'));
  const spoken = settings.language;
  dialog.addEventListener('close', () => {
    // Every text is made anew.
    if (settings.language !== spoken) location.reload();
  });
}

/** @param {App} app */
export function openYou(app) {
  const field = el('input', { maxLength: NAME_MAX, value: app.connection.name, autocomplete: 'nickname', required: true });
  const form = el('form', { class: 'row' },
    el('label', { class: 'field grow' }, el('span', null, t('your_name')), field), el('button', { class: 'primary' }, t('save')));
  const carry = el('div');
  const reveal = el('button', { type: 'button' }, t('show_link'));
  reveal.addEventListener('click', () => {
    const identity = localStorage.getItem(KEPT.identity);
    if (identity) fill(carry, linkCard(identityLink(identity, app.connection.name), t('other_device')));
  });
  fill(carry, reveal);
  const replace = el('button', { type: 'button', onclick: () => app.connection.replaceIdentity().then(() => {
    app.toast(t('link_replaced'));
    dialog.close();
  }, app.showError) }, t('replace_link'));
  const former = app.connection.former().map(({ identity, name }) => el('button', {
    type: 'button', onclick: () => app.connection.become(identity, name),
  }, t('switch_back', { name })));
  const dialog = open(app, t('you'), form, el('p', { class: 'hint' }, t('name_how')),
    el('h3', null, t('other_device')), el('p', { class: 'hint' }, t('other_device_how')), carry,
    el('p', { class: 'hint' }, t('replace_link_how')), el('div', { class: 'row' }, replace),
    ...(former.length > 0 ? [el('p', { class: 'hint' }, t('former_players')), el('div', { class: 'row' }, ...former)] : []));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    app.connection.rename(field.value.trim()).then(() => dialog.close(), app.showError);
  });
}

/**
 * If the address carries an identity, asks whether to become it.
 * @param {App} app
 */
export function takeIdentity(app) {
  const [, identity, called = ''] = CARRIED.exec(location.hash) ?? [];
  if (!identity) return;
  history.replaceState(null, '', location.pathname);
  const own = localStorage.getItem(KEPT.identity);
  if (identity === own) return;
  // Who one is here is known when the server has said so.
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
  const yes = el('button', { type: 'button', class: 'primary', onclick: () => app.connection.become(identity, decoded(called)) }, t('yes'));
  const no = el('button', { type: 'button' }, t('no'));
  const kept = own ? [el('p', null, t('current_player', { name })), linkCard(identityLink(own, name), t('current_player_link', { name }))] : [];
  const dialog = open(app, t('switch_player'), el('p', null, t('switch_player_how')), ...kept, el('div', { class: 'row' }, yes, no));
  no.addEventListener('click', () => dialog.close());
}

/** A link that makes another device this member: the server knows no names of those without a seat.
 * @param {string} identity
 * @param {string} name */
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

/**
 * @param {App} app
 * @param {string} title
 * @param {...Node} content
 */
function open(app, title, ...content) {
  const close = el('button', { type: 'button', class: 'quiet close', 'aria-label': t('close'), onclick: () => dialog.close() }, '×');
  const dialog = el('dialog', { 'aria-label': title }, el('header', null, el('h2', null, title), close), ...content);
  // A press beside it closes it.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * @param {ReturnType<typeof select>} made
 * @param {'theme' | 'language' | 'stones'} name
 */
function choice({ field, label }, name) {
  field.value = settings[name];
  field.addEventListener('change', () => change(name, /** @type {never} */ (field.value)));
  return label;
}

/**
 * @param {string} text
 * @param {'sounds' | 'confirm' | 'premoves' | 'numbers' | 'coordinates' | 'chat'} name
 */
function toggle(text, name) {
  const { field, label } = check(text);
  field.checked = settings[name];
  field.addEventListener('change', () => change(name, field.checked));
  return label;
}
