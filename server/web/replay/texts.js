// The texts that only the list of finished games needs, in the player's language.

import { loadTexts } from '../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: string }} Texts */

/** A text. @type {(key: keyof English) => string} */
export const tg = await loadTexts('replay');
