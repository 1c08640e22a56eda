// Keeps the analysis in the browser, with what can be undone, over a reload and between visits. The kept
// data may be damaged, so it is checked when it is read.

/** @import { Point, Rules } from '../types' */
/** @import { MoveNode } from './move-tree.js' */

import { siteStorage } from '../browser-storage.js';
import { positionLink, rulesOf } from '../position-link.js';
import { countMoves, EMPTY, isPoint, listed, nodeAt, nodesAlong, treeOf, withLine } from './move-tree.js';

/** An analysis: a tree by some rules, the path that is shown, and the names of the players.
 * @typedef {{ rules: Rules, tree: MoveNode, path: readonly Point[], black?: string, white?: string }} Analysis */

const STORAGE_KEY = 'fivefold.analysis';
/** The longest name that is kept. */
const NAME_MAX = 100;
/** How many earlier states are kept, and of how many moves together. */
const STATES_MAX = 12;
const MOVES_MAX = 20_000;

/** @type {Analysis} */
export const NEW_ANALYSIS = { rules: { variant: 'freestyle', size: [15, 15] }, tree: EMPTY, path: [] };

/** Keeps an analysis and the latest of the states before it. @param {Analysis} now @param {readonly Analysis[]} past */
export function keepAnalysis(now, past) {
  const states = [now];
  let moves = countMoves(now.tree);
  for (const state of past.slice(-STATES_MAX).reverse()) {
    moves += countMoves(state.tree);
    if (moves > MOVES_MAX) break;
    states.unshift(state);
  }
  const text = (/** @type {readonly Analysis[]} */ some) => JSON.stringify(some.map(({ tree, ...rest }) => ({ ...rest, ...listed(tree) })));
  siteStorage.setItem(STORAGE_KEY, text(states), text([now]));
}

/** The kept states, the latest one last. @returns {Analysis[]} */
export function keptAnalyses() {
  try {
    const states = JSON.parse(siteStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(states) ? states.flatMap(analysisOf) : [];
  } catch {
    return [];
  }
}

/**
 * Puts a game and a line after some of its moves into the kept analysis: into the kept tree, if that holds the
 * game, or else into a new one.
 * @param {{ rules: Rules, moves: readonly Point[], black: string, white: string }} game
 * @param {number} ply @param {readonly Point[]} line
 * @returns {string} the address of the line's first move
 */
export function addToAnalysis({ rules, moves, black, white }, ply, line) {
  const past = keptAnalyses();
  const kept = past.at(-1);
  const isKept = kept && JSON.stringify(kept.rules) === JSON.stringify(rules) && nodeAt(kept.tree, moves);
  const before = moves.slice(0, ply);
  const path = [...before, ...line.slice(0, 1)];
  const tree = withLine(isKept ? kept.tree : withLine(EMPTY, [], moves), before, line);
  keepAnalysis({ rules, tree, path, black, white }, past);
  return `/analyse#${positionLink(rules, path)}`;
}

/** @param {unknown} state @returns {Analysis[]} none if it is no analysis */
function analysisOf(state) {
  const { rules, path, black, white, ...list } = Object(state);
  const tree = treeOf(list);
  const { variant, size, k } = Object(rules);
  if (!tree || !Array.isArray(path) || !path.every(isPoint)) return [];
  const name = (/** @type {unknown} */ text) => (typeof text === 'string' ? text.slice(0, NAME_MAX) : undefined);
  return [{ rules: rulesOf(String(variant), String(size), Number(k)), tree, path: path.slice(0, nodesAlong(tree, path).length - 1), black: name(black), white: name(white) }];
}
