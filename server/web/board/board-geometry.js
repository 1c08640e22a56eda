// Where the points of a board are on the screen, and their names. Pure functions, without the document.
//
// A view is the place of the board at the middle of the viewport and the pixels between two points.
// Pixels are CSS pixels unless a name says "device". Names and directions are the protocol's: x to the
// right, y down, rows of bounded boards numbered from the bottom.

/** @typedef {[number, number]} Point */
/** @typedef {[number, number] | null} Bounds Width and height in points; null without borders. */
/** @typedef {{x: number, y: number, scale: number}} View */
/** @typedef {{width: number, height: number}} Viewport */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box In points. */

/** The furthest that a stone may lie from the first one, on the board without borders. */
const FAR = 1_000_000;
/** Pixels between points, at most. */
const SCALE_MAX = 96;
/** Pixels between points on the board without borders, at least, unless its stones need less. */
const SCALE_MIN = 6;
/** Pixels between points at first, where nothing else decides. */
const SCALE_COMFORTABLE = 34;
/** The strip with the names along the viewport's rim, in pixels. */
const RULER = 36;
/** How far the wood reaches beyond the outermost lines: half a stone and, on two sides, names. The
 * more points, the smaller are stones, but not the names. */
const RIM = 0.62;
const rimWithNames = (/** @type {[number, number]} */ bounds) => Math.max(1.04, 0.5 + 0.036 * Math.max(...bounds));

/** How far from the outermost lines the names are: in the middle of what the stones leave.
 * @param {[number, number]} bounds */
export function nameRim(bounds) {
  return 0.22 + rimWithNames(bounds) / 2;
}

/**
 * What must be visible of a board with borders for it to be seen whole.
 * @param {[number, number]} bounds @param {boolean} names whether coordinates are shown
 * @returns {Box}
 */
export function wholeBoard(bounds, names) {
  const [width, height] = bounds;
  const named = names ? rimWithNames(bounds) : RIM;
  return { left: -named, top: -RIM, right: width - 1 + RIM, bottom: height - 1 + named };
}

/**
 * The smallest box around some points, with room for the names and a stone's width; null without any.
 * @param {Iterable<Point>} points @param {number} [room] in points, on each side
 * @returns {Box | null}
 */
export function boxAround(points, room = 1.5) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (left > right) return null;
  return { left: left - room, top: top - room, right: right + room, bottom: bottom + room };
}

/**
 * The view that shows the whole box, as large as it can be.
 * @param {Box} box @param {Viewport} viewport @param {number} [most] pixels between points, at most
 * @returns {View}
 */
export function viewOf(box, viewport, most = SCALE_MAX) {
  const scale = Math.min(viewport.width / (box.right - box.left), viewport.height / (box.bottom - box.top), most);
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, scale };
}

/**
 * The view to begin with, and that *fit* leads back to.
 * @param {Bounds} bounds @param {readonly Point[]} stones @param {Viewport} viewport @param {boolean} names
 * @returns {View}
 */
export function fit(bounds, stones, viewport, names) {
  if (bounds) return viewOf(wholeBoard(bounds, names), viewport, 2 * SCALE_MAX);
  const box = boxAround(stones);
  if (!box) return { x: 0, y: 0, scale: SCALE_COMFORTABLE };
  // The names lie over the board.
  const inner = (/** @type {number} */ side) => Math.max(side - 2 * RULER, side / 2);
  return viewOf(box, { width: inner(viewport.width), height: inner(viewport.height) }, SCALE_COMFORTABLE);
}

/**
 * The nearest view that is allowed: a board with borders is never smaller than the viewport and
 * never leaves it; without borders the stones bound how small it becomes.
 * @param {View} view @param {Bounds} bounds @param {readonly Point[]} stones @param {Viewport} viewport
 * @param {boolean} names
 * @returns {View}
 */
