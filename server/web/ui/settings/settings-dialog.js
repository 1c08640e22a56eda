// The settings dialog.

import { change, onSettings, settings } from '../../browser/settings.js';
import { playNotice } from '../../browser/sounds.js';
import { LANGUAGES, t } from '../../language/texts.js';
import { openDialog } from '../dialog.js';
import { button, el, write } from '../dom.js';
import { check, select } from '../form-fields.js';
import { ts } from './texts.js';

export function openSettingsDialog() {
  const theme = select(ts('theme'), [
    ['auto', ts('theme_auto')],
    ['light', ts('theme_light')],
    ['dark', ts('theme_dark')],
    ['contrast', ts('theme_contrast')],
  ]);
  const language = select(ts('language'), [['auto', ts('language_auto')], ...Object.entries(LANGUAGES)]);
  const stones = select(ts('stones'), [
    ['shaded', ts('stones_shaded')],
    ['flat', ts('stones_flat')],
    ['marks', ts('stones_marks')],
  ]);
  const board = select(ts('board_color'), [
    ['kaya', ts('board_kaya')],
    ['maple', ts('board_maple')],
    ['cherry', ts('board_cherry')],
    ['walnut', ts('board_walnut')],
    ['plain', ts('board_plain')],
  ]);
  const dialog = openDialog(
    t('settings'),
    choice(theme, 'theme'),
    choice(language, 'language'),
    choice(board, 'board'),
    choice(stones, 'stones'),
    toggle(ts('sounds'), 'sounds'),
    volume(),
    toggle(ts('confirm_touch'), 'confirm'),
    toggle(ts('premoves'), 'premoves'),
    toggle(t('numbers'), 'numbers'),
    toggle(ts('coordinates'), 'coordinates'),
    toggle(ts('show_chat'), 'chat'),
    ...('Notification' in window ? [notifications()] : []),
  );
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
  const field = el('input', {
    type: 'range',
    min: 0,
    max: 100,
    value: String(100 * settings.volume),
    'aria-label': ts('volume'),
  });
  const test = button(ts('test_sound'), playNotice);
  const show = () => {
    field.disabled = test.disabled = !settings.sounds;
  };
  field.addEventListener('input', () => change('volume', Number(field.value) / 100));
  field.addEventListener('change', playNotice);
  const row = el('div', { class: 'row volume' }, el('span', null, ts('volume')), field, test);
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
    const { allowNotifications } = await import('../../browser/notifications.js');
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
