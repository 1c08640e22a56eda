// Trees from files and texts, and to files. The module in the browser reads and writes them; where it does not
// run, the server reads the moves of a text.

/** @import { GameTree, Refusal, Rules } from '../types' */
/** @import { Analysis } from './kept-analysis.js' */

import { el } from '../dom.js';
import { RefusedError } from '../refusals.js';
import { EMPTY, lineFrom, listed, treeOf, withLine } from './move-tree.js';
import { ta } from './texts.js';

/** The longest file, in bytes, as in shared/src/notation/tree.rs. */
export const FILE_BYTES_MAX = 1 << 20;

/** A tree that was read: how many moves of the file it lacks, because they cannot be played, and why.
 * @typedef {{ analysis: Analysis, left: number, ply: number, why?: Refusal }} ReadTree */

/** Why a file was not read, in words for people. */
export class FileProblem extends Error {}

/**
 * Reads a file, or a text.
 * @param {Rules} rules apply where it names none @param {File | string} source
 * @returns {Promise<ReadTree>} fails with a `RefusedError` or a `FileProblem`
 */
export async function readTree(rules, source) {
  const isText = typeof source === 'string';
  const size = isText ? new TextEncoder().encode(source).length : source.size;
  if (size > FILE_BYTES_MAX) throw new FileProblem(ta('too_long', { most: FILE_BYTES_MAX >> 20 }));
  const { askModule, judgePosition } = await import('../engine/engine.js');
  const given = isText ? { text: source } : { bytes: [...new Uint8Array(await source.arrayBuffer())] };
  const answer = await askModule({ type: 'read_tree', rules, ...given }).catch((error) => {
    if (error instanceof RefusedError) throw error;
  });
  if (answer?.tree) {
    const { tree, left_out: left = 0, ply = 0, why } = answer.tree;
    const read = treeOf(tree);
    if (!read) throw new Error('the module gives whole trees');
    return { analysis: { rules: tree.rules, tree: read, path: lineFrom(read), black: tree.black, white: tree.white }, left, ply, why };
  }
  const text = isText ? source : await source.text();
  const { rules: own, moves, unplayed } = await judgePosition({ rules, text });
  return { analysis: { rules: own, tree: withLine(EMPTY, [], moves), path: moves }, left: unplayed ? 1 : 0, ply: moves.length + 1, why: unplayed };
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
