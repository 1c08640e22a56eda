// The texts that only the room of a daily game needs, in the player's language.

/** @import { Values } from '../../language/texts.js' */

import { loadTexts } from '../../language/folder-texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: string }} Texts */

/** @type {(key: keyof English, values?: Values) => string} */
export const td = await loadTexts('room/daily');
