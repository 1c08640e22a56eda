// Requests to the WebAssembly module whose answers must be those of the native program: rules, engine,
// bots and reviews.

import { readFileSync } from 'node:fs';

/** @import { BotSpec, EngineRequest, Point, Rules } from '../../server/web/ui/protocol-types' */

/** Moves from openings, a few plies on, as in shared/engine/examples/bench.rs.
 * @type {Point[][]} */
export const GAMES = [
  [
    [7, 7],
    [8, 6],
    [6, 6],
    [8, 8],
  ],
  [
    [7, 7],
    [7, 6],
    [8, 5],
    [9, 7],
    [6, 6],
    [8, 8],
  ],
  [
    [5, 9],
    [7, 7],
    [8, 8],
    [6, 10],
    [9, 9],
    [10, 10],
    [7, 9],
    [8, 9],
  ],
  [
    [3, 3],
    [11, 11],
    [4, 4],
    [10, 11],
    [5, 3],
    [9, 11],
    [4, 2],
    [8, 11],
  ],
  [
    [7, 7],
    [6, 7],
    [6, 8],
    [8, 6],
    [5, 9],
    [4, 10],
    [7, 9],
    [7, 8],
    [8, 10],
    [9, 11],
  ],
];

/** A library of RenLib: h8 with a comment, then h7 and i9. */
export const LIBRARY = [
  ...Buffer.from('\xffRenLib\xff\x03\x04' + '\xff'.repeat(10), 'latin1'),
  0x78,
  0x08,
  0xe9,
  0,
  0x88,
  0xc0,
  0x69,
  0x40,
];

/** Black wins by an open four at i10. @type {Point[]} */
const OPEN_FOUR = [
  [7, 5],
  [8, 7],
  [10, 5],
  [5, 8],
  [9, 4],
  [7, 6],
  [9, 5],
  [6, 7],
];

/** @type {Rules} */
export const FREESTYLE = { variant: 'freestyle', size: [15, 15] };
/** @type {Rules[]} */
const RULES = [
  FREESTYLE,
  { variant: 'standard', size: [15, 15] },
  { variant: 'renju', size: [15, 15] },
  { variant: 'caro', size: [20, 20] },
  { variant: 'caro_overline', size: 'unbounded' },
  { variant: 'mnk', k: 4, size: [12, 12] },
  { variant: 'mnk', k: 6, size: [19, 19] },
];

/** Positions, and the points that renju forbids there.
 * @returns {{ request: EngineRequest, forbidden: Point[] }[]} */
export function renjuPoints() {
  const lines = lined('testdata/renju_points.jsonl').filter(({ black, white }) => black.length === white.length);
  return lines.map(({ black, white, forbidden }) => ({
    request: {
      type: 'position',
      rules: { variant: 'renju', size: [15, 15] },
      moves: black.flatMap((/** @type {Point} */ point, /** @type {number} */ at) => [point, white[at]]),
    },
    forbidden: forbidden.map((/** @type {[number, number, string]} */ [x, y]) => [x, y]),
  }));
}

/** The engine's signature: searches with a fixed number of positions. @returns {EngineRequest[]} */
export function searches(nodes = 20_000, all = RULES) {
  return all.flatMap((rules) =>
    GAMES.map((moves) => /** @type {const} */ ({ type: 'analyse', rules, moves, lines: 1, nodes })),
  );
}

const [GAME] = /** @type {[Point[]]} */ (GAMES);

/** A position and a game that are judged. @type {readonly EngineRequest[]} */
const REVIEWS = [
  { type: 'analyse', rules: FREESTYLE, moves: GAME, lines: 5, nodes: 20_000 },
  {
    type: 'review',
    rules: FREESTYLE,
    moves: [
      [7, 7],
      [0, 0],
      [8, 7],
      [0, 2],
      [9, 7],
      [0, 4],
      [10, 7],
      [0, 6],
      [11, 7],
    ],
    winner: 'black',
  },
];

