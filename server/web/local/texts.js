// The texts that only games on the device and a page without a connection need, in the player's language.

import { loadTexts } from '../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: string }} Texts */

/** A text, with values in place of `{name}`. @type {(key: keyof English, values?: import('../language/texts.js').Values) => string} */
export const tl = await loadTexts('local');
