// The lessons: positions, and what the reader is asked to do. Plain data; tests/page/lessons.test.mjs checks
// every claim against the rules and the engine.

/** @import { OpeningKind, Point, Rules } from '../ui/protocol-types' */

/**
 * What the reader does: `five` wins at once, `win` wins by force, `defend` leaves the opponent no forced win,
 * `forbidden` finds the points that Black must not take, and `place` begins an opening.
 * @typedef {'five' | 'win' | 'defend' | 'forbidden' | 'place'} Goal */
/**
 * @typedef {object} Lesson
 * @property {string} id its name in addresses and texts
 * @property {Rules} rules
 * @property {string[]} [picture] rows of points: X is Black, O is White
 * @property {Point} [corner] where the upper left point of the picture is
 * @property {Goal} goal
 * @property {Point[]} right the points that reach the goal: all of them, but for a win by force
 * @property {boolean} [only] whether these are all points that win by force
 * @property {OpeningKind} [opening]
 * @property {boolean} [decides] whether the opening has decisions, which the reader practises after placing the stones
 * @property {(readonly [number, number])[]} [zones] how far from the middle each stone of an opening goes, least and most
 */

/** @type {Rules} */
const FREESTYLE = { variant: 'freestyle', size: [15, 15] };
/** @type {Rules} */
const RENJU = { variant: 'renju', size: [15, 15] };
/** Anywhere on the board. @type {readonly [number, number]} */
const ANY = [0, 7];

