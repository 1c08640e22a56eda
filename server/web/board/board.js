// The board of a game: shows moves and takes them by mouse, touch, pen, keyboard and screen reader. It
// knows no rules and no server: the caller says what may be played and receives the moves.

import { change, onSettings, settings } from '../browser/settings.js';
import { formatDecimal, t } from '../language/texts.js';
import { el } from '../ui/dom.js';
import { createAriaGrid } from './board-aria-grid.js';
import { Camera, stillness } from './board-camera.js';
import { BoardCanvas } from './board-canvas.js';
import { createBoardControls } from './board-controls.js';
import {
  boundsOf,
  boxAround,
  edgeHint,
  fit,
  isOn,
  pan,
  pointAt,
  pointName,
  reveal,
  viewOf,
  visible,
  zoom,
} from './board-geometry.js';
import { keyAction } from './board-keys.js';
import { drawnName, hasSquares } from './board-squares.js';
import { listen } from './gestures.js';
import { heatMarks } from './heat-map.js';

/** @import { Shown } from '../ui/view-types' */
/** @import { Point, Bounds } from './board-geometry.js' */
/** @import { Scene } from './board-canvas.js' */
/** @import { Action } from './board-keys.js' */

/**
 * @typedef {object} BoardOptions
 * @property {boolean} [still] shows only: small boards in lists
 * @property {boolean} [steps] the page steps by the arrow keys, and the cursor moves with Shift
 * @property {HTMLElement} [asks] where a touched point is confirmed; below the board if there is none
 * @property {(point: Point) => void} [onplay] a point was chosen, and where needed confirmed
 * @property {(point: Point | null) => void} [onpoint] the mouse or the keyboard is at another point
 * @property {(action: Action) => void} [onkey] a key that is for others: steps, help of the bots
 * @property {(text: string) => void} [announce] announces to screen readers
 */

/** How far the arrow keys with Shift move the board, in pixels. */
const PAN_BY = 120;
const ZOOM_BY = 1.4;
/** A comfortable distance between points, in pixels. */
const SCALE_TO_SEE = 20;
const HINT_INSET = 26;
/** How long a stone comes down, and a winning line is drawn. */
const DROP_MS = 240;
const WIN_MS = 420;
/** How long new parts of the board may be painted in one frame; a slow phone paints the rest in the next ones. */
const PAINTED_IN_FRAME_MS = 8;

/**
 * Puts a board into an element, as large as that is.
 * @param {HTMLElement} place @param {BoardOptions} [options]
 */
export function createBoard(place, options = {}) {
  return new Board(place, options);
}

