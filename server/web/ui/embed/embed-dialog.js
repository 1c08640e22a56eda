// The code that puts a board on another site.

import { copyText } from '../../browser/clipboard.js';
import { t } from '../../language/texts.js';
import { openDialog } from '../dialog.js';
import { button, el, icon, write } from '../dom.js';
import { select } from '../form-fields.js';
import { te } from './texts.js';

/** Size of the board, in pixels; the site may change it. */
const WIDTH = 480;
const HEIGHT = 584;
const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);

/** @param {string} board what follows `/embed/`: `r/CODE`, `game/ID`, `position?…` or `tv` */
export function openEmbedDialog(board) {
  const theme = select(
    te('embed_theme'),
    THEMES.map((value) => [value, te(`theme_${value}`)]),
  );
  const field = el('textarea', { class: 'link', readOnly: true, onfocus: () => field.select() });
  // The whole code is in sight.
  field.style.height = '9rem';
  const show = () => {
    field.value = embedCode(board, theme.field.value);
  };
  const copied = el('span', null, t('copy'));
  const copy = async () => {
    if (await copyText(field.value)) write(copied, t('copied'));
    field.select();
  };
  theme.field.addEventListener('change', show);
  show();
  const parts = [
    theme.label,
    el('label', { class: 'field' }, te('embed_code'), field),
    button([icon('copy'), copied], copy, { class: 'primary' }),
    el('p', { class: 'hint' }, te('embed_how')),
  ];
  const dialog = openDialog(te('embed'), ...parts);
  // The operator may let no other site show boards.
  fetch('/embed/tv', { method: 'HEAD' }).then(
    ({ status }) => {
      if (status !== 404) return;
      for (const part of parts) part.remove();
      dialog.append(el('p', { role: 'alert' }, te('embed_off')));
    },
    () => {},
  );
}

/** @param {string} board @param {string} theme */
function embedCode(board, theme) {
  const address = new URL(`/embed/${board}`, location.origin);
  const wish = theme === 'auto' ? '' : `${address.search ? '&' : '?'}theme=${theme}`;
  // What a game is called is not in it: all of this is markup.
  const source = `${address.href}${wish}`.replaceAll('&', '&amp;').replaceAll('"', '%22');
  return `<iframe src="${source}" width="${WIDTH}" height="${HEIGHT}" title="Fivefold" loading="lazy" style="border:0;max-width:100%"></iframe>`;
}
