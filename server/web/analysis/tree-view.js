// Shows a tree of moves: the main line, variations indented under a rail, comments, and what a review found. A
// press goes to a move; a move's menu changes the tree. Of a large tree it shows the line that is looked at, and where
// others branch off.

/** @import { Point, Size } from '../ui/protocol-types' */
/** @import { MoveNode, Path } from './move-tree.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { el, fill, icon, set } from '../ui/dom.js';
import { countMoves, lineFrom, nodeAt } from './move-tree.js';
import { ta } from './texts.js';

/** What a review says of a move. @typedef {{ sign: string, words: string, kind: string, better?: readonly Point[] }} Remark */
/** @typedef {'make_main' | 'delete_from' | 'comment'} TreeAction */
/**
 * @typedef {object} TreeCallbacks
 * @property {(path: Point[]) => void} go a move was chosen
 * @property {(path: Point[], line: readonly Point[]) => void} better the better line after this path was chosen
 * @property {(action: TreeAction, path: Point[]) => void} act
 */

/** How deep variations are indented; those within them follow on the same level. */
const LEVELS_MAX = 6;
/** The most moves of a tree that is shown as a whole. */
const WHOLE_MAX = 2_000;
/** In larger ones, how many moves are shown that branch off at one place. */
const BRANCHES_MAX = 30;
/** @type {readonly TreeAction[]} */
const ACTIONS = ['make_main', 'delete_from', 'comment'];

