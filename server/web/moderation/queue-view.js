// The operator's queue at /moderation: people with open reports, appeals or hints, and what is known about
// each.

/** @import { View } from '../ui/view-types' */

import { dotted, formatMoment } from '../language/texts.js';
import { button, el, fill, write } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { caseFile, to } from './case-file.js';
import { isForOperators, showOperatorsOnly } from './operators-only.js';
import { faultText, tm } from './texts.js';

/** @typedef {{ member: string, name: string, reports: number, guests: number, kinds: string[], appeals: number, hints: string[], since: number }} Case */

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
    show(find.value.trim());
  });
  let current = '';
  let removeBoard = () => {};
  const show = (/** @type {string} */ member) => void open(member);

  async function load() {
    try {
      const { cases } = await request('GET', 'moderation');
      write(line, cases.length > 0 ? '' : to('none'));
      fill(list, ...cases.map((/** @type {Case} */ one) => row(one, current, show)));
    } catch (error) {
      fill(list);
      write(line, faultText(error));
      if (isForOperators(error)) removeBoard = showOperatorsOnly(app, place);
    }
  }

  /** @param {string} member */
  async function open(member) {
    current = member;
    try {
      fill(detail, ...caseFile(await request('GET', `moderation/people/${member}`), show, decided));
    } catch (error) {
      fill(detail, el('p', { role: 'status' }, faultText(error)));
    }
    await load();
  }

  /** @param {string} path @param {object} [body] */
  async function decided(path, body) {
    await request('POST', `moderation/${path}`, body);
    await open(current);
  }

  fill(
    place,
    el('h1', null, to('queue')),
    el('div', { class: 'moderation' }, el('section', null, line, list, search), detail),
  );
  void load();
  return () => removeBoard();
};

/** @param {Case} one @param {string} current the member whose case is shown @param {(member: string) => void} open */
function row({ member, name, reports, guests, kinds, appeals, hints, since }, current, open) {
  const about = dotted(
    ...kinds.map((kind) => tm(/** @type {'kind_chat'} */ (`kind_${kind}`))),
    ...hints.map((hint) => to(`hint_${hint}`)),
    reports + appeals > 0 ? to('since', { date: formatMoment(since) }) : formatMoment(since),
  );
  return el(
    'li',
    null,
    button(
      [
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
      ],
      () => open(member),
      { 'aria-current': member === current && 'true' },
    ),
  );
}
