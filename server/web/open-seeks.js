// The open challenges of the lobby: who offers which game, with a button to play it.

/** @import { OpenSeek } from './types' */
/** @import { App } from './view-types' */

import { gameName, personName } from './display-names.js';
import { el, fill } from './dom.js';
import { t } from './texts.js';

/** @param {App} app @param {number} most */
export function createOpenSeeks(app, most) {
  const element = el('ol', { class: 'open-seeks' });
  /** The shown state: rows are rebuilt only when it changes. */
  let shown = '';

  /** @param {OpenSeek} offer */
  function row(offer) {
    const { seek, member, name, engine } = offer;
    const own = member === app.connection.you;
    const press = async () => {
      const waiting = own && (await app.seeks()).list().find((one) => one.seek === seek);
      if (waiting) return (await app.seeks()).cancel(waiting);
      app.connection.send({ type: own ? 'cancel_seek' : 'accept_seek', seek }).catch(app.showError);
    };
    return el('li', { class: 'open-seek' },
      el('span', { class: 'grow' }, personName(app, { member, name, engine }), el('span', { class: 'hint' }, gameName(offer))),
      el('button', { type: 'button', onclick: press }, t(own ? 'cancel' : 'play'), el('span', { class: 'spoken' }, ` ${name}`)));
  }

  return {
    element,
    /** @param {readonly OpenSeek[]} seeks */
    show(seeks) {
      const state = JSON.stringify([seeks.slice(0, most), app.connection.you]);
      if (state === shown) return;
      shown = state;
      fill(element, ...(seeks.length > 0 ? seeks.slice(0, most).map(row) : [el('li', { class: 'hint' }, t('open_none'))]));
    },
  };
}