export class Board {
  /** @type {Shown} */
  #shown = { size: [15, 15], moves: [] };
  /** @type {readonly import('./heat-map.js').HeatMark[] | undefined} */
  #heat;
  #camera = new Camera(
    () => ({ bounds: this.#bounds, moves: this.#shown.moves, names: this.#names }),
    () => this.#invalidate(),
  );
  /** @type {Map<string, number>} The ply at which a point was taken. */
  #taken = new Map();
  /** The latest move that was shown. */
  #last = '';
  /** @type {Point | null} */ #hover = null;
  /** @type {Point | null} */ #pressed = null;
  /** @type {Point | null} */ #ghost = null;
  /** @type {Point | null} */ #pending = null;
  /** @type {Point | null} */ #premove = null;
  /** The keyboard was used last, so its cursor is shown. */
  #keyed = false;
  #asked = 0;
  /** When the last stone began to come down, and the winning line to be drawn; 0 if that is over. */
  #dropped = 0;
  #won = 0;
  #wins = false;
  #end = new AbortController();

  /** @param {HTMLElement} place @param {BoardOptions} options */
  constructor(place, options) {
    this.options = options;
    /** What it draws in. */
    this.canvas = el('canvas', { class: 'board-canvas', 'aria-hidden': 'true' });
    this.stage = el('div', { class: 'board-stage' }, this.canvas);
    this.element = el('div', { class: 'board-whole' }, this.stage);
    place.append(this.element);
    this.surface = new BoardCanvas(this.canvas);
    if (!options.still) this.#hear();
    this.#watch();
    this.#resize();
    this.#reset();
  }

  /** Sets up input. */
  #hear() {
    const { signal } = this.#end;
    this.grid = createAriaGrid(this.stage, {
      name: (point) => this.describe(point),
      focused: (point) => this.#focused(point),
      activate: (point) => this.#commit(point),
    });
    this.bar = createBoardControls(this.stage, this.options.onplay && (this.options.asks ?? this.element), {
      confirm: () => this.#ghost && this.#commit(this.#ghost),
      typed: (point) => this.#commit(point),
      typing: (point) => this.#setGhost(point),
      invalid: (text) => this.options.announce?.(t('board_no_point', { text })),
      cancelPremove: () => this.#setPremove(null),
      bounds: () => this.#bounds,
      view: (what) => this.#do({ type: what }),
      done: () => this.focus(),
    });
    listen(this.canvas, this.#gestures(), signal);
    this.element.addEventListener('keydown', (event) => this.#key(event), { signal });
    addEventListener(
      'keydown',
      (event) => {
        const { target } = event;
        if (
          event.key === '?' &&
          target instanceof Element &&
          !target.closest('input, textarea, dialog') &&
          !event.defaultPrevented
        )
          this.#do({ type: 'keys' });
      },
      { signal },
    );
    this.stage.addEventListener('focusout', () => this.#invalidate(), { signal });
  }

  /** Follows the size of its place, the theme and the settings. */
  #watch() {
    const { signal } = this.#end;
    const resized = new ResizeObserver(([entry]) => this.#resize(entry?.devicePixelContentBoxSize?.[0]));
    try {
      // Whole device pixels keep lines sharp where the system's ratio is a fraction.
      resized.observe(this.stage, { box: 'device-pixel-content-box' });
    } catch {
      resized.observe(this.stage);
    }
    const themed = new MutationObserver(() => this.#restyle());
    themed.observe(document.documentElement, { attributes: true });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#restyle(), { signal });
    const unset = onSettings(() => this.#restyle());
    signal.addEventListener('abort', () => {
      unset();
      resized.disconnect();
      themed.disconnect();
      cancelAnimationFrame(this.#asked);
    });
  }

  /** Takes the board away. */
  remove() {
    this.#end.abort();
    this.element.remove();
  }

  /** @param {Shown} next */
  show(next) {
    const before = this.#shown;
    this.#shown = next;
    const { moves, turn } = next;
    if (String(next.size) !== String(before.size)) this.#reset();
    if (next.weights !== before.weights || String(next.only) !== String(before.only)) this.#heat = heatOf(next);
    // The same list may have grown since.
    const last = String(moves.at(-1));
    this.#animate(next, last);
    if (moves.length !== this.#taken.size || last !== this.#last || moves !== before.moves) {
      this.#last = last;
      this.#pending = null;
      this.#taken = new Map(moves.map((point, ply) => [`${point}`, ply]));
      if (this.#ghost && this.isTaken(this.#ghost)) this.#ghost = null;
      if (this.#camera.whole) this.#camera.fit(moves.length > 1);
    }
    if (turn) this.#playPremove();
    this.#refresh();
  }

  /** Lets a new stone of somebody else come down, and a new winning line be drawn.
   * @param {Shown} next @param {string} last */
  #animate({ moves, winning }, last) {
    const { length } = moves;
    if (length === this.#taken.size && last === this.#last) {
      if (winning?.length && !this.#wins && length > 0) this.#won = performance.now();
    } else {
      const isNext = length === this.#taken.size + 1 && length > 1 && String(moves.at(-2)) === this.#last;
      this.#dropped = isNext && last !== String(this.#pending) ? performance.now() : 0;
      this.#won = isNext && winning?.length ? performance.now() : 0;
    }
    this.#wins = !!winning?.length;
    if (stillness.matches) this.#dropped = this.#won = 0;
  }

  /** How much of a motion is over, from 0 to 1. @param {number} since @param {number} length */
  #part(since, length) {
    const part = since ? Math.min((performance.now() - since) / length, 1) : 1;
    return 1 - (1 - part) ** 3;
  }

  /** Applies the theme and the settings again. */
  #restyle() {
    this.surface.restyle();
    if (this.#camera.whole) this.#camera.fit(false);
    this.#refresh();
  }

  /** Removes the stone of a refused move. */
  refused() {
    this.#pending = null;
    this.#refresh();
  }

  /** Gives the board the keyboard. */
  focus() {
    this.grid?.move(this.grid.at());
  }

  /** The point under the mouse or the keyboard's cursor, whichever was used last. @returns {Point | null} */
  point() {
    return (this.#keyed ? this.grid?.at() : (this.#ghost ?? this.#hover)) ?? null;
  }

  /** The name of a point and what is on it. @param {Point} point @returns {string} */
  describe(point) {
    const { moves, forbidden, winning, turn } = this.#shown;
    const ply = this.#taken.get(`${point}`);
    const is = (/** @type {readonly Point[] | undefined} */ points) => points?.some((other) => same(other, point));
    const parts = [pointName(point, this.#bounds)];
    if (ply !== undefined) parts.push(t(drawnName(ply % 2 ? 'white' : 'black', this.#shown.size)));
    else if (turn === 'black' && is(forbidden)) parts.push(t('board_forbidden'));
    else parts.push(t('board_empty'));
    if (ply !== undefined && ply === moves.length - 1) parts.push(t('board_last'));
    if (is(winning)) parts.push(t('board_winning'));
    if (this.#premove && same(point, this.#premove)) parts.push(t('board_premove'));
    const note = ply === undefined && this.#shown.note?.(point);
    if (note) parts.push(note);
    return parts.join(', ');
  }

  /** @param {Point} point */
  isTaken(point) {
    return this.#taken.has(`${point}`);
  }

  /** Shows the whole board, or all stones on the one without borders. */
  fit() {
    this.#camera.fit(true);
  }

  /** Moves the board so that a point is well in sight. @param {Point} point */
  reveal(point) {
    const { view, viewport } = this.#camera;
    const near = { ...view, scale: Math.max(view.scale, SCALE_TO_SEE) };
    this.#camera.look(reveal(near, viewport, point, 3), true);
  }

  /**
   * A picture of the board as it is shown, whole.
   * @param {number} [side] of the longer side, in pixels @returns {Promise<Blob | null>}
   */
  picture(side = 1600) {
    const bounds = this.#bounds;
    const box = visible(fit(bounds, this.#shown.moves, { width: 1, height: 1 }, true), { width: 1, height: 1 });
    const all = bounds ? box : (boxAround(this.#shown.moves, 2.5) ?? box);
    const [across, down] = [all.right - all.left, all.bottom - all.top];
    const viewport = {
      width: Math.round((side / 2) * Math.min(across / down, 1)),
      height: Math.round((side / 2) * Math.min(down / across, 1)),
    };
    const canvas = el('canvas', { class: 'board-canvas', hidden: true });
    this.stage.append(canvas);
    const surface = new BoardCanvas(canvas);
    const scene = { ...this.#scene(), names: true, shades: [], cursor: undefined };
    surface.paint(scene, viewOf(all, viewport, 200), viewport, 2);
    canvas.remove();
    return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  }

  /** @returns {Bounds} */
  get #bounds() {
    return boundsOf(this.#shown.size);
  }

  /** The stone of a player who may premove. */
  get #waiting() {
    return settings.premoves ? this.#shown.waiting : undefined;
  }

  /** The stone that a press would put. @returns {0 | 1 | undefined} */
  get #stone() {
    const colour = this.#shown.turn ?? this.#waiting;
    return colour && (colour === 'white' ? 1 : 0);
  }

  /** Whether dragging moves the board. */
  get #draggable() {
    return !this.options.still && this.#camera.draggable;
  }

  get #names() {
    return settings.coordinates && !this.options.still;
  }

  #reset() {
    this.#ghost = this.#pending = this.#premove = this.#hover = null;
    this.#camera.fit(false);
    const bounds = this.#bounds;
    this.grid?.reset(bounds, bounds ? [Math.floor((bounds[0] - 1) / 2), Math.floor((bounds[1] - 1) / 2)] : [0, 0]);
    this.#invalidate();
  }

  /** @param {ResizeObserverSize} [exact] in device pixels */
  #resize(exact) {
    const sharpen = (/** @type {number} */ side, /** @type {number | undefined} */ device) => {
      const exactly = (device ?? 0) / devicePixelRatio;
      // Emulated screens count in other pixels.
      return Math.abs(exactly - side) < 1 ? exactly : side;
    };
    const width = sharpen(this.stage.clientWidth, exact?.inlineSize);
    const height = sharpen(this.stage.clientHeight, exact?.blockSize);
    if (!width || !height) return;
    this.#camera.resize(width, height);
    this.#draw();
  }

  #refresh() {
    if (this.#stone === undefined) this.#ghost = null;
    if (!this.#waiting) this.#premove = null;
    this.grid?.refresh();
    this.#invalidate();
  }

  #invalidate() {
    this.#asked ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    cancelAnimationFrame(this.#asked);
    this.#asked = 0;
    const camera = this.#camera;
    if (!camera.viewport.width || this.#end.signal.aborted) return;
    camera.tick(performance.now());
    const scene = this.#scene();
    const whole = this.surface.paint(
      scene,
      camera.view,
      camera.viewport,
      devicePixelRatio,
      this.#draggable,
      PAINTED_IN_FRAME_MS,
    );
    this.grid?.lay(camera.view, camera.viewport);
    this.#drawBar();
    if (!whole || camera.moving || scene.drop || scene.won !== undefined) this.#invalidate();
  }

  #drawBar() {
    if (!this.bar) return;
    const last = this.#shown.moves.at(-1);
    const { view, viewport, moving, whole } = this.#camera;
    const hint = last && !moving ? edgeHint(view, viewport, last, HINT_INSET) : null;
    const name = (/** @type {Point | null} */ point) => point && pointName(point, this.#bounds);
    this.bar.show({
      hint,
      tools: this.#draggable || !whole,
      last: last !== undefined,
      ghost: name(this.#ghost),
      confirms: this.#stone !== undefined && settings.confirm,
      waits: !this.#shown.turn,
      premoved: name(this.#premove),
    });
  }

  /** @returns {Scene} */
  #scene() {
    const { moves, winning, forbidden, best, line, turn, numbered, paint } = this.#shown;
    const stone = this.#stone ?? (moves.length % 2 ? 1 : 0);
    /** @type {Scene['shades']} */
    const shades = [];
    const shade = (/** @type {Point | null} */ point, /** @type {Scene['shades'][0]['kind']} */ kind) => {
      if (point && !this.isTaken(point)) shades.push({ point, stone, kind });
    };
    shade(this.#premove, 'premove');
    shade(this.#pending, 'pending');
    shade(this.#ghost, 'ghost');
    if (this.#stone !== undefined && !this.#keyed && !this.#pending && !this.#ghost) shade(this.#hover, 'hover');
    const [down, drawn] = [this.#part(this.#dropped, DROP_MS), this.#part(this.#won, WIN_MS)];
    const last = moves.at(-1);
    const drop =
      down < 1 && last ? { point: last, stone: /** @type {0 | 1} */ ((moves.length - 1) % 2), part: down } : undefined;
    return {
      bounds: this.#bounds,
      moves: drop ? moves.slice(0, -1) : moves,
      drop,
      won: drawn < 1 ? drawn : undefined,
      names: this.#names,
      numbers: settings.numbers || !!numbered,
      unmarked: this.#shown.unmarked,
      style: hasSquares(this.#bounds) ? 'marks' : settings.stones,
      winning,
      forbidden: turn !== 'white' ? forbidden : undefined,
      heat: this.#heat,
      best,
      line,
      paint,
      shades,
      cursor: this.#keyed && this.grid?.hasFocus() ? this.grid.at() : undefined,
    };
  }

  /** @returns {import('./gestures.js').Gestures} */
  #gestures() {
    const camera = this.#camera;
    const at = (/** @type {number} */ x, /** @type {number} */ y) =>
      pointAt(camera.view, camera.viewport, x, y, this.#bounds);
    const look = (/** @type {import('./board-geometry.js').View} */ view) => camera.look(view, false);
    return {
      press: (x, y) => {
        this.#keyed = false;
        camera.stop();
        this.#pressed = at(x, y);
      },
      drag: (dx, dy, x, y, touch) => {
        if (this.#draggable) {
          this.#hover = null;
          look(pan(camera.view, dx, dy));
        } else if (touch && this.#asks(touch)) {
          // Where dragging does not move the board, it moves the ghost: fingers hide what they touch.
          this.#setGhost(at(x, y));
        }
      },
      release: (x, y, dragged, touch) => {
        const point = at(x, y);
        if (dragged && (this.#draggable || touch)) return;
        if (!point || !this.#pressed || !same(point, this.#pressed)) return;
        if (!touch) this.grid?.move(point);
        if (this.#asks(touch) && !(this.#ghost && same(point, this.#ghost))) this.#setGhost(point);
        else this.#commit(point);
      },
      cancel: () => {
        this.#pressed = null;
      },
      zoom: (factor, x, y) => look(zoom(camera.view, factor, x, y, camera.viewport)),
      scroll: (dx, dy) => {
        if (!this.#draggable) return false;
        look(pan(camera.view, dx, dy));
        return true;
      },
      zoomsByWheel: () => this.#draggable,
      hover: (x, y) => this.#setHover(at(x, y)),
      leave: () => this.#setHover(null),
    };
  }

  /** Whether a move is shown before it is made. @param {boolean} touch */
  #asks(touch) {
    return touch && settings.confirm && this.#stone !== undefined;
  }

  /** @param {Point | null} point */
  #setHover(point) {
    if (String(point) === String(this.#hover) && !this.#keyed) return;
    this.#hover = point;
    this.#keyed = false;
    this.options.onpoint?.(point);
    this.#invalidate();
  }

  /** @param {Point | null} point */
  #setGhost(point) {
    this.#ghost =
      point && this.#stone !== undefined && isOn(point, this.#bounds) && !this.isTaken(point) ? point : null;
    this.options.onpoint?.(point);
    this.#invalidate();
  }

  /** Places a stone, or makes it the premove. @param {Point} point */
  #commit(point) {
    this.#ghost = null;
    if (this.isTaken(point)) {
      this.options.announce?.(this.describe(point));
    } else if (this.#shown.turn && !this.#pending) {
      this.#pending = point;
      this.options.onplay?.(point);
    } else if (this.#waiting) {
      this.#setPremove(this.#premove && same(point, this.#premove) ? null : point);
    } else if (this.options.onplay && !this.#pending) {
      this.options.announce?.(t('board_not_now'));
    }
    this.#refresh();
  }

  /** @param {Point | null} point */
  #setPremove(point) {
    const said = point ?? this.#premove;
    this.#premove = point;
    if (said)
      this.options.announce?.(
        t(point ? 'board_premove_set' : 'board_premove_gone', { point: pointName(said, this.#bounds) }),
      );
    this.#refresh();
  }

  #playPremove() {
    const point = this.#premove;
    this.#premove = null;
    if (!point) return;
    if (this.isTaken(point))
      this.options.announce?.(t('board_premove_gone', { point: pointName(point, this.#bounds) }));
    else this.#commit(point);
  }

  /** @param {Point} point */
  #focused(point) {
    const { view, viewport } = this.#camera;
    const near = reveal(view, viewport, point);
    if (this.#draggable && (near.x !== view.x || near.y !== view.y)) this.#camera.look(near, false);
    this.options.onpoint?.(point);
    this.#invalidate();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!this.stage.contains(target) || target.matches('input, button')) return;
    const meant = keyAction(event, this.#bounds !== null, this.options.steps);
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    this.#keyed = true;
    this.#do(meant);
    this.#invalidate();
  }

  /** @param {Action} meant */
  #do(meant) {
    const camera = this.#camera;
    const { width, height } = camera.viewport;
    const at = this.grid?.at() ?? [0, 0];
    switch (meant.type) {
      case 'move':
        this.grid?.move([at[0] + meant.dx, at[1] + meant.dy]);
        break;
      case 'pan':
        camera.look(pan(camera.aim, -meant.dx * PAN_BY, -meant.dy * PAN_BY), true);
        break;
      case 'in':
      case 'out': {
        const factor = meant.type === 'in' ? ZOOM_BY : 1 / ZOOM_BY;
        camera.look(zoom(camera.aim, factor, width / 2, height / 2, camera.viewport), true);
        break;
      }
      case 'fit':
        this.fit();
        break;
      case 'last': {
        const last = this.#shown.moves.at(-1);
        if (!last) break;
        this.reveal(last);
        if (this.grid?.hasFocus()) this.grid.move(last);
        break;
      }
      case 'place':
        this.#commit(at);
        break;
      case 'cancel':
        this.#ghost = null;
        this.#setPremove(null);
        break;
      case 'type':
        this.bar?.type(meant.text);
        break;
      case 'keys':
        void import('./keys/keys-dialog.js').then(({ openKeys }) => openKeys(this.#bounds !== null, this.options));
        break;
      case 'numbers':
        change('numbers', !settings.numbers);
        break;
      case 'step':
      case 'bot_move':
      case 'weight':
      case 'weights':
        this.options.onkey?.(meant);
        break;
    }
  }
}

/** @param {Shown} shown */
function heatOf({ weights, only }) {
  const marks = weights && heatMarks(weights, formatDecimal);
  return only === undefined ? marks : marks?.filter(({ point }) => only && same(point, only));
}

/** @param {Point} a @param {Point} b */
function same(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}
