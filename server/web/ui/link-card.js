// A card with a link: copy it, share it, or scan its QR code.

import { copyText } from '../browser/clipboard.js';
import { t } from '../language/texts.js';
import { button, el, icon } from './dom.js';
import { qrPicture } from './qr-code.js';

/**
 * @param {string} address
 * @param {string} label
 * @param {string} [text] the text to share with it
 */
export function linkCard(address, label, text) {
  const field = el('textarea', {
    class: 'link',
    readOnly: true,
    value: address,
    'aria-label': label,
    onfocus: () => field.select(),
  });
  const copyLink = async () => {
    if (await copyText(address)) copy.lastChild?.replaceWith(t('copied'));
    field.select();
  };
  const copy = button([icon('copy'), t('copy')], copyLink, { class: 'primary' });
  const share =
    'share' in navigator &&
    button([icon('share'), t('share')], () => navigator.share({ url: address, text }).catch(() => {}));
  return el(
    'div',
    { class: 'link-card' },
    qrPicture(address),
    el('div', { class: 'link-line' }, field, el('div', { class: 'row' }, copy, share)),
  );
}
