// A QR code of a link, after ISO/IEC 18004: bytes, error correction L, versions 1 to 6. Made here
// and not by the server, because some links carry what the server must not be told.

import { svg } from './dom.js';

/** For each version from 1: bytes of error correction in a block, and bytes of data in each block.
 * @type {readonly [number, number[]][]} */
const BLOCKS = [[7, [19]], [10, [34]], [15, [55]], [20, [80]], [26, [108]], [18, [68, 68]]];

/** @type {readonly ((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * A picture of the code, where the text is short enough for one.
 * @param {string} text
 */
export function qrPicture(text) {
  const rows = qr(text);
  if (!rows) return undefined;
  const side = rows.length + 8;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ''))).join('');
  const picture = svg('svg', { viewBox: `0 0 ${side} ${side}`, class: 'qr', role: 'img', 'aria-label': 'QR' });
  picture.append(svg('rect', { width: side, height: side, fill: '#fff' }), svg('path', { d: path, fill: '#000' }));
  return picture;
}

/**
 * The code's modules, row by row; true is dark. Nothing for a text of more than 134 bytes.
 * @param {string} text
 */
export function qr(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex(([, data]) => sum(data) >= bytes.length + 2) + 1;
  if (version === 0) return undefined;
  const words = codewords(bytes, version);
  const drawn = MASKS.map((mask, index) => draw(version, words, mask, index));
  const scores = drawn.map(penalty);
  return drawn[scores.indexOf(Math.min(...scores))];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Data and error correction, interleaved.
 * @param {Uint8Array} bytes
 * @param {number} version
 */
function codewords(bytes, version) {
  const [correction, data] = BLOCKS[version - 1] ?? [0, []];
  const capacity = sum(data);
  /** @type {number[]} */
  const bits = [];
  const push = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(4, 4);
  push(bytes.length, 8);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  /** @type {number[]} */
  const words = [];
  for (let at = 0; at < bits.length; at += 8) words.push(parseInt(bits.slice(at, at + 8).join(''), 2));
  for (let pad = 0xec; words.length < capacity; pad ^= 0xec ^ 0x11) words.push(pad);

  let from = 0;
  const blocks = data.map((length) => words.slice(from, (from += length)));
  const extra = blocks.map((block) => remainder(block, correction));
  return [...interleave(blocks), ...interleave(extra)];
}

/** @param {number[][]} blocks */
function interleave(blocks) {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((block) => block.slice(at, at + 1))).flat();
}

/** Logarithms in the field of 256 elements modulo x^8 + x^4 + x^3 + x^2 + 1. */
const [EXP, LOG] = (() => {
  const [exp, log] = [new Uint8Array(510), new Uint8Array(256)];
  for (let power = 0, value = 1; power < 255; power += 1) {
    exp[power] = exp[power + 255] = value;
    log[value] = power;
    value = value < 128 ? value << 1 : (value << 1) ^ 0x11d;
  }
  return [exp, log];
})();

/**
 * @param {number} a
 * @param {number} b
 */
function multiply(a, b) {
  return a === 0 || b === 0 ? 0 : EXP[(LOG[a] ?? 0) + (LOG[b] ?? 0)] ?? 0;
}

/**
 * Reed-Solomon: the remainder by the generator of that degree.
 * @param {number[]} block
 * @param {number} degree
 */
function remainder(block, degree) {
  let generator = [1];
  for (let root = 0; root < degree; root += 1) {
    const times = EXP[root] ?? 0;
    generator = [...generator, 0].map((value, at) => value ^ multiply(generator[at - 1] ?? 0, times));
  }
  const rest = [...block, ...new Array(degree).fill(0)];
  for (let at = 0; at < block.length; at += 1) {
    const factor = rest[at];
    generator.forEach((value, offset) => (rest[at + offset] ^= multiply(value, factor)));
  }
  return rest.slice(block.length);
}

