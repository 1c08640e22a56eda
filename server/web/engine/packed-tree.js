// Trees of moves as they go between the page and its worker: a few arrays, which cross at once, in place of an
// object for each move.

/** @import { GameTree, TreeArrays } from '../ui/protocol-types' */

/** @param {GameTree} tree @returns {TreeArrays} */
export function packTree({ comment, nodes, ...rest }) {
  const parents = new Int32Array(nodes.length);
  const points = new Int32Array(2 * nodes.length);
  /** @type {[number, string][]} */
  const comments = comment ? [[-1, comment]] : [];
  for (const [
    at,
    {
      parent = -1,
      point: [x, y],
      comment: own,
    },
  ] of nodes.entries()) {
    parents[at] = parent;
    points[2 * at] = x;
    points[2 * at + 1] = y;
    if (own) comments.push([at, own]);
  }
  return { ...rest, parents, points, comments };
}

/** @param {TreeArrays} arrays @returns {GameTree} */
export function unpackTree({ parents, points, comments, ...rest }) {
  /** @type {import('../analysis/move-tree.js').ListedNode[]} */
  const nodes = Array.from(parents, (parent, at) => ({
    ...(parent >= 0 && { parent }),
    point: [points[2 * at] ?? 0, points[2 * at + 1] ?? 0],
  }));
  let start = '';
  for (const [at, comment] of comments) {
    const node = nodes[at];
    if (node) node.comment = comment;
    else start = comment;
  }
  return { ...rest, ...(start && { comment: start }), nodes };
}
