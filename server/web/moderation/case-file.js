// What is known about a person, for an operator: reports, hints and earlier decisions, and the form for another one.

/** @import { Hints } from './hints.js' */

import { CHAT_TEXT_MAX } from '../client/protocol.js';
import { loadTexts } from '../language/folder-texts.js';
import { dotted, formatMoment } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';
import { hintList } from './hints.js';
import { faultText, tm } from './texts.js';

/** The operators' texts. */
export const to = await loadTexts('moderation/operators');

/** @typedef {{ reporter: string, kind: string, game?: string, line?: { room: string, text: string, verified: boolean }, text: string, at: number, state: string, closed_at?: number, closed_by?: string }} Report */
/** @typedef {{ id: string, kind: string, from: number, until?: number, reason: string, operator: string, active: boolean, seen_at?: number, appeal?: string, appealed_at?: number, answered_at?: number, answered_by?: string, undone_at?: number, undone_by?: string }} Sanction */
/** @typedef {{ games: number, losses: number, early_losses: number, early_wins: number, left: number }} Signals */
/** @typedef {{ member: string, name?: string, account: boolean, account_since?: number, deleted_at?: number, reports: Report[], sanctions: Sanction[], blocked_by: number, signals: Signals, hints: Hints }} CaseFile */

/** Does something at a path, and shows what has become of the case. @typedef {(path: string, body?: object) => void} Act */

/** What an operator can do; those with an end have one if they want. */
const KINDS = ['note', 'warn', 'mute', 'unrated', 'close'];
const ENDING = ['mute', 'unrated', 'close'];

/**
 * @param {CaseFile} file @param {(member: string) => void} open shows another person
 * @param {(path: string, body?: object) => Promise<void>} decided sends what the operator decides, and shows the case again
 */
export function caseFile(file, open, decided) {
  const answer = el('p', { class: 'hint', role: 'status' });
  /** @type {Act} */
  const act = (path, body) => void decided(path, body).catch((error) => write(answer, faultText(error)));
  const waiting = file.reports.some(({ state }) => state === 'open');
  const people = `people/${file.member}`;
  const close = (/** @type {string} */ state) => button(to(state), () => act(`${people}/reports`, { state }));
  return [
    el('h2', null, el('bdi', null, file.name ?? to('unknown'))),
    el('p', { class: 'hint' }, dotted(file.member, standing(file), to('blocked_by', { count: file.blocked_by }))),
    el('p', null, inForce(file.sanctions)),
    signals(file.signals),
    hintList(file.hints, to, open),
    decide(people, act),
    answer,
    el('h3', null, to('all_reports')),
    waiting && el('div', { class: 'row' }, close('acted'), close('dismissed')),
    file.reports.length === 0 && el('p', { class: 'hint' }, to('no_reports')),
    el('ol', null, ...file.reports.map(reportItem)),
    el('h3', null, to('sanctions')),
    file.sanctions.length === 0 && el('p', { class: 'hint' }, to('no_sanctions')),
    el('ol', null, ...file.sanctions.map((sanction) => sanctionItem(sanction, act))),
  ];
}

/** The form with which an operator decides. @param {string} people the person's path @param {Act} act */
function decide(people, act) {
  const kind = el('select', { name: 'kind' }, ...KINDS.map((one) => el('option', { value: one }, to(`do_${one}`))));
  const days = el('input', { name: 'days', type: 'number', min: '1', max: '3650' });
  const reason = el('textarea', { name: 'reason', rows: 2, maxLength: CHAT_TEXT_MAX, required: true });
  const end = el('label', { class: 'field' }, el('span', null, to('days')), days);
  const hasEnd = () => ENDING.includes(kind.value);
  kind.addEventListener('change', () => (end.hidden = !hasEnd()));
  end.hidden = !hasEnd();
  const form = el(
    'form',
    { class: 'decide' },
    el('label', { class: 'field' }, el('span', null, to('decision')), kind),
    end,
    el('label', { class: 'field' }, el('span', null, to('reason')), reason),
    el('button', { class: 'primary' }, to('decide')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act(people, {
      kind: kind.value,
      reason: reason.value,
      ...(hasEnd() && days.value !== '' && { days: Number(days.value) }),
    });
  });
  return form;
}

