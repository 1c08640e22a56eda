// The choice whether a game that is offered is rated, with the reason where it cannot be. It knows the same
// conditions as `GameSettings::rating_pool` of the server, which has the last word.

/** @import { GameSettings } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { t } from '../language/texts.js';
import { el, write } from '../ui/dom.js';
import { check } from '../ui/form-fields.js';
import { tl } from './texts.js';

/** Whether the player wanted a rated game last. */
const STORAGE_KEY = 'fivefold.rated';
/** Sides of boards with ratings. */
const SIDES = [15, 19, 20];

/** How many were made: the words of each have an id of their own. */
let made = 0;

/** @typedef {ReturnType<typeof createRatedChoice>} RatedChoice */

/** @param {() => boolean} hasAccount */
export function createRatedChoice(hasAccount) {
  const choice = check(t('rated'));
  const why = el('p', { class: 'hint', id: `rated-why-${(made += 1)}` });
  choice.field.setAttribute('aria-describedby', why.id);
  let wished = siteStorage.getItem(STORAGE_KEY) === '1';
  choice.field.addEventListener('change', () => {
    wished = choice.field.checked;
    siteStorage.setItem(STORAGE_KEY, wished ? '1' : '');
  });
  /** @type {GameSettings | undefined} */
  let shown;
  return {
    element: el('div', { class: 'rated-choice' }, choice.label, why),
    /** Shows whether this game can be rated; without one, the same again for a new account. @param {GameSettings} [game] */
    show(game = shown) {
      if (!game) return;
      shown = game;
      const obstacle = hasAccount() ? obstacleOf(game) : 'rated_account';
      choice.field.disabled = !!obstacle;
      choice.field.checked = wished && !obstacle;
      write(why, tl(obstacle ?? 'rated_both'));
    },
    /** The same game, rated if that is chosen and possible. @param {GameSettings} game @returns {GameSettings} */
    apply: (game) => (wished && hasAccount() && !obstacleOf(game) ? { ...game, rated: true } : game),
  };
}

/** The text that says why such games are not rated. @param {GameSettings} game */
function obstacleOf({ rules, time, opening }) {
  const { variant, size } = rules;
  const isRatedBoard = size === 'unbounded' || (size[0] === size[1] && SIDES.includes(size[0]));
  if (variant === 'mnk' || !isRatedBoard) return 'rated_board';
  if (!time || time.type === 'none') return 'rated_clock';
  return !opening || opening === 'free' ? 'rated_opening' : undefined;
}
