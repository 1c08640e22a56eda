// The texts that only the dialog “You” needs, in the player's language.

/** @import { Values } from '../language/texts.js' */

import { languageCode, worded } from '../language/texts.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: English[key] extends string ? string : import('../language/texts.js').Plural }} Texts */

/** @type {{ texts: Texts }} */
const { texts } = await import(`./language/${languageCode}.js`);

/** A text, with values in place of `{name}`. @param {keyof English} key @param {Values} [values] */
export function ty(key, values) {
  return worded(texts[key], values);
}

/** The text of a refusal that only requests about accounts meet. @param {string} reason @param {Values} values */
export function refusedText(reason, values) {
  const key = `refused_${reason}`;
  return Object.hasOwn(texts, key) ? worded(texts[/** @type {keyof English} */ (key)], values) : '';
}
