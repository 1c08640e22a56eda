// A tree of moves with variations and comments, as a plain value: each change returns a new tree that shares
// what did not change. It knows no rules and no page. A node is named by its path, the points that lead to it.

/** @import { Point } from '../ui/protocol-types' */

import { isOn } from '../board/board-geometry.js';

/**
 * A move, and what may follow it; the first of its children goes on with the main line. The root of a tree has no
 * point. `count` is how many moves come after it.
 * @typedef {{ readonly point: Point | null, readonly comment: string, readonly children: readonly MoveNode[], readonly count: number }} MoveNode
 */
/** @typedef {readonly Point[]} Path */
/** A node in a list where each comes after its parent. Those without a parent follow the root.
 * @typedef {{ parent?: number, point: Point, comment?: string }} ListedNode */
/** A tree as files hold it. @typedef {{ comment?: string, nodes: readonly ListedNode[] }} ListedTree */
/** A tree in arrays, see `TreeArrays`. @typedef {Pick<import('../ui/protocol-types').TreeArrays, 'parents' | 'points' | 'comments'>} PackedTree */

/** The limits of a tree, as in shared/src/notation/tree.rs. */
export const NODES_MAX = 1_000_000;
export const COMMENT_MAX = 10_000;
/** How many moves a growing tree takes at once. */
const SLICE = 20_000;

/** @type {readonly MoveNode[]} */
const NONE = [];
/** @type {MoveNode} */
export const EMPTY = { point: null, comment: '', children: NONE, count: 0 };

/** @param {Point} a @param {Point | null | undefined} b */
const isSame = (a, b) => a[0] === b?.[0] && a[1] === b[1];

/** The root and the nodes along a path, as far as the tree has them. @param {MoveNode} tree @param {Path} path */
export function nodesAlong(tree, path) {
  const nodes = [tree];
  let node = tree;
  for (const point of path) {
    const next = node.children.find((child) => isSame(point, child.point));
    if (!next) break;
    nodes.push(next);
    node = next;
  }
  return nodes;
}

/** The node at the end of a path. @param {MoveNode} tree @param {Path} path */
export function nodeAt(tree, path) {
  return nodesAlong(tree, path)[path.length];
}

/** A path, continued by first children to its end. @param {MoveNode} tree @param {Path} [path] @returns {Point[]} */
export function lineFrom(tree, path = []) {
  const line = [...path];
  for (let node = nodeAt(tree, path)?.children[0]; node?.point; node = node.children[0]) line.push(node.point);
  return line;
}

/** How many moves it has. @param {MoveNode} tree */
export function countMoves(tree) {
  return tree.count;
}

/** How many moves some nodes and those after them are. @param {readonly MoveNode[]} nodes */
function total(nodes) {
  return nodes.reduce((sum, { count }) => sum + count + 1, 0);
}

/** Adds the moves of a line that are not there yet. @param {MoveNode} tree @param {Path} path @param {Path} line */
export function withLine(tree, path, line) {
  const whole = [...path, ...line];
  const known = nodesAlong(tree, whole).length - 1;
  if (known < path.length || known === whole.length) return tree;
  /** @type {readonly MoveNode[]} */
  let added = NONE;
  for (const point of whole.slice(known).reverse())
    added = [{ point, comment: '', children: added, count: total(added) }];
  return changed(tree, whole.slice(0, known), (node) => ({
    ...node,
    children: [...node.children, ...added],
    count: node.count + total(added),
  }));
}

/** @param {MoveNode} tree @param {Path} path @param {string} comment */
export function withComment(tree, path, comment) {
  return changed(tree, path, (node) => (node.comment === comment ? node : { ...node, comment }));
}

/** Deletes a move and all that follows it. @param {MoveNode} tree @param {Path} path */
export function without(tree, path) {
  return path.length === 0 ? EMPTY : changed(tree, path, () => undefined);
}

/** Makes each move of a path the first choice. @param {MoveNode} tree @param {Path} path */
export function asMainLine(tree, path) {
  if (isMainLine(tree, path)) return tree;
  const nodes = nodesAlong(tree, path);
  return changed(
    tree,
    path,
    (node) => node,
    (parent, child, ply) => [child, ...parent.children.filter((other) => other !== nodes[ply + 1])],
  );
}

/** Whether each move of a path is the first choice. @param {MoveNode} tree @param {Path} path */
export function isMainLine(tree, path) {
  return nodesAlong(tree, path).every((node, ply, nodes) => ply === 0 || nodes[ply - 1]?.children[0] === node);
}

/** @param {MoveNode} tree @returns {PackedTree} */
export function packed(tree) {
  const parents = new Int32Array(tree.count);
  const points = new Int32Array(2 * tree.count);
  /** @type {[number, string][]} */
  const comments = tree.comment ? [[-1, tree.comment]] : [];
  let at = 0;
  /** Nodes to add, with the places of their parents. @type {[MoveNode, number][]} */
  const open = [];
  const wait = (/** @type {MoveNode} */ { children }, /** @type {number} */ place) => {
    for (let child = children.length - 1; child >= 0; child -= 1)
      open.push([/** @type {MoveNode} */ (children[child]), place]);
  };
  wait(tree, -1);
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, parent] = next;
    parents[at] = parent;
    points.set(node.point ?? [0, 0], 2 * at);
    if (node.comment) comments.push([at, node.comment]);
    wait(node, at);
    at += 1;
  }
  return { parents, points, comments };
}