/** Trees in files: SGF, a library of RenLib, a broken file, and what is written of them. @type {readonly EngineRequest[]} */
const TREES = [
  { type: 'read_tree', rules: FREESTYLE, text: '(;SZ[15]C[start];B[hh](;W[ig]C[a];B[ii])(;W[hh])(;W[gg]))' },
  { type: 'read_tree', rules: FREESTYLE, bytes: LIBRARY },
  { type: 'read_tree', rules: FREESTYLE, text: '(;SZ[15];B[hh](;W[ig]' },
  // A file with many games comes in parts.
  { type: 'read_games', file: { name: 'games.sgf', rules: FREESTYLE }, text: '(;PB[Ann]SZ[15];B[hh];W[])\n(;B[z' },
  { type: 'read_games', text: 'z])\n(;EV[Cup];B[ii]', is_last: true },
  { type: 'read_games', file: { name: 'book.lib', rules: FREESTYLE }, bytes: LIBRARY, is_last: true },
  { type: 'read_games' },
  // A tree by rules that do not allow all of it.
  {
    type: 'read_tree',
    rules: FREESTYLE,
    tree: {
      rules: { variant: 'mnk', k: 3, size: [3, 3] },
      comment: 'a',
      nodes: [
        { point: [1, 1], comment: 'b' },
        { parent: 0, point: [1, 1] },
        { parent: 1, point: [0, 0] },
        { parent: 0, point: [2, 2] },
      ],
    },
  },
  {
    type: 'write_tree',
    format: 'sgf',
    tree: {
      rules: FREESTYLE,
      comment: 'a]',
      nodes: [{ point: [7, 7] }, { parent: 0, point: [7, 8] }, { parent: 0, point: [8, 8], comment: 'b' }],
    },
  },
  {
    type: 'write_tree',
    format: 'psq',
    tree: { rules: FREESTYLE, nodes: [{ point: [7, 7] }, { parent: 0, point: [7, 8] }] },
  },
];

/** An open four at i10, a four that is stopped, a quiet move, and the solution. @type {readonly EngineRequest[]} */
const PUZZLES = [
  .../** @type {Point[]} */ ([
    [8, 5],
    [11, 5],
    [0, 0],
  ]).map((point) => /** @type {const} */ ({ type: 'puzzle_answer', rules: FREESTYLE, moves: [...OPEN_FOUR, point] })),
  { type: 'puzzle_solution', rules: FREESTYLE, moves: OPEN_FOUR },
  { type: 'puzzle_solution', rules: FREESTYLE, moves: GAME },
  { type: 'puzzle_answer', rules: { variant: 'mnk', k: 7, size: [15, 15] }, moves: [[7, 7]] },
];

/** Games in a text, won games and refusals. @type {readonly EngineRequest[]} */
const POSITIONS = [
  { type: 'position', rules: FREESTYLE, text: '(;SZ[15]RU[renju];B[hh];W[ig];B[ii];W[gg])' },
  { type: 'position', rules: FREESTYLE, text: 'h8\nz26' },
  {
    type: 'position',
    rules: FREESTYLE,
    moves: [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
      [3, 0],
      [3, 1],
      [4, 0],
      [9, 9],
    ],
  },
  {
    type: 'analyse',
    rules: FREESTYLE,
    moves: [
      [7, 7],
      [7, 7],
    ],
    lines: 1,
  },
  { type: 'analyse', rules: { variant: 'mnk', k: 7, size: [15, 15] }, moves: [], lines: 1 },
];

/** Everything else that the module answers. @returns {EngineRequest[]} */
export function others() {
  return [...botTurns(), ...REVIEWS, ...TREES, ...PUZZLES, ...POSITIONS, /** @type {any} */ ({ type: 'nothing' })];
}

/** Moves of every bot. @returns {EngineRequest[]} */
function botTurns() {
  const levels = Array.from(
    { length: 10 },
    (_, index) => /** @type {BotSpec} */ ({ kind: 'engine', level: index + 1 }),
  );
  /** @type {EngineRequest[]} */
  const turns = GAMES.flatMap((moves, seed) =>
    levels.map((bot) => ({ type: 'bot', task: 'turn', bot, rules: FREESTYLE, moves, seed, nodes: 5_000 })),
  );
  /** @type {EngineRequest[]} */
  const weights = lined('engine/testdata/seed_bots.jsonl')
    .filter(({ size }) => size)
    .flatMap(({ size, moves }) =>
      /** @type {const} */ (['attack', 'pattern']).map((kind) => ({
        type: 'bot',
        task: 'weigh',
        bot: { kind },
        rules: { variant: 'freestyle', size: [size, size] },
        moves,
        seed: 1,
      })),
    );
  const kinds = /** @type {const} */ (['swap2', 'swap', 'taraguchi10', 'soosyrv8', 'pro']);
  /** @type {EngineRequest[]} */
  const acts = kinds.map((kind) => ({
    type: 'bot',
    task: 'turn',
    bot: { kind: 'engine', level: 4 },
    moves: [],
    seed: 3,
    nodes: 2_000,
    opening: { kind, first: 'first', acts: [] },
    rules: kind === 'taraguchi10' || kind === 'soosyrv8' ? { variant: 'renju', size: [15, 15] } : FREESTYLE,
  }));
  return [
    ...turns,
    ...weights,
    ...acts,
    {
      type: 'bot',
      task: 'weigh',
      bot: { kind: 'minimax' },
      rules: { variant: 'mnk', k: 3, size: [3, 3] },
      moves: [[1, 1]],
      seed: 1,
    },
  ];
}

/** @param {string} path */
function lined(path) {
  const text = readFileSync(new URL(`../../shared/${path}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
