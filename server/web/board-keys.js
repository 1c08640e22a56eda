// The keys of a board and what they do. Letters begin a typed point such as `h8`; commands are
// capitals, as in the terminal.

/**
 * @typedef {{type: 'move' | 'pan', dx: number, dy: number}
 *   | {type: 'type', text: string}
 *   | {type: 'step', by: number}
 *   | {type: 'place' | 'cancel' | 'last' | 'fit' | 'in' | 'out' | 'numbers' | 'bot_move' | 'weight' | 'weights'}} Action
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Record<string, Action>} */
const KEYS = {
  Enter: { type: 'place' },
  ' ': { type: 'place' },
  Escape: { type: 'cancel' },
  Home: { type: 'last' },
  '0': { type: 'fit' },
  '+': { type: 'in' },
  '=': { type: 'in' },
  '-': { type: 'out' },
  ',': { type: 'step', by: -1 },
  '.': { type: 'step', by: 1 },
  '<': { type: 'step', by: -Infinity },
  '>': { type: 'step', by: Infinity },
  N: { type: 'numbers' },
  D: { type: 'bot_move' },
  T: { type: 'weight' },
  W: { type: 'weights' },
};

/**
 * Null where the key means nothing here and is left to the page.
 * @param {KeyboardEvent} event @returns {Action | null}
 */
export function keyAction({ key, shiftKey, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey) return null;
  const arrow = ARROWS[key];
  if (arrow) return { type: shiftKey ? 'pan' : 'move', dx: arrow[0], dy: arrow[1] };
  return KEYS[key] ?? (/^[a-z1-9]$/.test(key) ? { type: 'type', text: key } : null);
}
