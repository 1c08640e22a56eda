// Shows an engine's analysis of a position: in words, as a bar, and as lines of moves.

/** @import { Line, Point, Rules, Size, Value } from '../ui/protocol-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { formatPercent, t } from '../language/texts.js';
import { el, set, write } from '../ui/dom.js';
import { sideName, stoneName } from './display-names.js';

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
 * A value in few characters, for Black: `61%` as the language writes it, `#4` for a win in so many moves, `−#4` for a loss.
 * @param {Value} value @param {number} ply
 */
function valueLabel(value, ply) {
  const black = blackChance(value, ply);
  if ('chance' in value) return formatPercent(black);
  const { plies } = 'win' in value ? value.win : value.loss;
  return `${black ? '' : '−'}#${plies === undefined ? '' : Math.ceil(plies / 2)}`;
}

/**
 * A value in words. Chances are Black's. A win is counted in moves of the winner, as in the puzzles.
 * @param {Value} value @param {number} ply @param {Pick<Rules, 'size'>} [rules]
 */
export function valueText(value, ply, rules) {
  const black = blackChance(value, ply);
  if ('chance' in value) return t('value_chance', { stone: stoneName('black', rules), percent: formatPercent(black) });
  const plies = 'win' in value ? value.win.plies : value.loss.plies;
  const side = sideName(black ? 'black' : 'white', rules);
  return plies === undefined
    ? t('value_wins', { stone: side })
    : t('value_wins_in', { stone: side, count: Math.ceil(plies / 2) });
}

/** @param {readonly Point[]} moves @param {Size} size */
function lineText(moves, size) {
  const names = moves.slice(0, LINE_SHOWN).map((point) => pointName(point, boundsOf(size)));
  return names.join(' ') + (moves.length > LINE_SHOWN ? ' …' : '');
}

/**
 * The marks on the board for some lines: the best as numbered stones, the others as their first
 * moves.
 * @param {readonly Line[]} lines @param {number} ply @returns {Partial<import('../ui/view-types').Shown>}
 */
export function drawnLines(lines, ply) {
  const [first, ...others] = lines.filter(({ moves }) => moves.length > 0);
  if (!first) return {};
  return {
    line: first.moves.slice(0, LINE_DRAWN),
    best: others.flatMap(({ value, moves: [point] }) => (point ? { point, label: valueLabel(value, ply) } : [])),
  };
}

/** Whose chances are shown, and how much was searched. @param {{depth: number, nodes_per_second: number}} analysis @param {Pick<Rules, 'size'>} rules */
export function depthText({ depth, nodes_per_second }, rules) {
  return t('analysis_depth', { stone: sideName('black', rules), depth, speed: Math.round(nodes_per_second / 1000) });
}

/**
 * A bar of both sides' chances, the value in words, and the lines behind it.
 * @param {(place: Element, moves: readonly Point[]) => void} [fillLine] shows a line's moves, in place of their text
 */
export function createAnalysisDisplay(fillLine) {
  const share = el('div', { class: 'bar-black' });
  const bar = el('div', { class: 'value-bar', role: 'img' }, share);
  const words = el('span', { class: 'value-words' });
  const detail = el('span', { class: 'hint' });
  const list = el('ol', { class: 'lines' });
  const element = el(
    'div',
    { class: 'thought', hidden: true },
    bar,
    el('p', { class: 'value' }, words, ' ', detail),
    list,
  );
  return {
    element,
    /**
     * @param {{ply: number, size: Size, lines: readonly Line[], detail?: string} | undefined} thought
     */
    show(thought) {
      const best = thought?.lines[0];
      element.hidden = !best;
      if (!thought || !best) return;
      const text = valueText(best.value, thought.ply, thought);
      share.style.width = `${100 * blackChance(best.value, thought.ply)}%`;
      set(bar, { 'aria-label': text });
      write(words, text);
      write(detail, thought.detail ?? '');
      while (list.children.length > thought.lines.length) list.lastChild?.remove();
      // The rows stay, so that a press meets what it aims at.
      for (const [at, { value, moves }] of thought.lines.entries()) {
        const row = list.children[at] ?? list.appendChild(el('li', null, el('b'), ' ', el('span')));
        const [label, place] = row.children;
        if (!label || !place) continue;
        write(label, valueLabel(value, thought.ply));
        if (fillLine) fillLine(place, moves);
        else write(place, lineText(moves, thought.size));
      }
    },
  };
}
