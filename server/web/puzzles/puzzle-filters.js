// Which puzzles the player wants: rules, length and kind. Kept in this browser.

/** @import { PuzzleRules, Wanted } from './puzzle-set.js' */

import { variantName } from '../game/display-names.js';
import { el } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { keepWanted, readWanted } from './puzzle-progress.js';
import { KINDS, LENGTHS, PUZZLE_RULES } from './puzzle-set.js';
import { tp } from './texts.js';

/** @param {() => void} changed */
export function createFilters(changed) {
  const rules = select(
    tp('rules'),
    PUZZLE_RULES.map((variant) => [variant, variantName(variant)]),
  );
  const length = select(tp('length'), [
    ['', tp('any')],
    ...LENGTHS.map(
      ([from, to], at) =>
        /** @type {const} */ ([
          String(from),
          at === 0
            ? tp('up_to', { to })
            : at === LENGTHS.length - 1
              ? tp('or_more', { from })
              : tp('from_to', { from, to }),
        ]),
    ),
  ]);
  const kind = select(tp('kind'), [
    ['', tp('any')],
    ...KINDS.map((name) => /** @type {const} */ ([name, tp(`kind_${name}`)])),
  ]);
  const fields = { rules: rules.field, length: length.field, kind: kind.field };
  for (const [name, value] of Object.entries(readWanted())) choose(name, value);
  offer();
  for (const field of Object.values(fields)) {
    field.addEventListener('change', () => {
      offer();
      keepWanted({ ...wanted() });
      changed();
    });
  }

  /** Selects a value if there is such a choice. @param {string} name @param {string} value */
  function choose(name, value) {
    const field = Object.entries(fields).find(([key]) => key === name)?.[1];
    if (field && [...field.options].some((option) => option.value === value)) field.value = value;
  }

  /** Only renju forbids points. */
  function offer() {
    const trap = [...kind.field.options].find(({ value }) => value === 'trap');
    const none = rules.field.value !== 'renju';
    if (trap) trap.hidden = trap.disabled = none;
    if (none && kind.field.value === 'trap') kind.field.value = '';
  }

  /** @returns {Wanted} */
  function wanted() {
    return {
      rules: /** @type {PuzzleRules} */ (rules.field.value),
      length: length.field.value,
      kind: kind.field.value,
    };
  }

  return {
    element: el('section', { class: 'card filters fields' }, rules.label, length.label, kind.label),
    wanted,
    /** Shows the rules of a puzzle that came by its link. @param {PuzzleRules} variant */
    showRules(variant) {
      rules.field.value = variant;
      offer();
    },
  };
}
