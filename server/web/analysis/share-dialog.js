// Asks what of a tree is shared: the shown position, or everything.

/** @import { App } from '../ui/view-types' */
/** @import { Analysis } from './kept-analyses.js' */

import { t } from '../language/texts.js';
import { openDialog } from '../ui/dialog.js';
import { button, el } from '../ui/dom.js';
import { countMoves } from './move-tree.js';
import { positionQuery } from './position-link.js';
import { ta } from './texts.js';
import { treeLink } from './tree-link.js';

/** @param {App} app @param {Analysis} state */
export function openShareDialog(app, state) {
  const address = `${location.origin}/analyse?${positionQuery(state.rules, state.path)}`;
  const all = treeLink(state);
  const choice = (/** @type {string} */ text, /** @type {string} */ link) =>
    button(text, () => {
      dialog.close();
      app.share(link);
    });
  const dialog = openDialog(
    t('share'),
    el(
      'div',
      { class: 'share-choice' },
      choice(ta('share_position'), address),
      el('p', { class: 'hint' }, ta('share_position_how')),
      ...(all
        ? [
            choice(ta('share_all', { count: countMoves(state.tree) }), `${address}#${all}`),
            el('p', { class: 'hint' }, ta('share_all_how')),
          ]
        : [el('p', { class: 'hint' }, ta('share_too_long'))]),
    ),
  );
}
