// The points that renju forbids to Black, to mark them. The server alone decides whether a stone
// may be played; this repeats its definitions (RIF rules of renju, section 9; `forbidden.rs`) so
// that marks need no question over the network, and is tested with the same cases.

/** @typedef {import('./geometry.js').Point} Point */

/** Of what a point holds. */
const [EMPTY, BLACK, BLOCKED] = [0, 1, 2];
/** How far a line is looked at to either side of a stone: a five reaches 4, an overline 5. */
const REACH = 5;
const CENTRE = 1 << REACH;
/** @type {Point[]} */
const AXES = [[1, 0], [0, 1], [1, 1], [1, -1]];

/**
 * @param {Point[]} moves Black's first, then White's, and so on
 * @param {[number, number]} size
 * @returns {Point[]}
 */
export function forbiddenPoints(moves, [width, height]) {
  const board = new Uint8Array(width * height);
  moves.forEach(([x, y], ply) => { board[y * width + x] = ply % 2 ? BLOCKED : BLACK; });
  /** @param {number} x @param {number} y */
  const at = (x, y) =>
    x < 0 || y < 0 || x >= width || y >= height ? BLOCKED : board[y * width + x] ?? BLOCKED;

  /** Eleven points of an axis around a black stone, as bits: who is Black, and who is free.
   * @param {Point} point @param {Point} axis */
  const line = ([x, y], [dx, dy]) => {
    let [black, free] = [CENTRE, 0];
    for (let step = -REACH; step <= REACH; step += 1) {
      if (step === 0) continue;
      const holds = at(x + dx * step, y + dy * step);
      if (holds === BLACK) black |= 1 << (REACH + step);
      if (holds === EMPTY) free |= 1 << (REACH + step);
    }
    return { black, free };
  };

  /** What a black stone there comes to. @param {Point} point @returns {'five' | 'forbidden' | 'allowed'} */
  const judge = (point) => {
    const lines = AXES.map((axis) => line(point, axis));
    const runs = lines.map(({ black }) => count(run(black)));
    if (runs.includes(5)) return 'five';
    const fours = lines.reduce((sum, { black, free }) => sum + foursOf(black, free), 0);
    if (fours >= 2 || isDoubleThree(point, lines) || runs.some((length) => length > 5)) return 'forbidden';
    return 'allowed';
  };

  /** RIF 9.3: a three counts where it can be made a straight four by a stone that is allowed.
   * @param {Point} point @param {{black: number, free: number}[]} lines */
  const isDoubleThree = (point, lines) => {
    const threes = lines.map(({ black, free }) => straightFours(black, free));
    if (threes.filter((steps) => steps.length).length < 2) return false;
    const [x, y] = point;
    board[y * width + x] = BLACK;
    const real = threes.filter((steps, index) => {
      const [dx, dy] = AXES[index] ?? [0, 0];
      return steps.some((step) => judge([x + dx * step, y + dy * step]) === 'allowed');
    });
    board[y * width + x] = EMPTY;
    return real.length >= 2;
  };

  /** @type {Point[]} */
  const found = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (at(x, y) === EMPTY && judge([x, y]) === 'forbidden') found.push([x, y]);
    }
  }
  return found;
}

/** How many fours the centre is part of: a line may hold two. @param {number} black @param {number} free */
function foursOf(black, free) {
  const found = new Set();
  for (let step = -4; step <= 4; step += 1) {
    const completion = free & (1 << (REACH + step));
    const five = run(black | completion);
    if (completion && five & completion && count(five) === 5) found.add(five & ~completion);
  }
  return found.size;
}

/** The steps from the centre at which one more stone makes a straight four.
 * @param {number} black @param {number} free @returns {number[]} */
function straightFours(black, free) {
  return [-3, -2, -1, 1, 2, 3].filter((step) => {
    const extension = free & (1 << (REACH + step));
    const four = run(black | extension);
    const ends = ((four << 1) | (four >> 1)) & ~four & free;
    return extension && four & extension && count(four) === 4 && count(ends) === 2
      && count(run(black | extension | ends)) === 6;
  });
}

/** The unbroken run of set bits that the centre belongs to. @param {number} bits */
function run(bits) {
  let grown = CENTRE & bits;
  for (let before = 0; grown !== before;) {
    before = grown;
    grown = (grown | (grown << 1) | (grown >> 1)) & bits;
  }
  return grown;
}

/** @param {number} bits */
function count(bits) {
  let ones = 0;
  for (let rest = bits; rest; rest &= rest - 1) ones += 1;
  return ones;
}
