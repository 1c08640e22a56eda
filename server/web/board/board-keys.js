// The keys of a board and what they do. A key that can begin a point is never a command: a letter or a digit on a
// board with borders, such as in `h8`, a digit or a minus on the other one, such as in `-3,2`. Commands are signs and
// capitals, as in the terminal.

/**
 * @typedef {{type: 'move' | 'pan', dx: number, dy: number}
 *   | {type: 'type', text: string}
 *   | {type: 'step', by: number}
 *   | {type: 'place' | 'cancel' | 'last' | 'fit' | 'in' | 'out' | 'numbers' | 'keys' | 'bot_move' | 'weight' | 'weights'}} Action
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Record<string, Action>} */
const KEYS = {
  Enter: { type: 'place' },
  ' ': { type: 'place' },
  Escape: { type: 'cancel' },
  Home: { type: 'last' },
  F: { type: 'fit' },
  '+': { type: 'in' },
  '=': { type: 'in' },
  '-': { type: 'out' },
  _: { type: 'out' },
  ',': { type: 'step', by: -1 },
  '.': { type: 'step', by: 1 },
  '<': { type: 'step', by: -Infinity },
  '>': { type: 'step', by: Infinity },
  '?': { type: 'keys' },
  N: { type: 'numbers' },
  D: { type: 'bot_move' },
  T: { type: 'weight' },
  W: { type: 'weights' },
};

/**
 * Null where the key means nothing here and is left to the page.
 * @param {KeyboardEvent} event @param {boolean} hasBorders whether the board has any
 * @param {boolean} [steps] whether the arrows alone are the page's, which steps through the moves
 * @returns {Action | null}
 */
export function keyAction({ key, shiftKey, ctrlKey, altKey, metaKey }, hasBorders, steps = false) {
  if (ctrlKey || altKey || metaKey) return null;
  const arrow = ARROWS[key];
  if (arrow && steps && !shiftKey) return null;
  if (arrow) return { type: shiftKey && !steps ? 'pan' : 'move', dx: arrow[0], dy: arrow[1] };
  const begins = hasBorders ? /^[a-z0-9]$/ : /^[-0-9]$/;
  return begins.test(key) ? { type: 'type', text: key } : (KEYS[key] ?? null);
}
