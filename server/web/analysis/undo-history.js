// The states of something that people change, so that each change can be undone and done again. A plain value
// without a page; the oldest states are forgotten.

/** How many changes can be undone. */
export const UNDO_MAX = 200;

/** @template State */
export class UndoHistory {
  /** @type {State[]} */
  #past;
  /** @type {State[]} */
  #future = [];

  /** @param {State} now @param {readonly State[]} [past] the oldest first */
  constructor(now, past = []) {
    this.now = now;
    this.#past = past.slice(-UNDO_MAX);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** The states before the present one, the oldest first. @returns {readonly State[]} */
  get past() {
    return this.#past;
  }

  /** @param {State} next */
  change(next) {
    this.#past = [...this.#past, this.now].slice(-UNDO_MAX);
    this.#future = [];
    this.now = next;
  }

  undo() {
    const before = this.#past.pop();
    if (before === undefined) return;
    this.#future.push(this.now);
    this.now = before;
  }

  redo() {
    const after = this.#future.pop();
    if (after === undefined) return;
    this.#past.push(this.now);
    this.now = after;
  }

  /** Takes the last change back; it cannot be done again. */
  retract() {
    this.undo();
    this.#future.pop();
  }
}
