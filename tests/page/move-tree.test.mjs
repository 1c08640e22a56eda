// The tree of moves as a value, its undo, and the short texts of positions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  asMainLine,
  COMMENT_MAX,
  countMoves,
  EMPTY,
  growTree,
  isMainLine,
  lineFrom,
  movedTree,
  NODES_MAX,
  nodeAt,
  packed,
  treeOf,
  withComment,
  withLine,
  without,
} from '../../server/web/analysis/move-tree.js';
import { UNDO_MAX, UndoHistory } from '../../server/web/analysis/undo-history.js';
import { packTree, unpackTree } from '../../server/web/engine/packed-tree.js';

/** @import { Point } from '../../server/web/ui/protocol-types' */
/** @import { MoveNode } from '../../server/web/analysis/move-tree.js' */

/** @type {[Point, Point, Point, Point, Point]} */
const [A, B, C, D, E] = [
  [0, 0],
  [1, 0],
  [2, 0],
  [3, 0],
  [-4, 4000],
];

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

/** A tree in arrays. @param {readonly number[]} parents @param {readonly number[]} points @param {[number, string][]} [comments] */
const arrays = (parents, points, comments = []) => ({
  parents: Int32Array.from(parents),
  points: Int32Array.from(points),
  comments,
});

test('arrays give the same tree again', () => {
  const tree = withComment(
    withComment(grown([A, B, C], [A, D], [E, A]), [A, D], '<img src=x onerror=alert(1)>'),
    [],
    'start',
  );
  const { parents, points, comments } = packed(tree);
  assert.deepEqual([...parents], [-1, 0, 1, 0, -1, 4]);
  assert.deepEqual([...points.slice(-4)], [-4, 4000, 0, 0]);
  assert.deepEqual(treeOf({ parents, points, comments }), tree);
  assert.deepEqual(treeOf(arrays([], [])), EMPTY);
  const list = {
    rules: /** @type {const} */ ({ variant: 'freestyle', size: 'unbounded' }),
    black: 'Ann',
    comment: 'start',
    nodes: [
      { point: A, comment: 'a' },
      { parent: 0, point: B },
    ],
  };
  assert.deepEqual(unpackTree(packTree(list)), list);
});

test('arrays from elsewhere are a tree within the limits, or refused', () => {
  assert.ok(treeOf(arrays([], [], [[-1, '五'.repeat(COMMENT_MAX)]])));
  /** @type {ReturnType<typeof arrays>[]} */
  const hostile = [
    arrays(Array(NODES_MAX + 1).fill(-1), Array(2 * NODES_MAX + 2).fill(0)),
    arrays([], [], [[-1, 'x'.repeat(COMMENT_MAX + 1)]]),
    arrays([], [], [[-1, /** @type {any} */ (5)]]),
    arrays([], [], [[0, 'nowhere']]),
    arrays([0], [0, 0]),
    arrays([-1, 5], [0, 0, 1, 1]),
    arrays([-2], [0, 0]),
    arrays([-1], [0]),
    arrays([-1, -1], [0, 0, 0, 0]),
  ];
  for (const given of hostile) assert.equal(treeOf(given), undefined, JSON.stringify(given).slice(0, 80));
});

test('a tree of the most moves grows in slices, can be stopped, and is changed without recursion', async () => {
  const line = Array.from({ length: NODES_MAX }, (_, at) => /** @type {Point} */ ([at, 1]));
  const tree = grown(line);
  assert.equal(countMoves(tree), NODES_MAX);
  const given = packed(tree);
  /** @type {number[]} */
  const parts = [];
  const again = await growTree(given, (part) => parts.push(part), new AbortController().signal);
  assert.equal(again && countMoves(again), NODES_MAX);
  assert.ok(
    parts.length > 20 && parts.every((part, at) => part <= 1 && part > (parts[at - 1] ?? 0)),
    String(parts.length),
  );
  const end = new AbortController();
  await assert.rejects(
    growTree(given, () => end.abort(new Error('left')), end.signal),
    /left/,
  );
  const branched = asMainLine(withLine(tree, line.slice(0, -1), [[0, 9]]), [...line.slice(0, -1), [0, 9]]);
  assert.equal(packed(branched).parents.length, NODES_MAX + 1);
  assert.equal(countMoves(without(tree, line.slice(0, 5000))), 4999);
});

test('a tree moves to another board without what has no place there', () => {
  const tree = withComment(
    grown(
      [
        [7, 7],
        [0, 0],
        [8, 8],
      ],
      [
        [7, 7],
        [9, 9],
      ],
    ),
    [
      [7, 7],
      [9, 9],
    ],
    'stays',
  );
  const moved = treeOf(movedTree(tree, [-1, -1], [13, 13]));
  assert.equal(moved && drawn(moved), ' 6 8"stays"');
  assert.equal(moved && countMoves(moved), 2);
  const whole = treeOf(movedTree(tree, [-7, -7], null));
  assert.deepEqual(whole && lineFrom(whole), [
    [0, 0],
    [-7, -7],
    [1, 1],
  ]);
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
