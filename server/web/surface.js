// A board on a canvas. Ground and stones are painted once, on a layer somewhat larger than what is
// seen; while the board is dragged the layer is copied, and a new move is painted onto it. What is
// said about the board is painted over the copy each time. It knows neither pointers nor games.

import {
  Stones, context, frameOf, isIn, paintGround, paintNames, place, readPalette,
} from './draw.js';
import {
  paintBest, paintCursor, paintForbidden, paintGhost, paintHeat, paintLast, paintNumber, paintWin,
} from './marks.js';

/** @import { Point, Bounds, View, Viewport } from './geometry.js' */
/** @import { Context, Frame, Style } from './draw.js' */
/** @import { HeatMark } from './heat.js' */

/**
 * @typedef {object} Scene
 * @property {Bounds} bounds
 * @property {readonly Point[]} moves Black's first.
 * @property {boolean} names Whether coordinates are shown.
 * @property {Style} style
 * @property {boolean} numbers Whether stones carry the numbers of their moves.
 * @property {readonly Point[]} [winning]
 * @property {readonly Point[]} [forbidden]
 * @property {readonly HeatMark[]} [heat]
 * @property {readonly {point: Point, label: string}[]} [best] The engine's choices, the best first.
 * @property {readonly Point[]} [line] Moves that may come, from the next one on.
 * @property {{point: Point, stone: 0 | 1, kind: 'hover' | 'ghost' | 'pending' | 'premove'}[]} shades
 * Stones that are not there, or not yet.
 * @property {Point} [cursor] Where the keyboard is.
 */

/** How far the layer reaches beyond the viewport, in CSS pixels, where the board can be dragged. */
const MARGIN = 192;
const OPACITY = { hover: 0.4, ghost: 0.75, pending: 0.85, premove: 0.55 };