/** @param {TreeCallbacks} callbacks */
export function createTreeView(callbacks) {
  const element = el('div', { class: 'tree', role: 'group', 'aria-label': ta('tree') });
  const items = ACTIONS.map((action) =>
    el('button', { type: 'button', role: 'menuitem', tabIndex: -1, onclick: () => act(action) }, ta(action)),
  );
  const menu = el('dialog', { class: 'move-menu', role: 'menu', 'aria-label': ta('menu') }, ...items);
  const more = el(
    'button',
    {
      type: 'button',
      class: 'step more-move',
      title: ta('menu'),
      'aria-label': ta('menu'),
      'aria-haspopup': 'menu',
      onclick: () => openMenu(current, more),
    },
    icon('more'),
  );
  /** The shown moves: each one's node and the button before it on its path. @type {Map<Element, { node: MoveNode, before: Element | undefined }>} */
  let places = new Map();
  /** @type {Map<MoveNode, HTMLElement>} */
  let buttons = new Map();
  /** @type {MoveNode | undefined} */
  let drawn;
  /** The line that is drawn of a large tree. @type {Path | undefined} */
  let line;
  let bounds = boundsOf([15, 15]);
  /** @type {ReadonlyMap<MoveNode, Remark>} */
  let remarks = new Map();
  /** The shown path, and the one whose menu is open. @type {Path} */
  let current = [];
  /** @type {Point[]} */
  let chosen = [];

  element.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    const better = button && betters.get(button);
    if (better) callbacks.better(...better);
    else if (button) callbacks.go(pathOf(button));
  });
  // The right button of a mouse, the menu key, or a long touch.
  element.addEventListener('contextmenu', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (!button || !places.has(button)) return;
    event.preventDefault();
    openMenu(pathOf(button), button);
  });
  element.addEventListener('keydown', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (!button || !places.has(button) || event.ctrlKey || event.altKey || event.metaKey) return;
    // The arrows are the page's.
    const [first] = places.keys();
    if (event.key === 'Delete') act('delete_from', pathOf(button));
    else if (event.key === 'ContextMenu') openMenu(pathOf(button), button);
    else if (event.key === 'Home' && first) callbacks.go(pathOf(first));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener('keydown', (event) => {
    const at = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const free = items.filter((item) => !item.disabled);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    free.at((free.indexOf(/** @type {HTMLButtonElement} */ (items[at])) + step) % free.length)?.focus();
  });

  /** The lines that remarks offer, by their buttons. @type {Map<Element, [Point[], readonly Point[]]>} */
  let betters = new Map();

  /** @param {Element | undefined} button */
  function pathOf(button) {
    /** @type {Point[]} */
    const path = [];
    for (let at = button; at; at = places.get(at)?.before) {
      const point = places.get(at)?.node.point;
      if (point) path.unshift(point);
    }
    return path;
  }

  /** @param {Path} path @param {Element} beside */
  function openMenu(path, beside) {
    chosen = [...path];
    const isStart = path.length === 0;
    for (const [index, item] of items.entries()) item.disabled = isStart && ACTIONS[index] !== 'comment';
    if (!menu.isConnected) element.after(menu);
    const { left, bottom } = beside.getBoundingClientRect();
    menu.showModal();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(0, Math.min(left, innerWidth - width))}px`;
    menu.style.top = `${Math.max(0, Math.min(bottom, innerHeight - height))}px`;
    items.find((item) => !item.disabled)?.focus();
  }

  /** @param {TreeAction} action @param {Point[]} [path] */
  function act(action, path = chosen) {
    menu.close();
    callbacks.act(action, path);
  }

  /** Draws a tree line by line; the lines that branch off wait in a list. @param {MoveNode} tree @param {Path} path the shown one */
  function draw(tree, path) {
    places = new Map();
    buttons = new Map();
    betters = new Map();
    line = countMoves(tree) > WHOLE_MAX ? lineFrom(tree, path) : undefined;
    fill(element, tree.comment && el('p', { class: 'tree-comment', dir: 'auto' }, tree.comment));
    /** @type {{ into: Element, node: MoveNode, before: Element | undefined, ply: number, level: number }[]} */
    const lines = [];
    const follow = (/** @type {MoveNode} */ { children }, /** @type {number} */ ply) =>
      line ? children.find(({ point }) => String(point) === String(line?.[ply])) : children[0];
    const first = follow(tree, 0);
    if (first) lines.push({ into: element, node: first, before: undefined, ply: 0, level: 0 });
    for (let next = lines.pop(); next; next = lines.pop()) {
      let { into, node, before, ply, level } = next;
      let isNumbered = true;
      for (;;) {
        const above = before ? places.get(before)?.node : tree;
        before = append(into, node, before, ply, isNumbered);
        const branches = above?.children.filter((child) => child !== node) ?? [];
        const others = line || above?.children[0] === node ? branches.slice(0, line && BRANCHES_MAX) : [];
        isNumbered = others.length > 0 || node.comment !== '' || remarks.has(node);
        if (others.length > 0) {
          const deeper = level < LEVELS_MAX;
          const made = others.map(() => el('li'));
          if (deeper) into.append(el('ul', { 'aria-label': ta('variations') }, ...made));
          else into.after(...made);
          const from = places.get(before)?.before;
          for (const [at, other] of others.entries()) {
            const place = /** @type {Element} */ (made[at]);
            if (!line) lines.push({ into: place, node: other, before: from, ply, level: deeper ? level + 1 : level });
            else if (append(place, other, from, ply, true) && countMoves(other) > 0)
              place.append(el('span', { class: 'hint' }, ta('more_moves', { count: countMoves(other) })));
          }
          const more = line ? branches.length - others.length : 0;
          if (more > 0) made.at(-1)?.after(el('li', { class: 'hint' }, ta('more_branches', { count: more })));
        }
        const on = follow(node, ply + 1);
        if (!on) break;
        [node, ply] = [on, ply + 1];
      }
    }
    drawn = tree;
  }

  /**
   * @param {Element} into @param {MoveNode} node @param {Element | undefined} before @param {number} ply
   * @param {boolean} isNumbered whether White's move gets its number, too
   */
  function append(into, node, before, ply, isNumbered) {
    const name = node.point ? pointName(node.point, bounds) : '';
    const remark = remarks.get(node);
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
    places.set(button, { node, before });
    buttons.set(node, button);
    const [better] = remark?.better ?? [];
    if (remark?.better && better) {
      const offer = el(
        'button',
        { type: 'button', class: 'better', title: ta('better_how', { point: pointName(better, bounds) }) },
        ta('better', { point: pointName(better, bounds) }),
      );
      betters.set(offer, [pathOf(before), remark.better]);
      into.append(offer, ' ');
    }
    if (node.comment) into.append(el('em', { class: 'tree-comment', dir: 'auto' }, node.comment), ' ');
    return button;
  }

  return {
    element,
    /** Opens the menu of the shown move. */
    more,
    /**
     * @param {MoveNode} tree @param {Path} path the shown one @param {Size} size
     * @param {ReadonlyMap<MoveNode, Remark>} noted what a review says of moves
     */
    show(tree, path, size, noted) {
      const hadFocus = element.contains(document.activeElement);
      const now = boundsOf(size);
      const isElsewhere = line && path.some((point, ply) => String(point) !== String(line?.[ply]));
      if (tree !== drawn || String(now) !== String(bounds) || noted !== remarks || isElsewhere) {
        bounds = now;
        remarks = noted;
        draw(tree, path);
      }
      const before = nodeAt(tree, current);
      const node = nodeAt(tree, path);
      element.querySelector('[aria-current]')?.removeAttribute('aria-current');
      const old = before && buttons.get(before);
      if (old) old.tabIndex = -1;
      current = path;
      // One move is reached by Tab, the others from there.
      const button = (node && buttons.get(node)) ?? element.querySelector('button');
      if (!button) return;
      button.tabIndex = 0;
      if (node?.point) set(button, { 'aria-current': 'step' });
      if (hadFocus) button.focus();
      keepInSight(element, path.length > 0 ? button : undefined);
    },
  };
}

/** Scrolls within the list only: the page stays where it is. @param {Element} list @param {Element | undefined} item */
function keepInSight(list, item) {
  if (!item) return list.scrollTo(0, 0);
  const [whole, part] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (part.top < whole.top) list.scrollTop -= whole.top - part.top + part.height;
  else if (part.bottom > whole.bottom) list.scrollTop += part.bottom - whole.bottom + part.height;
}
