// The board: draws a position and says which point was chosen. Rules, rooms and time are unknown
// here.

/** @import { Point, Shown } from './types' */

import { el } from './dom.js';

/**
 * @typedef {object} BoardOptions
 * @property {boolean} [still] only to be looked at: small boards in lists
 * @property {(point: Point) => void} [onplay] a point was chosen, and where needed confirmed
 * @property {(point: Point | undefined) => void} [onpremove] a premove was set or taken away
 * @property {(text: string) => void} [announce] has a screen reader say something
 */

/** @typedef {ReturnType<typeof createBoard>} Board */

/** Points of the unbounded board around the stones that are shown. */
const MARGIN = 4;

/**
 * Puts a board into an element, as large as that is.
 * @param {HTMLElement} place
 * @param {BoardOptions} [options]
 */
export function createBoard(place, options = {}) {
  const canvas = el('canvas', { class: 'board-canvas' });
  place.append(canvas);
  /** @type {Shown} */
  let shown = { size: [15, 15], moves: [] };
  const observer = new ResizeObserver(draw);
  observer.observe(place);

  function frame() {
    if (shown.size !== 'unbounded') return { left: 0, top: 0, width: shown.size[0], height: shown.size[1] };
    const xs = shown.moves.map(([x]) => x).concat(0);
    const ys = shown.moves.map(([, y]) => y).concat(0);
    const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN];
    return { left, top, width: Math.max(...xs) + MARGIN + 1 - left, height: Math.max(...ys) + MARGIN + 1 - top };
  }

  function draw() {
    const side = Math.min(place.clientWidth, place.clientHeight || place.clientWidth);
    const ratio = devicePixelRatio;
    canvas.width = canvas.height = side * ratio;
    canvas.style.width = canvas.style.height = `${side}px`;
    const pen = canvas.getContext('2d');
    if (!pen || side === 0) return;
    const { left, top, width, height } = frame();
    const step = (side * ratio) / Math.max(width, height);
    pen.fillStyle = '#e2b676';
    pen.fillRect(0, 0, width * step, height * step);
    pen.strokeStyle = '#8a6234';
    pen.beginPath();
    for (let x = 0; x < width; x += 1) {
      pen.moveTo((x + 0.5) * step, step / 2);
      pen.lineTo((x + 0.5) * step, (height - 0.5) * step);
    }
    for (let y = 0; y < height; y += 1) {
      pen.moveTo(step / 2, (y + 0.5) * step);
      pen.lineTo((width - 0.5) * step, (y + 0.5) * step);
    }
    pen.stroke();
    shown.moves.forEach(([x, y], ply) => {
      pen.beginPath();
      pen.arc((x - left + 0.5) * step, (y - top + 0.5) * step, step * 0.45, 0, 7);
      pen.fillStyle = ply % 2 === 0 ? '#1d1a17' : '#fbf8f2';
      pen.fill();
    });
  }

  canvas.addEventListener('pointerup', (event) => {
    if (options.still) return;
    const { left, top, width, height } = frame();
    const box = canvas.getBoundingClientRect();
    const step = box.width / Math.max(width, height);
    options.onplay?.([left + Math.floor((event.clientX - box.x) / step), top + Math.floor((event.clientY - box.y) / step)]);
  });

  return {
    /** @param {Shown} next */
    show(next) {
      shown = next;
      draw();
    },
    /** What it draws in, for a picture of the board. */
    canvas,
    remove() {
      observer.disconnect();
      canvas.remove();
    },
  };
}
