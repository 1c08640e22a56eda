// A modal dialog with a title and a button to close it.

import { t } from '../language/texts.js';
import { button, el } from './dom.js';

/**
 * Opens a dialog that closes by its button, by Escape, or by a press beside it.
 * @param {string} title
 * @param {...Node} content
 */
export function openDialog(title, ...content) {
  const close = button('×', () => dialog.close(), { class: 'quiet close', 'aria-label': t('close') });
  const dialog = el('dialog', { 'aria-label': title }, el('header', null, el('h2', null, title), close), ...content);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
