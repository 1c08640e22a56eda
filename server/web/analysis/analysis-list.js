// The list of the player's own analyses: opens and deletes them. What was deleted can be brought back.

/** @import { ListedAnalysis } from './kept-analyses.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { rulesName } from '../game/display-names.js';
import { dotted, formatMoment, t } from '../language/texts.js';
import { button, el, fill, icon, write } from '../ui/dom.js';
import { deleteAnalysis, listAnalyses } from './kept-analyses.js';
import { ta } from './texts.js';

/** @param {Pick<ListedAnalysis, 'name' | 'rules' | 'first' | 'count'>} analysis */
export function analysisTitle({ name, rules, first, count }) {
  const moves = first.map((point) => pointName(point, boundsOf(rules.size))).join(' ');
  return name || (moves ? moves + (count > first.length ? ' …' : '') : ta('start'));
}

/** @param {(id: string) => void} open @param {(id: string) => void} deleted @param {() => void} begin starts a new one */
export function createAnalysisList(open, deleted, begin) {
  const name = el('summary');
  const list = el('ul');
  const element = el('details', { class: 'own-analyses', ontoggle: () => show(current) }, name, list);
  let current = '';
  /** Those that were deleted during this visit, by their names, with what brings them back. @type {Map<string, { title: string, back: () => void }>} */
  const gone = new Map();

  /** @param {string} id of the open one */
  function show(id) {
    current = id;
    const all = listAnalyses();
    write(name, ta('own', { number: all.length }));
    if (!element.open) return;
    fill(list, ...[...gone].map(deletedItem), ...all.map(item));
  }

  /** @param {ListedAnalysis} one */
  function item(one) {
    const title = analysisTitle(one);
    const about = dotted(rulesName(one.rules), t('moves_count', { count: one.count }), formatMoment(one.changed));
    return el(
      'li',
      null,
      button([el('b', { dir: 'auto' }, title), el('span', { class: 'hint' }, about)], () => open(one.id), {
        class: 'own',
        'aria-current': one.id === current ? 'true' : undefined,
      }),
      button(
        icon('close'),
        () => {
          gone.set(one.id, { title, back: deleteAnalysis(one.id) });
          deleted(one.id);
          show(current);
        },
        { class: 'quiet', title: ta('delete', { name: title }), 'aria-label': ta('delete', { name: title }) },
      ),
    );
  }

  /** @param {[string, { title: string, back: () => void }]} deleted */
  function deletedItem([id, { title, back }]) {
    return el(
      'li',
      { class: 'hint', role: 'status' },
      ta('deleted_one', { name: title }),
      ' ',
      button(t('undo'), () => {
        back();
        gone.delete(id);
        show(current);
      }),
    );
  }

  return {
    element: el('div', { class: 'own-row' }, element, button(ta('begin'), begin)),
    show,
  };
}
