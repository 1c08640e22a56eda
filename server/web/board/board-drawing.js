// Draws a board's ground, lines, coordinates and stones on a canvas. It keeps only the images of the
// stones, and knows neither games nor input.
//
// All coordinates are device pixels. A frame gives the place of the point 0,0 and the distance between
// points. Lines and stones lie on whole pixels, so that they are sharp at any ratio and can be moved by
// whole pixels without drawing them again.

import { columnName, nameRim, nameStep, starPoints, visible, wholeBoard } from './board-geometry.js';
import { paintGrain } from './board-grain.js';
import { hasSquares } from './board-squares.js';

/** @typedef {import('./board-geometry.js').Point} Point */
/** @typedef {import('./board-geometry.js').Bounds} Bounds */
/** @typedef {import('./board-geometry.js').View} View */
/** @typedef {import('./board-geometry.js').Viewport} Viewport */
/** @typedef {'shaded' | 'flat' | 'marks'} Style `marks` draws crosses and rings instead of stones. */
/** @typedef {Record<typeof COLOURS[number], string>} Palette */
/**
 * @typedef {object} Frame
 * @property {View} view
 * @property {Viewport} viewport in CSS pixels
 * @property {number} ratio device pixels for a CSS pixel
 * @property {number} x where point 0,0 lies @property {number} y
 * @property {number} step between points
 */
/** @typedef {CanvasRenderingContext2D} Context */

/** The custom properties of CSS that a theme sets. */
const COLOURS = /** @type {const} */ ([
  'wood',
  'wood-light',
  'wood-grain',
  'wood-line',
  'wood-ink',
  'black',
  'black-rim',
  'white',
  'white-rim',
  'mark',
  'mark-on-black',
  'mark-on-white',
  'heat',
  'stone-shadow',
]);
/** How a browser writes `transparent`. */
const TRANSPARENT = 'rgba(0, 0, 0, 0)';
/** A stone's radius in steps. */
const RADIUS = 0.474;
/** How far a stone's shadow reaches, in radii. */
const SHADOW = 1.45;

/** In device pixels; to tenths, so that stones of one picture are of one size. @param {number} step */
function radiusOf(step) {
  return Math.max(Math.round(10 * RADIUS * step) / 10, 0.75);
}

/** How far a stone with its shadow reaches from its point, in whole device pixels. @param {number} step */
export function reachOf(step) {
  return Math.ceil(SHADOW * radiusOf(step)) + 1;
}

/** The colours that the theme gives. @returns {Palette} */
export function readPalette() {
  const probe = document.body.appendChild(document.createElement('i'));
  const read = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(read);
}

/**
 * @param {View} view @param {Viewport} viewport @param {number} ratio
 * @returns {Frame}
 */
export function frameOf(view, viewport, ratio) {
  const step = view.scale * ratio;
  return {
    view,
    viewport,
    ratio,
    step,
    x: Math.round((viewport.width / 2) * ratio - view.x * step),
    y: Math.round((viewport.height / 2) * ratio - view.y * step),
  };
}

/** @param {Frame} frame @param {Point} point @returns {[number, number]} */
export function pixelOf(frame, [x, y]) {
  return [frame.x + Math.round(x * frame.step), frame.y + Math.round(y * frame.step)];
}

/**
 * The wood with its lines. Very small boards, tic-tac-toe above all, have squares to play in.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {Bounds} bounds
 * @param {boolean} names
 */
export function paintGround(canvas, frame, palette, bounds, names) {
  const { width, height } = canvas.canvas;
  canvas.fillStyle = palette.wood;
  if (bounds) {
    // Light falls on it from the upper left.
    const { left, top, right, bottom } = wholeBoard(bounds, names);
    const light = canvas.createLinearGradient(
      frame.x + left * frame.step,
      frame.y + top * frame.step,
      frame.x + right * frame.step,
      frame.y + bottom * frame.step,
    );
    light.addColorStop(0, palette['wood-light']);
    light.addColorStop(0.55, palette.wood);
    canvas.fillStyle = light;
  }
  canvas.fillRect(0, 0, width, height);
  paintGrain(canvas, frame, palette['wood-grain']);
  canvas.fillStyle = palette['wood-line'];
  if (!bounds) paintEndlessLines(canvas, frame);
  else if (hasSquares(bounds)) paintSquares(canvas, frame, bounds);
  else paintCrossings(canvas, frame, bounds);
}

