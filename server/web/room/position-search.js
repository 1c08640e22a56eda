// A search for the shown position, whose result is kept until another position is wanted.

/** @template T */
export class PositionSearch {
  /** @type {T | undefined} */
  result;
  #wanted = '';
  /** @type {AbortController | undefined} */
  #end;

  /**
   * @param {(signal: AbortSignal, show: (result: T) => void) => Promise<void>} search shows what it has found
   * @param {() => void} changed there is a result @param {(error: unknown) => void} failed
   */
  constructor(search, changed, failed) {
    this.search = search;
    this.changed = changed;
    this.failed = failed;
  }

  /** Searches, once for each position. @param {string} wanted names the position; empty for none */
  async ask(wanted) {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.result = undefined;
    this.end();
    if (!wanted) return;
    this.#end = new AbortController();
    const { signal } = this.#end;
    try {
      await this.search(signal, (result) => {
        if (signal.aborted) return;
        this.result = result;
        this.changed();
      });
    } catch (error) {
      if (!signal.aborted) this.failed(error);
    }
  }

  end() {
    this.#end?.abort();
  }
}
