// Draws a tree of moves line by line: buttons for the moves, variations indented below, comments, and remarks. Of a
// large tree it draws one line, and where others branch off.

/** @import { Point } from '../ui/protocol-types' */
/** @import { Bounds } from '../board/board-geometry.js' */
/** @import { MoveNode, Path } from './move-tree.js' */

import { pointName } from '../board/board-geometry.js';
import { el, fill } from '../ui/dom.js';
import { countMoves, lineFrom } from './move-tree.js';
import { ta } from './texts.js';

/** What a review says of a move. @typedef {{ sign: string, words: string, kind: string, better?: readonly Point[] }} Remark */
/** A line that is to be drawn: where, its first move, and the button before it.
 * @typedef {{ into: Element, node: MoveNode, before: Element | undefined, ply: number, level: number }} Waiting */

/** How deep variations are indented; those within them follow on the same level. */
const LEVELS_MAX = 6;
/** The most moves of a tree that is shown as a whole. */
const WHOLE_MAX = 2_000;
/** In larger ones, how many moves are shown that branch off at one place. */
const BRANCHES_MAX = 30;

export class TreeDrawing {
  /** The shown moves: each one's node and the button before it on its path. @type {Map<Element, { node: MoveNode, before: Element | undefined }>} */
  places = new Map();
  /** @type {Map<MoveNode, HTMLElement>} */
  buttons = new Map();
  /** The lines that remarks offer, by their buttons. @type {Map<Element, [Point[], readonly Point[]]>} */
  betters = new Map();
  /** @type {Waiting[]} */
  #waiting = [];

  /**
   * @param {Element} element is filled @param {MoveNode} tree @param {Path} path the shown one
   * @param {Bounds} bounds @param {ReadonlyMap<MoveNode, Remark>} remarks
   */
  constructor(element, tree, path, bounds, remarks) {
    this.tree = tree;
    this.bounds = bounds;
    this.remarks = remarks;
    /** The line that is drawn of a large tree. */
    this.line = countMoves(tree) > WHOLE_MAX ? lineFrom(tree, path) : undefined;
    fill(element, tree.comment && el('p', { class: 'tree-comment', dir: 'auto' }, tree.comment));
    const first = this.#next(tree, 0);
    if (first) this.#waiting.push({ into: element, node: first, before: undefined, ply: 0, level: 0 });
    for (let line = this.#waiting.pop(); line; line = this.#waiting.pop()) this.#drawLine(line);
  }

  /** Whether this is how that is drawn. @param {MoveNode} tree @param {Path} path @param {Bounds} bounds @param {ReadonlyMap<MoveNode, Remark>} remarks */
  shows(tree, path, bounds, remarks) {
    const isHere = !this.line || path.every((point, ply) => String(point) === String(this.line?.[ply]));
    return isHere && tree === this.tree && remarks === this.remarks && String(bounds) === String(this.bounds);
  }

  /** The moves up to a button's. @param {Element | undefined} button */
  pathOf(button) {
    /** @type {Point[]} */
    const path = [];
    for (let at = button; at; at = this.places.get(at)?.before) {
      const point = this.places.get(at)?.node.point;
      if (point) path.unshift(point);
    }
    return path;
  }

  /** The move with which the drawn line goes on. @param {MoveNode} node @param {number} ply */
  #next({ children }, ply) {
    const { line } = this;
    return line ? children.find(({ point }) => String(point) === String(line[ply])) : children[0];
  }

  /** Draws a line to its end; the lines that branch off wait. @param {Waiting} from */
  #drawLine({ into, node, before, ply, level }) {
    let above = (before && this.places.get(before)?.node) ?? this.tree;
    let isNumbered = true;
    for (let at = /** @type {MoveNode | undefined} */ (node); at; ply += 1) {
      const button = this.#append(into, at, before, ply, isNumbered);
      const others = this.line || above.children[0] === at ? above.children.filter((child) => child !== at) : [];
      if (others.length > 0) this.#branch(into, others, before, ply, level);
      isNumbered = others.length > 0 || at.comment !== '' || this.remarks.has(at);
      [above, before, at] = [at, button, this.#next(at, ply + 1)];
    }
  }

  /** Lists the moves that branch off at a place. @param {Element} into @param {MoveNode[]} others @param {Element | undefined} before @param {number} ply @param {number} level */
  #branch(into, others, before, ply, level) {
    const isDeeper = level < LEVELS_MAX;
    const items = (this.line ? others.slice(0, BRANCHES_MAX) : others).map((node) => {
      const item = el('li');
      const count = countMoves(node);
      if (!this.line) this.#waiting.push({ into: item, node, before, ply, level: isDeeper ? level + 1 : level });
      else this.#append(item, node, before, ply, true);
      if (this.line && count > 0) item.append(el('span', { class: 'hint' }, ta('more_moves', { count })));
      return item;
    });
    const more = others.length - items.length;
    if (more > 0) items.push(el('li', { class: 'hint' }, ta('more_branches', { count: more })));
    if (isDeeper) into.append(el('ul', { 'aria-label': ta('variations') }, ...items));
    else into.after(...items);
  }

  /**
   * @param {Element} into @param {MoveNode} node @param {Element | undefined} before @param {number} ply
   * @param {boolean} isNumbered whether White's move gets its number, too
   */
  #append(into, node, before, ply, isNumbered) {
    const name = node.point ? pointName(node.point, this.bounds) : '';
    const remark = this.remarks.get(node);
    if (isNumbered || ply % 2 === 0) into.append(el('span', { class: 'n', 'aria-hidden': 'true' }, `${ply + 1}.`), ' ');
    const button = el(
      'button',
      {
        type: 'button',
        class: `move ${remark?.kind ?? ''}`,
        tabIndex: -1,
        'aria-label': [`${ply + 1}. ${name}`, remark?.words].filter(Boolean).join(', '),
      },
      name,
      remark && el('span', { class: 'sign' }, remark.sign),
    );
    into.append(button, ' ');
    this.places.set(button, { node, before });
    this.buttons.set(node, button);
    const [better] = remark?.better ?? [];
    if (remark?.better && better) {
      const point = pointName(better, this.bounds);
      const how = { type: 'button', class: 'better', title: ta('better_how', { point }) };
      const offer = el('button', how, ta('better', { point }));
      this.betters.set(offer, [this.pathOf(before), remark.better]);
      into.append(offer, ' ');
    }
    if (node.comment) into.append(el('em', { class: 'tree-comment', dir: 'auto' }, node.comment), ' ');
    return button;
  }
}
