// The texts about people who spoil it for others, in the player's language: what a player meets of it.

/** @import { Values } from '../language/texts.js' */

import { RefusedError } from '../client/refused-error.js';
import { errorText, refusalValues } from '../language/refusals.js';
import { formatDate, languageCode, worded } from '../language/texts.js';
import { reasonOf } from '../ui/http-request.js';

/** @typedef {typeof import('./language/en.js').texts} English */
/** @typedef {{ [key in keyof English]: English[key] extends string ? string : import('../language/texts.js').Plural }} Texts */

/** @type {{ texts: Texts }} */
const { texts } = await import(`./language/${languageCode}.js`);

/** A text, with values in place of `{name}`. @param {keyof English} key @param {Values} [values] */
export function tm(key, values) {
  return worded(texts[key], values);
}

/** When something ends, as words to add to a sentence. @param {unknown} until */
export function endText(until) {
  return typeof until === 'number' ? tm('until', { date: formatDate(until, { dateStyle: 'medium' }) }) : '';
}

/** Why something was refused, for the player. @param {unknown} error */
export function faultText(error) {
  const key = `refused_${reasonOf(error)}`;
  if (!(error instanceof RefusedError) || !Object.hasOwn(texts, key)) return errorText(error);
  const { refusal } = error;
  return worded(texts[/** @type {keyof English} */ (key)], {
    why: '',
    ...refusalValues(refusal),
    end: endText(refusal.until),
  });
}
