// The form that reports somebody to the operators.

/** @import { App, PersonContext } from '../ui/view-types' */

import { CHAT_TEXT_MAX } from '../client/protocol.js';
import { el, write } from '../ui/dom.js';
import { ask } from './requests.js';
import { faultText, tm } from './texts.js';

/** For what somebody is reported. @type {readonly ['chat', 'cheating', 'stalling', 'sandbagging', 'name', 'other']} */
const KINDS = ['chat', 'cheating', 'stalling', 'sandbagging', 'name', 'other'];

/**
 * @param {App} app
 * @param {{ member: string, name: string }} person
 * @param {PersonContext} context
 * @param {() => void} close
 */
export function reportForm(app, { member, name }, { room, game, line: said }, close) {
  const kind = el('select', { name: 'kind' }, ...KINDS.map((one) => el('option', { value: one }, tm(`kind_${one}`))));
  const text = el('textarea', { name: 'text', rows: 3, maxLength: CHAT_TEXT_MAX });
  const line = el('p', { class: 'hint', role: 'status' }, tm('report_how'));
  const form = el(
    'form',
    { class: 'report' },
    el('h3', null, tm('report_person', { name })),
    said && el('blockquote', null, el('bdi', null, said.text)),
    el('label', { class: 'field' }, el('span', null, tm('report_kind')), kind),
    el('label', { class: 'field' }, el('span', null, tm('report_text')), text),
    line,
    el('button', { class: 'primary' }, tm('report_send')),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const quoted = room && said && { room, number: said.number, text: said.text };
      await ask(app, 'POST', 'reports', {
        about: member,
        name,
        kind: kind.value,
        text: text.value,
        game,
        line: quoted || undefined,
      });
      close();
      app.toast(tm('reported'));
    } catch (error) {
      write(line, faultText(error));
    }
  });
  return form;
}
