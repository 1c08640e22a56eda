// The open challenges of the lobby: who offers which game, with a button to play it.

/** @import { OpenSeek } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { openingName, personName, ratedName, sizeName, timeControlText, variantName } from '../game/display-names.js';
import { dotted, t } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';

/** @param {App} app @param {number} most @param {...HTMLElement} instead stands beside the words where there are none */
export function createOpenSeeks(app, most, ...instead) {
  const body = el('tbody');
  const column = (/** @type {string} */ text, kind = '') => el('th', { scope: 'col', class: kind }, text);
  const head = el(
    'thead',
    null,
    el(
      'tr',
      null,
      column(t('player')),
      column(t('variant')),
      column(t('size'), 'opt'),
      column(t('clock')),
      el('th', null, el('span', { class: 'spoken' }, t('accept'))),
    ),
  );
  const table = el('table', { class: 'list open-seeks' }, head, body);
  const none = el('div', { class: 'none' }, el('p', null, t('open_none')), ...instead);
  const element = el('div', { class: 'awaited' }, table, none);
  /** The shown state: rows are rebuilt only when it changes. */
  let shown = '';
  table.hidden = true;
  none.hidden = true;

  /** @param {OpenSeek} offer */
  function row(offer) {
    const { seek, member, name, engine, rules, opening, time, rated } = offer;
    const own = member === app.connection.you;
    const press = async () => {
      const waiting = own && (await app.seeks()).list().find((one) => one.seek === seek);
      if (waiting) return (await app.seeks()).cancel(waiting);
      app.connection.send({ type: own ? 'cancel_seek' : 'accept_seek', seek }).catch(app.showError);
    };
    const kind = dotted(
      variantName(rules.variant),
      opening && opening !== 'free' && openingName(opening),
      ratedName(rated),
    );
    return el(
      'tr',
      { class: 'open-seek' },
      el('td', null, personName(app, { member, name, engine })),
      el('td', null, kind),
      el('td', { class: 'opt' }, sizeName(rules.size)),
      el('td', null, time ? timeControlText(time) : t('clock_none')),
      el(
        'td',
        null,
        button([t(own ? 'cancel' : 'accept'), el('span', { class: 'spoken' }, ` ${name}`)], press, { class: 'slim' }),
      ),
    );
  }

  return {
    element,
    /** @param {readonly OpenSeek[]} seeks */
    show(seeks) {
      const state = JSON.stringify([seeks.slice(0, most), app.connection.you]);
      if (state === shown) return;
      shown = state;
      element.className = '';
      table.hidden = seeks.length === 0;
      none.hidden = seeks.length > 0;
      fill(body, ...seeks.slice(0, most).map(row));
    },
  };
}
