// The settings dialog.

import { openDialog } from './dialog.js';
import { el, write } from './dom.js';
import { check, select } from './form-fields.js';
import { change, onSettings, settings } from './settings.js';
import { playNotice } from './sounds.js';
import { LANGUAGES, t } from './texts.js';

export function openSettingsDialog() {
  const theme = select(t('theme'), [
    ['auto', t('theme_auto')], ['light', t('theme_light')], ['dark', t('theme_dark')], ['contrast', t('theme_contrast')],
  ]);
  const language = select(t('language'), [['auto', t('language_auto')], ...Object.entries(LANGUAGES)]);
  const stones = select(t('stones'), [['shaded', t('stones_shaded')], ['flat', t('stones_flat')], ['marks', t('stones_marks')]]);
  const board = select(t('board_color'), [['kaya', t('board_kaya')], ['maple', t('board_maple')], ['cherry', t('board_cherry')], ['walnut', t('board_walnut')], ['plain', t('board_plain')]]);
  const dialog = openDialog(t('settings'),
    choice(theme, 'theme'), choice(language, 'language'), choice(board, 'board'), choice(stones, 'stones'),
    toggle(t('sounds'), 'sounds'), volume(), toggle(t('confirm_touch'), 'confirm'), toggle(t('premoves'), 'premoves'), toggle(t('numbers'), 'numbers'),
    toggle(t('coordinates'), 'coordinates'), toggle(t('show_chat'), 'chat'), ...'Notification' in window ? [notifications()] : []);
  const before = settings.language;
  dialog.addEventListener('close', () => {
    // Texts are looked up once, when an element is created.
    if (settings.language !== before) location.reload();
  });
}

/**
 * @param {ReturnType<typeof select>} made
 * @param {'theme' | 'language' | 'board' | 'stones'} name
 */
function choice({ field, label }, name) {
  field.value = settings[name];
  field.addEventListener('change', () => change(name, /** @type {never} */ (field.value)));
  return label;
}

/** How loud sounds are, and one to hear it by. */
function volume() {
  const field = el('input', { type: 'range', min: 0, max: 100, value: String(100 * settings.volume), 'aria-label': t('volume') });
  const test = el('button', { type: 'button', onclick: playNotice }, t('test_sound'));
  const show = () => { field.disabled = test.disabled = !settings.sounds; };
  field.addEventListener('input', () => change('volume', Number(field.value) / 100));
  field.addEventListener('change', playNotice);
  const row = el('div', { class: 'row volume' }, el('span', null, t('volume')), field, test);
  // The box above it turns sounds on and off.
  const stop = onSettings(() => (row.isConnected ? show() : stop()));
  show();
  return row;
}

/** Notifications, which the browser must allow. */
function notifications() {
  const { field, label } = check(t('notify'));
  field.checked = settings.notify;
  field.addEventListener('change', async () => {
    if (!field.checked) return change('notify', false);
    const { allowNotifications } = await import('./notifications.js');
    field.checked = await allowNotifications();
    if (!field.checked) write(label.lastChild ?? label, t('notify_denied'));
  });
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
