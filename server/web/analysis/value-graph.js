// The graph of a game's value, move by move, on which a click goes to a move. Black is ahead above the
// middle, White below it.

import { el, fill, set, svg } from '../ui/dom.js';
import { ta } from './texts.js';

/** @typedef {{ply: number, kind: 'mistake' | 'blunder' | 'decided'}} Mark at the ply of a move */
/**
 * @typedef {object} Course
 * @property {readonly number[]} values Black's chance of winning before each move, and at the end
 * @property {readonly Mark[]} marks
 * @property {(ply: number) => string} words the description of the position after this many moves
 */

const HEIGHT = 128;
const PAD = 8;

/** @param {(ply: number) => void} go another ply was chosen */
export function createValueGraph(go) {
  const picture = svg('svg', { class: 'graph-picture', 'aria-hidden': 'true' });
  const element = el(
    'div',
    { class: 'graph', role: 'slider', tabIndex: 0, 'aria-label': ta('graph'), hidden: true },
    picture,
  );
  /** @type {Course | undefined} */
  let course;
  let at = 0;
  let width = 0;

  const plies = () => (course?.values.length ?? 1) - 1;
  const across = (/** @type {number} */ ply) => PAD + (ply / Math.max(plies(), 1)) * (width - 2 * PAD);
  const up = (/** @type {number} */ chance) => PAD + (1 - chance) * (HEIGHT - 2 * PAD);

  const draw = () => {
    if (!course || width === 0) return;
    set(element, {
      'aria-valuemin': 0,
      'aria-valuemax': plies(),
      'aria-valuenow': at,
      'aria-valuetext': course.words(at),
    });
    const { values, marks } = course;
    const curve = values.map((value, ply) => `${across(ply).toFixed(1)} ${up(value).toFixed(1)}`).join('L');
    const middle = up(0.5);
    const half = (/** @type {string} */ name, /** @type {number} */ top) => {
      const clip = svg('clipPath', { id: `graph-${name}` });
      clip.append(svg('rect', { x: 0, y: top, width, height: HEIGHT / 2 }));
      const area = svg('path', {
        class: `graph-${name}`,
        'clip-path': `url(#graph-${name})`,
        d: `M${across(0)} ${middle}L${curve}L${across(plies())} ${middle}Z`,
      });
      return [clip, area];
    };
    picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    picture.setAttribute('width', `${width}`);
    picture.setAttribute('height', `${HEIGHT}`);
    fill(
      picture,
      ...half('black', 0),
      ...half('white', middle),
      svg('path', { class: 'graph-middle', d: `M0 ${middle}H${width}` }),
      svg('path', { class: 'graph-curve', d: `M${curve}` }),
      ...marks.map(({ ply, kind }) =>
        svg('path', { class: `graph-mark ${kind}`, d: shape(kind, across(ply + 1), up(values[ply + 1] ?? 0.5)) }),
      ),
      svg('path', { class: 'graph-at', d: `M${across(at)} 0V${HEIGHT}` }),
      svg('circle', { class: 'graph-dot', cx: across(at), cy: up(values[at] ?? 0.5), r: 4.5 }),
    );
  };

  /** @param {PointerEvent} event */
  const seek = (event) => {
    const x = event.clientX - element.getBoundingClientRect().left;
    const ply = Math.round(((x - PAD) / Math.max(width - 2 * PAD, 1)) * plies());
    go(Math.max(0, Math.min(plies(), ply)));
  };
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    seek(event);
  });
  element.addEventListener('pointermove', (event) => {
    if (element.hasPointerCapture(event.pointerId)) seek(event);
  });
  element.addEventListener('keydown', (event) => {
    /** @type {Record<string, number>} */
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: plies() };
    const ply = to[event.key];
    if (ply === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(Math.max(0, Math.min(plies(), ply)));
  });
  const observer = new ResizeObserver(() => {
    width = element.clientWidth;
    draw();
  });
  observer.observe(element);

  return {
    element,
    /** @param {Course | undefined} next @param {number} ply the shown one */
    show(next, ply) {
      course = next;
      at = ply;
      element.hidden = !course;
      draw();
    },
    remove: () => observer.disconnect(),
  };
}

/** A diamond for the move that decided, triangles for those that lost something.
 * @param {Mark['kind']} kind @param {number} x @param {number} y */
function shape(kind, x, y) {
  if (kind === 'decided') return `M${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}L${x - 7} ${y}Z`;
  const size = kind === 'blunder' ? 7 : 5;
  return `M${x - size} ${y - size}H${x + size}L${x} ${y + size}Z`;
}
