// An import: reads files with games in a worker, piece by piece, and sends the games in batches. It continues while the
// player visits other views, and does not know what shows it. The server keeps no state of an import: after one that
// ended early, the player imports again, and the games added before are duplicates.

/** @import { ReadGames, Rules } from '../../ui/protocol-types' */
/** @import { Collection } from './collection-requests.js' */
/** @import { ReadPart } from './game-reader.js' */

import { faultText } from '../../account/account-requests.js';
import { notesText } from '../../analysis/tree-files.js';
import { RefusedError } from '../../client/refused-error.js';
import { addGames, TryLater } from './batch-requests.js';
import { GameReader } from './game-reader.js';
import { tc } from './texts.js';

/** Most games and bytes of a batch, as in shared/src/collection.rs, with room for the JSON around the games. */
const BATCH_GAMES_MAX = 200;
const BATCH_BYTES_MAX = 255 * 1024;
/** Most faults that are kept, and most remarks. */
const FAULTS_MAX = 10_000;
/** How long to wait before a batch is sent again: at first and at most. The time doubles. */
const WAIT_MS = 1_000;
const WAIT_MAX_MS = 30_000;

const encoder = new TextEncoder();

/** What could not be read or added; `line` is where the game begins, if that is known.
 * @typedef {{ file: string, line?: number, text: string }} Fault */
/** `waiting`: for a network, or for the server. @typedef {'running' | 'offline' | 'busy' | 'done' | 'stopped' | 'failed'} ImportState */

export class GameImport {
  /** @type {ImportState} */
  state = 'running';
  added = 0;
  duplicates = 0;
  /** How many faults there were, including those that were not kept. */
  faultCount = 0;
  /** @type {Fault[]} */
  faults = [];
  /** Parts of games that could not be kept, by file. @type {Fault[]} */
  remarks = [];
  /** Why it has failed. */
  why = '';
  /** The name of the file that is being read. */
  file = '';
  /** Bytes of the files before this one, and of this one so far. */
  #before = 0;
  #within = 0;
  #stop = new AbortController();
  /** Where each game of the batch begins. @type {{ file: string, line?: number }[]} */
  #places = [];
  /** Each game of the batch as JSON. @type {string[]} */
  #batch = [];
  #bytes = 0;

  /** @param {Collection} collection @param {readonly File[]} files @param {Rules} rules of games that name none @param {() => void} onchange */
  constructor(collection, files, rules, onchange) {
    this.collection = collection;
    this.files = [...files];
    this.rules = rules;
    this.onchange = onchange;
  }

  get isOver() {
    return this.state === 'done' || this.state === 'stopped' || this.state === 'failed';
  }

  /** Bytes of all files. */
  get total() {
    return this.files.reduce((sum, { size }) => sum + size, 0);
  }

  /** The part that is done, from 0 to 1. It counts what was read, which may not be sent yet. */
  get done() {
    return this.state === 'done' ? 1 : Math.min(0.99, (this.#before + this.#within) / Math.max(1, this.total));
  }

  /** Takes more files, unless the import is over. @param {readonly File[]} files */
  add(files) {
    this.files.push(...files);
    this.onchange();
  }

  stop() {
    this.#stop.abort();
  }

  /** Reads all files. It does not fail: `state` and `why` say how it ended. */
  async run() {
    const reader = new GameReader(this.rules, this.#stop.signal);
    try {
      for (const [at, file] of this.files.entries()) {
        this.file = file.name;
        for await (const part of reader.read(file)) await this.#take(part);
        this.#before += file.size;
        this.#within = 0;
        // More files may have come meanwhile: then these are not the last games.
        if (at === this.files.length - 1) await this.#send();
      }
      this.state = 'done';
    } catch (error) {
      this.state = this.#stop.signal.aborted ? 'stopped' : 'failed';
      if (error instanceof RefusedError) this.why = faultText(error);
      else if (this.state === 'failed') this.why = tc('cannot_read');
    }
    reader.end();
    this.onchange();
  }

  /** @param {ReadPart} part */
  async #take({ games, lines, faults, notes = [], done }) {
    const { file } = this;
    for (const fault of faults) this.#fault({ file, ...fault });
    if (notes.length > 0 && this.remarks.length < FAULTS_MAX)
      this.remarks.push({ file, text: notes.map(noteText).join(' ') });
    for (const [at, game] of games.entries()) {
      const text = JSON.stringify(game);
      // A comma stands between two games.
      const bytes = encoder.encode(text).length + 1;
      if (this.#batch.length === BATCH_GAMES_MAX || this.#bytes + bytes > BATCH_BYTES_MAX) await this.#send();
      this.#places.push({ file, line: lines[at] });
      this.#batch.push(text);
      this.#bytes += bytes;
    }
    this.#within = done;
    this.onchange();
  }

  /** @param {Fault} fault */
  #fault(fault) {
    this.faultCount += 1;
    if (this.faults.length < FAULTS_MAX) this.faults.push(fault);
  }

  /** Sends the batch, if there are games in it, and repeats until the server has it. */
  async #send() {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const [places, batch] = [this.#places, this.#batch];
    this.#places = [];
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    const text = `{"games":[${batch.join()}]}`;
    for (let wait = WAIT_MS; ; wait = Math.min(2 * wait, WAIT_MAX_MS)) {
      try {
        const { added, duplicates, refused } = await addGames(this.collection.id, text, signal);
        this.state = 'running';
        this.added += added;
        this.duplicates += duplicates.length;
        for (const { index, text: why } of refused) this.#fault({ file: this.file, ...places[index], text: why });
        return this.onchange();
      } catch (error) {
        if (!(error instanceof TryLater)) throw error;
        this.state = error.isOffline ? 'offline' : 'busy';
        this.onchange();
        await pause(error.after || wait, signal);
      }
    }
  }
}

/** Describes what could not be kept of games. @param {NonNullable<ReadGames['notes']>[number]} note */
function noteText(note) {
  const { kind, count } = note;
  // Only files with several games have these.
  if (kind === 'variations' || kind === 'after_end') return tc(`note_${kind}`, { count });
  return notesText([{ ...note, kind }]);
}

/** Waits this long, or until the network is back. @param {number} ms @param {AbortSignal} signal */
async function pause(ms, signal) {
  const over = new AbortController();
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener('online', resolve, { signal: over.signal });
    signal.addEventListener('abort', resolve, { signal: over.signal });
  });
  over.abort();
  signal.throwIfAborted();
}
