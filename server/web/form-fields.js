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
