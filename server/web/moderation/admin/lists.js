// What operators see in lists that unfold: who is online, the running games, and what operators have done.

/** @import { Act, Decision, Person } from './overview.js' */
/** @import { App } from '../../ui/view-types' */
/** @import { RoomSummary } from '../../ui/protocol-types' */
/** @import { Child } from '../../ui/dom.js' */

import { playerName } from '../../game/display-names.js';
import { dotted, formatMoment } from '../../language/texts.js';
import { button, el } from '../../ui/dom.js';
import { ta } from './texts.js';

/** @param {string} title @param {Child[][]} rows */
function list(title, rows) {
  return el(
    'details',
    null,
    el('summary', null, `${title} (${rows.length})`),
    rows.length === 0 && el('p', { class: 'hint' }, ta('nothing')),
    el('ul', { class: 'admin-list' }, ...rows.map((row) => el('li', null, ...row))),
  );
}

/** @param {App} app @param {Person[]} people */
export function peopleList(app, people) {
  return list(
    ta('people'),
    people.map(({ member, name, kind, sessions }) => [
      button(el('bdi', null, name), () => app.openPerson({ member, name })),
      el(
        'span',
        { class: 'hint' },
        dotted(ta(`kind_${kind}`), sessions > 1 && ta('sessions', { count: sessions }), member),
      ),
    ]),
  );
}

/** @param {RoomSummary[]} rooms @param {(code: string) => void} choose takes a room to close it */
export function runningList(rooms, choose) {
  return list(
    ta('public_games'),
    rooms.map(({ room, seats, ply, spectators }) => [
      el(
        'a',
        { href: `/r/${room}` },
        el('bdi', null, playerName(seats.first)),
        ' – ',
        el('bdi', null, playerName(seats.second)),
      ),
      el('span', { class: 'hint' }, dotted(ta('moves', { count: ply }), ta('spectators', { count: spectators }), room)),
      button(ta('close_room'), () => choose(room), { 'aria-label': `${ta('close_room')}: ${room}` }),
    ]),
  );
}

/** @param {Act[]} acts */
export function actList(acts) {
  return list(
    ta('acts'),
    acts.map(({ at, operator, kind, about, reason }) => [
      el('span', null, ta(`act_${kind}`), ' ', el('bdi', null, about)),
      reason && el('blockquote', null, el('bdi', null, reason)),
      el('span', { class: 'hint' }, dotted(operator, formatMoment(at))),
    ]),
  );
}

/** @param {Decision[]} decisions */
export function decisionList(decisions) {
  return list(
    ta('decisions'),
    decisions.map(({ at, name, kind, until, reason, operator, undone_at, undone_by }) => [
      el('span', null, ta(`do_${kind}`), ' – ', el('bdi', null, name)),
      el('blockquote', null, el('bdi', null, reason)),
      el(
        'span',
        { class: 'hint' },
        dotted(
          operator,
          formatMoment(at),
          until ? ta('until', { date: formatMoment(until) }) : '',
          undone_at ? ta('undone', { by: undone_by ?? '', date: formatMoment(undone_at) }) : '',
        ),
      ),
    ]),
  );
}