export function clamp(view, bounds, stones, viewport, names) {
  const whole = fit(bounds, stones, viewport, names);
  if (!bounds) {
    const least = Math.min(SCALE_MIN, whole.scale);
    return {
      x: within(view.x, -FAR, FAR),
      y: within(view.y, -FAR, FAR),
      scale: within(view.scale, least, SCALE_MAX),
    };
  }
  const scale = within(view.scale, whole.scale, Math.max(whole.scale, SCALE_MAX));
  const box = wholeBoard(bounds, names);
  return {
    x: slide(view.x, box.left, box.right, viewport.width / scale),
    y: slide(view.y, box.top, box.bottom, viewport.height / scale),
    scale,
  };
}

/** @param {number} value @param {number} least @param {number} most */
export function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/**
 * The middle of a window of some length that stays within a stretch, or is centred on a shorter one.
 * @param {number} middle @param {number} from @param {number} to @param {number} length
 */
function slide(middle, from, to, length) {
  if (length >= to - from) return (from + to) / 2;
  return within(middle, from + length / 2, to - length / 2);
}

/**
 * The view moved as if the board were dragged by so many pixels.
 * @param {View} view @param {number} dx @param {number} dy @returns {View}
 */
export function pan(view, dx, dy) {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

/**
 * The view made larger by a factor, with the place under a pixel staying there.
 * @param {View} view @param {number} factor @param {number} px @param {number} py
 * @param {Viewport} viewport @returns {View}
 */
export function zoom(view, factor, px, py, viewport) {
  const scale = view.scale * factor;
  const [right, down] = [px - viewport.width / 2, py - viewport.height / 2];
  return {
    x: view.x + right / view.scale - right / scale,
    y: view.y + down / view.scale - down / scale,
    scale,
  };
}

/**
 * Where a point lies, in pixels from the viewport's top-left corner.
 * @param {View} view @param {Viewport} viewport @param {Point} point @returns {[number, number]}
 */
export function toPixel(view, viewport, [x, y]) {
  return [viewport.width / 2 + (x - view.x) * view.scale, viewport.height / 2 + (y - view.y) * view.scale];
}

/**
 * The place of the board under a pixel, not rounded to a point.
 * @param {View} view @param {Viewport} viewport @param {number} px @param {number} py
 * @returns {[number, number]}
 */
function toPlace(view, viewport, px, py) {
  return [view.x + (px - viewport.width / 2) / view.scale, view.y + (py - viewport.height / 2) / view.scale];
}

/**
 * The point nearest to a pixel; null outside the board.
 * @param {View} view @param {Viewport} viewport @param {number} px @param {number} py
 * @param {Bounds} bounds @returns {Point | null}
 */
export function pointAt(view, viewport, px, py, bounds) {
  const [x, y] = toPlace(view, viewport, px, py);
  // `+ 0` makes 0 of -0, which would be another name.
  /** @type {Point} */
  const point = [Math.round(x) + 0, Math.round(y) + 0];
  return isOn(point, bounds) ? point : null;
}

/** @param {import('../ui/protocol-types').Size} size @returns {Bounds} */
export function boundsOf(size) {
  return size === 'unbounded' ? null : size;
}

/** @param {Point} point @param {Bounds} bounds */
export function isOn([x, y], bounds) {
  if (!bounds) return Math.abs(x) <= FAR && Math.abs(y) <= FAR;
  return x >= 0 && y >= 0 && x < bounds[0] && y < bounds[1];
}

/**
 * What of the board a viewport shows, with a margin in pixels on each side.
 * @param {View} view @param {Viewport} viewport @param {number} [margin] @returns {Box}
 */
export function visible(view, viewport, margin = 0) {
  const across = viewport.width / 2 + margin;
  const down = viewport.height / 2 + margin;
  return {
    left: view.x - across / view.scale,
    right: view.x + across / view.scale,
    top: view.y - down / view.scale,
    bottom: view.y + down / view.scale,
  };
}

/** @param {Box} box @param {Point} point */
export function contains(box, [x, y]) {
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

/**
 * Where at the viewport's edge a hint to a point out of sight belongs, and the angle, in radians
 * clockwise from the right, in which it points. Null where the point is in sight.
 * @param {View} view @param {Viewport} viewport @param {Point} point @param {number} inset
 * @returns {{x: number, y: number, angle: number} | null}
 */
export function edgeHint(view, viewport, point, inset) {
  const [px, py] = toPixel(view, viewport, point);
  if (px >= 0 && py >= 0 && px <= viewport.width && py <= viewport.height) return null;
  const [right, down] = [px - viewport.width / 2, py - viewport.height / 2];
  const reach = Math.min(
    (viewport.width / 2 - inset) / Math.max(Math.abs(right), 1e-9),
    (viewport.height / 2 - inset) / Math.max(Math.abs(down), 1e-9),
  );
  return {
    x: viewport.width / 2 + right * reach,
    y: viewport.height / 2 + down * reach,
    angle: Math.atan2(down, right),
  };
}

/**
 * The view after as little movement as it takes to have a point in it, some points from its edge.
 * @param {View} view @param {Viewport} viewport @param {Point} point @param {number} [room]
 * @returns {View}
 */
export function reveal(view, viewport, [x, y], room = 1.5) {
  const across = Math.max(viewport.width / 2 / view.scale - room, 0);
  const down = Math.max(viewport.height / 2 / view.scale - room, 0);
  return {
    x: within(view.x, x - across, x + across),
    y: within(view.y, y - down, y + down),
    scale: view.scale,
  };
}

/**
 * One step of a smooth motion from one view to another; `t` from 0 to 1. Scales change by factors, so
 * that the speed looks even.
 * @param {View} from @param {View} to @param {number} t @returns {View}
 */
export function between(from, to, t) {
  const eased = 1 - (1 - t) ** 3;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased,
  };
}

/**
 * How many points lie between two names at the rim, so that they do not touch.
 * @param {number} scale @param {number} length of a name, in pixels
 */
export function nameStep(scale, length) {
  for (const step of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]) {
    if (step * scale >= length) return step;
  }
  return 10_000;
}

