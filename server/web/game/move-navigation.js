// Buttons to step through a game's moves. A player who looks back stays there when new moves arrive.

import { t } from '../language/texts.js';
import { button, el, icon, write } from '../ui/dom.js';

/** @param {() => void} changed the shown ply changed */
export function createMoveNavigation(changed) {
  let plies = 0;
  /** The shown ply; undefined for the latest. @type {number | undefined} */
  let at;
  const place = el('span', { class: 'step-place', role: 'status' });
  const stepper = (/** @type {'first' | 'previous' | 'next' | 'latest'} */ key, /** @type {number} */ by) =>
    button(icon(key), () => step(by), { class: `step ${key}`, title: t(key), 'aria-label': t(key) });
  const [first, previous] = [stepper('first', -Infinity), stepper('previous', -1)];
  const [next, latest] = [stepper('next', 1), stepper('latest', Infinity)];
  const element = el('div', { class: 'steps' }, first, previous, place, next, latest);
  show(0);

  /** @param {number} by */
  function step(by) {
    const to = Math.max(0, Math.min(plies, (at ?? plies) + by));
    at = to === plies ? undefined : to;
    show(plies);
    changed();
  }

  /** @param {number} now how many moves there are */
  function show(now) {
    const fresh = now > plies;
    plies = now;
    if (at !== undefined && at >= plies) at = undefined;
    first.disabled = previous.disabled = (at ?? plies) === 0;
    next.disabled = latest.disabled = at === undefined;
    if (at === undefined) latest.classList.remove('fresh');
    else if (fresh) latest.classList.add('fresh');
    write(place, at === undefined ? t('moves_count', { count: plies }) : t('ply_of', { ply: at, plies }));
  }

  return {
    element,
    step,
    show,
    /** Shows the position after this many moves. @param {number} ply */
    go: (ply) => step(ply - (at ?? plies)),
    /** How many moves are shown; all, if undefined. */
    get at() {
      return at;
    },
    /** Returns to the latest move, for a new game. */
    reset() {
      at = undefined;
    },
  };
}
