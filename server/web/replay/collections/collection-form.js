// The form for the name of a collection, and for who may see it.

import { faultText } from '../../account/account-requests.js';
import { el, write } from '../../ui/dom.js';
import { check } from '../../ui/form-fields.js';
import { tc } from './texts.js';

/** Most characters of a name, as in shared/src/protocol. */
const NAME_MAX = 60;

/** @param {string} text of its button @param {(name: string, shared: boolean) => Promise<unknown>} send */
export function createSettingsForm(text, send) {
  const name = el('input', {
    type: 'text',
    name: 'name',
    required: true,
    maxLength: NAME_MAX,
    dir: 'auto',
    autocomplete: 'off',
  });
  const shared = check(tc('shared'));
  const submit = el('button', { class: 'primary' }, text);
  const line = el('p', { class: 'hint fault', role: 'alert' });
  const form = el(
    'form',
    { class: 'collection-form' },
    el('label', { class: 'field' }, el('span', null, tc('name')), name),
    shared.label,
    submit,
    line,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    write(line, '');
    submit.disabled = true;
    try {
      await send(name.value.trim(), shared.field.checked);
    } catch (error) {
      write(line, faultText(error));
    }
    submit.disabled = false;
  });
  return {
    element: form,
    /** @param {{ name: string, shared: boolean }} settings */
    show(settings) {
      name.value = settings.name;
      shared.field.checked = settings.shared;
    },
  };
}
