// Form fields with their labels.

import { el } from './dom.js';

/**
 * A drop-down list with its label.
 * @param {string} text
 * @param {readonly (readonly [string, string])[]} choices
 */
export function select(text, choices) {
  const field = el('select', null, ...choices.map(([value, name]) => el('option', { value }, name)));
  return { field, label: el('label', { class: 'field' }, el('span', null, text), field) };
}

/**
 * A checkbox with its label.
 * @param {string} text
 */
export function check(text) {
  const field = el('input', { type: 'checkbox' });
  return { field, label: el('label', { class: 'check' }, field, el('span', null, text)) };
}

/**
 * A row of choices; one is pressed. It has a select's `value`, and fires `change`.
 * @param {string} text
 * @param {string} name its own on the page
 * @param {readonly (readonly [string, string])[]} choices
 */
export function segment(text, name, choices) {
  const row = el('div', { class: 'seg' });
  const label = el('fieldset', { class: 'field wide' }, el('legend', null, text), row);
  /** @param {readonly (readonly [string, string])[]} offered */
  const offer = (offered) =>
    row.replaceChildren(
      ...offered.map(([value, words]) =>
        el(
          'label',
          { class: 'choice-of' },
          el('input', { type: 'radio', name, value }),
          el('span', null, words),
          el('small', { class: 'waiting' }),
        ),
      ),
    );
  offer(choices);
  return {
    label,
    row,
    offer,
    get value() {
      return row.querySelector('input:checked')?.getAttribute('value') ?? '';
    },
    set value(value) {
      for (const input of row.querySelectorAll('input')) input.checked = input.value === value;
    },
  };
}
