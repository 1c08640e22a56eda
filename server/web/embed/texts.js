// The texts of TV and of boards on other sites, in the player's language.

import { loadTexts } from '../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: English[key] extends string ? string : import('../language/texts.js').Plural }} Texts */

/** A text, with values in place of `{name}`. @type {(key: keyof English, values?: import('../language/texts.js').Values) => string} */
export const tv = await loadTexts('embed');
