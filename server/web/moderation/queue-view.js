// The operator's queue at /moderation: people with open reports, appeals or hints, and what is known about
// each.

/** @import { View } from '../ui/view-types' */
/** @import { Hints } from './hints.js' */

import { showNotFound } from '../board/not-found.js';
import { loadTexts } from '../language/folder-texts.js';
import { formatDate, t } from '../language/texts.js';
import { CHAT_TEXT_MAX } from '../protocol.js';
import { el, fill, linkButton, write } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { hintList } from './hints.js';
import { faultText, tm } from './texts.js';

const to = await loadTexts('moderation/operators');

/** @typedef {{ member: string, name: string, reports: number, guests: number, kinds: string[], appeals: number, hints: string[], since: number }} Case */
/** @typedef {{ reporter: string, kind: string, game?: string, line?: { room: string, text: string, verified: boolean }, text: string, at: number, state: string, closed_at?: number, closed_by?: string }} Report */
/** @typedef {{ id: string, kind: string, from: number, until?: number, reason: string, operator: string, active: boolean, seen_at?: number, appeal?: string, appealed_at?: number, answered_at?: number, answered_by?: string, undone_at?: number, undone_by?: string }} Sanction */
/** @typedef {{ games: number, losses: number, early_losses: number, early_wins: number, left: number }} Signals */
/** @typedef {{ member: string, name?: string, account: boolean, account_since?: number, deleted_at?: number, reports: Report[], sanctions: Sanction[], blocked_by: number, signals: Signals, hints: Hints }} CaseFile */

/** What an operator can do; those with an end have one if they want. */
const KINDS = ['note', 'warn', 'mute', 'unrated', 'close'];
const ENDING = ['mute', 'unrated', 'close'];