/** The chapters in order. @type {{ id: string, lessons: Lesson[] }[]} */
export const CHAPTERS = [
  {
    id: 'rules',
    lessons: [
      {
        id: 'tic_tac_toe',
        rules: { variant: 'mnk', k: 3, size: [3, 3] },
        goal: 'five',
        right: [[2, 2]],
        picture: ['XO.', '.XO', '...'],
        corner: [0, 0],
      },
      {
        id: 'freestyle',
        rules: { variant: 'freestyle', size: [11, 11] },
        goal: 'five',
        right: [[5, 5]],
        picture: ['O......', '...O...', '......O', 'XXX.XX.', '.......', '...O...', 'O......'],
        corner: [2, 2],
      },
      {
        id: 'standard',
        rules: { variant: 'standard', size: [11, 11] },
        goal: 'five',
        right: [[9, 5]],
        picture: [
          '.......O',
          '.....O.X',
          'O......X',
          '...O...X',
          '......OX',
          'XXX.XX..',
          '.O......',
          '...O...O',
          'O.......',
        ],
        corner: [2, 0],
      },
      {
        id: 'renju',
        rules: RENJU,
        goal: 'five',
        right: [[7, 7]],
        picture: ['X.....X', '...X...', '.......', 'OOO.OO.', '..X....', '.....X.', 'X......'],
        corner: [4, 4],
      },
      {
        id: 'caro',
        rules: { variant: 'caro', size: [11, 11] },
        goal: 'five',
        right: [[9, 6]],
        picture: [
          '........O',
          '...O....X',
          '........X',
          '..O...O.X',
          '........X',
          '.........',
          '.OXXXX.O.',
          '.........',
          '...O...O.',
        ],
        corner: [1, 1],
      },
      {
        id: 'unbounded',
        rules: { variant: 'freestyle', size: 'unbounded' },
        goal: 'five',
        right: [[4, 4]],
        picture: ['O.....', '.X....', '.OX...', '..OX..', '...OX.', '......'],
        corner: [-1, -1],
      },
    ],
  },
  {
    id: 'wins',
    lessons: [
      {
        id: 'stop_four',
        rules: FREESTYLE,
        goal: 'defend',
        right: [[8, 7]],
        picture: ['...O..', 'OXXXX.', '..O...'],
        corner: [3, 6],
      },
      {
        id: 'open_four',
        rules: FREESTYLE,
        goal: 'win',
        right: [
          [4, 7],
          [8, 7],
        ],
        picture: ['.O...', 'XXX..', 'O...O'],
        corner: [5, 6],
      },
      {
        id: 'stop_three',
        rules: FREESTYLE,
        goal: 'defend',
        right: [
          [4, 7],
          [8, 7],
        ],
        picture: ['.O..', 'XXX.', 'O...'],
        corner: [5, 6],
      },
      {
        id: 'four_three',
        rules: FREESTYLE,
        goal: 'win',
        right: [[8, 7]],
        only: true,
        picture: ['X......', '...O...', '..OXXX.', '.O....X', '......X', '.......', '.OOO...'],
        corner: [2, 5],
      },
      {
        id: 'double_four',
        rules: FREESTYLE,
        goal: 'win',
        right: [[8, 7]],
        picture: ['....O..', '.......', '..OXXX.', '......X', '......X', '......X', '......O', '.......', 'OOO....'],
        corner: [2, 5],
      },
      {
        id: 'double_three',
        rules: FREESTYLE,
        goal: 'win',
        right: [[8, 7]],
        picture: ['.O...', '.....', '.XX..', '..O.X', '....X', 'O.O..'],
        corner: [4, 5],
      },
      {
        id: 'vcf',
        rules: FREESTYLE,
        goal: 'win',
        right: [[6, 3]],
        only: true,
        picture: [
          '...O.......',
          'OXXX.......',
          '..........O',
          '......X....',
          '.......X...',
          '...........',
          '........X..',
          '..O.....X..',
          '...........',
          '.OOO.......',
        ],
        corner: [2, 2],
      },
    ],
  },
  {
    id: 'forbidden',
    lessons: [
      {
        id: 'forbidden_double_three',
        rules: RENJU,
        goal: 'forbidden',
        right: [[8, 7]],
        picture: ['.O...', '.....', '.XX..', '..O.X', '....X', 'O.O..'],
        corner: [4, 5],
      },
      {
        id: 'forbidden_double_four',
        rules: RENJU,
        goal: 'forbidden',
        right: [[8, 7]],
        picture: ['O..O...', '.......', '..OXXX.', '......X', '......X', 'O.O...X', '......O'],
        corner: [2, 5],
      },
      {
        id: 'forbidden_overline',
        rules: RENJU,
        goal: 'forbidden',
        right: [[7, 7]],
        picture: ['O.....O', '...O...', '.......', 'XXX.XX.', '..O....', '.......', 'O......'],
        corner: [4, 4],
      },
      {
        id: 'five_first',
        rules: RENJU,
        goal: 'five',
        right: [[8, 7]],
        picture: ['O..O...O', '.......X', '......X.', 'OXXXX...', '..O..X..', '.O...X..', '....O.O.'],
        corner: [3, 4],
      },
      {
        id: 'renju_four_three',
        rules: RENJU,
        goal: 'win',
        right: [[8, 7]],
        picture: ['.......', '...O...', '..OXXX.', '......X', '......X', '.......', '.OOO...'],
        corner: [2, 5],
      },
      {
        id: 'trap',
        rules: RENJU,
        goal: 'win',
        right: [[8, 7]],
        only: true,
        picture: [
          '.....X...',
          '...O.X...',
          'O....X.O.',
          'XOOO.....',
          '.....X...',
          '.X..OX...',
          '.X....O..',
          '.XXX.....',
          'O.....O..',
        ],
        corner: [4, 4],
      },
    ],
  },
  {
    id: 'openings',
    lessons: [
      {
        id: 'swap',
        rules: FREESTYLE,
        goal: 'place',
        opening: 'swap',
        decides: true,
        zones: [ANY, ANY, ANY],
        right: [],
      },
      {
        id: 'swap2',
        rules: FREESTYLE,
        goal: 'place',
        opening: 'swap2',
        decides: true,
        zones: [ANY, ANY, ANY],
        right: [],
      },
      { id: 'pro', rules: FREESTYLE, goal: 'place', opening: 'pro', zones: [[0, 0], ANY, [3, 7]], right: [] },
      { id: 'long_pro', rules: FREESTYLE, goal: 'place', opening: 'long_pro', zones: [[0, 0], ANY, [4, 7]], right: [] },
      {
        id: 'rif',
        rules: RENJU,
        goal: 'place',
        opening: 'rif',
        decides: true,
        zones: [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
        right: [],
      },
      {
        id: 'yamaguchi',
        rules: RENJU,
        goal: 'place',
        opening: 'yamaguchi',
        decides: true,
        zones: [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
        right: [],
      },
      {
        id: 'soosyrv8',
        rules: RENJU,
        goal: 'place',
        opening: 'soosyrv8',
        decides: true,
        zones: [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
        right: [],
      },
      {
        id: 'taraguchi10',
        rules: RENJU,
        goal: 'place',
        opening: 'taraguchi10',
        decides: true,
        zones: [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
        right: [],
      },
    ],
  },
];

/** How many positions the engine looks at to find out whether a move wins by force. */
export const SEARCH_NODES = 20_000;

/** All lessons in order. */
export const LESSONS = CHAPTERS.flatMap(({ lessons }) => lessons);

/** The stones of a lesson as moves of both sides in turn. @param {Lesson} lesson @returns {Point[]} */
export function movesOf({ picture = [], corner: [left, top] = [0, 0] }) {
  const stones = (/** @type {string} */ wanted) =>
    picture.flatMap((row, y) =>
      [...row].flatMap((stone, x) => (stone === wanted ? [/** @type {Point} */ ([left + x, top + y])] : [])),
    );
  const [black, white] = [stones('X'), stones('O')];
  return black.flatMap((point, at) => [point, ...white.slice(at, at + 1)]);
}

/** How far a point is from the middle of a board of 15x15. @param {Point} point */
export function fromMiddle([x, y]) {
  return Math.max(Math.abs(x - 7), Math.abs(y - 7));
}
