// The field in which a comment on a move is written.

/** @import { Point } from '../types' */

import { el, write } from '../dom.js';
import { COMMENT_MAX } from './move-tree.js';
import { ta } from './texts.js';

/** @param {(path: readonly Point[], text: string) => void} change a comment was written */
export function createCommentField(change) {
  const label = el('span');
  const field = el('textarea', { rows: 3, maxLength: COMMENT_MAX, dir: 'auto', onchange: commit });
  const element = el('form', { class: 'comment-field', hidden: true, onsubmit: close, onkeydown: key },
    el('label', { class: 'field wide' }, label, field), el('button', { class: 'primary' }, ta('comment_done')));
  /** The move that it is about. @type {readonly Point[]} */
  let path = [];
  let focusBack = () => {};

  function commit() {
    if (!element.hidden) change(path, field.value.trim());
  }

  /** @param {Event} [event] */
  function close(event) {
    event?.preventDefault();
    commit();
    element.hidden = true;
    if (event) focusBack();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) close(event);
    event.stopPropagation();
  }

  return {
    element,
    /** Keeps what is written so far. */
    commit,
    close: () => close(),
    /** @param {readonly Point[]} to @param {string} name of the move @param {string} text so far @param {() => void} back focuses what had the focus */
    open(to, name, text, back) {
      commit();
      [path, focusBack] = [to, back];
      write(label, name ? ta('comment_on', { move: name }) : ta('comment_start'));
      field.value = text;
      element.hidden = false;
      field.focus();
    },
  };
}
