// The texts of the code that puts a board on another site, in the player's language.

import { loadTexts } from '../../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: string }} Texts */

/** @type {(key: keyof English) => string} */
export const te = await loadTexts('ui/embed');
