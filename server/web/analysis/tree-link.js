// A whole tree in an address: `tree=` and its state as letters that addresses keep.

/** @import { Analysis } from './kept-analyses.js' */

import { packState, stateOf } from './kept-analyses.js';
import { countMoves } from './move-tree.js';

/** The longest part of an address that people can send, in characters. */
const LENGTH_MAX = 6_000;
const HEAD = 'tree=';

/** @param {Analysis} state @returns {string | undefined} nothing if it is too long */
export function treeLink(state) {
  if (2 * countMoves(state.tree) > LENGTH_MAX) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(packState(state)));
  if (bytes.length > LENGTH_MAX) return undefined;
  return (
    HEAD +
    btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  );
}

/** @param {string} text the part of an address after `#` @returns {Analysis | undefined} */
export function linkedTree(text) {
  if (!text.startsWith(HEAD)) return undefined;
  try {
    const letters = atob(text.slice(HEAD.length).replaceAll('-', '+').replaceAll('_', '/'));
    return stateOf(JSON.parse(new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)))));
  } catch {
    return undefined;
  }
}
