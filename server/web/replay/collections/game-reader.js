// Reads files with many games, piece by piece, so that a long file takes little memory. The browser decodes the text,
// because it has the tables of encodings; the module reads the games in a worker.

/** @import { CollectedGame, EngineRequest, ReadGames, Rules } from '../../ui/protocol-types' */

import { decoderOf } from '../../analysis/tree-files.js';
import { RefusedError } from '../../client/refused-error.js';
import { EngineWorker } from '../../engine/engine.js';
import { tc } from './texts.js';

/** How much of a file is read at once, in bytes. */
const PIECE_BYTES = 256 * 1024;

/** A part of what was read: games with the lines where they begin, what could not be read, and after the last game
 * what could not be kept. `done` is how many bytes of the file have been read.
 * @typedef {{ games: readonly CollectedGame[], lines: readonly number[], faults: readonly { line?: number, text: string }[], notes?: ReadGames['notes'], done: number }} ReadPart */

export class GameReader {
  #worker = new EngineWorker();

  /** @param {Rules} rules of games that name none @param {AbortSignal} signal ends the reading */
  constructor(rules, signal) {
    this.rules = rules;
    signal.addEventListener('abort', () => this.end(signal.reason));
  }

  /** @param {unknown} [why] */
  end(why = new Error('done')) {
    this.#worker.end(why);
  }

  /**
   * Reads a file. What cannot be read are faults of the file. Fails if the module does not run, or with the reason of its end.
   * @param {File} file @returns {AsyncGenerator<ReadPart>}
   */
  async *read(file) {
    let [count, done] = [0, 0];
    try {
      for await (const part of this.#parts(file)) {
        count += part.games.length + part.faults.length;
        done = part.done;
        yield part;
      }
      if (count === 0) yield fault(tc('no_games_in_file'), done);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      yield fault(String(error.refusal.detail ?? error.message), done);
    }
  }

  /** @param {File} file @returns {AsyncGenerator<ReadPart>} */
  async *#parts(file) {
    /** None for a library, which is not text. @type {TextDecoder | undefined} */
    let decoder;
    for (let from = 0; from < file.size; from += PIECE_BYTES) {
      const done = Math.min(from + PIECE_BYTES, file.size);
      const piece = await file
        .slice(from, done)
        .arrayBuffer()
        .catch(() => undefined);
      if (!piece) return yield fault(tc('file_gone'), from);
      const bytes = new Uint8Array(piece);
      const isLast = done === file.size;
      if (from === 0) decoder = await this.#decoderOf(bytes, !isLast);
      const part = decoder ? { text: decoder.decode(bytes, { stream: !isLast }) } : { bytes };
      const begun = from === 0 && { file: { name: file.name, rules: this.rules } };
      yield* this.#answers({ type: 'read_games', ...begun, ...part, is_last: isLast }, done);
    }
  }

  /** What the module answers to a part of a file. @param {EngineRequest} request @param {number} done @returns {AsyncGenerator<ReadPart>} */
  async *#answers(request, done) {
    let { games } = await this.#worker.ask(request);
    while (games) {
      yield { ...games, done };
      games = games.more ? (await this.#worker.ask({ type: 'read_games' })).games : undefined;
    }
  }

  /** How the bytes of a file become text; nothing if they are a library. @param {Uint8Array} bytes the first of the file @param {boolean} isPart */
  async #decoderOf(bytes, isPart) {
    const { encoding } = await this.#worker.ask({ type: 'encoding', bytes, is_part: isPart }).catch((error) => {
      throw error instanceof RefusedError ? new RefusedError({ reason: '', text: tc('no_game_file') }) : error;
    });
    if (!encoding) throw new Error('the module names an encoding or refuses');
    return encoding.is_library ? undefined : decoderOf(encoding);
  }
}

/** @param {string} text @param {number} done @returns {ReadPart} */
function fault(text, done) {
  return { games: [], lines: [], faults: [{ text }], done };
}
