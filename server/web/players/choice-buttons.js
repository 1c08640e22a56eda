// A row of buttons of which one is pressed, such as the speeds of games.

import { button, el, set } from '../ui/dom.js';

/**
 * @template {string} Value
 * @param {string} label @param {readonly (readonly [Value, string])[]} choices values with their texts
 * @param {(value: Value) => void} choose
 */
export function choiceButtons(label, choices, choose) {
  const buttons = choices.map(([value, text]) => button(text, () => choose(value)));
  return {
    element: el('div', { class: 'seg', role: 'group', 'aria-label': label }, ...buttons),
    /** Presses the button of this value. @param {Value} value */
    show(value) {
      for (const [at, one] of buttons.entries()) set(one, { 'aria-pressed': String(choices[at]?.[0] === value) });
    },
  };
}
