// The engine's review of a tree's main line: the value as a graph, and a better move beside each mistake.

/** @import { Point, Review, Rules, Stone } from '../types' */
/** @import { MoveNode } from './move-tree.js' */
/** @import { Remark } from './tree-view.js' */

import { valueText } from '../analysis-display.js';
import { boundsOf, pointName } from '../board-geometry.js';
import { outcomeName } from '../display-names.js';
import { el, write } from '../dom.js';
import { betterLine, blackChances, decidingMoves } from '../game-review.js';
import { fetchJudged } from '../position-judge.js';
import { t } from '../texts.js';
import { createValueGraph } from '../value-graph.js';
import { nodesAlong } from './move-tree.js';
import { ta } from './texts.js';

const SIGNS = { mistake: '?', blunder: '??', decided: '!' };

/**
 * @param {(ply: number) => void} go a ply of the main line was chosen in the graph
 * @param {() => void} changed there are other remarks
 */
export function createLineReview(go, changed) {
  const button = el('button', { type: 'button', onclick: () => void begin() }, ta('review'));
  const status = el('p', { class: 'hint', role: 'status' });
  const graph = createValueGraph(go);
  const element = el('section', { class: 'line-review', 'aria-label': t('graph') }, graph.element, status, button);
  /** @type {{ rules: Rules, line: readonly Point[] }} */
  let shown = { rules: { variant: 'freestyle', size: [15, 15] }, line: [] };
  /** The reviewed line. */
  let reviewed = '';
  /** @type {{ review: Review, values: number[], outcome?: import('../types').Outcome<Stone> } | undefined} */
  let found;
  let end = new AbortController();
  /** The remarks on a tree. @type {{ tree?: MoveNode, of?: typeof found, remarks: ReadonlyMap<MoveNode, Remark> }} */
  let noted = { remarks: new Map() };

  async function begin() {
    end.abort();
    end = new AbortController();
    const { signal } = end;
    const { rules, line } = shown;
    reviewed = JSON.stringify([rules, line]);
    found = undefined;
    button.hidden = true;
    try {
      const [{ reviewGame }, { outcome }] = await Promise.all([import('../engine/engine.js'), fetchJudged({ rules, moves: line }, signal)]);
      const winner = outcome?.winner ?? undefined;
      const review = await reviewGame(rules, line, winner, signal, (done) => write(status, t('reviewing', { done, plies: line.length })));
      if (!review) throw new Error('no review');
      found = { review, values: blackChances(review, winner), outcome };
      write(status, '');
    } catch (error) {
      if (signal.aborted) return;
      console.warn(error);
      reviewed = '';
      button.hidden = false;
      write(status, t('no_review'));
    }
    changed();
  }

  /** @param {number} ply */
  function words(ply) {
    const { rules, line } = shown;
    const value = found?.review.moves[ply]?.value;
    const point = line[ply - 1];
    const text = value ? valueText(value, ply, rules) : found?.outcome ? outcomeName(found.outcome, rules) : '';
    return point ? t('graph_point', { ply, point: pointName(point, boundsOf(rules.size)), value: text }) : text;
  }

  return {
    element,
    /**
     * @param {Rules} rules @param {readonly Point[]} line the main line @param {number} ply how much of it is shown
     */
    show(rules, line, ply) {
      shown = { rules, line };
      const isReviewed = reviewed === JSON.stringify([rules, line]);
      if (!isReviewed && reviewed) {
        end.abort();
        [reviewed, found] = ['', undefined];
        write(status, '');
      }
      button.hidden = isReviewed || line.length === 0;
      graph.show(found && { values: found.values, marks: decidingMoves(found.review), words }, ply);
    },
    /** What it says of the moves of a tree. @param {MoveNode} tree */
    remarks(tree) {
      if (noted.tree === tree && noted.of === found) return noted.remarks;
      /** @type {Map<MoveNode, Remark>} */
      const remarks = new Map();
      const nodes = nodesAlong(tree, shown.line);
      for (const { ply, kind } of found ? decidingMoves(found.review) : []) {
        const node = nodes[ply + 1];
        const better = found && betterLine(found.review, ply, node?.point ?? undefined);
        if (node) remarks.set(node, { sign: SIGNS[kind], words: t(kind), kind, better });
      }
      // An unchanged answer saves drawing the tree again.
      noted = { tree, of: found, remarks: remarks.size === 0 && noted.remarks.size === 0 ? noted.remarks : remarks };
      return noted.remarks;
    },
    remove() {
      end.abort();
      graph.remove();
    },
  };
}
