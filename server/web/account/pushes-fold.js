// The part of the dialog “You” about news: whether this device is told, when, and of what. It is there only if the server
// can push or send e-mail.

/** @import { Frame } from './you-dialog.js' */
/** @import { PushSettings } from './pushes.js' */

import { el, fill, write } from '../ui/dom.js';
import { check, select } from '../ui/form-fields.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { signInWays } from './passkeys.js';
import {
  canPush,
  fetchPushes,
  isUninstalled,
  ownSubscription,
  storeSettings,
  subscribe,
  unsubscribe,
} from './pushes.js';
import { ty } from './texts.js';

const HOURS = Array.from({ length: 24 }, (_, hour) => /** @type {const} */ ([String(hour), `${hour}:00`]));
const REMINDERS = [8, 4, 1];

/** @param {Frame} frame */
export function pushesFold(frame) {
  const place = el('div');
  void Promise.all([fetchPushes(), signInWays()]).then(
    ([{ key, settings, subscriptions }, { email }]) =>
      (key || email) &&
      fill(
        place,
        el(
          'details',
          { name: 'account' },
          el('summary', null, ty('pushes')),
          key &&
            device(
              key,
              frame.app.connection.you ?? '',
              subscriptions.map(({ endpoint }) => endpoint),
            ),
          kinds(settings),
        ),
      ),
    () => {},
  );
  return place;
}

/** Whether this device is called. @param {string} key @param {string} you @param {string[]} endpoints */
function device(key, you, endpoints) {
  if (!canPush) return el('p', { class: 'hint' }, ty(isUninstalled ? 'push_install' : 'push_impossible'));
  const line = faultLine();
  const { field, label } = check(ty('push_here'));
  void ownSubscription(you).then(
    (own) => {
      field.checked = !!own && endpoints.includes(own.endpoint);
    },
    () => {},
  );
  field.addEventListener('change', () =>
    attempt(line, async () => {
      const wanted = field.checked;
      try {
        const done = wanted ? await subscribe(key, you) : await unsubscribe(you);
        field.checked = done === 'push_on';
        write(line, ty(done));
      } catch (error) {
        field.checked = !wanted;
        throw error;
      }
    }),
  );
  return el('div', null, label, line);
}

/** For what the player is called, and when. @param {PushSettings} settings */
function kinds(settings) {
  const line = faultLine();
  const moves = select(ty('push_moves'), [
    ['each', ty('push_each')],
    ['digest', ty('push_digest')],
    ['never', ty('push_never')],
  ]);
  const hour = select(ty('push_digest_hour'), HOURS);
  const challenges = check(ty('push_challenges'));
  const ends = check(ty('push_ends'));
  const found = check(ty('push_found'));
  const reports = check(ty('push_reports'));
  const reminders = REMINDERS.map((count) => ({ count, ...check(ty('push_reminder', { count })) }));
  const quiet = check(ty('push_quiet'));
  const from = select(ty('push_quiet_from'), HOURS);
  const to = select(ty('push_quiet_to'), HOURS);
  moves.field.value = settings.moves;
  hour.field.value = String(settings.digest_hour);
  challenges.field.checked = settings.challenges;
  ends.field.checked = settings.ends;
  found.field.checked = settings.found;
  reports.field.checked = settings.reports;
  for (const { count, field } of reminders) field.checked = settings.reminders.includes(count);
  quiet.field.checked = settings.quiet !== null;
  from.field.value = String(Math.floor((settings.quiet?.from ?? 22 * 60) / 60));
  to.field.value = String(Math.floor((settings.quiet?.to ?? 7 * 60) / 60));
  const show = () => {
    hour.label.hidden = moves.field.value !== 'digest';
    from.label.hidden = to.label.hidden = !quiet.field.checked;
  };
  const minutes = (/** @type {HTMLSelectElement} */ field) => Number(field.value) * 60;
  const store = () =>
    attempt(line, async () => {
      show();
      await storeSettings({
        ...settings,
        moves: /** @type {PushSettings['moves']} */ (moves.field.value),
        digest_hour: Number(hour.field.value),
        challenges: challenges.field.checked,
        ends: ends.field.checked,
        found: found.field.checked,
        reports: reports.field.checked,
        reminders: reminders.filter(({ field }) => field.checked).map(({ count }) => count),
        quiet: quiet.field.checked ? { from: minutes(from.field), to: minutes(to.field) } : null,
      });
      write(line, ty('challenges_set'));
    });
  show();
  return el(
    'div',
    { onchange: () => void store() },
    moves.label,
    hour.label,
    challenges.label,
    ends.label,
    found.label,
    reports.label,
    ...reminders.map(({ label }) => label),
    quiet.label,
    from.label,
    to.label,
    line,
  );
}