/** A day and a time. @param {number} at */
const moment = (at) => formatDate(at, { dateStyle: 'medium', timeStyle: 'short' });

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${to('queue')} – Fivefold`);
  const line = el('p', { class: 'hint', role: 'status' });
  const list = el('ol', { class: 'queue' });
  const detail = el('section', { class: 'case', 'aria-live': 'polite' });
  const find = el('input', { name: 'member', required: true, autocomplete: 'off', pattern: '[0-9a-f]{16}' });
  const search = el(
    'form',
    { class: 'row' },
    el('label', { class: 'field grow' }, el('span', null, to('find')), find),
    el('button', null, to('show')),
  );
  search.addEventListener('submit', (event) => {
    event.preventDefault();
    void open(find.value.trim());
  });
  let current = '';
  let removeBoard = () => {};

  async function load() {
    try {
      const { cases } = await request('GET', 'moderation');
      write(line, cases.length > 0 ? '' : to('none'));
      fill(list, ...cases.map(row));
    } catch (error) {
      fill(list);
      write(line, faultText(error));
      if (['signed_out', 'operators_only'].includes(reasonOf(error))) shut();
    }
  }

  /** The page is nobody else's. */
  function shut() {
    app.tab('Fivefold');
    removeBoard = showNotFound(
      place,
      t('nothing_here'),
      tm('refused_operators_only'),
      linkButton('/', t('play'), true),
      el('button', { type: 'button', onclick: () => app.open('you') }, t('you')),
    );
  }

  /** @param {Case} one */
  function row({ member, name, reports, guests, kinds, appeals, hints, since }) {
    const about = [
      ...kinds.map((kind) => tm(/** @type {'kind_chat'} */ (`kind_${kind}`))),
      ...hints.map((hint) => to(`hint_${hint}`)),
      reports + appeals > 0 ? to('since', { date: moment(since) }) : moment(since),
    ].join(' · ');
    return el(
      'li',
      null,
      el(
        'button',
        { type: 'button', 'aria-current': member === current && 'true', onclick: () => void open(member) },
        el('span', null, el('bdi', null, name), el('span', { class: 'hint' }, about)),
        el(
          'span',
          null,
          reports > 0 &&
            el(
              'span',
              { class: 'chip' },
              to('reports', { count: reports }) + (guests > 0 ? to('of_guests', { count: guests }) : ''),
            ),
          ' ',
          appeals > 0 && el('span', { class: 'chip now' }, to('appeals', { count: appeals })),
          reports + appeals === 0 && el('span', { class: 'chip' }, to('hints', { count: hints.length })),
        ),
      ),
    );
  }

  /** @param {string} member */
  async function open(member) {
    current = member;
    try {
      show(await request('GET', `moderation/people/${member}`));
    } catch (error) {
      fill(detail, el('p', { role: 'status' }, faultText(error)));
    }
    await load();
  }

  /** Does something, and shows what has become of it. @param {HTMLElement} answer @param {string} path @param {object} [body] */
  async function act(answer, path, body) {
    try {
      await request('POST', `moderation/${path}`, body);
      await open(current);
    } catch (error) {
      write(answer, faultText(error));
    }
  }

  /** @param {CaseFile} file */
  function show(file) {
    const answer = el('p', { class: 'hint', role: 'status' });
    const waiting = file.reports.filter(({ state }) => state === 'open').length;
    const people = `people/${file.member}`;
    const close = (/** @type {string} */ state, /** @type {string} */ text) =>
      el('button', { type: 'button', onclick: () => void act(answer, `${people}/reports`, { state }) }, text);
    fill(
      detail,
      el('h2', null, el('bdi', null, file.name ?? to('unknown'))),
      el(
        'p',
        { class: 'hint' },
        [file.member, standing(file), to('blocked_by', { count: file.blocked_by })].join(' · '),
      ),
      el('p', null, inForce(file.sanctions)),
      signals(file.signals),
      hintList(file.hints, to, (member) => void open(member)),
      decide(people, answer),
      answer,
      el('h3', null, to('all_reports')),
      waiting > 0 && el('div', { class: 'row' }, close('acted', to('acted')), close('dismissed', to('dismissed'))),
      file.reports.length === 0 && el('p', { class: 'hint' }, to('no_reports')),
      el('ol', null, ...file.reports.map(reportItem)),
      el('h3', null, to('sanctions')),
      file.sanctions.length === 0 && el('p', { class: 'hint' }, to('no_sanctions')),
      el('ol', null, ...file.sanctions.map((sanction) => sanctionItem(sanction, answer))),
    );
  }

  /** @param {string} people @param {HTMLElement} answer */
  function decide(people, answer) {
    const kind = el('select', { name: 'kind' }, ...KINDS.map((one) => el('option', { value: one }, to(`do_${one}`))));
    const days = el('input', { name: 'days', type: 'number', min: '1', max: '3650' });
    const reason = el('textarea', { name: 'reason', rows: 2, maxLength: CHAT_TEXT_MAX, required: true });
    const end = el('label', { class: 'field' }, el('span', null, to('days')), days);
    const toggle = () => {
      end.hidden = !ENDING.includes(kind.value);
    };
    kind.addEventListener('change', toggle);
    toggle();
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
      const ends = ENDING.includes(kind.value) && days.value !== '';
      void act(answer, people, {
        kind: kind.value,
        reason: reason.value,
        ...(ends ? { days: Number(days.value) } : {}),
      });
    });
    return form;
  }

  /** @param {Sanction} sanction @param {HTMLElement} answer */
  function sanctionItem(
    {
      id,
      kind,
      from,
      until,
      reason,
      operator,
      active,
      seen_at: seen,
      appeal,
      appealed_at: appealed,
      answered_at: answered,
      answered_by: answerer,
      undone_at: undone,
      undone_by: undoer,
    },
    answer,
  ) {
    const state = to(undone ? 'is_undone' : active ? 'holds' : kind === 'note' ? 'is_note' : 'is_over');
    const dates = [from, until]
      .filter((at) => at !== undefined)
      .map(moment)
      .join(' – ');
    return el(
      'li',
      null,
      el(
        'div',
        null,
        el('b', null, to(`do_${kind}`)),
        ' ',
        el('span', { class: `chip${active ? ' now' : ''}` }, state),
      ),
      el('span', { class: 'hint' }, [dates, operator].join(' · ')),
      el('bdi', null, reason),
      seen && el('span', { class: 'hint' }, to('read', { date: moment(seen) })),
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
            [appealed && moment(appealed), answered && to('answered', { by: by(answered, answerer) })]
              .filter(Boolean)
              .join(' · '),
          ),
        ),
      undone && el('span', { class: 'hint' }, to('undone', { by: by(undone, undoer) })),
      !undone &&
        el(
          'div',
          { class: 'row' },
          el('button', { type: 'button', onclick: () => void act(answer, `sanctions/${id}/undo`) }, to('undo')),
          appeal &&
            !answered &&
            el('button', { type: 'button', onclick: () => void act(answer, `sanctions/${id}/answer`) }, to('keep')),
        ),
    );
  }

  fill(
    place,
    el('h1', null, to('queue')),
    el('div', { class: 'moderation' }, el('section', null, line, list, search), detail),
  );
  void load();
  return () => removeBoard();
};

/** When and by whom; older servers did not store who. @param {number} at @param {string} [who] */
function by(at, who) {
  return [moment(at), who].filter(Boolean).join(' · ');
}

/** Account or guest, since when, until when. @param {CaseFile} file */
function standing({ account, account_since: since, deleted_at: deleted }) {
  if (!account || since === undefined) return to('guest');
  return deleted ? to('deleted', { date: moment(deleted) }) : to('account_since', { date: moment(since) });
}

/** The sentence about what holds now. @param {Sanction[]} sanctions */
function inForce(sanctions) {
  const held = sanctions
    .filter(({ active }) => active)
    .map(({ kind, until }) => to(`do_${kind}`) + (until ? ` – ${moment(until)}` : ''));
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
    el('span', { class: 'hint' }, [moment(at), reporter].join(' · ')),
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
