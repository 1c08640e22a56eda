// The puzzles of each rule set, read from their file, and the choice of the next one. The format is that of
// shared/src/puzzle/file.rs.

/** @import { Point, Rules } from '../ui/protocol-types' */

/** @typedef {'freestyle' | 'renju'} PuzzleRules */
/** @typedef {'fours' | 'threes' | 'trap'} PuzzleKind */
/** @typedef {{ id: string, rules: Rules, kind: PuzzleKind, length: number, first: Point, moves: Point[] }} Puzzle */
/** Which puzzles the player wants; an empty text means any.
 * @typedef {{ rules: PuzzleRules, length: string, kind: string }} Wanted */

/** @type {readonly PuzzleRules[]} */
export const PUZZLE_RULES = ['freestyle', 'renju'];
/** @type {readonly PuzzleKind[]} */
export const KINDS = ['fours', 'threes', 'trap'];
/** Choices of lengths: from, to. @type {readonly (readonly [number, number])[]} */
export const LENGTHS = [
  [1, 3],
  [4, 5],
  [6, 7],
  [8, 99],
];

/** The first line of a file. */
const FORMAT = 'fivefold puzzles 1';

/** @type {Map<PuzzleRules, Promise<Puzzle[]>>} */
const loaded = new Map();

/** All puzzles of some rules; the file is loaded once. @param {PuzzleRules} rules */
export function loadPuzzles(rules) {
  const known = loaded.get(rules);
  if (known) return known;
  const loading = fetch(new URL(`${rules}.txt`, import.meta.url)).then(async (answer) => {
    if (!answer.ok) throw new Error(`puzzles: ${answer.status}`);
    return readPuzzles(await answer.text());
  });
  loaded.set(rules, loading);
  loading.catch(() => loaded.delete(rules));
  return loading;
}

/** Reads a file; fails if it is of another format. @param {string} text @returns {Puzzle[]} */
export function readPuzzles(text) {
  const [format, head = '', , ...lines] = text.trimEnd().split('\n');
  const [variant = '', size = ''] = head.split(' ');
  if (format !== FORMAT) throw new Error('puzzles: another format');
  const [width = 15, height = 15] = size.split('x').map(Number);
  const rules = /** @type {Rules} */ ({ variant, size: [width, height] });
  return lines.map((line) => {
    const [kind, length, first = '', moves = ''] = line.split(' ');
    const [at] = points(first);
    if (!at) throw new Error('puzzles: a line without its first move');
    return {
      id: `${variant}-${hash(moves)}`,
      rules,
      kind: /** @type {PuzzleKind} */ (kind),
      length: Number(length),
      first: at,
      moves: points(moves),
    };
  });
}

/** @param {string} letters @returns {Point[]} */
function points(letters) {
  const number = (/** @type {number} */ at) => letters.charCodeAt(at) - 97;
  return Array.from({ length: letters.length / 2 }, (_, at) => [number(2 * at), number(2 * at + 1)]);
}

/** A short name of a text: FNV-1a in 32 bits. @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value.toString(36);
}

/** The rules of a puzzle with this name, if it can be one. @param {string} id */
export function rulesOfId(id) {
  return PUZZLE_RULES.find((rules) => id.startsWith(`${rules}-`));
}

/** The puzzles that the player wants. @param {readonly Puzzle[]} puzzles @param {Wanted} wanted */
export function matching(puzzles, { length, kind }) {
  const [least, most] = LENGTHS.find(([from]) => String(from) === length) ?? [0, Infinity];
  return puzzles.filter(
    (puzzle) => puzzle.length >= least && puzzle.length <= most && (kind === '' || puzzle.kind === kind),
  );
}

/** The puzzle of a day, the same for everyone. @param {readonly Puzzle[]} puzzles @param {string} day such as `2026-11-22` */
export function puzzleOfDay(puzzles, day) {
  return puzzles[Number.parseInt(hash(day), 36) % puzzles.length];
}

/**
 * One that is not solved yet, any other if all are, at last the current one.
 * @param {readonly Puzzle[]} puzzles @param {ReadonlySet<string>} solved @param {string | undefined} current
 * @param {number} chance from 0 to 1
 */
export function nextPuzzle(puzzles, solved, current, chance) {
  const others = puzzles.filter(({ id }) => id !== current);
  const unsolved = others.filter(({ id }) => !solved.has(id));
  const from = [unsolved, others, puzzles].find(({ length }) => length > 0) ?? [];
  return from[Math.min(Math.floor(chance * from.length), from.length - 1)];
}
