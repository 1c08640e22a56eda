// How a rating has changed, as a graph with the band of its deviation, and as a table.

/** @import { RatingPoint } from '../ui/protocol-types' */

import { DAY_MS } from '../client/clock.js';
import { formatDate } from '../language/texts.js';
import { el, fill, svg } from '../ui/dom.js';
import { tl } from './texts.js';

const HEIGHT = 200;
/** Space for the names of the axes, in pixels. */
const PAD = { left: 44, right: 14, top: 14, bottom: 26 };
/** Rows of the grid, at most. */
const ROWS_MAX = 5;
/** A date below the graph takes so many pixels. */
const DATE_WIDTH = 110;

/** The days that are shown; 0 for all. */
export const RANGES = /** @type {const} */ ({ month: 30, year: 365, all_time: 0 });

/** @typedef {keyof typeof RANGES} Range */

/** The points of a graph, the oldest first, and its times. @typedef {{ points: RatingPoint[], from: number, until: number }} Shown */

export function createRatingGraph() {
  const picture = svg('svg', { class: 'plot', role: 'img' });
  const empty = el('p', { class: 'hint' }, tl('graph_empty'));
  const table = createTable();
  const element = el('div', { class: 'rating-graph' }, picture, empty, table.element);
  /** @type {Shown} */
  let shown = { points: [], from: 0, until: 0 };
  const observer = new ResizeObserver(() => draw(picture, shown, element.clientWidth));
  observer.observe(element);

  return {
    element,
    /** @param {readonly RatingPoint[]} all the oldest first @param {Range} range @param {number} now */
    show(all, range, now) {
      const days = RANGES[range];
      const began = days > 0 ? now - days * DAY_MS : 0;
      const points = all.filter(({ at }) => at >= began);
      // Before the first game there is nothing to see.
      const from = points.length < all.length ? began : (points[0]?.at ?? now);
      shown = { points, from, until: Math.max(now, points.at(-1)?.at ?? now) };
      const none = points.length === 0;
      picture.toggleAttribute('hidden', none);
      table.element.hidden = none;
      empty.hidden = !none;
      table.show(points);
      draw(picture, shown, element.clientWidth);
    },
    remove: () => observer.disconnect(),
  };
}

/** The same as a table. */
function createTable() {
  const rows = el('tbody');
  const heads = /** @type {const} */ (['date', 'rating', 'deviation']).map((key) =>
    el('th', { scope: 'col' }, tl(key)),
  );
  const table = el('table', { class: 'list' }, el('thead', null, el('tr', null, ...heads)), rows);
  return {
    element: el(
      'details',
      null,
      el('summary', null, tl('as_table')),
      el('div', { class: 'scrolls', tabIndex: 0, role: 'region', 'aria-label': tl('as_table') }, table),
    ),
    /** @param {RatingPoint[]} points */
    show(points) {
      const row = (/** @type {RatingPoint} */ point) =>
        el(
          'tr',
          null,
          ...[day(point), String(point.rating), `± ${point.deviation}`].map((text) => el('td', null, text)),
        );
      fill(rows, ...points.toReversed().map(row));
    },
  };
}

/** Draws the graph so many pixels wide. @param {SVGElement} picture @param {Shown} shown @param {number} width */
function draw(picture, { points, from, until }, width) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || width === 0) return;
  const low = Math.min(...points.map(({ rating, deviation }) => rating - deviation));
  const high = Math.max(...points.map(({ rating, deviation }) => rating + deviation));
  const x = (/** @type {number} */ at) =>
    PAD.left + ((at - from) / Math.max(until - from, 1)) * (width - PAD.left - PAD.right);
  const y = (/** @type {number} */ rating) =>
    PAD.top + ((high - rating) / Math.max(high - low, 1)) * (HEIGHT - PAD.top - PAD.bottom);
  const place = (/** @type {number} */ at, /** @type {number} */ rating) =>
    `${x(at).toFixed(1)} ${y(rating).toFixed(1)}`;
  // The rating stands until the next game, and until today.
  const drawn = [...points, { ...last, at: until }];
  const line = drawn.map(({ at, rating }) => place(at, rating)).join('L');
  const band = [
    ...drawn.map(({ at, rating, deviation }) => place(at, rating + deviation)),
    ...drawn.toReversed().map(({ at, rating, deviation }) => place(at, rating - deviation)),
  ].join('L');
  const says = { from: String(first.rating), from_date: day(first), to: String(last.rating), to_date: day(last) };
  const attributes = { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, 'aria-label': tl('graph_says', says) };
  for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, String(value));
  fill(
    picture,
    ...rowMarks(low, high).flatMap((rating) => [
      svg('path', { class: 'plot-row', d: `M${PAD.left} ${y(rating)}H${width - PAD.right}` }),
      label(PAD.left - 8, y(rating) + 4, 'end', String(rating)),
    ]),
    ...dateMarks(from, until, width).map(({ at, name }) => label(x(at), HEIGHT - 6, 'middle', name)),
    svg('path', { class: 'plot-band', d: `M${band}Z` }),
    svg('path', { class: 'plot-line', d: `M${line}` }),
    svg('circle', { class: 'plot-end', cx: x(until), cy: y(last.rating), r: 5 }),
  );
}

/** The round ratings from low to high. @param {number} low @param {number} high */
function rowMarks(low, high) {
  const step = [25, 50, 100, 200, 500, 1000].find((one) => (high - low) / one <= ROWS_MAX) ?? 1000;
  const lowest = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - lowest) / step) + 1 }, (_, row) => lowest + row * step);
}

/** Dates to name below the graph, each name once: a short time is one day or month. @param {number} from @param {number} until @param {number} width */
function dateMarks(from, until, width) {
  const count = Math.max(1, Math.min(5, Math.floor((width - PAD.left) / DATE_WIDTH)));
  /** @type {Intl.DateTimeFormatOptions} */
  const style = until - from > 300 * DAY_MS ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' };
  const marks = Array.from({ length: count }, (_, part) => {
    const at = from + ((until - from) * (part + 0.5)) / count;
    return { at, name: formatDate(at, style) };
  });
  return marks.filter(({ name }, part) => name !== marks[part - 1]?.name);
}

/** @param {number} left @param {number} top @param {string} anchor @param {string} words */
function label(left, top, anchor, words) {
  const node = svg('text', { x: left, y: top, 'text-anchor': anchor });
  node.textContent = words;
  return node;
}

/** @param {RatingPoint} point */
function day(point) {
  return formatDate(point.at, { dateStyle: 'medium' });
}