/** @param {Context} canvas @param {Frame} frame @param {[number, number]} bounds */
function paintCrossings(canvas, frame, [columns, rows]) {
  const thick = thickness(frame);
  const back = Math.floor(thick / 2);
  // Small boards are for their stones.
  const faint = Math.min(0.2 + frame.view.scale / 40, 0.75);
  const [left, top] = pixelOf(frame, [0, 0]);
  const [right, bottom] = pixelOf(frame, [columns - 1, rows - 1]);
  for (let x = 0; x < columns; x += 1) {
    const outer = x === 0 || x === columns - 1;
    const wide = outer ? thick + back + 1 : thick;
    canvas.globalAlpha = outer ? 0.9 : faint;
    canvas.fillRect(pixelOf(frame, [x, 0])[0] - Math.floor(wide / 2), top, wide, bottom - top + 1);
  }
  for (let y = 0; y < rows; y += 1) {
    const outer = y === 0 || y === rows - 1;
    const wide = outer ? thick + back + 1 : thick;
    canvas.globalAlpha = outer ? 0.9 : faint;
    canvas.fillRect(left, pixelOf(frame, [0, y])[1] - Math.floor(wide / 2), right - left + 1, wide);
  }
  canvas.globalAlpha = Math.min(2 * faint, 0.95);
  const radius = Math.max(0.085 * frame.step, 1.4 * frame.ratio);
  canvas.beginPath();
  for (const point of starPoints([columns, rows])) {
    const [px, py] = pixelOf(frame, point);
    canvas.moveTo(px + radius, py);
    canvas.arc(px + 0.5, py + 0.5, radius, 0, 2 * Math.PI);
  }
  canvas.fill();
  canvas.globalAlpha = 1;
}

/** @param {Context} canvas @param {Frame} frame @param {[number, number]} bounds */
function paintSquares(canvas, frame, [columns, rows]) {
  const thick = Math.max(Math.round(0.03 * frame.step), 2);
  const [left, top] = [frame.x - 0.42 * frame.step, frame.y - 0.42 * frame.step];
  const [long, tall] = [(columns - 0.16) * frame.step, (rows - 0.16) * frame.step];
  for (let x = 1; x < columns; x += 1) {
    canvas.fillRect(Math.round(frame.x + (x - 0.5) * frame.step - thick / 2), top, thick, tall);
  }
  for (let y = 1; y < rows; y += 1) {
    canvas.fillRect(left, Math.round(frame.y + (y - 0.5) * frame.step - thick / 2), long, thick);
  }
}

/**
 * Lines without end. From afar only some are drawn, and every tenth is heavier.
 * @param {Context} canvas @param {Frame} frame
 */
function paintEndlessLines(canvas, frame) {
  const { width, height } = canvas.canvas;
  const every = frame.view.scale >= 6 ? 1 : nameStep(frame.view.scale, 24);
  const first = (/** @type {number} */ origin) => Math.floor(-origin / frame.step / every) * every;
  const [right, bottom] = [(width - frame.x) / frame.step + 1, (height - frame.y) / frame.step + 1];
  const thick = thickness(frame);
  for (const heavy of [false, true]) {
    canvas.globalAlpha = heavy ? 0.9 : Math.min(0.25 + frame.view.scale / 60, 0.6);
    for (let x = first(frame.x); x <= right; x += every) {
      if ((x % (10 * every) === 0) === heavy) canvas.fillRect(pixelOf(frame, [x, 0])[0], 0, thick, height);
    }
    for (let y = first(frame.y); y <= bottom; y += every) {
      if ((y % (10 * every) === 0) === heavy) canvas.fillRect(0, pixelOf(frame, [0, y])[1], width, thick);
    }
  }
  canvas.globalAlpha = 1;
}

/** @param {Frame} frame */
function thickness(frame) {
  return Math.max(1, Math.round(frame.ratio * Math.min(frame.view.scale / 26, 1.25)));
}

/**
 * The names of columns and rows. They stay at the viewport's rim where the board reaches beyond it.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {Bounds} bounds
 */
