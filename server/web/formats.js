// Games from text: SGF, Piskvork's PSQ, or a list of moves as people write them. Read tolerantly:
// what is not understood is passed over, and reading ends at the first move that cannot be.

/** @import { Point, Size, VariantName } from './types' */

import { boundsOf, isOn, parsePoint } from './geometry.js';

/** @typedef {{variant?: VariantName, size: Size, moves: Point[], left?: string}} Read `left`: the first move that cannot be. */

const SIDE_MIN = 3;
const SIDE_MAX = 64;
const PLIES_MAX = 4000;
const TEXT_MAX = 1_000_000;

/**
 * @param {string} text @param {Size} size of the board where the text does not say
 * @returns {Read | null} nothing where no move is found
 */
export function readGame(text, size) {
  if (text.length > TEXT_MAX) return null;
  const read = /^\s*\(\s*;/.test(text) ? readSgf(text, size) : /^\s*Piskvorky/i.test(text) ? readPsq(text) : readList(text, size);
  return read && read.moves.length > 0 ? read : null;
}

/** The main line of the first game. @param {string} text @param {Size} otherwise @returns {Read} */
function readSgf(text, otherwise) {
  /** @type {Read} */
  const read = { size: otherwise, moves: [] };
  /** @type {Record<'AB' | 'AW', Point[]>} */
  const set = { AB: [], AW: [] };
  const node = /([A-Za-z]{1,16})\s{0,16}((?:\[(?:\\[\s\S]|[^\]\\])*\]\s*)+)/g;
  for (const [, property = '', values = ''] of mainLine(text).matchAll(node)) {
    const all = [...values.matchAll(/\[((?:\\[\s\S]|[^\]\\])*)\]/g)].map(([, value = '']) => value);
    const first = all[0] ?? '';
    if (property === 'SZ') read.size = sizeOf(...first.split(':').map(Number)) ?? read.size;
    else if (property === 'RU') read.variant = variantOf(first) ?? read.variant;
    else if (property === 'B' || property === 'W') add(read, sgfPoint(first, read.size), first);
    else if (property === 'AB' || property === 'AW') {
      for (const value of all) set[property].push(sgfPoint(value, read.size) ?? [-1, -1]);
    }
  }
  // Stones set beforehand are taken for moves: which came when makes no difference to the board.
  const more = set.AB.length - set.AW.length;
  if (set.AB.length === 0 || (more !== 0 && more !== 1)) return read;
  const played = read.moves;
  read.moves = [];
  set.AB.forEach((point, index) => {
    const answer = set.AW[index];
    add(read, point, 'AB');
    if (answer) add(read, answer, 'AW');
  });
  for (const point of played) add(read, point, 'AB');
  return read;
}

/** A file without what lies behind the first branch of each fork, and without texts in which a
 * bracket could be one. @param {string} text */
function mainLine(text) {
  let kept = '';
  let closed = false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '[') {
      const start = at;
      for (at += 1; at < text.length && text[at] !== ']'; at += 1) if (text[at] === '\\') at += 1;
      if (!closed) kept += text.slice(start, at + 1);
    } else if (letter === '(') {
      depth += 1;
    } else if (letter === ')') {
      // The first branch has ended, and with it the main line.
      closed = true;
      depth -= 1;
      if (depth === 0) break;
    } else if (!closed) {
      kept += letter;
    }
  }
  return kept;
}

/** Two letters, column then row from the top, or `h8` as some programs write.
 * @param {string} value @param {Size} size @returns {Point | null} */
function sgfPoint(value, size) {
  const letters = /^([a-zA-Z])([a-zA-Z])$/.exec(value.trim());
  if (!letters?.[1] || !letters[2]) return parsePoint(value, boundsOf(size));
  const place = (/** @type {string} */ letter) => (letter >= 'a' ? letter.charCodeAt(0) - 97 : letter.charCodeAt(0) - 39);
  return [place(letters[1]), place(letters[2])];
}

/** @param {string} text @returns {Read | null} */
function readPsq(text) {
  const [head = '', ...lines] = text.split(/\r?\n|\r/).map((line) => line.trim()).filter(Boolean);
  const sides = /(\d+)\s*x\s*(\d+)/i.exec(head);
  const size = sizeOf(Number(sides?.[1]), Number(sides?.[2]));
  if (!size) return null;
  /** @type {Read} */
  const read = { size, moves: [] };
  for (const line of lines) {
    const numbers = /^(\d+)\s*,\s*(\d+)(\s*,\s*-?\d+)?$/.exec(line);
    if (!numbers || !add(read, [Number(numbers[1]) - 1, Number(numbers[2]) - 1], line)) break;
  }
  return read;
}

/** `h8 i9 …`, with numbers, commas or line ends between, or `7,7 8,6 …`. @param {string} text @param {Size} size @returns {Read} */
function readList(text, size) {
  /** @type {Read} */
  const read = { size, moves: [] };
  for (const [move] of text.matchAll(/-?\d+\s*,\s*-?\d+|[a-z]{1,2}\d{1,2}(?![\w.])/gi)) {
    if (!add(read, parsePoint(move, boundsOf(size)), move)) break;
  }
  return read;
}

/** Whether there was room for the move. @param {Read} read @param {Point | null} point @param {string} text */
function add(read, point, text) {
  if (read.left !== undefined) return false;
  const taken = point && read.moves.some(([x, y]) => x === point[0] && y === point[1]);
  if (!point || taken || !isOn(point, boundsOf(read.size)) || read.moves.length >= PLIES_MAX) {
    read.left = text;
    return false;
  }
  read.moves.push(point);
  return true;
}

/** @param {number} [width] @param {number} [height] @returns {[number, number] | undefined} */
function sizeOf(width = NaN, height = width) {
  const fits = (/** @type {number} */ side) => Number.isInteger(side) && side >= SIDE_MIN && side <= SIDE_MAX;
  return fits(width) && fits(height) ? [width, height] : undefined;
}

/** @param {string} text @returns {VariantName | undefined} */
function variantOf(text) {
  /** @type {VariantName[]} */
  const known = ['renju', 'standard', 'caro', 'freestyle'];
  return known.find((name) => text.toLowerCase().includes(name));
}
