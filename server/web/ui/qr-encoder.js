// Encodes text as a QR code by ISO/IEC 18004: as bytes, with error correction level L, up to version
// 15. That is 77 modules wide and holds 520 bytes, the most that a phone reads off a screen with ease.

/** For each version from 1 on: bytes of error correction in each block, and blocks. */
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6];
/** Padding of short texts. */
const PADDING = [0xec, 0x11];
/**
 * The code's modules, row by row; true is dark. Nothing if the text is too long.
 * @param {string} text
 */
export function encodeQr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const index = BLOCKS.findIndex((_, at) => 1 + lengthDigits(at + 1) / 2 + bytes.length <= dataBytes(at + 1));
  const version = index + 1;
  if (version === 0) return undefined;
  const hex = (/** @type {number} */ value, digits = 2) => value.toString(16).padStart(digits, '0');
  // Mode, length, text and end, in digits of four bits.
  const digits = `4${hex(bytes.length, lengthDigits(version))}${bytes.map((byte) => hex(byte)).join('')}0`;
  const data = (digits.match(/../g) ?? []).map((pair) => parseInt(pair, 16));
  for (let at = 0; data.length < dataBytes(version); at += 1) data.push(PADDING[at % 2] ?? 0);
  return draw(version, corrected(version, data));
}

/** @param {number} version */
function lengthDigits(version) {
  return version < 10 ? 2 : 4;
}

/** Bytes of data and of error correction. @param {number} version */
function allBytes(version) {
  const lines = alignment(version).length;
  const aligned = version > 1 ? (25 * lines - 10) * lines - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - aligned - (version > 6 ? 36 : 0)) / 8);
}

/** @param {number} version */
function dataBytes(version) {
  return allBytes(version) - correction(version) * blocks(version);
}

/** @param {number} version */
function correction(version) {
  return CORRECTION[version - 1] ?? 0;
}

/** @param {number} version */
function blocks(version) {
  return BLOCKS[version - 1] ?? 1;
}

/** Where the centers of the small squares lie, in both directions. @param {number} version */
function alignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
  return Array.from({ length: count }, (_, at) => (at === 0 ? 6 : 4 * version + 10 - step * (count - 1 - at)));
}

/** The product of two bytes in the field of error correction. @param {number} one @param {number} other */
function multiply(one, other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((other >>> bit) & 1) * one);
  }
  return product;
}

/** Adds error correction to each block, and interleaves the blocks. @param {number} version @param {number[]} data */
function corrected(version, data) {
  const [count, degree] = [blocks(version), correction(version)];
  /** @type {number[]} */
  const divisor = Array.from({ length: degree }, (_, at) => (at === degree - 1 ? 1 : 0));
  for (let round = 0, root = 1; round < degree; round += 1, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
  }
  const short = count - (allBytes(version) % count);
  const length = Math.floor(data.length / count);
  const parts = Array.from({ length: count }, (_, at) => {
    const from = at * length + Math.max(0, at - short);
    return data.slice(from, from + length + (at < short ? 0 : 1));
  });
  const remainders = parts.map((part) => {
    const rest = divisor.map(() => 0);
    for (const byte of part) {
      const factor = byte ^ (rest.shift() ?? 0);
      rest.push(0);
      divisor.forEach((coefficient, at) => {
        rest[at] = (rest[at] ?? 0) ^ multiply(coefficient, factor);
      });
    }
    return rest;
  });
  const interleaved = (/** @type {number[][]} */ rows) =>
    Array.from({ length: length + degree + 1 }, (_, at) => rows.flatMap((row) => row[at] ?? [])).flat();
  return [...interleaved(parts), ...interleaved(remainders)];
}

/** Appends check bits to a value. @param {number} value @param {number} divisor @param {number} bits */
function checked(value, divisor, bits) {
  let rest = value;
  for (let bit = 0; bit < bits; bit += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * divisor);
  return (value << bits) | rest;
}

/**
 * Always with the first mask, which inverts every other module: readers take each, and links have no
 * pattern of their own that it could hide.
 * @param {number} version @param {number[]} words
 */
function draw(version, words) {
  const side = 4 * version + 17;
  /** @type {boolean[][]} */
  const rows = Array.from({ length: side }, () => []);
  const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    const row = rows[y];
    if (row && x >= 0 && x < side) row[x] = dark;
  };
  /** A square of rings around a center, of which some are light. */
  const square = (
    /** @type {number} */ cx,
    /** @type {number} */ cy,
    /** @type {number} */ reach,
    /** @type {number[]} */ ...light
  ) => {
    for (let y = -reach; y <= reach; y += 1) {
      for (let x = -reach; x <= reach; x += 1) put(cx + x, cy + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
    }
  };
  for (let at = 0; at < side; at += 1) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  const corners = [
    [3, 3],
    [side - 4, 3],
    [3, side - 4],
  ];
  for (const [x = 0, y = 0] of corners) square(x, y, 4, 2, 4);
  const centers = alignment(version);
  for (const x of centers) {
    for (const y of centers) {
      if (!corners.some(([cx = 0, cy = 0]) => Math.abs(cx - x) < 4 && Math.abs(cy - y) < 4)) square(x, y, 2, 1);
    }
  }
  const format = checked(8, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((format >>> bit) & 1) === 1;
    put(8, bit < 6 ? bit : bit < 8 ? bit + 1 : side - 15 + bit, dark);
    put(bit < 8 ? side - 1 - bit : bit < 9 ? 7 : 14 - bit, 8, dark);
  }
  put(8, side - 8, true);
  for (let bit = 0; version > 6 && bit < 18; bit += 1) {
    const dark = ((checked(version, 0x1f25, 12) >>> bit) & 1) === 1;
    const [far, near] = [side - 11 + (bit % 3), Math.floor(bit / 3)];
    put(far, near, dark);
    put(near, far, dark);
  }
  let [bit, upward] = [0, true];
  for (let right = side - 1; right > 0; right -= right === 8 ? 3 : 2, upward = !upward) {
    for (let step = 0; step < side; step += 1) {
      const y = upward ? side - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y]?.[x] !== undefined) continue;
        const dark = (((words[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        put(x, y, dark !== ((x + y) % 2 === 0));
        bit += 1;
      }
    }
  }
  return rows;
}
