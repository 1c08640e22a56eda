// The puzzle of the day, as a link on the home page. The puzzles are loaded once its place is in sight.

import { createBoard } from '../board/board.js';
import { stoneAt } from '../client/room-state.js';
import { el, fill, loadStyle } from '../ui/dom.js';
import { dayOf, readProgress, readWanted, streak } from './puzzle-progress.js';
import { loadPuzzles, PUZZLE_RULES, puzzleOfDay } from './puzzle-set.js';
import { streakStones } from './puzzle-streak.js';
import { tp } from './texts.js';

await loadStyle('puzzles/daily-puzzle.css').catch(() => {});

/** Fills a place on the page; returns what removes it. @param {HTMLElement} place */
export function showDailyPuzzle(place) {
  let remove = () => {};
  let left = false;
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    watch.disconnect();
    void load();
  });
  watch.observe(place);
  return () => {
    left = true;
    watch.disconnect();
    remove();
  };

  async function load() {
    const day = dayOf(new Date());
    const rules = PUZZLE_RULES.find((known) => known === readWanted().rules) ?? 'freestyle';
    // Without the puzzles, the home page is whole.
    const puzzle = await loadPuzzles(rules).then(
      (all) => puzzleOfDay(all, day),
      () => undefined,
    );
    if (!puzzle || left) return;
    const progress = readProgress();
    const days = streak(progress, day);
    const boardPlace = el('div', { class: 'live-board', 'aria-hidden': 'true' });
    fill(
      place,
      el(
        'a',
        { class: 'card daily', href: `/puzzles#${puzzle.id}` },
        el('h2', null, tp('of_day')),
        el(
          'div',
          { class: 'row' },
          boardPlace,
          el(
            'p',
            null,
            el(
              'b',
              null,
              progress.solved.has(puzzle.id) ? tp('solved') : tp(`${stoneAt(puzzle.moves.length)}_to_move`),
            ),
            ' ',
            tp('find', { count: puzzle.length }),
          ),
        ),
        el('p', { class: 'hint' }, `${tp('streak')} · ${days > 0 ? tp('days', { count: days }) : tp('days_none')}`),
        streakStones(days),
      ),
    );
    const board = createBoard(boardPlace, { still: true });
    board.show({ size: puzzle.rules.size, moves: puzzle.moves });
    remove = () => board.remove();
  }
}
