// The card that talks about a puzzle: whose move it is, what the last move did, and what the player can do now.

import { positionLink } from '../analysis/position-link.js';
import { button, el, icon, seal, set, write } from '../ui/dom.js';
import { tp } from './texts.js';

/** @import { Point, Rules, Stone } from '../ui/protocol-types' */

/** @typedef {'loading' | 'failed' | 'ask' | 'check' | 'wrong' | 'solved' | 'showing' | 'shown'} PuzzleState */
/** @typedef {Record<'hint' | 'solution' | 'restart' | 'goOn' | 'retry', () => void>} PuzzleActions */
/** @typedef {{ rules: Rules, moves: readonly Point[], own: Stone, hasMoved: boolean }} ShownPuzzle */

/** Whether the player may move. @param {PuzzleState} state */
export const isAsked = (state) => state === 'ask' || state === 'wrong';

/** Whether the winning line is on the board. @param {PuzzleState} state */
export const isOver = (state) => state === 'solved' || state === 'shown';

/** @param {PuzzleActions} actions @param {HTMLElement} rating says how the player's rating in puzzles changes */
export function createPuzzleCard(actions, rating) {
  const stone = el('i', { class: 'stone', 'aria-hidden': 'true' });
  const words = el('div', { class: 'say' });
  const how = el('p');
  const hint = button([icon('hint'), tp('hint')], actions.hint);
  const solution = button(tp('show'), actions.solution);
  const restart = button(tp('restart'), actions.restart);
  const next = button(tp('next'), actions.goOn, { class: 'primary' });
  const skip = button(tp('skip'), actions.goOn);
  const retry = button(tp('again'), actions.retry, { class: 'primary' });
  const analyze = el('a', { class: 'button', href: '/analyse' }, icon('graph'), tp('analyze'));
  return {
    element: el(
      'section',
      { class: 'card voice', 'aria-live': 'polite' },
      el('div', { class: 'summary' }, seal(), stone, el('div', null, words, how, rating)),
      el('div', { class: 'row' }, hint, solution, skip, restart, next, retry, analyze),
    ),
    /** @param {string} text @param {string} more */
    say(text, more) {
      write(words, text);
      write(how, more);
    },
    /** Says something more, below what was said. @param {string} more */
    add: (more) => write(how, more),
    focusNext: () => next.focus({ preventScroll: true }),
    /** @param {PuzzleState} state @param {ShownPuzzle | undefined} puzzle */
    show(state, puzzle) {
      const over = isOver(state);
      const asked = isAsked(state);
      set(stone, { class: `stone ${puzzle?.own ?? ''}`, hidden: !puzzle });
      hint.hidden = solution.hidden = skip.hidden = !(asked || state === 'check');
      hint.disabled = solution.disabled = !asked;
      restart.hidden = !puzzle || (!over && !puzzle.hasMoved) || state === 'solved';
      next.hidden = analyze.hidden = !over;
      retry.hidden = state !== 'failed';
      if (puzzle && over) set(analyze, { href: `/analyse#${positionLink(puzzle.rules, puzzle.moves)}` });
    },
  };
}
