// Shows an engine's analysis of a position: in words, as a bar, and as lines of moves.

/** @import { Line, Point, Rules, Size, Value } from './types' */

import { boundsOf, pointName } from './board-geometry.js';
import { sideName, stoneName } from './display-names.js';
import { el, fill, set, write } from './dom.js';
import { formatPercent, t } from './texts.js';

/** Number of moves that the engine reports. */
export const LINES = 3;
/** Moves of a line that are shown. */
const LINE_SHOWN = 8;
/** Moves of the best line that are drawn. */
const LINE_DRAWN = 6;

/**
 * How likely Black is to win, from 0 to 1.
 * @param {Value} value for the side to move @param {number} ply
 */
export function blackChance(value, ply) {
  const own = 'chance' in value ? value.chance : 'win' in value ? 1 : 0;
  return ply % 2 === 0 ? own : 1 - own;
}

/**
 * A value in few characters, for its side: `61%` as the language writes it, `#7` for a win in so many plies, `−#4` for a loss.
 * @param {Value} value
 */
function valueLabel(value) {
  if ('chance' in value) return formatPercent(value.chance);
  if ('win' in value) return `#${value.win.plies ?? ''}`;
  return `−#${value.loss.plies ?? ''}`;
}

/**
 * A value in words. A win is counted in moves of the winner, as in the puzzles.
 * @param {Value} value @param {number} ply @param {Pick<Rules, 'size'>} [rules]
 */
export function valueText(value, ply, rules) {
  const black = blackChance(value, ply);
  const stone = black >= 0.5 ? 'black' : 'white';
  if ('chance' in value) return t('value_chance', { stone: stoneName(stone, rules), percent: formatPercent(Math.max(black, 1 - black)) });
  const plies = 'win' in value ? value.win.plies : value.loss.plies;
  const side = sideName(stone, rules);
  return plies === undefined ? t('value_wins', { stone: side }) : t('value_wins_in', { stone: side, count: Math.ceil(plies / 2) });
}

/** @param {readonly Point[]} moves @param {Size} size */
function lineText(moves, size) {
  const names = moves.slice(0, LINE_SHOWN).map((point) => pointName(point, boundsOf(size)));
  return names.join(' ') + (moves.length > LINE_SHOWN ? ' …' : '');
}

/**
 * The marks on the board for some lines: the best as numbered stones, the others as their first
 * moves.
 * @param {readonly Line[]} lines @returns {Partial<import('./view-types').Shown>}
 */
export function drawnLines(lines) {
  const [first, ...others] = lines.filter(({ moves }) => moves.length > 0);
  if (!first) return {};
  const line = first.moves.slice(0, LINE_DRAWN);
  return {
    line,
    // One mark a point.
    best: others.flatMap(({ value, moves: [point] }) => (point && !line.some((other) => String(other) === String(point)) ? { point, label: valueLabel(value) } : [])),
  };
}

/** @param {{depth: number, nodes_per_second: number}} analysis */
export function depthText({ depth, nodes_per_second }) {
  return t('analysis_depth', { depth, speed: Math.round(nodes_per_second / 1000) });
}

/**
 * A bar of both sides' chances, the value in words, and the lines behind it.
 * @param {(moves: readonly Point[], text: string) => Node} [linked] a line that can be pressed, in place of its text
 */
export function createAnalysisDisplay(linked) {
  const share = el('div', { class: 'bar-black' });
  const bar = el('div', { class: 'value-bar', role: 'img' }, share);
  const words = el('span', { class: 'value-words' });
  const detail = el('span', { class: 'hint' });
  const list = el('ol', { class: 'lines' });
  const element = el('div', { class: 'thought', hidden: true },
    bar, el('p', { class: 'value' }, words, ' ', detail), list);
  return {
    element,
    /**
     * @param {{ply: number, size: Size, lines: readonly Line[], detail?: string} | undefined} thought
     */
    show(thought) {
      const best = thought?.lines[0];
      element.hidden = !best;
      if (!thought || !best) return;
      const black = blackChance(best.value, thought.ply);
      const text = valueText(best.value, thought.ply, thought);
      share.style.width = `${100 * black}%`;
      set(bar, { 'aria-label': text });
      write(words, text);
      write(detail, thought.detail ?? '');
      fill(list, ...thought.lines.map(({ value, moves }) => el('li', null,
        el('b', null, valueLabel(value)), ' ', linked?.(moves, lineText(moves, thought.size)) ?? lineText(moves, thought.size))));
    },
  };
}
