// Trees from files and texts, and to files. The module reads and writes them in a worker of its own, which ends
// after that, with its memory; where it does not run, the server reads the moves of a text.

/** @import { EngineAnswer, EngineRequest, ReadingNote, Refusal, Rules } from '../ui/protocol-types' */
/** @import { Analysis } from './kept-analyses.js' */
/** @import { PackedTree } from './move-tree.js' */

import { RefusedError } from '../client/refused-error.js';
import { saveText } from './file-transfer.js';
import { EMPTY, growTree, lineFrom, NODES_MAX, packed, withLine } from './move-tree.js';
import { ta } from './texts.js';

/** The longest file that is read, as in shared/src/notation/tree.rs. */
const FILE_BYTES_MAX = 8 << 20;
/** What the module says of a tree that is too large. */
const TOO_MANY = /more than \d+ moves/;
/** How long the module may read or write. */
const PATIENCE_MS = 60_000;

/** A tree that was read: how many moves of the file it lacks, because they cannot be played, and why; and what
 * else could not be kept.
 * @typedef {{ analysis: Analysis, left: number, ply: number, why?: Refusal, notes: readonly ReadingNote[] }} ReadTree */
/** Called while a file is read: the part of the tree that is there, once the module has read the file.
 * @typedef {(done: number) => void} Progress */

/** Why a file was not read, in words for people. */
export class FileProblem extends Error {}

/**
 * Reads a file, or a text.
 * @param {Rules} rules apply where it names none @param {File | string} source @param {number} game its number in a
 * file with several, from 1 @param {Progress} progress @param {AbortSignal} signal
 * @returns {Promise<ReadTree>} fails with a `RefusedError` or a `FileProblem`
 */
export async function readTree(rules, source, game, progress, signal) {
  const isText = typeof source === 'string';
  const size = isText ? new TextEncoder().encode(source).length : source.size;
  if (size > FILE_BYTES_MAX) throw new FileProblem(ta('too_long', { most: FILE_BYTES_MAX >> 20 }));
  const answer = await withModule((ask) => readByModule(ask, rules, source, game), signal).catch((error) => {
    signal.throwIfAborted();
    if (error instanceof RefusedError && TOO_MANY.test(String(error.refusal.detail)))
      throw new FileProblem(ta('too_many', { most: NODES_MAX }));
    if (error instanceof RefusedError || error instanceof FileProblem) throw error;
  });
  if (answer) return { ...(await grown(answer, progress, signal)), notes: answer.notes ?? [] };
  const text = isText ? source : await source.text();
  const { judgePosition } = await import('../engine/engine.js');
  const { rules: own, moves, unplayed } = await judgePosition({ rules, text }, signal);
  return {
    analysis: { rules: own, tree: withLine(EMPTY, [], moves), path: moves },
    left: unplayed ? 1 : 0,
    ply: moves.length + 1,
    why: unplayed,
    notes: [],
  };
}

/**
 * What can be played of a tree by some rules. Fails where the module does not run.
 * @param {Rules} rules @param {PackedTree} tree @param {Progress} progress @param {AbortSignal} signal
 */
export async function playableTree(rules, tree, progress, signal) {
  const { tree: answer } = await withModule(
    (ask) => ask({ type: 'read_tree', rules, tree: { rules, ...tree } }),
    signal,
  );
  return grown(/** @type {NonNullable<EngineAnswer['tree']>} */ (answer), progress, signal);
}

/** @param {NonNullable<EngineAnswer['tree']>} answer @param {Progress} progress @param {AbortSignal} signal */
async function grown({ tree: { rules, black, white, ...arrays }, left_out: left = 0, ply = 0, why }, progress, signal) {
  const tree = await growTree(arrays, progress, signal);
  if (!tree) throw new Error('the module gives whole trees');
  return { analysis: { rules, tree, path: lineFrom(tree), black, white }, left, ply, why };
}

/**
 * @template T
 * @param {(ask: (request: EngineRequest) => Promise<EngineAnswer>) => Promise<T>} act @param {AbortSignal} [signal]
 */
async function withModule(act, signal) {
  const { EngineWorker } = await import('../engine/engine.js');
  const worker = new EngineWorker();
  const stop = () => worker.end(signal?.reason);
  const late = setTimeout(() => worker.end(new FileProblem(ta('too_slow'))), PATIENCE_MS);
  signal?.addEventListener('abort', stop);
  try {
    return await act((request) => worker.ask(request));
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
    worker.end(new Error('done'));
  }
}

/** @param {(request: EngineRequest) => Promise<EngineAnswer>} ask @param {Rules} rules @param {File | string} source @param {number} game */
async function readByModule(ask, rules, source, game) {
  const read = async (/** @type {{ text: string } | { bytes: Uint8Array }} */ given) =>
    (await ask({ type: 'read_tree', rules, game, ...given })).tree;
  if (typeof source === 'string') return read({ text: source });
  const bytes = new Uint8Array(await source.arrayBuffer());
  const { encoding } = await ask({ type: 'encoding', bytes }).catch((error) => {
    throw error instanceof RefusedError ? noGame(source) : error;
  });
  if (!encoding) throw new Error('the module names an encoding or refuses');
  const decoder = decoderOf(encoding);
  if (!encoding.is_library) {
    const text = decoder.decode(bytes);
    return read({ text }).catch((error) => {
      // A text without moves in its first line is some other text.
      throw error instanceof RefusedError &&
        error.refusal.line === 1 &&
        !/^\W*([(;]|[a-z]{1,2} ?\d|-?\d|Piskvorky)/i.test(text)
        ? noGame(source)
        : error;
    });
  }
  const answer = await read({ bytes });
  if (answer)
    answer.tree.comments = answer.tree.comments.map(([at, comment]) => [at, decodedComment(decoder, comment)]);
  return answer;
}

/** @param {File} file */
function noGame({ name }) {
  return new FileProblem(ta('no_game', { name }));
}

/** Decodes with the encoding that the file names, or else with the likely one. @param {{ name: string, likely: string }} encoding */
export function decoderOf({ name, likely }) {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder(likely);
  }
}

/** A comment whose bytes are letters, by the encoding `x-user-defined`. @param {TextDecoder} decoder @param {string} comment */
function decodedComment(decoder, comment) {
  if (!/[\uf780-\uf7ff]/.test(comment)) return comment;
  return decoder.decode(Uint8Array.from(comment, (letter) => letter.charCodeAt(0) & 0xff));
}

/** What could not be kept of a file, in words for people. @param {readonly ReadingNote[]} notes */
export function notesText(notes) {
  return notes.map(({ kind, count, value = '' }) => ta(`note_${kind}`, { count, value })).join(' ');
}

/** Saves a tree; a PSQ holds only the shown line. @param {'sgf' | 'psq'} format @param {Analysis} analysis */
export async function saveTree(format, { rules, tree, path, black, white }) {
  const whole = format === 'sgf' ? tree : withLine(EMPTY, [], lineFrom(tree, path));
  const written = { rules, black, white, ...packed(whole) };
  const { file } = await withModule((ask) => ask({ type: 'write_tree', format, tree: written })).catch((error) => {
    throw error instanceof RefusedError || error instanceof FileProblem ? error : new FileProblem(ta('no_module'));
  });
  saveText(`fivefold-analysis.${format}`, file ?? '');
}