export function paintNames(canvas, frame, palette, bounds) {
  const { ratio, step } = frame;
  const { width, height } = canvas.canvas;
  const font = Math.min(Math.max(0.36 * frame.view.scale, 9), 13) * ratio;
  const strip = font * 1.7;
  const box = visible(frame.view, frame.viewport);
  const [columns, rows] = bounds ?? [Infinity, Infinity];
  const rim = bounds ? nameRim(bounds) * step : 0;
  const left = bounds ? frame.x - rim : -Infinity;
  const bottom = bounds ? frame.y + (rows - 1) * step + rim : Infinity;
  // Names stay in the wood as long as they are whole there, and at the viewport's rim otherwise.
  const atLeft = left > 0.55 * font ? left : strip / 2;
  const atBottom = bottom < height - 0.55 * font ? bottom : height - strip / 2;
  canvas.font = `550 ${font}px system-ui, sans-serif`;
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  const widest = bounds ? 0 : canvas.measureText(`${Math.round(box.left) - 9}`).width;
  canvas.globalAlpha = 0.82;
  canvas.fillStyle = palette.wood;
  const whole = bounds ? wholeBoard(bounds, true) : box;
  const [fromX, fromY] = [Math.max(frame.x + whole.left * step, 0), Math.max(frame.y + whole.top * step, 0)];
  const [toX, toY] = [Math.min(frame.x + whole.right * step, width), Math.min(frame.y + whole.bottom * step, height)];
  if (atLeft !== left) canvas.fillRect(0, fromY, Math.max(strip, widest + 0.8 * font), toY - fromY);
  if (atBottom !== bottom) canvas.fillRect(fromX, height - strip, toX - fromX, strip);
  canvas.globalAlpha = 1;
  canvas.fillStyle = palette['wood-ink'];
  const acrossEvery = nameStep(frame.view.scale, bounds ? 13 : widest / ratio + 16);
  const downEvery = nameStep(frame.view.scale, 15);
  const first = (/** @type {number} */ from, /** @type {number} */ every) => Math.ceil(from / every) * every;
  for (
    let x = first(Math.max(box.left, bounds ? 0 : -Infinity), acrossEvery);
    x <= Math.min(box.right, columns - 1);
    x += acrossEvery
  ) {
    const px = pixelOf(frame, [x, 0])[0];
    if (px > strip || atLeft === left) canvas.fillText(bounds ? columnName(x) : `${x}`, px, atBottom);
  }
  if (!bounds) canvas.textAlign = 'left';
  for (
    let y = first(Math.max(box.top, bounds ? 0 : -Infinity), downEvery);
    y <= Math.min(box.bottom, rows - 1);
    y += downEvery
  ) {
    const py = pixelOf(frame, [0, y])[1];
    if (py > height - strip && atBottom !== bottom) continue;
    canvas.fillText(bounds ? `${rows - y}` : `${y}`, bounds ? atLeft : 0.4 * font, py);
  }
}

/** The images of both stones at one size: drawn once, then copied. */
export class Stones {
  /** @type {Map<string, HTMLCanvasElement>} */
  #pictures = new Map();

  /** @param {Palette} palette */
  constructor(palette) {
    this.palette = palette;
  }

