// What the rules of a game are, in a sentence or two: for where rules are chosen, and beside a board.

/** @import { Rules } from '../../ui/protocol-types' */

import { loadTexts } from '../../language/folder-texts.js';

/** @type {(key: keyof typeof import('./language/en.js').texts, values?: import('../../language/texts.js').Values) => string} */
const tr = await loadTexts('game/rules');

/** @param {Rules} rules */
export function ruleText({ variant, size, k = 3 }) {
  return [tr(variant, { k }), size === 'unbounded' && tr('unbounded')].filter(Boolean).join(' ');
}
