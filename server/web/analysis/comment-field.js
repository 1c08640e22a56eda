// The field in which a comment on a move is written.

/** @import { Point } from '../ui/protocol-types' */

import { el, write } from '../ui/dom.js';
import { COMMENT_MAX } from './move-tree.js';
import { ta } from './texts.js';

/** How long after the last letter the text is kept. */
const KEEP_AFTER_MS = 300;

/** @param {(path: readonly Point[], text: string, again: boolean) => void} change a comment was written; again, if it
 * is the same one that is still open */
export function createCommentField(change) {
  const label = el('span');
  const field = el('textarea', { rows: 3, maxLength: COMMENT_MAX, dir: 'auto', oninput: wait, onchange: commit });
  const element = el(
    'form',
    { class: 'comment-field', hidden: true, onsubmit: close, onkeydown: key },
    el('label', { class: 'field wide' }, label, field),
    el('button', { class: 'primary' }, ta('comment_done')),
  );
  /** The move that it is about. @type {readonly Point[]} */
  let path = [];
  let focusBack = () => {};
  /** The text as it was kept last. */
  let kept = '';
  let again = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  function wait() {
    clearTimeout(waiting);
    waiting = setTimeout(commit, KEEP_AFTER_MS);
  }

  function commit() {
    clearTimeout(waiting);
    const text = field.value.trim();
    if (element.hidden || text === kept) return;
    kept = text;
    change(path, text, again);
    again = true;
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
      field.value = kept = text;
      again = false;
      element.hidden = false;
      field.focus();
    },
  };
}
