// Which part of a board is visible: all of it until the player pans or zooms, and the smooth motion
// from one view to another. It draws nothing.

import { between, clamp, fit } from './board-geometry.js';

/** @import { Bounds, Point, View } from './board-geometry.js' */

const SMOOTH_MS = 220;
/** Whether the system asks for less motion. */
export const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** The content of a board. @typedef {{bounds: Bounds, moves: readonly Point[], names: boolean}} Sight */

export class Camera {
  /** @type {View} */
  view = { x: 7, y: 7, scale: 24 };
  viewport = { width: 0, height: 0 };
  /** Whether all is shown, and will be when there is more to show. */
  whole = true;
  /** @type {{from: View, to: View, since: number} | null} */
  #flight = null;

  /** @param {() => Sight} sight @param {() => void} changed the view is another, or on its way */
  constructor(sight, changed) {
    this.sight = sight;
    this.changed = changed;
  }

  /** The view that shows all. */
  get all() {
    const { bounds, moves, names } = this.sight();
    return fit(bounds, moves, this.viewport, names);
  }

  /** Where the view is going, or is. */
  get aim() {
    return this.#flight?.to ?? this.view;
  }

  get moving() {
    return this.#flight !== null;
  }

  /** Whether parts of the board are out of sight. */
  get draggable() {
    return !this.sight().bounds || this.view.scale > this.all.scale * 1.01;
  }

  /** Another view, which the person chose. @param {View} view @param {boolean} smooth */
  look(view, smooth) {
    const { bounds, moves, names } = this.sight();
    const to = clamp(view, bounds, moves, this.viewport, names);
    this.whole = bounds !== null && to.scale <= this.all.scale;
    this.#fly(to, smooth);
  }

  /** Shows all. @param {boolean} smooth */
  fit(smooth) {
    this.whole = true;
    this.#fly(this.all, smooth);
  }

  /** The viewport has another size. @param {number} width @param {number} height */
  resize(width, height) {
    this.viewport = { width, height };
    if (this.whole) this.fit(false);
    else this.look(this.view, false);
  }

  stop() {
    this.#flight = null;
  }

  /** Moves on. @param {number} now in milliseconds */
  tick(now) {
    const flight = this.#flight;
    if (!flight) return;
    const t = Math.min((now - flight.since) / SMOOTH_MS, 1);
    this.view = between(flight.from, flight.to, t);
    if (t === 1) this.#flight = null;
  }

  /** @param {View} to @param {boolean} smooth */
  #fly(to, smooth) {
    const still = !smooth || stillness.matches;
    this.#flight = still ? null : { from: this.view, to, since: performance.now() };
    if (still) this.view = to;
    this.changed();
  }
}
