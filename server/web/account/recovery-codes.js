// Recovery codes: shown once, until they are copied or written down.

import { copyText } from '../browser/clipboard.js';
import { button, el, write } from '../ui/dom.js';
import { faultLine } from './account-form.js';
import { ty } from './texts.js';

/** Letters of a code that are written together. */
const TOGETHER = /.{4}(?=.)/g;

/**
 * The codes, a button that copies them, and one for those who have written them down. The dialog closes by nothing else.
 * @param {HTMLDialogElement} dialog
 * @param {string[]} codes
 * @param {string} name the account's
 * @param {() => void} after
 */
export function showCodes(dialog, codes, name, after) {
  const lines = codes.map((code) => code.replaceAll(TOGETHER, '$& '));
  const list = el('ol', { class: 'codes' }, ...lines.map((line) => el('li', null, line)));
  const close = /** @type {HTMLElement} */ (dialog.querySelector('.close'));
  close.hidden = true;
  const stays = new AbortController();
  dialog.addEventListener('cancel', (event) => event.preventDefault(), { signal: stays.signal });
  dialog.addEventListener(
    'click',
    (event) => {
      if (event.target === dialog) event.stopImmediatePropagation();
    },
    { capture: true, signal: stays.signal },
  );
  const line = faultLine();
  const leave = () => {
    stays.abort();
    close.hidden = false;
    after();
  };
  const copy = el('button', { type: 'button', class: 'primary big' }, ty('copy_codes'));
  copy.addEventListener('click', async () => {
    const text = [ty('codes_of', { name, place: location.host }), ...lines].join('\n');
    if (await copyText(text)) leave();
    else write(line, ty('copy_failed'));
  });
  return [
    el('h3', null, ty('codes')),
    el('p', null, ty('codes_how')),
    list,
    copy,
    button(ty('codes_written'), leave),
    line,
  ];
}
