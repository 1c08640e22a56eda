// A room on this machine in place of a connection to the server: the WebAssembly module is the room, and
// workers are the bots. The events are kept in the browser, so that a game goes on after a reload.

/** @import { Answer, BotSpec, Colour, Command, GameSettings, NumberedEvent, Point, RoomNews, RoomOutput, Snapshot } from '../ui/protocol-types' */
/** @import { Listener } from '../client/connection.js' */

import { siteStorage } from '../browser/browser-storage.js';
import { RefusedError } from '../client/refused-error.js';
import { EngineWorker, think } from '../engine/engine.js';

const STORAGE_KEY = 'fivefold.local_game';
/** The longest that a bot thinks, in milliseconds. */
const BOT_MS = 1_000;

/** How a local game starts: one name and a bot, or two names.
 * `moves` are made already.
 * @typedef {GameSettings & { names: string[], bot?: BotSpec, colour: Colour, moves?: readonly Point[] }} LocalSetup */

export class LocalConnection {
  local = true;
  /** The member who acts next: at one board, the page acts for both. */
  you = '';
  #worker = new EngineWorker();
  #count = 0;
  /** @type {Map<string, { resolve: (answer: Answer) => void, reject: (error: Error) => void }>} */
  #pending = new Map();
  /** The bots' jobs, by ticket. @type {Map<number, AbortController>} */
  #jobs = new Map();
  /** @type {NumberedEvent[]} */
  #log = [];
  /** @type {Snapshot | undefined} */
  #snapshot;
  /** @type {Listener | undefined} */
  #listener;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #alarm;
  #hasLeft = false;

  /** @param {boolean} [keeps] whether the game is kept, in place of the one before */
  constructor(keeps = true) {
    this.keeps = keeps;
  }

  /** Starts a game. Fails with a `RefusedError` if the rules do not offer it. @param {LocalSetup} setup */
  async begin({ colour, ...setup }) {
    const black = colour === 'random' ? Math.random() < 0.5 : colour === 'black';
    await this.#input({ input: 'open', ...setup, colour: black ? 'black' : 'white', seed: seed() });
  }

  /** Goes on with the kept game. */
  async goOn() {
    this.#log = keptLog();
    await this.#input({ input: 'restore', log: this.#log, seed: seed() });
  }

  /** No step of the system's clock moves it. */
  now() {
    return Math.round(performance.timeOrigin + performance.now());
  }

  /** @param {string} code @param {Listener} listener */
  enter(code, listener) {
    this.#listener = listener;
    if (this.#snapshot) {
      listener.joined({
        type: 'joined',
        id: '',
        room: code,
        now: this.now(),
        spectators: { count: 0, names: [] },
        snapshot: this.#snapshot,
      });
    }
  }

  /** Ends the room; its events are kept. */
  leave() {
    this.#hasLeft = true;
    clearTimeout(this.#alarm);
    for (const job of this.#jobs.values()) job.abort();
    this.#worker.end(new Error('left'));
  }

  /**
   * Does a room's command.
   * @param {Command} command
   * @returns {Promise<Answer>}
   */
  send({ type, ...command }) {
    if (type === 'close') siteStorage.removeItem(STORAGE_KEY);
    const id = String(this.#count++);
    if (type === 'close' || type === 'leave') return Promise.resolve({ type: 'done', id });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#input({ input: 'command', id, request: { type, ...command } }).catch(reject);
    });
  }

  /** @param {{ input: 'open' | 'restore' | 'command' | 'bot_replied' | 'wake', [field: string]: unknown }} input */
  async #input(input) {
    const { room } = await this.#worker.ask({ type: 'room', now: this.now(), ...input }).catch((error) => {
      // Nobody waits for an answer that comes after the room is left.
      if (input.input === 'command' || !this.#hasLeft) throw error;
      return { room: undefined };
    });
    if (room && !this.#hasLeft) this.#follow(room);
  }

  /** Does what follows from an input. @param {RoomOutput} output */
  #follow({ awaited, deadline, effects, snapshot }) {
    this.you = awaited;
    if (snapshot) this.#snapshot = withoutId(snapshot);
    for (const effect of effects) {
      if (effect.event) this.#note(effect.event, !snapshot);
      else if (effect.message && !snapshot) this.#receive(effect.message);
      else if (effect.think) void this.#think(effect.think);
      else if (effect.cancel_thinking !== undefined) this.#jobs.get(effect.cancel_thinking)?.abort();
    }
    clearTimeout(this.#alarm);
    if (deadline !== undefined)
      this.#alarm = setTimeout(() => this.#input({ input: 'wake' }), Math.max(0, deadline - this.now()));
  }

  /** Keeps an event, and shows it if the listener does not know it. @param {NumberedEvent} event @param {boolean} isNews */
  #note(event, isNews) {
    this.#log.push(event);
    if (this.keeps) siteStorage.setItem(STORAGE_KEY, JSON.stringify(this.#log));
    if (!isNews) return;
    // No server knows a replay of this game.
    const shown = event.event.type === 'started' ? { ...event, event: { ...event.event, id: '' } } : event;
    this.#listener?.receive({ type: 'event', room: '', ...shown });
  }

  /** @param {Answer | RoomNews | (import('../ui/protocol-types').Refused)} message */
  #receive(message) {
    const id = 'id' in message ? message.id : undefined;
    const pending = this.#pending.get(id ?? '');
    if (id === undefined) return this.#listener?.receive(/** @type {RoomNews} */ (message));
    this.#pending.delete(id);
    if (message.type === 'refused') pending?.reject(new RefusedError(message));
    else pending?.resolve(/** @type {Answer} */ (message));
  }

  /** @param {NonNullable<RoomOutput['effects'][number]['think']>} job */
  async #think({ ticket, question, time_ms = BOT_MS }) {
    const job = new AbortController();
    this.#jobs.set(ticket, job);
    const reply = await think(question, Math.min(time_ms, BOT_MS), job.signal).catch(() => undefined);
    this.#jobs.delete(ticket);
    // A bot that failed has no reply: the room goes on without it.
    if (!job.signal.aborted) await this.#input({ input: 'bot_replied', ticket, reply });
  }
}

/** Whether a game is kept in this browser. */
export function hasKeptGame() {
  return keptLog().length > 0;
}

/** @returns {NumberedEvent[]} */
function keptLog() {
  try {
    return JSON.parse(siteStorage.getItem(STORAGE_KEY) ?? '[]');
  } catch {
    return [];
  }
}

/** @param {Snapshot} snapshot @returns {Snapshot} */
function withoutId({ game, ...snapshot }) {
  return { ...snapshot, game: game && { ...game, id: '' } };
}

function seed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
