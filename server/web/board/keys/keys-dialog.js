// The list of the keys of a board.

/** @import { BoardOptions } from '../board.js' */

import { openDialog } from '../../ui/dialog.js';
import { el } from '../../ui/dom.js';
import { tk } from './texts.js';

/** @param {boolean} hasBorders whether the board has any @param {BoardOptions} options */
export function openKeys(hasBorders, { onplay, onkey, steps }) {
  /** @type {[keys: string, words: string | undefined | false][]} */
  const rows = [
    steps ? ['← →', tk('steps')] : ['← → ↑ ↓', tk('move')],
    ['↑ ↓', steps && onplay && tk('variations')],
    ['Shift + ← → ↑ ↓', tk(steps ? 'move' : 'pan')],
    ['Enter', onplay && tk('place')],
    [hasBorders ? 'h 8' : '- 3 , 2', onplay && tk(hasBorders ? 'type' : 'type_numbers')],
    ['Esc', onplay && tk('cancel')],
    [', .', onkey && tk('steps')],
    ['< >', onkey && tk('ends')],
    ['Home', tk('last')],
    ['+ _', tk('zoom')],
    ['Shift + F', tk('fit')],
    ['Shift + N', tk('numbers')],
    ['Shift + D', onkey && !steps && tk('bot_move')],
    ['Shift + T', onkey && !steps && tk('weight')],
    ['Shift + W', onkey && !steps && tk('weights')],
    ['Shift + X', onkey && !steps && tk('next_game')],
    ['Ctrl + Z', steps && onplay && tk('undo')],
    ['?', tk('title')],
  ];
  openDialog(
    tk('title'),
    el(
      'dl',
      { class: 'keys' },
      ...rows.flatMap(([keys, words]) => (words ? [el('dt', null, el('kbd', null, keys)), el('dd', null, words)] : [])),
    ),
  );
}
