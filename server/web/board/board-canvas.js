// A board on a canvas, in tiles. Ground and stones are drawn once per tile; dragging copies the tiles,
// and tiles needed next are drawn ahead, one per frame. Marks are drawn over them each time. It knows
// neither input nor games.

import { context, frameOf, paintGround, paintNames, pixelOf, reachOf, readPalette, Stones } from './board-drawing.js';
import {
  paintBest,
  paintCursor,
  paintForbidden,
  paintGhost,
  paintHeat,
  paintLast,
  paintNumber,
  paintWin,
} from './board-marks.js';

/** @import { Point, Bounds, View, Viewport } from './board-geometry.js' */
/** @import { Context, Frame, Palette, Style } from './board-drawing.js' */
/** @import { HeatMark } from './heat-map.js' */

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
 * @property {readonly {point: Point, label: string}[]} [best] The engine's other choices.
 * @property {readonly Point[]} [line] The engine's line, from the next move on.
 * @property {(canvas: Context, frame: Frame, palette: Palette) => void} [paint] Paints more marks, below all others.
 * @property {{point: Point, stone: 0 | 1, kind: 'hover' | 'ghost' | 'pending' | 'premove'}[]} shades
 * Stones that are not on the board, or not yet.
 * @property {boolean} [unmarked] Whether the last move has no mark.
 * @property {Point} [cursor] Where the keyboard is.
 * @property {{point: Point, stone: 0 | 1, part: number}} [drop] A stone on its way down, after the moves: 1 has arrived.
 * @property {number} [won] How much of the winning line is drawn, from 0 to 1; all if undefined.
 */

/** A tile's side, in CSS pixels. */
const TILE = 256;
/** Tiles to keep for each visible one. */
const KEPT = 3;
const OPACITY = { hover: 0.4, ghost: 0.75, pending: 0.85, premove: 0.55 };

