// The engine's review of a line of a tree: the value as a graph, and a better move beside each mistake. It stays
// with its line, whatever else becomes of the tree.

/** @import { Point, Rules } from '../ui/protocol-types' */
/** @import { LineReview } from './kept-analyses.js' */
/** @import { MoveNode } from './move-tree.js' */
/** @import { Remark } from './tree-drawing.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { valueText } from '../game/analysis-display.js';
import { outcomeName } from '../game/display-names.js';
import { fetchJudged } from '../game/position-judge.js';
import { button, el, write } from '../ui/dom.js';
import { betterLine, decidingMoves } from './deciding-moves.js';
import { blackChances, createLegend } from './game-review.js';
import { EMPTY, lineFrom, nodeAt, nodesAlong } from './move-tree.js';
import { ta } from './texts.js';
import { createValueGraph } from './value-graph.js';

const SIGNS = { mistake: '?', blunder: '??', decided: '!' };

/**
 * @param {(path: readonly Point[]) => void} go a position of the line was chosen in the graph
 * @param {(found: LineReview | undefined) => void} changed there are other remarks
 */
export function createLineReview(go, changed) {
  const ask = button(ta('review'), () => void begin());
  const status = el('p', { class: 'hint', role: 'status' });
  const graph = createValueGraph((ply) => go(found?.line.slice(0, ply) ?? []));
  const legend = createLegend();
  const element = el(
    'section',
    { class: 'line-review', 'aria-label': ta('graph') },
    graph.element,
    legend,
    status,
    ask,
  );
  /** @type {{ rules: Rules, tree: MoveNode }} */
  let shown = { rules: { variant: 'freestyle', size: [15, 15] }, tree: EMPTY };
  /** @type {LineReview | undefined} */
  let found;
  /** Whether the engine is at work. */
  let runs = false;
  let end = new AbortController();
  /** The remarks on a tree. @type {{ tree?: MoveNode, of?: LineReview, remarks: ReadonlyMap<MoveNode, Remark> }} */
  let noted = { remarks: new Map() };

  async function begin() {
    stop();
    const { signal } = end;
    runs = true;
    ask.hidden = true;
    try {
      const { rules, tree } = shown;
      found = await reviewLine(rules, lineFrom(tree), signal, (words) => write(status, words));
      write(status, '');
    } catch (error) {
      if (signal.aborted) return;
      console.warn(error);
      write(status, ta('no_review'));
    }
    runs = false;
    changed(found);
  }

  function stop() {
    end.abort();
    end = new AbortController();
    runs = false;
    write(status, '');
  }

  /** The review, if its line is in the shown tree. */
  function valid() {
    return found && JSON.stringify(found.rules) === JSON.stringify(shown.rules) && nodeAt(shown.tree, found.line)
      ? found
      : undefined;
  }

  return {
    element,
    /** Begins with another analysis, and what was found out about it. @param {LineReview | undefined} kept */
    restore(kept) {
      stop();
      found = kept;
    },
    /** @param {Rules} rules @param {MoveNode} tree @param {readonly Point[]} path the shown one */
    show(rules, tree, path) {
      shown = { rules, tree };
      const own = valid();
      const main = lineFrom(tree);
      ask.hidden = runs || main.length === 0 || String(own?.line) === String(main);
      legend.hidden = !own;
      const apart = path.findIndex((point, ply) => String(point) !== String(own?.line[ply]));
      graph.show(own && courseOf(own), apart < 0 ? path.length : apart);
    },
    /** What it says of the moves of the shown tree. */
    remarks() {
      const { tree } = shown;
      const own = valid();
      if (noted.tree === tree && noted.of === own) return noted.remarks;
      const remarks = own ? remarksOn(tree, own) : new Map();
      // An unchanged answer saves drawing the tree again.
      noted = { tree, of: own, remarks: remarks.size === 0 && noted.remarks.size === 0 ? noted.remarks : remarks };
      return noted.remarks;
    },
    remove() {
      end.abort();
      graph.remove();
    },
  };
}

/**
 * Asks the engine for a review of a line.
 * @param {Rules} rules @param {Point[]} line @param {AbortSignal} signal @param {(words: string) => void} progress
 * @returns {Promise<LineReview>}
 */
async function reviewLine(rules, line, signal, progress) {
  const [{ reviewGame }, { outcome }] = await Promise.all([
    import('../engine/engine.js'),
    fetchJudged({ rules, moves: line }, signal),
  ]);
  const review = await reviewGame(rules, line, outcome?.winner ?? undefined, signal, (done) =>
    progress(ta('reviewing', { done, plies: line.length })),
  );
  if (!review) throw new Error('no review');
  return { rules, line, review, outcome: outcome ?? undefined };
}

/** The course of the reviewed line, as the graph shows it. @param {LineReview} found */
function courseOf({ rules, line, review, outcome }) {
  /** @param {number} ply */
  const words = (ply) => {
    const value = review.moves[ply]?.value;
    const point = line[ply - 1];
    const text = value ? valueText(value, ply, rules) : outcome ? outcomeName(outcome, rules) : '';
    return point ? ta('graph_point', { ply, point: pointName(point, boundsOf(rules.size)), value: text }) : text;
  };
  return { values: blackChances(review, outcome?.winner ?? undefined), marks: decidingMoves(review), words };
}

/** What a review says of the moves of a tree. @param {MoveNode} tree @param {LineReview} found */
function remarksOn(tree, { line, review }) {
  /** @type {Map<MoveNode, Remark>} */
  const remarks = new Map();
  const nodes = nodesAlong(tree, line);
  for (const { ply, kind } of decidingMoves(review)) {
    const node = nodes[ply + 1];
    const better = betterLine(review, ply, node?.point ?? undefined);
    if (node) remarks.set(node, { sign: SIGNS[kind], words: ta(kind), kind, better });
  }
  return remarks;
}
