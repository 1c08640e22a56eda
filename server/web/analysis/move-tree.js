// A tree of moves with variations and comments, as a plain value: each change returns a new tree that shares
// what did not change. It knows no rules and no page. A node is named by its path, the points that lead to it.

/** @import { Point } from '../types' */

/**
 * A move, and what may follow it; the first of its children goes on with the main line. The root of a tree has no
 * point.
 * @typedef {{ readonly point: Point | null, readonly comment: string, readonly children: readonly MoveNode[] }} MoveNode
 */
/** @typedef {readonly Point[]} Path */
/** A node in a list where each comes after its parent. Those without a parent follow the root.
 * @typedef {{ parent?: number, point: Point, comment?: string }} ListedNode */
/** A tree as files and the browser's storage hold it.
 * @typedef {{ comment?: string, nodes: readonly ListedNode[] }} ListedTree */

/** The limits of a tree, as in shared/src/notation/tree.rs. */
export const NODES_MAX = 10_000;
export const COMMENT_MAX = 10_000;

/** @type {MoveNode} */
export const EMPTY = { point: null, comment: '', children: [] };

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
  let count = -1;
  for (const open = [tree]; open.length > 0; count += 1) open.push(...open.pop()?.children ?? []);
  return count;
}

/** Adds the moves of a line that are not there yet. @param {MoveNode} tree @param {Path} path @param {Path} line */
export function withLine(tree, path, line) {
  const whole = [...path, ...line];
  const known = nodesAlong(tree, whole).length - 1;
  if (known < path.length || known === whole.length) return tree;
  /** @type {MoveNode[]} */
  let added = [];
  for (const point of whole.slice(known).reverse()) added = [{ point, comment: '', children: added }];
  return changed(tree, whole.slice(0, known), (node) => ({ ...node, children: [...node.children, ...added] }));
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
  return changed(tree, path, (node) => node, (parent, child, ply) => [child, ...parent.children.filter((other) => other !== nodes[ply + 1])]);
}

/** Whether each move of a path is the first choice. @param {MoveNode} tree @param {Path} path */
export function isMainLine(tree, path) {
  return nodesAlong(tree, path).every((node, ply, nodes) => ply === 0 || nodes[ply - 1]?.children[0] === node);
}

/** @param {MoveNode} tree @returns {ListedTree} */
export function listed(tree) {
  /** @type {ListedNode[]} */
  const nodes = [];
  /** @type {{ node: MoveNode, parent: number | undefined }[]} */
  const open = tree.children.map((node) => ({ node, parent: undefined })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { node: { point, comment, children }, parent } = next;
    if (!point) continue;
    const at = nodes.length;
    nodes.push({ ...parent !== undefined && { parent }, point, ...comment && { comment } });
    open.push(...children.map((node) => ({ node, parent: at })).reverse());
  }
  return { ...tree.comment && { comment: tree.comment }, nodes };
}

/**
 * The tree of a list, which may come from anywhere.
 * @param {unknown} list @returns {MoveNode | undefined} nothing if it is no tree, or too large
 */
export function treeOf(list) {
  const { comment = '', nodes } = /** @type {Partial<ListedTree>} */ (Object(list));
  if (!Array.isArray(nodes) || nodes.length > NODES_MAX || !isComment(comment)) return undefined;
  /** Nodes that may still get children, by their place in the list. @type {(Omit<MoveNode, 'children'> & { children: MoveNode[] })[]} */
  const made = [];
  /** @type {Set<string>} */
  const known = new Set();
  const root = { point: null, comment, children: /** @type {MoveNode[]} */ ([]) };
  for (const one of nodes) {
    const { parent, point, comment: own = '' } = Object(one);
    const above = parent === undefined ? root : Number.isInteger(parent) ? made[parent] : undefined;
    const name = `${parent} ${point}`;
    if (!above || !isPoint(point) || !isComment(own) || known.has(name)) return undefined;
    known.add(name);
    const node = { point: /** @type {Point} */ ([point[0], point[1]]), comment: own, children: [] };
    above.children.push(node);
    made.push(node);
  }
  return root;
}

/** Whether something from outside is a point. @param {unknown} point @returns {point is Point} */
export function isPoint(point) {
  return Array.isArray(point) && point.length === 2 && point.every(Number.isSafeInteger);
}

/** @param {unknown} text */
function isComment(text) {
  return typeof text === 'string' && [...text].length <= COMMENT_MAX;
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
    const children = order && now
      ? order(parent, now, ply)
      : parent.children.flatMap((child) => (child !== nodes[ply + 1] ? [child] : now ? [now] : []));
    now = { ...parent, children };
  }
  return now ?? EMPTY;
}
