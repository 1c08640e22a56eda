// The part of the dialog “You” that says who may challenge the player.

/** @import { App } from '../ui/view-types' */

import { ask } from '../moderation/requests.js';
import { el, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

/** @param {App} app */
export function challengesFold(app) {
  const { field, label } = select(ty('challenges'), [
    ['everybody', ty('challenges_everybody')],
    ['accounts', ty('challenges_accounts')],
    ['nobody', ty('challenges_nobody')],
  ]);
  const line = faultLine();
  /** What the server has. */
  let stored = field.value;
  const load = () =>
    attempt(line, async () => {
      field.disabled = true;
      ({ from: stored } = await ask(app, 'GET', 'challenges'));
      field.value = stored;
      field.disabled = false;
    });
  field.addEventListener('change', () =>
    attempt(line, async () => {
      try {
        await ask(app, 'POST', 'challenges', { from: field.value });
        stored = field.value;
        write(line, ty('challenges_set'));
      } finally {
        field.value = stored;
      }
    }),
  );
  const fold = el(
    'details',
    { name: 'account', ontoggle: () => void (fold.open && load()) },
    el('summary', null, ty('challenges')),
    label,
    el('p', { class: 'hint' }, ty('challenges_how')),
    line,
  );
  return fold;
}
