// Draws the marks on top of a board: last move, winning line, ghosts, cursor, forbidden points, weights
// and engine lines. Each kind has its own shape, so that none depends on color alone.

import { pixelOf } from './board-drawing.js';

/** @typedef {import('./board-geometry.js').Point} Point */
/** @typedef {import('./board-drawing.js').Frame} Frame */
/** @typedef {import('./board-drawing.js').Palette} Palette */
/** @typedef {import('./board-drawing.js').Context} Context */
/** @typedef {import('./heat-map.js').HeatMark} HeatMark */

/**
 * A dot on the stone; a ring around one that carries a number.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {Point} point
 * @param {'black' | 'white' | 'around' | 'plain'} how the stone below the dot, or `plain` on a cross or ring
 */
export function paintLast(canvas, frame, palette, point, how) {
  const [px, py] = pixelOf(frame, point);
  const around = how === 'around';
  circle(canvas, px, py, Math.max((around ? 0.45 : how === 'plain' ? 0.09 : 0.13) * frame.step, 1.2));
  if (around) {
    canvas.strokeStyle = palette.mark;
    canvas.lineWidth = Math.max(0.06 * frame.step, 1.5);
    canvas.stroke();
    return;
  }
  canvas.fillStyle = how === 'plain' ? palette.mark : palette[`mark-on-${how}`];
  canvas.fill();
}

/** By how much the rest of the board steps back at a win. */
const DIMMED = 0.2;

/**
 * Dims the board, and draws a capsule around the winning stones, which are painted over it.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette
 * @param {readonly Point[]} points @param {number} part how much of it is drawn, from 0 to 1
 */
export function paintWin(canvas, frame, palette, points, part) {
  const ordered = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return;
  canvas.globalAlpha = DIMMED * part;
  canvas.fillStyle = palette.wood;
  canvas.fillRect(0, 0, canvas.canvas.width, canvas.canvas.height);
  canvas.globalAlpha = 1;
  const [[fromX, fromY], [toX, toY]] = [pixelOf(frame, first), pixelOf(frame, last)];
  // An outline: a band would cut the stones beside it in pieces.
  const edge = Math.max(0.1 * frame.step, 2);
  const angle = Math.atan2(toY - fromY, toX - fromX);
  canvas.strokeStyle = palette.mark;
  canvas.lineWidth = edge;
  canvas.beginPath();
  canvas.arc(fromX + 0.5, fromY + 0.5, 0.56 * frame.step, angle + Math.PI / 2, angle - Math.PI / 2);
  canvas.arc(
    fromX + part * (toX - fromX) + 0.5,
    fromY + part * (toY - fromY) + 0.5,
    0.56 * frame.step,
    angle - Math.PI / 2,
    angle + Math.PI / 2,
  );
  canvas.closePath();
  canvas.stroke();
}

/**
 * The number of a move on its stone, or small and on a patch of wood on a cross or a ring.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {Point} point
 * @param {number} number @param {0 | 1} [stone] none for crosses and rings
 */
export function paintNumber(canvas, frame, palette, point, number, stone) {
  const text = `${number}`;
  const size = (text.length > 2 ? 0.34 : 0.42) * (stone === undefined ? 0.8 : 1) * frame.step;
  if (size < 5 * frame.ratio) return;
  const [px, py] = pixelOf(frame, point);
  canvas.font = `600 ${size}px system-ui, sans-serif`;
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.fillStyle = stone ? palette.black : palette.white;
  if (stone === undefined) {
    canvas.strokeStyle = palette.wood;
    canvas.lineWidth = 0.3 * size;
    canvas.lineJoin = 'round';
    canvas.strokeText(text, px + 0.5, py + 0.06 * size);
    canvas.fillStyle = palette['wood-ink'];
  }
  canvas.fillText(text, px + 0.5, py + 0.06 * size);
}

/** Lines to the rim and a dashed ring: where a stone would go. @param {Context} canvas
 * @param {Frame} frame @param {Palette} palette @param {Point} point @param {boolean} guides
 * @param {import('./board-geometry.js').Bounds} bounds */
export function paintGhost(canvas, frame, palette, point, guides, bounds) {
  const [px, py] = pixelOf(frame, point);
  const [left, top] = bounds ? pixelOf(frame, [0, 0]) : [0, 0];
  const [right, bottom] = bounds
    ? pixelOf(frame, [bounds[0] - 1, bounds[1] - 1])
    : [canvas.canvas.width, canvas.canvas.height];
  canvas.strokeStyle = palette.mark;
  canvas.lineWidth = Math.max(1.5 * frame.ratio, 1);
  if (guides) {
    canvas.globalAlpha = 0.45;
    const gap = 0.62 * frame.step;
    canvas.beginPath();
    for (const [x, y, toX, toY] of /** @type {const} */ ([
      [left, py, Math.max(px - gap, left), py],
      [Math.min(px + gap, right), py, right, py],
      [px, top, px, Math.max(py - gap, top)],
      [px, Math.min(py + gap, bottom), px, bottom],
    ])) {
      canvas.moveTo(x + 0.5, y + 0.5);
      canvas.lineTo(toX + 0.5, toY + 0.5);
    }
    canvas.stroke();
    canvas.globalAlpha = 1;
  }
  canvas.lineWidth = Math.max(0.07 * frame.step, 1.5 * frame.ratio);
  canvas.setLineDash([0.22 * frame.step, 0.17 * frame.step]);
  canvas.beginPath();
  canvas.arc(px + 0.5, py + 0.5, 0.53 * frame.step, 0, 2 * Math.PI);
  canvas.stroke();
  canvas.setLineDash([]);
}

