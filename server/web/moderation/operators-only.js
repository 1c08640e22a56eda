// What people see who are no operators, in place of a page for operators.

/** @import { App } from '../ui/view-types' */

import { showNotFound } from '../board/not-found.js';
import { t } from '../language/texts.js';
import { button, linkButton } from '../ui/dom.js';
import { reasonOf } from '../ui/http-request.js';
import { tm } from './texts.js';

/** Whether a request was refused because nobody is signed in here, or no operator. @param {unknown} error */
export const isForOperators = (error) => ['signed_out', 'operators_only'].includes(reasonOf(error));

/** Returns what removes the board. @param {App} app @param {HTMLElement} place */
export function showOperatorsOnly(app, place) {
  app.tab('Fivefold');
  return showNotFound(
    place,
    t('nothing_here'),
    tm('refused_operators_only'),
    linkButton('/', t('play'), true),
    button(t('you'), () => app.open('you')),
  );
}
