// Turns input by finger, pen and mouse into gestures: press, move, release, drag, pinch, wheel, hover.
// The caller gives them their meaning.

/**
 * @typedef {object} Gestures All pixels count from the element's top-left corner.
 * @property {(x: number, y: number, touch: boolean) => void} press The first finger or the button is down.
 * @property {(dx: number, dy: number, x: number, y: number, touch: boolean) => void} drag It moved,
 * further than a hand trembles; also while two fingers are down, with their middle.
 * @property {(x: number, y: number, dragged: boolean, touch: boolean) => void} release It is up again.
 * @property {() => void} cancel The gesture ended without meaning anything, or turned into a pinch.
 * @property {(factor: number, x: number, y: number) => void} zoom Two fingers or the wheel, around a pixel.
 * @property {(dx: number, dy: number) => boolean} scroll Two fingers on a pad; false leaves it to the page.
 * @property {() => boolean} zoomsByWheel Whether the plain wheel is for the board, not for the page.
 * @property {(x: number, y: number) => void} hover The mouse is over a pixel with no button down.
 * @property {() => void} leave It is over nothing.
 */

/** How far a pointer may move and still count as staying, in pixels. */
const SLOP = { mouse: 4, touch: 9 };
/** Pixels of the wheel that make the board half as large again. */
const NOTCH = 260;
/** A wheel's notch is at least this; a pad's scroll comes in smaller steps. */
const NOTCH_LEAST = 50;
/** Pixels of one line, for wheels that count lines. */
const LINE = 33;

/**
 * Listens to the pointers of an element until `signal` is aborted.
 * @param {HTMLElement} element @param {Gestures} gestures @param {AbortSignal} signal
 */
export function listen(element, gestures, signal) {
  /** @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  /** Where the one pointer went down; null while nothing or a pinch goes on. @type {{x: number, y: number} | null} */
  let start = null;
  let dragged = false;
  let pinched = false;

  /** @param {MouseEvent} event */
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** @param {PointerEvent} event */
  const isTouch = (event) => event.pointerType !== 'mouse';

  /** @param {PointerEvent} event */
  const press = (event) => {
    if (event.button !== 0 || down.size >= 2) return;
    element.setPointerCapture(event.pointerId);
    const place = at(event);
    down.set(event.pointerId, place);
    if (down.size === 2) {
      start = null;
      pinched = true;
      gestures.cancel();
    } else {
      start = place;
      dragged = pinched = false;
      gestures.press(place.x, place.y, isTouch(event));
    }
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    const place = at(event);
    const before = down.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') gestures.hover(place.x, place.y);
      return;
    }
    const middle = middleOf(down);
    const spread = spreadOf(down);
    if (start) {
      const far = Math.hypot(place.x - start.x, place.y - start.y);
      if (!dragged && far <= SLOP[isTouch(event) ? 'touch' : 'mouse']) return;
      // The slop is not made up for: the board would jump.
      if (!dragged) down.set(event.pointerId, place);
      if (dragged) gestures.drag(place.x - before.x, place.y - before.y, place.x, place.y, isTouch(event));
      dragged = true;
    }
    down.set(event.pointerId, place);
    if (down.size < 2) return;
    const now = middleOf(down);
    gestures.drag(now.x - middle.x, now.y - middle.y, now.x, now.y, true);
    if (spread > 0) gestures.zoom(spreadOf(down) / spread, now.x, now.y);
  };

  /** @param {PointerEvent} event */
  const release = (event) => {
    if (!down.delete(event.pointerId)) return;
    const place = at(event);
    if (start && !pinched) gestures.release(place.x, place.y, dragged, isTouch(event));
    start = null;
  };

  /** @param {PointerEvent} event */
  const cancel = (event) => {
    if (!down.delete(event.pointerId)) return;
    start = null;
    gestures.cancel();
  };

  element.addEventListener('pointerdown', press, { signal });
  element.addEventListener('pointermove', move, { signal });
  element.addEventListener('pointerup', release, { signal });
  element.addEventListener('pointercancel', cancel, { signal });
  element.addEventListener('pointerleave', () => gestures.leave(), { signal });
  element.addEventListener('wheel', (event) => turnWheel(event, at(event), gestures), { signal, passive: false });
  // Safari would select, magnify or open a menu after a long press.
  for (const type of ['touchstart', 'touchmove', 'contextmenu']) {
    element.addEventListener(type, (event) => event.preventDefault(), { signal, passive: false });
  }
}

/** @param {WheelEvent} event @param {{x: number, y: number}} place @param {Gestures} gestures */
function turnWheel(event, { x, y }, gestures) {
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
  const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
  const notch = dx === 0 && Math.abs(dy) >= NOTCH_LEAST;
  // Browsers report a touchpad pinch as a wheel with Ctrl.
  if (event.ctrlKey) gestures.zoom(1.01 ** -dy, x, y);
  else if (notch && gestures.zoomsByWheel()) gestures.zoom(1.5 ** (-dy / NOTCH), x, y);
  else if (notch || !gestures.scroll(-dx, -dy)) return;
  event.preventDefault();
}

/** @param {Map<number, {x: number, y: number}>} pointers */
function middleOf(pointers) {
  let [x, y] = [0, 0];
  for (const place of pointers.values()) [x, y] = [x + place.x / pointers.size, y + place.y / pointers.size];
  return { x, y };
}

/** How far apart two pointers are; 0 with only one. @param {Map<number, {x: number, y: number}>} pointers */
function spreadOf(pointers) {
  const [a, b] = [...pointers.values()];
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}