/** The name of a column: a to z, then aa. @param {number} x @returns {string} */
export function columnName(x) {
  const last = String.fromCharCode(97 + (x % 26));
  return x < 26 ? last : columnName(Math.floor(x / 26) - 1) + last;
}

/**
 * What people call a point: `h8`, or `x,y` on the board without borders.
 * @param {Point} point @param {Bounds} bounds @returns {string}
 */
export function pointName([x, y], bounds) {
  return bounds ? `${columnName(x)}${bounds[1] - y}` : `${x},${y}`;
}

/**
 * Parses a typed point such as `h8`, `H8`, `3,-4` or `3 -4`; null if it is not on the board.
 * @param {string} text @param {Bounds} bounds @returns {Point | null}
 */
export function parsePoint(text, bounds) {
  const typed = text.trim().toLowerCase();
  const numbers = /^(-?\d{1,7})\s*[,; ]\s*(-?\d{1,7})$/.exec(typed);
  const name = /^([a-z]{1,2})\s*(\d{1,2})$/.exec(typed);
  /** @type {Point | null} */
  let point = null;
  if (numbers?.[1] && numbers[2]) {
    point = [Number(numbers[1]), Number(numbers[2])];
  } else if (bounds && name?.[1] && name[2]) {
    let column = 0;
    for (const letter of name[1]) column = column * 26 + letter.charCodeAt(0) - 96;
    point = [column - 1, bounds[1] - Number(name[2])];
  }
  return point && isOn(point, bounds) ? point : null;
}

/**
 * The star points of a board with borders.
 * @param {[number, number]} bounds @returns {Point[]}
 */
export function starPoints([width, height]) {
  /** @param {number} side @returns {number[]} */
  const places = (side) => {
    if (side < 9) return side >= 7 && side % 2 ? [(side - 1) / 2] : [];
    const near = side < 13 ? 2 : 3;
    const middle = side % 2 ? [(side - 1) / 2] : [];
    return [near, ...middle, side - 1 - near];
  };
  const [columns, rows] = [places(width), places(height)];
  /** @type {Point[]} */
  const points = columns.flatMap((x) => rows.map((y) => /** @type {Point} */ ([x, y])));
  // The dots of an odd side are corners and the middle, without those at the middles of the sides.
  const [cx, cy] = [(width - 1) / 2, (height - 1) / 2];
  const plain = points.filter(([x, y]) => (x === cx) === (y === cy));
  return width === 19 && height === 19 ? points : plain;
}
