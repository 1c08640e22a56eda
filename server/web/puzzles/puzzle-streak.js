// The card with the player's streak, as five stones, and how many puzzles are solved.

/** @import { Progress } from './puzzle-progress.js' */
/** @import { Puzzle } from './puzzle-set.js' */

import { el, write } from '../ui/dom.js';
import { dayOf, streak } from './puzzle-progress.js';
import { tp } from './texts.js';

export function createStreak() {
  const count = el('span', { class: 'hint' });
  let five = streakStones(0);
  const longest = el('dd');
  const solved = el('dd');
  return {
    element: el(
      'section',
      { class: 'card streak' },
      el('div', { class: 'head' }, el('h2', null, tp('streak')), count),
      five,
      el('dl', null, el('dt', null, tp('longest')), longest, el('dt', null, tp('solved_count')), solved),
    ),
    /** @param {Progress} progress @param {readonly Puzzle[]} fitting the puzzles that the player wants */
    show(progress, fitting) {
      const days = streak(progress, dayOf(new Date()));
      write(count, days > 0 ? tp('days', { count: days }) : tp('days_none'));
      const now = streakStones(days);
      five.replaceWith(now);
      five = now;
      write(longest, tp('days', { count: progress.longest }));
      write(
        solved,
        tp('solved_of', { done: fitting.filter(({ id }) => progress.solved.has(id)).length, all: fitting.length }),
      );
    },
  };
}

/** Five stones, of which so many days fill some; the sixth day begins a new row. @param {number} days */
export function streakStones(days) {
  const filled = days === 0 ? 0 : ((days - 1) % 5) + 1;
  return el(
    'div',
    { class: 'five', 'aria-hidden': 'true' },
    ...Array.from({ length: 5 }, (_, at) => el('i', { class: `stone ${at < filled ? 'black' : 'none'}` })),
  );
}
