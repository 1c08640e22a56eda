// Makes the first operator: somebody has opened the link that the server printed when it started without any. The
// token in it is sent by a button alone, so that opening the link changes nothing.

/** @import { App } from '../../ui/view-types' */

import { button, el, fill, write } from '../../ui/dom.js';
import { request } from '../../ui/http-request.js';
import { faultText } from '../texts.js';
import { ta } from './texts.js';

/**
 * @param {App} app
 * @param {HTMLElement} place
 * @param {string} token
 * @param {() => void} made
 * @returns {() => void} cleanup
 */
export function showFirstOperator(app, place, token, made) {
  app.tab(`${ta('first')} – Fivefold`);
  const line = el('p', { class: 'hint', role: 'status' });
  const who = el('div', { class: 'row' });
  const become = button('', () => void send(), { class: 'primary' });

  async function send() {
    become.disabled = true;
    try {
      await request('POST', 'first-operator', { token });
      made();
    } catch (error) {
      write(line, faultText(error));
      become.disabled = false;
    }
  }

  function showWho() {
    const { account, name } = app.connection;
    if (account) {
      write(become, ta('first_become', { name }));
      fill(who, become);
    } else
      fill(
        who,
        button(ta('first_account'), () => app.open('you'), { class: 'primary' }),
      );
  }

  showWho();
  const gone = new AbortController();
  // Somebody signs up or in.
  addEventListener('fivefold-status', showWho, { signal: gone.signal });
  fill(place, el('h1', null, ta('first')), el('div', { class: 'admin' }, el('p', null, ta('first_how')), who, line));
  return () => gone.abort();
}
