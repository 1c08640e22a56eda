// The tree of moves as a value, its undo, and the short texts of positions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  asMainLine, COMMENT_MAX, countMoves, EMPTY, isMainLine, lineFrom, listed, nodeAt, NODES_MAX, treeOf, withComment, withLine, without,
} from '../../server/web/analysis/move-tree.js';
import { UNDO_MAX, UndoHistory } from '../../server/web/analysis/undo-history.js';

/** @import { Point } from '../../server/web/types' */
/** @import { MoveNode } from '../../server/web/analysis/move-tree.js' */

/** @type {[Point, Point, Point, Point, Point]} */
const [A, B, C, D, E] = [[0, 0], [1, 0], [2, 0], [3, 0], [-4, 4000]];

/** A tree in one line: each move's column, its comment, and variations in brackets, the main line last.
 * @param {MoveNode} tree @returns {string} */
function drawn(tree) {
  const [first, ...others] = tree.children;
  const own = `${tree.point ? tree.point[0] : ''}${tree.comment && `"${tree.comment}"`}`;
  return `${own}${others.map((other) => `(${drawn(other)})`).join('')}${first ? ` ${drawn(first)}` : ''}`;
}

/** A tree by its lines, the main line first. @param {readonly Point[][]} lines */
const grown = (...lines) => lines.reduce((tree, line) => withLine(tree, [], line), EMPTY);

test('lines grow a tree, and known moves stay what they are', () => {
  const tree = grown([A, B, C], [A, D], [A, B, D]);
  assert.equal(drawn(tree), ' 0(3) 1(3) 2');
  assert.equal(withLine(tree, [A], [B, C]), tree, 'nothing is new');
  assert.equal(withLine(tree, [C], [A]), tree, 'the path is not in the tree');
  assert.equal(countMoves(tree), 5);
  assert.equal(countMoves(EMPTY), 0);
  assert.deepEqual(lineFrom(tree), [A, B, C]);
  assert.deepEqual(lineFrom(tree, [A, D]), [A, D]);
  assert.equal(nodeAt(tree, [A, C]), undefined);
  assert.equal(drawn(EMPTY), '', 'the empty tree did not change');
});

test('a variation becomes the main line from the start on', () => {
  const tree = grown([A, B, C], [A, D, E], [A, D, B]);
  assert.ok(isMainLine(tree, [A, B]) && !isMainLine(tree, [A, D]));
  const main = asMainLine(tree, [A, D, B]);
  assert.equal(drawn(main), ' 0(1 2) 3(-4) 1');
  assert.ok(isMainLine(main, [A, D, B]));
  assert.equal(asMainLine(main, [A, D]), main, 'it is the main line');
  assert.equal(drawn(tree), ' 0(3(1) -4) 1 2', 'the old value did not change');
});

test('a move goes with all that follows, and a comment stays where it is', () => {
  const tree = withComment(withComment(grown([A, B, C], [A, D]), [A, B], 'good'), [], 'start');
  assert.equal(drawn(tree), '"start" 0(3) 1"good" 2');
  assert.equal(drawn(without(tree, [A, B])), '"start" 0 3');
  assert.equal(drawn(without(tree, [A])), '"start"');
  assert.equal(without(tree, []), EMPTY);
  assert.equal(without(tree, [B]), tree);
  assert.equal(withComment(tree, [A, B], 'good'), tree);
  assert.equal(nodeAt(withComment(tree, [A, D], 'bad'), [A, B])?.comment, 'good');
});

test('a list gives the same tree again', () => {
  const tree = withComment(grown([A, B, C], [A, D], [E, A]), [A, D], '<img src=x onerror=alert(1)>');
  const list = listed(tree);
  assert.deepEqual(list.nodes.map(({ parent }) => parent), [undefined, 0, 1, 0, undefined, 4]);
  assert.deepEqual(treeOf(JSON.parse(JSON.stringify(list))), tree);
  assert.deepEqual(treeOf({ nodes: [] }), EMPTY);
});

test('a list from elsewhere is a tree within the limits, or refused', () => {
  const line = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => ({ ...at > 0 && { parent: at - 1 }, point: [at, 0] }));
  assert.equal(countMoves(/** @type {MoveNode} */ (treeOf({ nodes: line(NODES_MAX) }))), NODES_MAX);
  assert.ok(treeOf({ comment: '五'.repeat(COMMENT_MAX), nodes: [] }));
  const hostile = [
    null, 7, 'x', [], {}, { nodes: 1 }, { nodes: line(NODES_MAX + 1) }, { comment: 'x'.repeat(COMMENT_MAX + 1), nodes: [] }, { comment: 5, nodes: [] },
    { nodes: [{ point: [0, 0], parent: 0 }] }, { nodes: [{ point: [0, 0] }, { parent: 5, point: [1, 1] }] }, { nodes: [{ point: [0, 0] }, { parent: '__proto__', point: [1, 1] }] },
    { nodes: [null] }, { nodes: [{ point: [0] }] }, { nodes: [{ point: ['0', 0] }] }, { nodes: [{ point: [0.5, 0] }] }, { nodes: [{ point: [0, 0], comment: {} }] },
    { nodes: [{ point: [0, 0] }, { point: [0, 0] }] },
  ];
  for (const list of hostile) assert.equal(treeOf(list), undefined, JSON.stringify(list)?.slice(0, 80));
});

test('very deep trees are handled without recursion', () => {
  const line = Array.from({ length: NODES_MAX }, (_, at) => /** @type {Point} */ ([at, 1]));
  const tree = grown(line);
  assert.equal(listed(asMainLine(withLine(tree, line.slice(0, -1), [[0, 9]]), [...line.slice(0, -1), [0, 9]])).nodes.length, NODES_MAX + 1);
  assert.equal(countMoves(without(tree, line.slice(0, 5000))), 4999);
});

test('each change is undone and done again, up to the limit', () => {
  const history = new UndoHistory(0);
  assert.ok(!history.canUndo && !history.canRedo);
  for (let state = 1; state <= UNDO_MAX + 1; state += 1) history.change(state);
  for (let times = 0; times < UNDO_MAX; times += 1) history.undo();
  assert.equal(history.now, 1, 'one more than the limit is forgotten');
  history.undo();
  assert.equal(history.now, 1);
  history.redo();
  history.redo();
  assert.equal(history.now, 3);
  history.change(9);
  assert.ok(!history.canRedo);
  history.retract();
  assert.deepEqual([history.now, history.canRedo], [3, false]);
  assert.deepEqual(new UndoHistory(3, [1, 2]).past, [1, 2]);
});
