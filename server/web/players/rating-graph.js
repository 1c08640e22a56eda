// How a rating has changed, as a graph with the band of its deviation, and as a table.

/** @import { RatingPoint } from '../ui/protocol-types' */

import { formatDate } from '../language/texts.js';
import { el, fill, svg } from '../ui/dom.js';
import { tl } from './texts.js';

const DAY_MS = 86_400_000;
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

export function createRatingGraph() {
  const picture = svg('svg', { class: 'plot', role: 'img' });
  const empty = el('p', { class: 'hint' });
  const rows = el('tbody');
  const table = el(
    'table',
    { class: 'list' },
    el(
      'thead',
      null,
      el(
        'tr',
        null,
        ...['date', 'rating', 'deviation'].map((key) => el('th', { scope: 'col' }, tl(/** @type {'date'} */ (key)))),
      ),
    ),
    rows,
  );
  const details = el(
    'details',
    null,
    el('summary', null, tl('as_table')),
    el('div', { class: 'scrolls', tabIndex: 0, role: 'region', 'aria-label': tl('as_table') }, table),
  );
  const element = el('div', { class: 'rating-graph' }, picture, empty, details);
  /** @type {RatingPoint[]} */
  let points = [];
  let from = 0;
  let until = 0;
  let width = 0;

  function draw() {
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
    const step = [25, 50, 100, 200, 500, 1000].find((one) => (high - low) / one <= ROWS_MAX) ?? 1000;
    const grid = [];
    for (let rating = Math.ceil(low / step) * step; rating <= high; rating += step) {
      grid.push(
        svg('path', { class: 'plot-row', d: `M${PAD.left} ${y(rating)}H${width - PAD.right}` }),
        text(PAD.left - 8, y(rating) + 4, 'end', String(rating)),
      );
    }
    const dates = Math.max(1, Math.min(5, Math.floor((width - PAD.left) / DATE_WIDTH)));
    /** @type {Intl.DateTimeFormatOptions} */
    const style =
      until - from > 300 * DAY_MS ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' };
    let named = '';
    for (let part = 0; part < dates; part += 1) {
      const at = from + ((until - from) * (part + 0.5)) / dates;
      const name = formatDate(at, style);
      // A short time is one day or month.
      if (name !== named) grid.push(text(x(at), HEIGHT - 6, 'middle', name));
      named = name;
    }
    picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    picture.setAttribute('width', `${width}`);
    picture.setAttribute('height', `${HEIGHT}`);
    const day = (/** @type {RatingPoint} */ point) => formatDate(point.at, { dateStyle: 'medium' });
    picture.setAttribute(
      'aria-label',
      tl('graph_says', {
        from: String(first.rating),
        from_date: day(first),
        to: String(last.rating),
        to_date: day(last),
      }),
    );
    fill(
      picture,
      ...grid,
      svg('path', { class: 'plot-band', d: `M${band}Z` }),
      svg('path', { class: 'plot-line', d: `M${line}` }),
      svg('circle', { class: 'plot-end', cx: x(until), cy: y(last.rating), r: 5 }),
    );
  }

  /** @param {number} left @param {number} top @param {string} anchor @param {string} words */
  function text(left, top, anchor, words) {
    const node = svg('text', { x: left, y: top, 'text-anchor': anchor });
    node.textContent = words;
    return node;
  }

  const observer = new ResizeObserver(() => {
    width = element.clientWidth;
    draw();
  });
  observer.observe(element);

  return {
    element,
    /** @param {readonly RatingPoint[]} all the oldest first @param {Range} range @param {number} now */
    show(all, range, now) {
      const days = RANGES[range];
      const began = days > 0 ? now - days * DAY_MS : 0;
      points = all.filter(({ at }) => at >= began);
      // Before the first game there is nothing to see.
      from = points.length < all.length ? began : (points[0]?.at ?? now);
      until = Math.max(now, points.at(-1)?.at ?? now);
      const none = points.length === 0;
      picture.toggleAttribute('hidden', none);
      details.hidden = none;
      empty.hidden = !none;
      empty.textContent = tl('graph_empty');
      fill(
        rows,
        ...points
          .toReversed()
          .map(({ at, rating, deviation }) =>
            el(
              'tr',
              null,
              el('td', null, formatDate(at, { dateStyle: 'medium' })),
              el('td', null, String(rating)),
              el('td', null, `± ${deviation}`),
            ),
          ),
      );
      draw();
    },
    remove: () => observer.disconnect(),
  };
}
