// The board for keyboards and screen readers: an invisible grid of cells over the drawn points, each
// named by its point and what is on it, so that exploring by touch works too. One cell has the focus
// (roving tabindex). On large boards the grid is a window that follows the focus. It knows no game:
// the caller names the cells.

import { t } from '../language/texts.js';
import { el } from '../ui/dom.js';
import { isOn, toPixel, within } from './board-geometry.js';

/** @typedef {import('./board-geometry.js').Point} Point */
/** @typedef {import('./board-geometry.js').Bounds} Bounds */

/** The longest side that is a grid as a whole, and the side of the window on longer ones. */
const WHOLE = 19;
const WINDOW = 15;

/** @typedef {{name: (point: Point) => string, focused: (point: Point) => void, activate: (point: Point) => void}} Asks */

/** @param {HTMLElement} element @param {Asks} asks */
export function createAriaGrid(element, asks) {
  const grid = el('div', { class: 'board-grid', role: 'grid', 'aria-label': t('board') });
  element.append(grid);

  /** @type {Bounds} */
  let bounds = null;
  /** The window's top-left point and its sides. */
  let [left, top, columns, rows] = [0, 0, 0, 0];
  /** @type {Point} */
  let focus = [0, 0];
  /** @type {Map<string, HTMLElement>} */
  let cells = new Map();

  const build = () => {
    cells = new Map();
    const lines = Array.from({ length: rows }, (_, row) => {
      const line = el('div', { role: 'row', 'aria-rowindex': bounds ? top + row + 1 : undefined });
      for (let column = 0; column < columns; column += 1) {
        /** @type {Point} */
        const point = [left + column, top + row];
        const cell = createCell(point, bounds, asks, rove);
        cells.set(`${point}`, cell);
        line.append(cell);
      }
      return line;
    });
    grid.setAttribute('aria-colcount', `${bounds ? bounds[0] : -1}`);
    grid.setAttribute('aria-rowcount', `${bounds ? bounds[1] : -1}`);
    grid.replaceChildren(...lines);
    rove(focus);
    refresh();
  };

  /** @param {Point} point */
  const rove = (point) => {
    cells.get(`${focus}`)?.setAttribute('tabindex', '-1');
    focus = point;
    cells.get(`${focus}`)?.setAttribute('tabindex', '0');
  };

  const refresh = () => {
    for (const [key, cell] of cells) {
      const [x, y] = key.split(',').map(Number);
      const name = asks.name([x ?? 0, y ?? 0]);
      if (cell.getAttribute('aria-label') !== name) cell.setAttribute('aria-label', name);
    }
  };

  /** Moves the window so that the focus is in its middle, as far as the board goes. @returns whether it moved */
  const centre = () => {
    if (cells.has(`${focus}`)) return false;
    const [width, height] = bounds ?? [Infinity, Infinity];
    const half = (WINDOW - 1) / 2;
    columns = width <= WHOLE ? width : WINDOW;
    rows = height <= WHOLE ? height : WINDOW;
    left = bounds ? within(focus[0] - half, 0, width - columns) : focus[0] - half;
    top = bounds ? within(focus[1] - half, 0, height - rows) : focus[1] - half;
    build();
    return true;
  };

  return {
    /** Begins with another board. @param {Bounds} now @param {Point} middle where the focus begins */
    reset(now, middle) {
      bounds = now;
      focus = middle;
      cells = new Map();
      centre();
    },
    /** Asks the caller for the names of the cells again. */
    refresh,
    /** @returns {Point} */
    at: () => focus,
    /** Gives a point the keyboard; false off the board. @param {Point} point */
    move(point) {
      if (!isOn(point, bounds)) return false;
      rove(point);
      centre();
      cells.get(`${point}`)?.focus({ preventScroll: true });
      return true;
    },
    /** Lays the cells over the drawn points.
     * @param {import('./board-geometry.js').View} view @param {import('./board-geometry.js').Viewport} viewport */
    lay(view, viewport) {
      const [x, y] = toPixel(view, viewport, [left - 0.5, top - 0.5]);
      grid.style.transform = `translate(${x}px, ${y}px)`;
      grid.style.width = `${columns * view.scale}px`;
      grid.style.height = `${rows * view.scale}px`;
    },
    /** Whether the keyboard is here. */
    hasFocus: () => grid.contains(document.activeElement),
  };
}

/** @param {Point} point @param {Bounds} bounds @param {Asks} asks @param {(point: Point) => void} rove gives it the focus */
function createCell(point, bounds, asks, rove) {
  return el('div', {
    role: 'gridcell',
    tabIndex: -1,
    'aria-colindex': bounds ? point[0] + 1 : undefined,
    onclick: () => asks.activate(point),
    onfocus: () => {
      rove(point);
      asks.focused(point);
    },
  });
}
