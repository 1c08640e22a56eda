// Shows a tree of moves: the main line, variations indented under a rail, comments, and what a review found. A
// press goes to a move; a move's menu changes the tree.

/** @import { Point, Size } from '../ui/protocol-types' */
/** @import { MoveNode, Path } from './move-tree.js' */
/** @import { Remark } from './tree-drawing.js' */

import { boundsOf } from '../board/board-geometry.js';
import { button, el, icon, set } from '../ui/dom.js';
import { EMPTY, nodeAt } from './move-tree.js';
import { ta } from './texts.js';
import { TreeDrawing } from './tree-drawing.js';

/** @typedef {'make_main' | 'delete_from' | 'comment'} TreeAction */
/**
 * @typedef {object} TreeCallbacks
 * @property {(path: Point[]) => void} go a move was chosen
 * @property {(path: Point[], line: readonly Point[]) => void} better the better line after this path was chosen
 * @property {(action: TreeAction, path: Point[]) => void} act
 */

/** @type {readonly TreeAction[]} */
const ACTIONS = ['make_main', 'delete_from', 'comment'];

/** @param {TreeCallbacks} callbacks */
export function createTreeView({ go, better, act }) {
  const element = el('div', { class: 'tree', role: 'group', 'aria-label': ta('tree') });
  const menu = createMoveMenu(element, act);
  const more = button(icon('more'), () => menu.open(current, more), {
    class: 'step more-move',
    title: ta('menu'),
    'aria-label': ta('menu'),
    'aria-haspopup': 'menu',
  });
  let drawing = new TreeDrawing(element, EMPTY, [], boundsOf([15, 15]), new Map());
  /** The shown path. @type {Path} */
  let current = [];
  const buttonAt = (/** @type {Event} */ { target }) => (target instanceof Element ? target.closest('button') : null);

  element.addEventListener('click', (event) => {
    const pressed = buttonAt(event);
    const line = pressed && drawing.betters.get(pressed);
    if (line) better(...line);
    else if (pressed) go(drawing.pathOf(pressed));
  });
  // The right button of a mouse, the menu key, or a long touch.
  element.addEventListener('contextmenu', (event) => {
    const move = buttonAt(event);
    if (!move || !drawing.places.has(move)) return;
    event.preventDefault();
    menu.open(drawing.pathOf(move), move);
  });
  element.addEventListener('keydown', (event) => {
    const move = buttonAt(event);
    if (!move || !drawing.places.has(move) || event.ctrlKey || event.altKey || event.metaKey) return;
    // The arrows are the page's.
    const [first] = drawing.places.keys();
    if (event.key === 'Delete') act('delete_from', drawing.pathOf(move));
    else if (event.key === 'ContextMenu') menu.open(drawing.pathOf(move), move);
    else if (event.key === 'Home' && first) go(drawing.pathOf(first));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    /** Opens the menu of the shown move. */
    more,
    /**
     * @param {MoveNode} tree @param {Path} path the shown one @param {Size} size
     * @param {ReadonlyMap<MoveNode, Remark>} remarks what a review says of moves
     */
    show(tree, path, size, remarks) {
      const hadFocus = element.contains(document.activeElement);
      if (!drawing.shows(tree, path, boundsOf(size), remarks))
        drawing = new TreeDrawing(element, tree, path, boundsOf(size), remarks);
      element.querySelector('[aria-current]')?.removeAttribute('aria-current');
      const before = nodeAt(tree, current);
      const old = before && drawing.buttons.get(before);
      if (old) old.tabIndex = -1;
      current = path;
      const node = nodeAt(tree, path);
      // One move is reached by Tab, the others from there.
      const move = (node && drawing.buttons.get(node)) ?? element.querySelector('button');
      if (!move) return;
      move.tabIndex = 0;
      if (node?.point) set(move, { 'aria-current': 'step' });
      if (hadFocus) move.focus();
      keepInSight(element, path.length > 0 ? move : undefined);
    },
  };
}

/** The menu of a move. @param {Element} element the tree, after which it is @param {TreeCallbacks['act']} act */
function createMoveMenu(element, act) {
  /** @type {Point[]} */
  let chosen = [];
  const choose = (/** @type {TreeAction} */ action) => {
    menu.close();
    act(action, chosen);
  };
  const items = ACTIONS.map((action) => button(ta(action), () => choose(action), { role: 'menuitem', tabIndex: -1 }));
  const menu = el('dialog', { class: 'move-menu', role: 'menu', 'aria-label': ta('menu') }, ...items);
  menu.addEventListener('keydown', (event) => {
    const free = items.filter((item) => !item.disabled);
    const at = free.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    free.at((at + step) % free.length)?.focus();
  });
  return {
    /** @param {Path} path @param {Element} beside */
    open(path, beside) {
      chosen = [...path];
      for (const [index, item] of items.entries()) item.disabled = path.length === 0 && ACTIONS[index] !== 'comment';
      if (!menu.isConnected) element.after(menu);
      const { left, bottom } = beside.getBoundingClientRect();
      menu.showModal();
      const { width, height } = menu.getBoundingClientRect();
      menu.style.left = `${Math.max(0, Math.min(left, innerWidth - width))}px`;
      menu.style.top = `${Math.max(0, Math.min(bottom, innerHeight - height))}px`;
      items.find((item) => !item.disabled)?.focus();
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