export class BoardCanvas {
  #canvas;
  #stones;
  /** The tiles by their columns and rows, counted from the point 0,0; those used last come last.
   * @type {Map<string, HTMLCanvasElement>} */
  #tiles = new Map();
  /** Tiles to be used again. @type {HTMLCanvasElement[]} */
  #spare = [];
  /** The content of the tiles. @type {{key: string, moves: readonly Point[]}} */
  #shown = { key: '', moves: [] };

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#stones = new Stones(readPalette());
  }

  /** Reads the theme's colors again. */
  restyle() {
    this.#stones = new Stones(readPalette());
    this.#shown.key = '';
  }

  /** @param {Scene} scene @param {View} view @param {Viewport} viewport @param {number} ratio
   * @param {boolean} [ahead] whether the board may be dragged, so that tiles are painted ahead
   * @param {number} [time] in milliseconds: tiles that do not fit in stay bare until the next call. A board
   * of another size, or with other moves, is painted at once: else its tiles would vanish for a moment.
   * @returns {boolean} whether all of it is painted */
  paint(scene, view, viewport, ratio, ahead, time = Infinity) {
    const canvas = this.#canvas;
    const [width, height] = [Math.round(viewport.width * ratio), Math.round(viewport.height * ratio)];
    resize(canvas, width, height);
    const frame = frameOf(view, viewport, ratio);
    const side = Math.round(TILE * ratio);
    const until = this.#renew(scene, frame, side) ? Infinity : performance.now() + time;
    const target = context(canvas);
    target.clearRect(0, 0, width, height);
    const [left, right] = [Math.floor(-frame.x / side), Math.floor((width - 1 - frame.x) / side)];
    const [top, bottom] = [Math.floor(-frame.y / side), Math.floor((height - 1 - frame.y) / side)];
    let whole = true;
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        if (this.#tiles.has(`${column} ${row}`) || performance.now() < until) {
          const tile = this.#tile(scene, frame, side, column, row);
          target.drawImage(tile, frame.x + column * side, frame.y + row * side);
        } else whole = false;
      }
    }
    if (ahead && whole) this.#paintAhead(scene, frame, side, [left, top, right, bottom]);
    const most = KEPT * (right - left + 1) * (bottom - top + 1) + 16;
    for (const [key, tile] of this.#tiles) {
      if (this.#tiles.size <= most) break;
      this.#tiles.delete(key);
      this.#spare.push(tile);
    }
    this.#paintOver(target, scene, frame);
    return whole;
  }

  /** Drops outdated tiles, or adds new stones to them. Returns whether it dropped tiles
   * that were on the screen.
   * @param {Scene} scene @param {Frame} frame @param {number} side */
  #renew({ bounds, names, numbers, style, moves }, frame, side) {
    const shown = this.#shown;
    const key = `${bounds} ${names} ${numbers} ${style} ${frame.step} ${side}`;
    const grown = shown.moves.every(([x, y], ply) => x === moves[ply]?.[0] && y === moves[ply]?.[1]);
    const renewed = key !== shown.key || !grown;
    if (renewed) {
      this.#spare.push(...this.#tiles.values());
      this.#tiles.clear();
    } else {
      for (let ply = shown.moves.length; ply < moves.length; ply += 1) {
        const point = /** @type {Point} */ (moves[ply]);
        const [[left, right], [top, bottom]] = [
          tilesOf(point[0], frame.step, side),
          tilesOf(point[1], frame.step, side),
        ];
        for (let row = top; row <= bottom; row += 1) {
          for (let column = left; column <= right; column += 1) {
            const tile = this.#tiles.get(`${column} ${row}`);
            if (tile)
              this.#paintMove(
                context(tile),
                { ...frame, x: -column * side, y: -row * side },
                point,
                ply,
                style,
                numbers,
              );
          }
        }
      }
    }
    // The list itself may grow.
    this.#shown = { key, moves: [...moves] };
    return renewed && shown.key !== '';
  }

  /** Draws one missing tile around the visible ones.
   * @param {Scene} scene @param {Frame} frame @param {number} side
   * @param {[number, number, number, number]} seen columns and rows */
  #paintAhead(scene, frame, side, [left, top, right, bottom]) {
    for (let row = top - 1; row <= bottom + 1; row += 1) {
      const inside = row >= top && row <= bottom;
      for (let column = left - 1; column <= right + 1; column += inside ? right - left + 2 : 1) {
        if (this.#tiles.has(`${column} ${row}`)) continue;
        this.#tile(scene, frame, side, column, row);
        return;
      }
    }
  }

  /** A tile, painted now if it was not before.
   * @param {Scene} scene @param {Frame} frame @param {number} side @param {number} column @param {number} row */
  #tile(scene, frame, side, column, row) {
    const key = `${column} ${row}`;
    const known = this.#tiles.get(key);
    const tile = known ?? this.#spare.pop() ?? document.createElement('canvas');
    this.#tiles.delete(key);
    this.#tiles.set(key, tile);
    if (known) return tile;
    resize(tile, side, side);
    const target = context(tile);
    const { bounds, names, numbers, style, moves } = scene;
    const part = { ...frame, x: -column * side, y: -row * side };
    paintGround(target, part, this.#stones.palette, bounds, names);
    const reaches = (/** @type {number} */ at, /** @type {number} */ line) => {
      const [first, last] = tilesOf(at, frame.step, side);
      return first <= line && line <= last;
    };
    moves.forEach((point, ply) => {
      if (reaches(point[0], column) && reaches(point[1], row))
        this.#paintMove(target, part, point, ply, style, numbers);
    });
    return tile;
  }

  /** @param {Context} target @param {Frame} frame @param {Point} point @param {number} ply
   * @param {Style} style @param {boolean} numbered */
  #paintMove(target, frame, point, ply, style, numbered) {
    const stone = ply % 2 ? 1 : 0;
    this.#stones.paint(target, frame, point, stone, style);
    if (numbered)
      paintNumber(target, frame, this.#stones.palette, point, ply + 1, style === 'marks' ? undefined : stone);
  }

  /** A stone that grows smaller and solid as it comes down.
   * @param {Context} target @param {Frame} frame @param {NonNullable<Scene['drop']>} drop @param {Style} style */
  #paintDrop(target, frame, { point, stone, part }, style) {
    const [px, py] = pixelOf(frame, point);
    const scale = 1.12 - 0.12 * part;
    target.save();
    target.globalAlpha = part;
    target.translate(px * (1 - scale), py * (1 - scale));
    target.scale(scale, scale);
    this.#stones.paint(target, frame, point, stone, style);
    target.restore();
  }

  /** @param {Context} target @param {Frame} frame @param {Scene} scene @param {readonly Point[]} winning */
  #paintWin(target, frame, { moves, style, numbers, won = 1 }, winning) {
    paintWin(target, frame, this.#stones.palette, winning, won);
    for (const [x, y] of winning) {
      const ply = moves.findIndex((point) => point[0] === x && point[1] === y);
      if (ply >= 0) this.#paintMove(target, frame, [x, y], ply, style, numbers);
    }
  }

  /** @param {Context} target @param {Scene} scene @param {Frame} frame */
  #paintOver(target, scene, frame) {
    const { palette } = this.#stones;
    const { moves, winning, forbidden, heat, best, line, paint, shades, cursor, drop } = scene;
    paint?.(target, frame, palette);
    if (forbidden) paintForbidden(target, frame, palette, forbidden);
    if (heat) paintHeat(target, frame, palette, heat);
    line?.forEach((point, index) => {
      target.globalAlpha = 0.8;
      this.#paintMove(target, frame, point, moves.length + index, 'flat', false);
      target.globalAlpha = 1;
      paintNumber(target, frame, palette, point, index + 1, (moves.length + index) % 2 ? 1 : 0);
    });
    // Over the line, which may go through a candidate.
    if (best) paintBest(target, frame, palette, best);
    for (const { point, stone, kind } of shades) {
      target.globalAlpha = OPACITY[kind];
      this.#stones.paint(target, frame, point, stone, scene.style);
      target.globalAlpha = 1;
      if (kind === 'ghost' || kind === 'premove')
        paintGhost(target, frame, palette, point, kind === 'ghost', scene.bounds);
    }
    if (drop) this.#paintDrop(target, frame, drop, scene.style);
    const last = drop?.point ?? moves.at(-1);
    const stone = (drop ? drop.stone : (moves.length - 1) % 2) ? 'white' : 'black';
    const how = scene.numbers && !drop ? 'around' : scene.style === 'marks' ? 'plain' : stone;
    if (winning?.length) this.#paintWin(target, frame, scene, winning);
    else if (last && !scene.unmarked) paintLast(target, frame, palette, last, how);
    if (scene.names) paintNames(target, frame, palette, scene.bounds);
    if (cursor) paintCursor(target, frame, palette, cursor);
  }
}

/** The first and last column (or row) of tiles that a stone touches.
 * @param {number} at the point's @param {number} step @param {number} side of a tile */
function tilesOf(at, step, side) {
  const [middle, reach] = [Math.round(at * step), reachOf(step)];
  return /** @type {const} */ ([Math.floor((middle - reach) / side), Math.floor((middle + reach) / side)]);
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function resize(canvas, width, height) {
  // To set the same size would clear it.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
