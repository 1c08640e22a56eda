// The position in an address: the rules and the moves in a short text, such as `renju/h8i9j10`,
// `standard-20/k10`, `mnk4-7x6/a1` or `freestyle-unbounded/0,0;3,-4`. Older addresses name each part.

/** @import { Point, Rules, Size } from '../ui/protocol-types' */

import { boundsOf, parsePoint, pointName } from '../board/board-geometry.js';
import { K_MAX, K_MIN, SIDE_MAX, SIDE_MIN } from '../client/protocol.js';
import { VARIANTS } from '../game/display-names.js';

/** The most moves of a game, as in shared/src/rules. */
const PLIES_MAX = 4_096;

/** @param {Rules} rules @param {readonly Point[]} moves */
export function positionLink({ variant, size, k }, moves) {
  const bounds = boundsOf(size);
  const board = size === 'unbounded' ? size : size[0] === size[1] ? String(size[0]) : size.join('x');
  const isUsual = board === '15' && k === undefined;
  return `${variant}${k ?? ''}${isUsual ? '' : `-${board}`}/${moves.map((point) => pointName(point, bounds)).join(bounds ? '' : ';')}`;
}

/** The same as a query, for links that the server draws a picture for. @param {Rules} rules @param {readonly Point[]} moves */
export function positionQuery({ variant, size, k }, moves) {
  const names = moves.map((point) => pointName(point, boundsOf(size))).join(' ');
  return String(
    new URLSearchParams({ variant, size: String(size), ...(k !== undefined && { k: String(k) }), moves: names }),
  );
}

/**
 * The position in the part of an address after `#` or `?`. The moves are not checked by the rules.
 * @param {string} text @returns {{ rules: Rules, moves: Point[] } | undefined} nothing if it holds none
 */
export function linkedPosition(text) {
  const short = /^([a-z_]+?)(\d*)(?:-([\dx]+|unbounded))?\/(.*)$/.exec(decoded(text));
  if (short) {
    const rules = rulesOf(short[1] ?? '', (short[3] ?? '15').replace('x', ','), Number(short[2] || NaN));
    return { rules, moves: pointsOf(short[4] ?? '', rules.size) };
  }
  const asked = new URLSearchParams(text);
  if (!['variant', 'size', 'moves'].some((name) => asked.has(name))) return undefined;
  const rules = rulesOf(asked.get('variant') ?? 'freestyle', asked.get('size') ?? '15', Number(asked.get('k') ?? NaN));
  return { rules, moves: pointsOf(asked.get('moves') ?? '', rules.size) };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The points of a text up to the first that is none. @param {string} text @param {Size} size */
function pointsOf(text, size) {
  const names = (size === 'unbounded' ? text.split(/[;\s]+/).filter(Boolean) : text.match(/[a-z]+\d+|[^\s;]+/gi)) ?? [];
  /** @type {Point[]} */
  const points = [];
  for (const name of names.slice(0, PLIES_MAX)) {
    const point = parsePoint(name, boundsOf(size));
    if (!point) break;
    points.push(point);
  }
  return points;
}

/**
 * The rules in an address or in fields, or the nearest valid ones.
 * @param {string} variant @param {string} size `15`, `20,10` or `unbounded`
 * @param {number} [wanted] stones in a row that win, of m,n,k games
 * @returns {Rules}
 */
export function rulesOf(variant, size, wanted = NaN) {
  const known = VARIANTS.find((name) => name === variant) ?? 'freestyle';
  // Renju is played on one board only.
  if (known === 'renju') return { variant: known, size: [15, 15] };
  const mnk = known === 'mnk';
  const within = (/** @type {number} */ number, /** @type {number} */ least, /** @type {number} */ most) =>
    Number.isInteger(number) && number >= least && number <= most;
  const [width = NaN, height = width] = size.split(',').map(Number);
  const fit = [width, height].every((side) => within(side, mnk ? SIDE_MIN : 5, SIDE_MAX));
  /** @type {Size} */
  const board = size === 'unbounded' ? size : fit ? [width, height] : [15, 15];
  if (!mnk) return { variant: known, size: board };
  const longest = board === 'unbounded' ? K_MAX : Math.min(K_MAX, Math.max(...board));
  return { variant: known, k: within(wanted, K_MIN, longest) ? wanted : Math.min(5, longest), size: board };
}
