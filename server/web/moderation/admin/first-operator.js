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

  async function showWho() {
    const answer = app.connection.account ? await request('GET', 'account').catch(() => undefined) : undefined;
    if (answer) write(become, ta('first_become', { name: answer.account.name }));
    const signUp = button(ta('first_account'), () => app.open('you'), { class: 'primary' });
    fill(who, answer ? become : signUp);
  }

  void showWho();
  const gone = new AbortController();
  // Somebody has signed up or in when the dialog for that closes; this event does not bubble.
  document.addEventListener('close', () => void showWho(), { capture: true, signal: gone.signal });
  fill(place, el('h1', null, ta('first')), el('div', { class: 'admin' }, el('p', null, ta('first_how')), who, line));
  return () => gone.abort();
}
