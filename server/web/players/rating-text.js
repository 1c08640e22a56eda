// Names of pools of ratings, and how ratings and results are written.

/** @import { ProfileRating, Results } from '../ui/protocol-types' */

import { sizeName, VARIANTS, variantName } from '../game/display-names.js';
import { formatNumber, t } from '../language/texts.js';
import { el } from '../ui/dom.js';
import { tl } from './texts.js';

/** The variants in which games are rated, those with five in a row. */
export const RATED_VARIANTS = VARIANTS.filter((variant) => variant !== 'mnk');
/** Stands for the pool of puzzles, which has no leaderboard. */
export const PUZZLES = 'puzzles';
export const SPEEDS = /** @type {const} */ (['fast', 'normal', 'slow', 'daily']);
/** Classes of boards. */
export const SIZES = ['15', '19', 'unbounded'];
/** @type {Record<string, import('../ui/protocol-types').Size>} */
const SIDES = { 15: [15, 15], 19: [19, 19], unbounded: 'unbounded' };

/** What the names of the pools of bots begin with. */
export const BOTS = 'bot/';

/** A pool's name without what says that it is the bots'. @param {string} pool */
export function gamesOf(pool) {
  return pool.startsWith(BOTS) ? pool.slice(BOTS.length) : pool;
}

/** The rules of a pool, with its board unless that is the usual one. @param {string} pool `VARIANT/SIZE/SPEED`, after `bot/` for bots */
export function poolRules(pool) {
  const [variant = '', size = ''] = gamesOf(pool).split('/');
  const known = RATED_VARIANTS.find((one) => one === variant);
  const sides = SIDES[size];
  return [known ? variantName(known) : variant, sides && size !== '15' && sizeName(sides)].filter(Boolean).join(' ');
}

/** The pool's name: rules, board and speed. @param {string} pool */
export function poolName(pool) {
  if (pool === PUZZLES) return t('puzzles');
  const speed = SPEEDS.find((one) => pool.endsWith(`/${one}`));
  return speed ? `${poolRules(pool)}, ${tl(speed)}` : poolRules(pool);
}

/** A rating, with a question mark while little is known. @param {Pick<ProfileRating, 'rating' | 'provisional'>} rating */
export function ratingText({ rating, provisional }) {
  return `${rating}${provisional ? '?' : ''}`;
}

/** Points that were won or lost, such as +48. @param {number} points */
export function pointsText(points) {
  return formatNumber(points, { signDisplay: 'exceptZero' });
}

/** Won, drawn and lost games, in words and as a bar. @param {Results} results @param {string} [words] */
export function resultsBar({ won, drawn, lost }, words = tl('results_say', { won, drawn, lost })) {
  const parts = [won, drawn, lost].map((count) => {
    const part = el('i');
    part.style.flexGrow = String(count);
    return part;
  });
  return el(
    'div',
    { class: 'results' },
    el('p', null, words),
    el('div', { class: 'split', 'aria-hidden': 'true' }, ...parts),
  );
}
