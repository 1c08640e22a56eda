// The fields for the rules and the board of an analysis.

/** @import { Rules, Size } from '../ui/protocol-types' */

import { sizeName, VARIANTS, variantName } from '../game/display-names.js';
import { ruleText } from '../game/rules/rule-text.js';
import { t } from '../language/texts.js';
import { el, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { rulesOf } from './position-link.js';

/** @type {readonly Size[]} */
const SIZES = [[3, 3], [13, 13], [15, 15], [17, 17], [19, 19], [20, 20], [30, 30], 'unbounded'];
/** Tic-tac-toe has a board of its own. */
const SMALL = '3';

/** @param {Size} size */
const textOf = (size) => (size[0] === size[1] ? String(size[0]) : String(size));

/** @param {(rules: Rules) => void} chosen */
export function createRulesFields(chosen) {
  const variant = select(
    t('variant'),
    VARIANTS.map((name) => [name, variantName(name)]),
  );
  const size = select(
    t('size'),
    SIZES.map((one) => [textOf(one), sizeName(one)]),
  );
  variant.field.addEventListener('change', () =>
    chosen(rulesOf(variant.field.value, variant.field.value === 'mnk' ? SMALL : size.field.value, 3)),
  );
  size.field.addEventListener('change', () =>
    chosen(rulesOf(variant.field.value, size.field.value, size.field.value === SMALL ? 3 : 5)),
  );
  const how = el('p', { class: 'hint' });
  return {
    element: el('div', { class: 'row' }, variant.label, size.label, how),
    /** @param {Rules} rules */
    show(rules) {
      const { variant: name, size: now } = rules;
      write(how, ruleText(rules));
      const options = () => [...size.field.options];
      if (!options().some(({ value }) => value === textOf(now)))
        size.field.append(el('option', { value: textOf(now) }, sizeName(now)));
      for (const option of options()) if (option.value === SMALL) option.hidden = option.disabled = name !== 'mnk';
      variant.field.value = name;
      size.field.value = textOf(now);
      // Renju has one board.
      size.field.disabled = name === 'renju';
    },
  };
}