export class Surface {
  #canvas;
  #layer = document.createElement('canvas');
  /** Takes the layer's picture while it is moved. */
  #spare = document.createElement('canvas');
  #stones;
  /** What the layer shows, and how many of the moves. */
  #shown = { key: '', x: 0, y: 0, moves: 0, /** @type {Point | undefined} */ last: undefined };

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#stones = new Stones(readPalette(canvas));
  }

  /** Takes the theme's colours anew. */
  restyle() {
    this.#stones = new Stones(readPalette(this.#canvas));
    this.#shown.key = '';
  }

  /** @param {Scene} scene @param {View} view @param {Viewport} viewport @param {number} ratio
   * @param {boolean} draggable */
  paint(scene, view, viewport, ratio, draggable) {
    const canvas = this.#canvas;
    const [width, height] = [Math.round(viewport.width * ratio), Math.round(viewport.height * ratio)];
    resize(canvas, width, height);
    const frame = frameOf(view, viewport, ratio);
    const margin = draggable ? MARGIN : 0;
    this.#renew(scene, frame, frameOf(view, viewport, ratio, margin), margin * ratio);
    const target = context(canvas);
    target.clearRect(0, 0, width, height);
    const edge = Math.round(margin * ratio);
    target.drawImage(this.#layer, frame.x - this.#shown.x - edge, frame.y - this.#shown.y - edge);
    this.#paintOver(target, scene, frame);
  }

  /**
   * Brings the layer up to date: not at all, by the moves that are new, by the strips into which the
   * board was dragged, or from the start.
   * @param {Scene} scene @param {Frame} frame @param {Frame} wide the frame with the margin
   * @param {number} margin in device pixels
   */
  #renew(scene, frame, wide, margin) {
    const { bounds, names, numbers, style, moves } = scene;
    const shown = this.#shown;
    const [width, height] = [wide.viewport.width, wide.viewport.height].map((side) => Math.round(side * wide.ratio));
    const key = `${bounds} ${names} ${numbers} ${style} ${frame.step} ${width} ${height}`;
    const grown = shown.moves <= moves.length && String(moves[shown.moves - 1]) === String(shown.last);
    const [dx, dy] = [frame.x - shown.x, frame.y - shown.y];
    if (key !== shown.key || !grown || Math.max(Math.abs(dx), Math.abs(dy)) > 2 * margin) {
      resize(this.#layer, width ?? 0, height ?? 0);
      Object.assign(shown, { key, x: frame.x, y: frame.y });
      this.#paintPart(scene, wide, [0, 0, width ?? 0, height ?? 0]);
    } else if (Math.max(Math.abs(dx), Math.abs(dy)) > margin) {
      this.#scroll(scene, wide, dx, dy);
    }
    const edge = Math.round(margin);
    const layer = { ...wide, x: shown.x + edge, y: shown.y + edge };
    for (let ply = shown.moves; ply < moves.length; ply += 1) {
      const point = moves[ply];
      if (point && isIn(layer, point)) this.#paintMove(context(this.#layer), layer, point, ply, style, numbers);
    }
    Object.assign(shown, { moves: moves.length, last: moves.at(-1) });
  }

  /** Moves the layer's picture, and paints what comes into it.
   * @param {Scene} scene @param {Frame} wide @param {number} dx @param {number} dy */
  #scroll(scene, wide, dx, dy) {
    const { width, height } = this.#layer;
    [this.#layer, this.#spare] = [this.#spare, this.#layer];
    resize(this.#layer, width, height);
    const target = context(this.#layer);
    target.globalCompositeOperation = 'copy';
    target.drawImage(this.#spare, dx, dy);
    target.globalCompositeOperation = 'source-over';
    Object.assign(this.#shown, { x: this.#shown.x + dx, y: this.#shown.y + dy });
    if (dx) this.#paintPart(scene, wide, [dx > 0 ? 0 : width + dx, 0, Math.abs(dx), height]);
    if (dy) this.#paintPart(scene, wide, [0, dy > 0 ? 0 : height + dy, width, Math.abs(dy)]);
  }

  /** Paints ground and stones into a part of the layer.
   * @param {Scene} scene @param {Frame} wide @param {[number, number, number, number]} part */
  #paintPart(scene, wide, [left, top, width, height]) {
    const target = context(this.#layer);
    target.save();
    target.beginPath();
    target.rect(left, top, width, height);
    target.clip();
    paintGround(target, wide, this.#stones.palette, scene.bounds, scene.names);
    scene.moves.forEach((point, ply) => {
      const [px, py] = place(wide, point);
      const { step } = wide;
      const reaches = px > left - step && px < left + width + step && py > top - step && py < top + height + step;
      if (reaches) this.#paintMove(target, wide, point, ply, scene.style, scene.numbers);
    });
    target.restore();
    this.#shown.moves = scene.moves.length;
  }

  /** @param {Context} target @param {Frame} frame @param {Point} point @param {number} ply
   * @param {Style} style @param {boolean} numbered */
  #paintMove(target, frame, point, ply, style, numbered) {
    const stone = ply % 2 ? 1 : 0;
    // A cross has no room for a number.
    this.#stones.paint(target, frame, point, stone, numbered && style === 'marks' ? 'flat' : style);
    if (numbered) paintNumber(target, frame, this.#stones.palette, point, ply + 1, stone);
  }

  /** @param {Context} target @param {Scene} scene @param {Frame} frame */
  #paintOver(target, scene, frame) {
    const { palette } = this.#stones;
    const { moves, winning, forbidden, heat, best, line, shades, cursor } = scene;
    if (forbidden) paintForbidden(target, frame, palette, forbidden);
    if (heat) paintHeat(target, frame, palette, heat);
    if (best) paintBest(target, frame, palette, best);
    line?.forEach((point, index) => {
      target.globalAlpha = 0.8;
      this.#paintMove(target, frame, point, moves.length + index, 'flat', false);
      target.globalAlpha = 1;
      paintNumber(target, frame, palette, point, index + 1, (moves.length + index) % 2 ? 1 : 0);
    });
    for (const { point, stone, kind } of shades) {
      target.globalAlpha = OPACITY[kind];
      this.#stones.paint(target, frame, point, stone, scene.style);
      target.globalAlpha = 1;
      if (kind === 'ghost' || kind === 'premove') paintGhost(target, frame, palette, point, kind === 'ghost', scene.bounds);
    }
    const last = moves.at(-1);
    const filled = scene.numbers || scene.style === 'marks';
    if (last && !winning?.length) paintLast(target, frame, palette, last, filled);
    if (winning) paintWin(target, frame, palette, winning, !scene.numbers);
    if (scene.names) paintNames(target, frame, palette, scene.bounds);
    if (cursor) paintCursor(target, frame, palette, cursor);
  }
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function resize(canvas, width, height) {
  // To set the same size would clear it.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