  /**
   * @param {Context} canvas @param {Frame} frame @param {Point} point @param {0 | 1} stone Black is 0
   * @param {Style} style
   */
  paint(canvas, frame, point, stone, style) {
    const [px, py] = pixelOf(frame, point);
    const half = reachOf(frame.step);
    canvas.drawImage(this.#picture(stone, frame.step, style), px - half, py - half);
  }

  /** @param {0 | 1} stone @param {number} step @param {Style} style */
  #picture(stone, step, style) {
    const radius = radiusOf(step);
    const key = `${stone} ${radius} ${style}`;
    const known = this.#pictures.get(key);
    if (known) return known;
    // Zooming goes through many sizes; only the latest are wanted again.
    if (this.#pictures.size > 24) this.#pictures.clear();
    const half = reachOf(step);
    const picture = document.createElement('canvas');
    picture.width = picture.height = 2 * half + 1;
    const canvas = context(picture);
    canvas.translate(half + 0.5, half + 0.5);
    if (radius < 4) paintDot(canvas, radius, stone, this.palette);
    else if (style === 'marks') paintMark(canvas, radius, stone, this.palette);
    else
      paintStone(
        canvas,
        radius,
        stone,
        this.palette,
        style === 'shaded' && this.palette['stone-shadow'] !== TRANSPARENT,
      );
    this.#pictures.set(key, picture);
    return picture;
  }
}

/** @param {HTMLCanvasElement} element @returns {Context} */
export function context(element) {
  const found = element.getContext('2d');
  if (!found) throw new Error('this browser draws no canvas');
  return found;
}

/** @param {Context} canvas @param {number} radius @param {0 | 1} stone @param {Palette} palette */
function paintDot(canvas, radius, stone, palette) {
  canvas.fillStyle = stone ? palette.white : palette.black;
  canvas.beginPath();
  canvas.arc(0, 0, radius, 0, 2 * Math.PI);
  canvas.fill();
  if (radius < 2) return;
  canvas.strokeStyle = stone ? palette['white-rim'] : palette['black-rim'];
  canvas.lineWidth = 0.7;
  canvas.stroke();
}

/** Shades of a lit stone, from where the light falls to the far rim.
 * @type {readonly (readonly [number, string])[][]} */
const SHADES = [
  [
    [0, '#7b797c'],
    [0.16, '#565457'],
    [0.42, '#2f2d30'],
    [0.75, '#1a191b'],
    [1, '#0a090a'],
  ],
  [
    [0, '#fff'],
    [0.5, '#fdfcf9'],
    [0.78, '#f0ece3'],
    [0.93, '#d9d2c5'],
    [1, '#c2b8a8'],
  ],
];

/**
 * @param {Context} canvas @param {number} radius @param {0 | 1} stone @param {Palette} palette
 * @param {boolean} shaded
 */
function paintStone(canvas, radius, stone, palette, shaded) {
  if (shaded) return paintLitStone(canvas, radius, stone, palette['stone-shadow']);
  const edge = Math.max(radius * 0.09, 1);
  disc(canvas, radius - edge / 2);
  canvas.fillStyle = stone ? palette.white : palette.black;
  canvas.fill();
  canvas.strokeStyle = stone ? palette['white-rim'] : palette['black-rim'];
  canvas.lineWidth = edge;
  canvas.stroke();
}

/** Lit from the upper left, with a shadow where it touches the wood.
 * @param {Context} canvas @param {number} radius @param {0 | 1} stone @param {string} shadow */
function paintLitStone(canvas, radius, stone, shadow) {
  canvas.shadowColor = shadow;
  canvas.shadowBlur = 0.3 * radius;
  canvas.shadowOffsetX = 0.07 * radius;
  canvas.shadowOffsetY = 0.17 * radius;
  const light = canvas.createRadialGradient(
    -0.36 * radius,
    -0.44 * radius,
    0.05 * radius,
    -0.12 * radius,
    -0.16 * radius,
    1.22 * radius,
  );
  for (const [at, shade] of SHADES[stone] ?? []) light.addColorStop(at, shade);
  canvas.fillStyle = light;
  disc(canvas, radius);
  canvas.fill();
  canvas.shadowColor = 'transparent';
  if (radius < 6) return;
  canvas.clip();
  canvas.lineWidth = Math.max(0.05 * radius, 1);
  if (stone && radius > 15) {
    // The lines of a shell, faint.
    canvas.strokeStyle = 'rgb(150 125 85 / .055)';
    for (let line = -4; line <= 5; line += 1) {
      canvas.beginPath();
      canvas.arc(-2.4 * radius, 0.5 * radius, radius * (2.4 + 0.2 * line), -0.9, 0.7);
      canvas.stroke();
    }
  }
  // Warm light that the wood reflects.
  canvas.strokeStyle = stone ? 'rgb(255 236 205 / .55)' : 'rgb(255 214 160 / .2)';
  canvas.beginPath();
  canvas.arc(0, 0, radius - canvas.lineWidth / 2, 0.2, 2.1);
  canvas.stroke();
}

/** @param {Context} canvas @param {number} radius */
function disc(canvas, radius) {
  canvas.beginPath();
  canvas.arc(0, 0, radius, 0, 2 * Math.PI);
}

/** A cross for Black, a ring for White. @param {Context} canvas @param {number} radius
 * @param {0 | 1} stone @param {Palette} palette */
function paintMark(canvas, radius, stone, palette) {
  canvas.lineCap = 'round';
  canvas.beginPath();
  const reach = 0.56 * radius;
  if (stone) {
    canvas.arc(0, 0, 0.66 * radius, 0, 2 * Math.PI);
  } else {
    canvas.moveTo(-reach, -reach);
    canvas.lineTo(reach, reach);
    canvas.moveTo(reach, -reach);
    canvas.lineTo(-reach, reach);
  }
  canvas.strokeStyle = stone ? palette['white-rim'] : palette['black-rim'];
  canvas.lineWidth = 0.4 * radius;
  canvas.stroke();
  canvas.strokeStyle = stone ? palette.white : palette.black;
  canvas.lineWidth = 0.26 * radius;
  canvas.stroke();
}