/**
 * @param {number} version
 * @param {number[]} words
 * @param {(x: number, y: number) => boolean} mask
 * @param {number} index of the mask
 */
function draw(version, words, mask, index) {
  const side = version * 4 + 17;
  /** @type {(boolean | undefined)[][]} */
  const rows = Array.from({ length: side }, () => new Array(side).fill(undefined));
  const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    const row = rows[y];
    if (row && x >= 0 && x < side) row[x] = dark;
  };
  patterns(side, version, put);
  formats(side, index, put);

  let at = 0;
  for (let right = side - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const upward = ((right + 1) & 2) === 0;
    for (let step = 0; step < side; step += 1) {
      const y = upward ? side - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y]?.[x] !== undefined) continue;
        const bit = (((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
        put(x, y, bit !== mask(x, y));
        at += 1;
      }
    }
  }
  return rows.map((row) => row.map((dark) => dark === true));
}

/** @typedef {(x: number, y: number, dark: boolean) => void} Put */

/**
 * What does not depend on the text: corners, alignment, timing.
 * @param {number} side
 * @param {number} version
 * @param {Put} put
 */
function patterns(side, version, put) {
  for (let at = 0; at < side; at += 1) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  if (version > 1) rings(side - 7, side - 7, 2, (distance) => distance !== 1, put);
  for (const [cx, cy] of [[3, 3], [side - 4, 3], [3, side - 4]]) {
    rings(cx ?? 0, cy ?? 0, 4, (distance) => distance !== 2 && distance !== 4, put);
  }
}

/**
 * @param {number} cx
 * @param {number} cy
 * @param {number} radius
 * @param {(distance: number) => boolean} dark
 * @param {Put} put
 */
function rings(cx, cy, radius, dark, put) {
  for (let dy = -radius; dy <= radius; dy += 1) {
    for (let dx = -radius; dx <= radius; dx += 1) {
      if (cy + dy >= 0) put(cx + dx, cy + dy, dark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

/**
 * Which mask and correction, twice.
 * @param {number} side
 * @param {number} mask
 * @param {Put} put
 */
function formats(side, mask, put) {
  const what = (1 << 13) | (mask << 10);
  const bits = (what | divide(what, 0x537, 10)) ^ 0x5412;
  const dark = (/** @type {number} */ bit) => ((bits >> bit) & 1) === 1;
  for (let bit = 0; bit < 8; bit += 1) {
    put(8, bit < 6 ? bit : bit + 1, dark(bit));
    put(side - 1 - bit, 8, dark(bit));
  }
  for (let bit = 8; bit < 15; bit += 1) {
    put(bit === 8 ? 7 : 14 - bit, 8, dark(bit));
    put(8, side - 15 + bit, dark(bit));
  }
  put(8, side - 8, true);
}

/**
 * The remainder of a binary polynomial.
 * @param {number} value
 * @param {number} by
 * @param {number} degree
 */
function divide(value, by, degree) {
  for (let bit = 31 - Math.clz32(value); bit >= degree; bit -= 1) {
    if ((value >> bit) & 1) value ^= by << (bit - degree);
  }
  return value;
}

/**
 * How hard a code is to read: the standard's four rules.
 * @param {boolean[][]} rows
 */
function penalty(rows) {
  const side = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x] ?? false));
  let score = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((dark) => (dark ? 1 : 0)).join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
    for (let at = 0; at + 11 <= side; at += 1) {
      const part = text.slice(at, at + 11);
      if (part === '10111010000' || part === '00001011101') score += 40;
    }
  }
  let dark = 0;
  rows.forEach((row, y) => row.forEach((here, x) => {
    if (here) dark += 1;
    const [right, below, across] = [row[x + 1], rows[y + 1]?.[x], rows[y + 1]?.[x + 1]];
    if (right === here && below === here && across === here) score += 3;
  }));
  return score + Math.floor(Math.abs((dark / side / side) * 20 - 10)) * 10;
}
