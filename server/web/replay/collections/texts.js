// The texts that only collections need, in the player's language.

/** @import { Plural, Values } from '../../language/texts.js' */

import { loadTexts } from '../../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: English[key] extends string ? string : Plural }} Texts */

/** A text, with values in place of `{name}`. @type {(key: keyof English, values?: Values) => string} */
export const tc = await loadTexts('replay/collections');
