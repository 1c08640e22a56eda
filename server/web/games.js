// Finished games: one's own and the public ones.

/** @import { View } from './types' */

import { el } from './dom.js';
import { t } from './texts.js';

/** @type {View} */
export const view = (app, place) => {
  app.tab(t('board'));
  place.append(el('p', null, t('nothing_here')));
  return () => {};
};
