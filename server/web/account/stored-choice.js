// A choice in the dialog “You” that the server keeps.

import { write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

/**
 * @param {string} text
 * @param {Parameters<typeof select>[1]} choices
 * @param {HTMLElement} line where faults are shown, and that the choice is stored
 * @param {(value: string) => Promise<unknown>} store sends a new choice to the server
 */
export function storedChoice(text, choices, line, store) {
  const { field, label } = select(text, choices);
  /** What the server has. */
  let stored = field.value;
  /** Shows what the server has. @param {string} value */
  const show = (value) => {
    field.value = stored = value;
  };
  field.addEventListener('change', () =>
    attempt(line, async () => {
      try {
        await store(field.value);
        stored = field.value;
        write(line, ty('challenges_set'));
      } finally {
        field.value = stored;
      }
    }),
  );
  return { field, label, show };
}
