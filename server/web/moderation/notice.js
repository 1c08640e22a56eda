// Tells the player what an operator has decided about them, and takes what they say against it.

/** @import { SanctionNews } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { tabStorage } from '../browser/browser-storage.js';
import { CHAT_TEXT_MAX } from '../client/protocol.js';
import { openDialog } from '../ui/dialog.js';
import { button, el, fill, loadStyle, write } from '../ui/dom.js';
import { ask } from './requests.js';
import { endText, faultText, tm } from './texts.js';

await loadStyle('moderation/moderation.css').catch(() => {});

/** The decisions that this page has shown. @type {Set<string>} */
const shown = new Set();

/** @param {App} app @param {SanctionNews} news */
export function showSanction(app, { sanction, kind, until, reason, appealed }) {
  if (shown.has(sanction)) return;
  shown.add(sanction);
  // Those that hold for a while are shown once in each tab.
  const key = `fivefold.told.${sanction}`;
  if (kind !== 'warn' && tabStorage.getItem(key)) return;
  const answer = appealed
    ? el('p', { class: 'hint' }, tm('appealed'))
    : appealForm((text) => ask(app, 'POST', 'appeals', { sanction, text }));
  const read = button(tm('understood'), () => dialog.close(), { class: 'primary' });
  const dialog = openDialog(
    tm(`told_${kind}`),
    el(
      'div',
      { class: 'told' },
      el('p', null, tm(`told_${kind}_how`, { end: endText(until) })),
      el('blockquote', null, el('bdi', null, reason)),
      el('details', null, el('summary', null, tm('appeal')), answer),
      read,
    ),
  );
  dialog.addEventListener('close', () => {
    tabStorage.setItem(key, '1');
    if (kind === 'warn') void ask(app, 'POST', `sanctions/${sanction}/seen`).catch(() => {});
  });
}

/** Why a command was refused, if that has to do with such a decision. @param {App} app @param {unknown} error */
export function showRefusal(app, error) {
  app.toast(faultText(error));
}

/** A text against a decision, once. @param {(text: string) => Promise<void>} send */
export function appealForm(send) {
  const text = el('textarea', {
    name: 'text',
    rows: 3,
    maxLength: CHAT_TEXT_MAX,
    required: true,
    'aria-label': tm('appeal_text'),
  });
  const line = el('p', { class: 'hint', role: 'status' }, tm('appeal_how'));
  const form = el('form', { class: 'report' }, text, line, el('button', null, tm('appeal_send')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await send(text.value);
      fill(form, el('p', { role: 'status' }, tm('appealed')));
    } catch (error) {
      write(line, faultText(error));
    }
  });
  return form;
}
