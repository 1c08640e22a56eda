// The part of the dialog “You” that says who may challenge the player.

/** @import { App } from '../ui/view-types' */

import { ask } from '../moderation/requests.js';
import { el } from '../ui/dom.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { storedChoice } from './stored-choice.js';
import { ty } from './texts.js';

/** @param {App} app */
export function challengesFold(app) {
  const line = faultLine();
  const choices = /** @type {const} */ ([
    ['everybody', ty('challenges_everybody')],
    ['accounts', ty('challenges_accounts')],
    ['nobody', ty('challenges_nobody')],
  ]);
  const { field, label, show } = storedChoice(ty('challenges'), choices, line, (from) =>
    ask(app, 'POST', 'challenges', { from }),
  );
  const load = () =>
    attempt(line, async () => {
      field.disabled = true;
      show((await ask(app, 'GET', 'challenges')).from);
      field.disabled = false;
    });
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