/** @param {Sanction} sanction @param {Act} act */
function sanctionItem(sanction, act) {
  const { id, kind, from, until, reason, operator, active, appeal } = sanction;
  const { seen_at: seen, appealed_at: appealed, answered_at: answered, undone_at: undone } = sanction;
  const state = to(undone ? 'is_undone' : active ? 'holds' : kind === 'note' ? 'is_note' : 'is_over');
  const dates = [from, until]
    .filter((at) => at !== undefined)
    .map(formatMoment)
    .join(' – ');
  return el(
    'li',
    null,
    el('div', null, el('b', null, to(`do_${kind}`)), ' ', el('span', { class: `chip${active ? ' now' : ''}` }, state)),
    el('span', { class: 'hint' }, dotted(dates, operator)),
    el('bdi', null, reason),
    seen && el('span', { class: 'hint' }, to('read', { date: formatMoment(seen) })),
    appeal &&
      el(
        'blockquote',
        null,
        el('b', null, to('appeal')),
        ' ',
        el('bdi', null, appeal),
        el(
          'span',
          { class: 'hint' },
          dotted(
            !!appealed && formatMoment(appealed),
            !!answered && to('answered', { by: by(answered, sanction.answered_by) }),
          ),
        ),
      ),
    undone && el('span', { class: 'hint' }, to('undone', { by: by(undone, sanction.undone_by) })),
    !undone &&
      el(
        'div',
        { class: 'row' },
        button(to('undo'), () => act(`sanctions/${id}/undo`)),
        appeal && !answered && button(to('keep'), () => act(`sanctions/${id}/answer`)),
      ),
  );
}

/** When and by whom; older servers did not store who. @param {number} at @param {string} [who] */
function by(at, who) {
  return dotted(formatMoment(at), who);
}

/** Account or guest, since when, until when. @param {CaseFile} file */
function standing({ account, account_since: since, deleted_at: deleted }) {
  if (!account || since === undefined) return to('guest');
  return deleted ? to('deleted', { date: formatMoment(deleted) }) : to('account_since', { date: formatMoment(since) });
}

/** The sentence about what holds now. @param {Sanction[]} sanctions */
function inForce(sanctions) {
  const held = sanctions
    .filter(({ active }) => active)
    .map(({ kind, until }) => to(`do_${kind}`) + (until ? ` – ${formatMoment(until)}` : ''));
  return held.length > 0 ? to('in_force', { list: held.join(', ') }) : to('nothing_in_force');
}

/** @param {Report} report */
function reportItem({ reporter, kind, game, line, text, at, state, closed_at: closed, closed_by: closer }) {
  return el(
    'li',
    null,
    el(
      'div',
      null,
      el('b', null, tm(/** @type {'kind_chat'} */ (`kind_${kind}`))),
      ' ',
      el(
        'span',
        { class: `chip${state === 'open' ? ' now' : ''}` },
        tm(/** @type {'state_open'} */ (`state_${state}`)),
      ),
    ),
    el('span', { class: 'hint' }, dotted(formatMoment(at), reporter)),
    closed && el('span', { class: 'hint' }, to('closed', { by: by(closed, closer) })),
    text && el('bdi', null, text),
    line &&
      el(
        'blockquote',
        null,
        el('span', { class: 'hint' }, to(line.verified ? 'said' : 'quoted')),
        ' ',
        el('bdi', null, line.text),
      ),
    game && el('a', { href: `/game/${game}` }, to('game')),
  );
}

/** @param {Signals} signals */
function signals({ games, losses, early_losses: early, early_wins: wins, left }) {
  return el('p', { class: 'hint' }, to('signals', { games, losses, early, wins, left }));
}
