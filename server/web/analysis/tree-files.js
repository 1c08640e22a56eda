// Trees from files and texts, and to files. The module in the browser reads and writes them; where it does not
// run, the server reads the moves of a text.

/** @import { EngineAnswer, EngineRequest, GameTree, ReadingNote, Refusal, Rules } from '../types' */
/** @import { Analysis } from './kept-analysis.js' */

import { el } from '../dom.js';
import { RefusedError } from '../refusals.js';
import { EMPTY, lineFrom, listed, NODES_MAX, treeOf, withLine } from './move-tree.js';
import { ta } from './texts.js';

/** The longest file that the page opens, in bytes. The command line reads longer ones. */
export const FILE_BYTES_MAX = 1 << 20;

/** A tree that was read: how many moves of the file it lacks, because they cannot be played, and why; and what
 * else could not be kept.
 * @typedef {{ analysis: Analysis, left: number, ply: number, why?: Refusal, notes: readonly ReadingNote[] }} ReadTree */

/** @typedef {(request: EngineRequest) => Promise<EngineAnswer>} AskModule */

/** Why a file was not read, in words for people. */
export class FileProblem extends Error {}

/**
 * Reads a file, or a text.
 * @param {Rules} rules apply where it names none @param {File | string} source @param {number} [game] its number in a
 * file with several, from 1
 * @returns {Promise<ReadTree>} fails with a `RefusedError` or a `FileProblem`
 */
export async function readTree(rules, source, game = 1) {
  const isText = typeof source === 'string';
  const size = isText ? new TextEncoder().encode(source).length : source.size;
  if (size > FILE_BYTES_MAX) throw new FileProblem(ta('too_long', { most: FILE_BYTES_MAX >> 20 }));
  const { askModule, judgePosition } = await import('../engine/engine.js');
  const answer = await readByModule(askModule, rules, source, game).catch((error) => {
    if (error instanceof RefusedError) throw error;
  });
  if (answer) {
    const { tree, notes = [], left_out: left = 0, ply = 0, why } = answer;
    if (tree.nodes.length > NODES_MAX) throw new FileProblem(ta('too_many', { most: NODES_MAX }));
    const read = treeOf(tree);
    if (!read) throw new Error('the module gives whole trees');
    return { analysis: { rules: tree.rules, tree: read, path: lineFrom(read), black: tree.black, white: tree.white }, left, ply, why, notes };
  }
  const text = isText ? source : await source.text();
  const { rules: own, moves, unplayed } = await judgePosition({ rules, text });
  return { analysis: { rules: own, tree: withLine(EMPTY, [], moves), path: moves }, left: unplayed ? 1 : 0, ply: moves.length + 1, why: unplayed, notes: [] };
}

/** @param {AskModule} askModule @param {Rules} rules @param {File | string} source @param {number} game */
async function readByModule(askModule, rules, source, game) {
  const read = async (/** @type {{ text: string } | { bytes: readonly number[] }} */ given) => (
    (await askModule({ type: 'read_tree', rules, game, ...given })).tree);
  if (typeof source === 'string') return read({ text: source });
  const buffer = await source.arrayBuffer();
  const bytes = [...new Uint8Array(buffer)];
  const { encoding } = await askModule({ type: 'encoding', bytes });
  if (!encoding) throw new Error('the module names an encoding or refuses');
  const decoder = decoderOf(encoding.name) ?? new TextDecoder(encoding.likely);
  if (!encoding.is_library) return read({ text: decoder.decode(buffer) });
  const answer = await read({ bytes });
  for (const node of answer ? [answer.tree, ...answer.tree.nodes] : []) {
    if (node.comment) node.comment = decodedComment(decoder, node.comment);
  }
  return answer;
}

/** @param {string} name */
function decoderOf(name) {
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
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
  const { askModule } = await import('../engine/engine.js');
  const whole = format === 'sgf' ? tree : withLine(EMPTY, [], lineFrom(tree, path));
  /** @type {GameTree} */
  const written = { rules, black, white, ...listed(whole) };
  const { file } = await askModule({ type: 'write_tree', format, tree: written }).catch((error) => {
    throw error instanceof RefusedError ? error : new FileProblem(ta('no_module'));
  });
  const address = URL.createObjectURL(new Blob([file ?? ''], { type: 'text/plain;charset=utf-8' }));
  el('a', { href: address, download: `fivefold-analysis.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Receives files that are dropped on the page or pasted, and pasted texts.
 * @param {HTMLElement} element shows that a file can be dropped @param {(source: File | string) => void} open
 * @param {AbortSignal} signal
 */
export function receiveFiles(element, open, signal) {
  const isFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    element.dataset.drop = ta('drop');
  }, { signal });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) delete element.dataset.drop;
  }, { signal });
  addEventListener('drop', (event) => {
    delete element.dataset.drop;
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  }, { signal });
  addEventListener('paste', (event) => {
    if (event.target instanceof Element && event.target.closest('input, textarea')) return;
    const source = event.clipboardData?.files[0] ?? event.clipboardData?.getData('text/plain');
    if (!source) return;
    event.preventDefault();
    open(source);
  }, { signal });
}