/**
 * The tree of arrays, which may come from anywhere.
 * @param {PackedTree} arrays @returns {MoveNode | undefined} nothing if they are no tree
 */
export function treeOf(arrays) {
  const growing = growth(arrays);
  for (;;) {
    const { done, value } = growing.next();
    if (done) return value;
  }
}

/**
 * The same without holding up the page.
 * @param {PackedTree} arrays @param {(done: number) => void} progress the part that is done @param {AbortSignal} signal
 */
export async function growTree(arrays, progress, signal) {
  const growing = growth(arrays);
  for (;;) {
    const { done, value } = growing.next();
    if (done) return value;
    progress(value / arrays.parents.length);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
}

/** Pauses after each slice. @param {PackedTree} arrays @returns {Generator<number, MoveNode | undefined, void>} */
function* growth({ parents, points, comments }) {
  if (parents.length > NODES_MAX || points.length !== 2 * parents.length) return undefined;
  /** @typedef {{ point: Point | null, comment: string, children: readonly MoveNode[], count: number }} Growing */
  /** @type {Growing} */
  const root = { ...EMPTY };
  /** Nodes that may still get children, by their places. @type {Growing[]} */
  const made = [];
  /** Few points have many stones. @type {Map<number, Point>} */
  const known = new Map();
  for (const [at, parent] of parents.entries()) {
    const above = parent === -1 ? root : made[parent];
    const [x = 0, y = 0] = [points[2 * at], points[2 * at + 1]];
    const key = x * 100_003 + y;
    const same = known.get(key);
    /** @type {Point} */
    const point = same && same[0] === x && same[1] === y ? same : [x, y];
    known.set(key, point);
    if (!above || above.children.some((child) => isSame(point, child.point))) return undefined;
    const node = { ...EMPTY, point };
    const siblings = /** @type {MoveNode[]} */ (above.children);
    if (siblings === NONE) above.children = [node];
    else siblings.push(node);
    made.push(node);
    if (made.length % SLICE === 0) yield made.length;
  }
  for (let at = made.length - 1; at >= 0; at -= 1) {
    const above = parents[at] === -1 ? root : made[parents[at] ?? 0];
    if (above) above.count += (made[at]?.count ?? 0) + 1;
  }
  for (const [at, comment] of comments) {
    const node = at === -1 ? root : made[at];
    if (!node || typeof comment !== 'string' || [...comment].length > COMMENT_MAX) return undefined;
    node.comment = comment;
  }
  return root;
}

/**
 * The tree with its points moved, without those that the board does not have, and what follows them.
 * @param {MoveNode} tree @param {readonly [number, number]} by @param {import('../board/board-geometry.js').Bounds} bounds
 * @returns {PackedTree}
 */
export function movedTree(tree, [dx, dy], bounds) {
  const { parents, points, comments } = packed(tree);
  /** The new places of those that stay; -2 for the others. */
  const places = new Int32Array(parents.length);
  let kept = 0;
  for (const [at, parent] of parents.entries()) {
    /** @type {Point} */
    const point = [(points[2 * at] ?? 0) + dx, (points[2 * at + 1] ?? 0) + dy];
    const above = parent === -1 ? -1 : (places[parent] ?? -2);
    places[at] = above === -2 || !isOn(point, bounds) ? -2 : kept;
    if (places[at] === -2) continue;
    parents[kept] = above;
    points.set(point, 2 * kept);
    kept += 1;
  }
  return {
    parents: parents.slice(0, kept),
    points: points.slice(0, 2 * kept),
    comments: comments.flatMap(([at, comment]) => {
      const place = at === -1 ? -1 : (places[at] ?? -2);
      return place === -2 ? [] : [/** @type {const} */ ([place, comment])];
    }),
  };
}

/** Whether something from outside is a point. @param {unknown} point @returns {point is Point} */
export function isPoint(point) {
  return Array.isArray(point) && point.length === 2 && point.every(Number.isSafeInteger);
}

/**
 * Changes the node at the end of a path, if there is one, and with it all above.
 * @param {MoveNode} tree @param {Path} path
 * @param {(node: MoveNode) => MoveNode | undefined} change returns nothing to delete the node
 * @param {(parent: MoveNode, child: MoveNode, ply: number) => MoveNode[]} [order] the children of a parent once this
 * child has changed; in their old order by default
 * @returns {MoveNode}
 */
function changed(tree, path, change, order) {
  const nodes = nodesAlong(tree, path);
  const last = nodes[path.length];
  if (!last) return tree;
  let now = change(last);
  if (now === last && !order) return tree;
  for (let ply = path.length - 1; ply >= 0; ply -= 1) {
    const parent = /** @type {MoveNode} */ (nodes[ply]);
    /** @type {MoveNode[]} */
    const children =
      order && now
        ? order(parent, now, ply)
        : parent.children.flatMap((child) => (child !== nodes[ply + 1] ? [child] : now ? [now] : []));
    now = { ...parent, children, count: total(children) };
  }
  return now ?? EMPTY;
}
