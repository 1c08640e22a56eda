// Loads the texts that only one folder of the page needs, in the player's language.

/** @import { Plural, Values } from './texts.js' */

import { languageCode, worded } from './texts.js';

/**
 * What `t` is for the texts of the whole page.
 * @param {string} folder
 * @returns {Promise<(key: string, values?: Values) => string>}
 */
export async function loadTexts(folder) {
  /** @type {{ texts: Record<string, string | Plural> }} */
  const { texts } = await import(`../${folder}/language/${languageCode}.js`);
  return (key, values) => worded(texts[key] ?? '', values);
}
