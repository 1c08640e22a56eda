// The part of the dialog “You” about other people, loaded when it is unfolded.

/** @import { App } from '../ui/view-types' */

import { el } from '../ui/dom.js';
import { ty } from './texts.js';

/** @param {App} app */
export function peopleFold(app) {
  const place = el('div');
  const fold = el(
    'details',
    {
      name: 'account',
      ontoggle: () => {
        if (fold.open)
          void import('../moderation/people-list.js').then(({ showPeople }) => showPeople(app, place), app.showError);
      },
    },
    el('summary', null, ty('people')),
    place,
  );
  return fold;
}
