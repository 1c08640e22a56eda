// The part of the dialog “You” about time off: the player's clocks stand still in all daily games.

import { formatMoment } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

/** @typedef {{ days_left: number, days_left_next_year: number, period?: { from: number, until: number } }} TimeOff */

export function timeOffFold() {
  const line = faultLine();
  const place = el('div');

  /** @param {'GET' | 'POST' | 'DELETE'} method @param {object} [body] */
  const ask = (method, body) =>
    attempt(line, async () => {
      /** @type {TimeOff} */
      const status = await request(method, 'time-off', body);
      fill(
        place,
        el('p', null, ty('time_off_left', { count: status.days_left })),
        status.period ? shown(status.period, () => ask('DELETE')) : choice(status, (wish) => ask('POST', wish)),
      );
    });
  const fold = el(
    'details',
    { name: 'account', ontoggle: () => void (fold.open && ask('GET')) },
    el('summary', null, ty('time_off')),
    el('p', { class: 'hint' }, ty('time_off_how')),
    place,
    line,
  );
  return fold;
}

/** The period that runs or is to come. @param {{ from: number, until: number }} period @param {() => void} end */
function shown({ from, until }, end) {
  const isPlanned = Date.now() < from;
  return el(
    'div',
    null,
    el('p', null, ty('time_off_runs', { from: formatMoment(from), until: formatMoment(until) })),
    button(ty(isPlanned ? 'time_off_take_back' : 'time_off_end'), end),
    !isPlanned && el('p', { class: 'hint' }, ty('time_off_end_how')),
  );
}

/** How many days to take, and from when on. @param {TimeOff} status @param {(wish: object) => void} begin */
function choice({ days_left, days_left_next_year }, begin) {
  const days = el('input', { type: 'number', min: '1', max: String(days_left + days_left_next_year), value: '7' });
  days.required = true;
  const from = el('input', { type: 'date' });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    // Midnight where the player lives.
    const first = from.value ? new Date(`${from.value}T00:00`).getTime() : undefined;
    begin({ days: Number(days.value), from: first });
  };
  return el(
    'form',
    { onsubmit: submit },
    el('label', { class: 'field' }, el('span', null, ty('time_off_days')), days),
    el('label', { class: 'field' }, el('span', null, ty('time_off_from')), from),
    el('button', { type: 'submit' }, ty('time_off_begin')),
  );
}