/** Four corners around the point that the keyboard is at. @param {Context} canvas
 * @param {Frame} frame @param {Palette} palette @param {Point} point */
export function paintCursor(canvas, frame, palette, point) {
  const [px, py] = pixelOf(frame, point);
  const reach = Math.max(0.5 * frame.step, 6 * frame.ratio);
  const arm = 0.42 * reach;
  for (const [style, wide] of /** @type {const} */ ([
    [palette.wood, 4.5],
    [palette.mark, 2.5],
  ])) {
    canvas.strokeStyle = style;
    canvas.lineWidth = wide * frame.ratio;
    canvas.lineCap = 'square';
    canvas.beginPath();
    for (const [sx, sy] of /** @type {const} */ ([
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ])) {
      canvas.moveTo(px + sx * reach, py + sy * (reach - arm));
      canvas.lineTo(px + sx * reach, py + sy * reach);
      canvas.lineTo(px + sx * (reach - arm), py + sy * reach);
    }
    canvas.stroke();
  }
}

/** A small cross on each. @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {readonly Point[]} points */
export function paintForbidden(canvas, frame, palette, points) {
  const reach = Math.max(0.17 * frame.step, 2);
  canvas.strokeStyle = palette.mark;
  canvas.lineWidth = Math.max(0.08 * frame.step, 1.5);
  canvas.lineCap = 'round';
  canvas.beginPath();
  for (const point of points) {
    const [px, py] = pixelOf(frame, point);
    for (const turn of [-1, 1]) {
      canvas.moveTo(px - reach, py - turn * reach);
      canvas.lineTo(px + reach, py + turn * reach);
    }
  }
  canvas.stroke();
}

/** Discs that grow with the weight, with the weight on them, and a ring around the best.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {readonly HeatMark[]} marks */
export function paintHeat(canvas, frame, palette, marks) {
  const { step } = frame;
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  for (const { point, strength, label, best } of marks) {
    const [px, py] = pixelOf(frame, point);
    const strong = strength > 0.45;
    const size = (strong ? 0.32 : 0.26) * step * (label.length > 3 ? 0.82 : 1);
    const written = size >= 6 * frame.ratio;
    // The wood is cleared below a weight that has no dark disc to stand on.
    circle(canvas, px, py, (written ? Math.max(0.3, 0.14 + 0.3 * strength) : 0.14 + 0.3 * strength) * step);
    canvas.fillStyle = palette.wood;
    canvas.fill();
    canvas.globalAlpha = strong ? 0.45 + 0.55 * strength : 0.1 + 0.5 * strength;
    canvas.fillStyle = palette.heat;
    canvas.fill();
    canvas.globalAlpha = 1;
    if (best) {
      canvas.strokeStyle = palette.mark;
      canvas.lineWidth = Math.max(0.06 * step, 1.5);
      circle(canvas, px, py, 0.48 * step);
      canvas.stroke();
    }
    if (!written) continue;
    canvas.font = `${strong ? 700 : 500} ${size}px system-ui, sans-serif`;
    canvas.fillStyle = strong ? '#fff' : palette['wood-ink'];
    canvas.fillText(label, px + 0.5, py + 0.06 * size);
  }
}

/** The engine's other choices: rings with what they are worth.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette
 * @param {readonly {point: Point, label: string}[]} choices */
export function paintBest(canvas, frame, palette, choices) {
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  for (const { point, label } of choices) {
    const [px, py] = pixelOf(frame, point);
    canvas.fillStyle = palette.wood;
    canvas.strokeStyle = palette.heat;
    canvas.lineWidth = 0.07 * frame.step;
    circle(canvas, px, py, 0.4 * frame.step);
    canvas.fill();
    canvas.stroke();
    const size = 0.27 * frame.step * (label.length > 4 ? 0.85 : 1);
    if (size < 5 * frame.ratio) continue;
    canvas.font = `700 ${size}px system-ui, sans-serif`;
    canvas.fillStyle = palette['wood-ink'];
    canvas.fillText(label, px, py + 0.06 * size);
  }
}

/** @param {Context} canvas @param {number} px @param {number} py @param {number} radius */
function circle(canvas, px, py, radius) {
  canvas.beginPath();
  canvas.arc(px + 0.5, py + 0.5, radius, 0, 2 * Math.PI);
}
