// The connection to the server: commands and their answers, and reconnecting.
//
// A command is kept until its answer arrives and is sent again over the next socket with the same id, so that it is
// done exactly once. This file does not know what a room's events mean, or who speaks: the page and other programs
// define that in their own classes, which extend this one.

/** @import { Answer, Closed, Command, Joined, LobbyNews, Message, Refused, RoomNews, Welcome } from './protocol-types.js' */

import { CLOSE_FOR_GOOD, CLOSE_IDENTITY_REPLACED, CLOSE_POLICY, PROTOCOL_VERSION } from './protocol.js';
import { RefusedError } from './refused-error.js';
import { FAILURES_UNAVAILABLE, reconnectWait, resendWait } from './retries.js';

/** Receives a room's messages.
 * @typedef {object} Listener
 * @property {() => number | undefined} seq the number of the event after which it wants all others; none for a snapshot
 * @property {() => boolean} playing whether a game is running
 * @property {(joined: Joined) => void} joined receives what it lacks
 * @property {(news: RoomNews) => void} receive
 * @property {(why: Refused | Closed) => void} lost the room cannot be entered
 */

/** @typedef {'connecting' | 'open' | 'lost' | 'stopped' | 'replaced'} Status `replaced`: the identity no longer works. */

/** After this much silence of the server a ping is sent, which must be answered in time. */
const PING_AFTER_MS = 10_000;
const ANSWER_WITHIN_MS = 6_000;
/** Both while a game is running: the clock runs, too. */
const PLAYING_WITHIN_MS = 3_000;
/** When a silent server is left during a game, how long each further socket may take before the next one is opened,
 * and after the last one the loss is shown. Each may lead to another node. Browsers open one socket at a time. */
const CHANGE_WITHIN_MS = [700, 900, 1_400];
/** Answers as soon as there is a server. */
const PRESENCE = '/healthz';
/** How long to wait for another identity after ours was replaced: another tab may have signed up with it. */
const REPLACED_AFTER_MS = 1_000;

/** The part of a `WebSocket` that a connection uses.
 * @typedef {object} Socket
 * @property {number} readyState
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onclose
 * @property {((event: any) => void) | null} onerror
 * @property {(text: string) => void} send
 * @property {() => void} close
 */

/** @typedef {new (url: string) => Socket} SocketClass */

/** What `hello` says about its sender. It has an identity or a token, not both.
 * @typedef {{ identity?: string, token?: string, name?: string }} Credentials */

/**
 * @typedef {object} Pending
 * @property {Command} command
 * @property {number} tries
 * @property {number} [sent] when it was last sent, by `performance.now()`
 * @property {(answer: Answer) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class Connection {
  /** @type {Status} */
  status = 'connecting';
  /** Our public id, once known. */
  you = '';
  /** Our name. */
  name = '';
  /** Whether people may talk on this server. */
  chat = true;
  /** The server's time at the zero of `performance.now()`, which no step of the system's clock moves. */
  #zero = performance.timeOrigin;
  /** The round trip in which that was read, in milliseconds. */
  #trip = Infinity;
  /** Called when the status or the name changes. */
  onchange = () => {};
  /** Called when we are somebody else than before. */
  onswitch = () => {};

  /** @type {Socket | undefined} */
  #socket;
  #greeted = false;
  #failures = 0;
  /** When the connection was lost, by `performance.now()`. */
  #lostAt = 0;
  /** Makes our command ids differ from those of others with the same identity. */
  #prefix = Math.random().toString(36).slice(2);
  #count = 0;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** The commands that stand, by their ids. @type {Map<string, Pending>} */
  #standing = new Map();
  /** @type {Map<string, Listener>} */
  #rooms = new Map();
  /** @type {Set<(news: LobbyNews) => void>} */
  #listeners = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #deadline;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;

  /** @param {string} address of the server, such as `https://example.org` @param {string} [path] of the socket
   * @param {SocketClass} [WebSocket] needed if the platform has none */
  constructor(address, path = '/ws', WebSocket = globalThis.WebSocket) {
    this.address = address;
    this.path = path;
    this.WebSocket = WebSocket;
  }

  /** Connects, and stays connected. A second call opens another socket, which may have other credentials. */
  connect() {
    this.#open();
    this.#startDeadline(ANSWER_WITHIN_MS);
  }

  /** Ends the connection. */
  stop() {
    this.#drop();
    this.#setStatus('stopped');
  }

  /** Who says hello. @returns {Credentials} */
  credentials() {
    return {};
  }

  /** Says hello over an open socket. @param {Socket} _socket @param {() => void} hello */
  greet(_socket, hello) {
    hello();
  }

  /** The server has answered our `hello`. Returns whether to say it again as somebody else. @param {Welcome} _welcome */
  welcomed(_welcome) {
    return false;
  }

  /** The server has refused our `hello`. The connection comes back with other credentials, if there are any.
   * @param {Refused} _refused */
  helloRefused(_refused) {}

  /** Our credentials are no longer valid. Resolves with whether there are others. @returns {Promise<boolean>} */
  async replaced() {
    return false;
  }

  /** The server's time. */
  now() {
    return performance.now() + this.#zero;
  }

  /**
   * Sends a command and resolves with its answer. It is sent again until there is one.
   * @param {Command} command
   * @returns {Promise<Answer>}
   */
  send(command) {
    return new Promise((resolve, reject) => {
      this.#queue({ command, tries: 0, resolve, reject });
    });
  }

  /**
   * Sends a command now, and again over each later socket, with the same id, until `end`.
   * @param {string} id
   * @param {Command} command
   * @param {(answer: Answer) => void} resolve
   * @param {(error: Error) => void} refused at once or later; it is not sent again
   */
  repeat(id, command, resolve, refused) {
    const reject = (/** @type {Error} */ error) => {
      this.#standing.delete(id);
      refused(error);
    };
    const standing = { command, tries: 0, resolve, reject };
    this.#standing.set(id, standing);
    this.#queue(standing, id);
  }

  /** Ends the repetition of a command. @param {string} id */
  end(id) {
    this.#standing.delete(id);
    this.#pending.delete(id);
  }

  /**
   * Passes messages that concern neither a command nor a room. Returns a function that ends it.
   * @param {(news: LobbyNews) => void} listener
   */
  listen(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Waits for the server's greeting, after which `you` and `name` are known, or until it cannot be reached. */
  async greeted() {
    if (!this.you) await this.send({ type: 'ping' }).catch(() => {});
  }

  /**
   * Joins a room, over this socket and later ones, and passes its messages to the listener.
   * @param {string} code
   * @param {Listener} listener
   */
  enter(code, listener) {
    this.#rooms.set(code, listener);
    if (listener.seq() === undefined && this.#greeted) this.#join(code, listener);
  }

  /** @param {string} code */
  leave(code) {
    if (!this.#rooms.delete(code)) return;
    this.send({ type: 'leave', room: code }).catch(() => {});
  }

  /** Opens a socket in place of the one before, and says hello. */
  #open() {
    this.#drop();
    const socket = new this.WebSocket(this.address.replace('http', 'ws') + this.path);
    this.#socket = socket;
    socket.onopen = () =>
      this.greet(socket, () => {
        if (socket === this.#socket)
          socket.send(
            JSON.stringify({ type: 'hello', id: this.newId(), protocol: PROTOCOL_VERSION, ...this.credentials() }),
          );
      });
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#receive(event.data);
      this.#awaitNews();
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#onClose(event.code);
    };
  }

  /** Closes the socket, if there is one. */
  #drop() {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#endDeadline();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#greeted = false;
    socket?.close();
  }

  /** The server is silent. While a game is running, other sockets are tried before the loss is shown. */
  #onSilence() {
    if (!this.#greeted || !this.#playing()) return this.#onClose(1006);
    const waits = [...CHANGE_WITHIN_MS];
    const next = () => {
      const within = waits.shift();
      if (within === undefined) return this.#onClose(1006);
      this.#open();
      this.#startDeadline(within, next);
    };
    next();
  }

  /** Whether a game is running in a room of ours. */
  #playing() {
    return [...this.#rooms.values()].some((listener) => listener.playing());
  }

  /** Sends a ping if the server is silent for a while. */
  #awaitNews() {
    clearTimeout(this.#silence);
    if (!this.#greeted) return;
    const playing = this.#playing();
    this.#silence = setTimeout(
      () => {
        this.send({ type: 'ping' }).catch(() => {});
        if (playing) this.#startDeadline(PLAYING_WITHIN_MS);
      },
      playing ? PLAYING_WITHIN_MS : PING_AFTER_MS,
    );
  }

  /** @param {number} code */
  #onClose(code) {
    this.#drop();
    const isReplaced = code === CLOSE_IDENTITY_REPLACED;
    if (!isReplaced && CLOSE_FOR_GOOD.includes(code)) return this.stop();
    if (this.status !== 'lost') this.#lostAt = performance.now();
    this.#setStatus('lost');
    if (isReplaced)
      return void this.replaced().then((isAnother) => {
        if (this.#socket || this.status !== 'lost') return;
        if (isAnother) this.#askLater();
        else this.#retry = setTimeout(() => this.#setStatus('replaced'), REPLACED_AFTER_MS);
      });
    // The longest waits, from now on.
    if (code === CLOSE_POLICY) {
      this.#failures = Infinity;
      this.#lostAt = -Infinity;
    }
    this.#askLater();
  }

  #askLater() {
    clearTimeout(this.#retry);
    const wait = reconnectWait(this.#failures, performance.now() - this.#lostAt);
    this.#failures += 1;
    if (this.status === 'lost') this.#retry = setTimeout(() => this.#ask(), wait);
  }

  /** Connects if a server is there, and asks again until it is. Some browsers delay sockets, but not requests, for long
   * after others have failed. */
  #ask() {
    // A board on another site cannot read the answer, but learns that there is one.
    fetch(this.address + PRESENCE, {
      cache: 'no-store',
      mode: 'no-cors',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).then(
      ({ status }) => {
        if (status < 500 && this.status === 'lost' && !this.#socket) this.connect();
      },
      () => {},
    );
    this.#askLater();
  }

  /** Reconnects at once, or asks whether the server still answers: the network is back, or somebody looks at the page again. */
  retryNow() {
    this.#failures = 0;
    if (this.#greeted) this.send({ type: 'ping' }).catch(() => {});
    else if (this.status === 'lost' && !this.#socket) this.#ask();
  }

  /**
   * Leaves the server if nothing arrives for a while.
   * @param {number} ms
   * @param {() => void} [late] what to do then
   */
  #startDeadline(ms, late = () => this.#onSilence()) {
    this.#endDeadline();
    this.#deadline = setTimeout(late, ms);
  }

  #endDeadline() {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** @param {Status} status */
  #setStatus(status) {
    if (this.status === status) return;
    this.status = status;
    this.onchange();
  }

  /** @param {Pending} pending */
  #queue(pending, id = this.newId()) {
    this.#pending.set(id, pending);
    if (this.#greeted) this.#write(id, pending.command);
  }

  /**
   * @param {string} id
   * @param {Command} command
   */
  #write(id, command) {
    const pending = this.#pending.get(id);
    if (pending) pending.sent = performance.now();
    // If the socket is not open, the next one gets the command.
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify({ ...command, id }));
    // The oldest command counts: others may follow again and again.
    if (!this.#deadline) this.#startDeadline(ANSWER_WITHIN_MS);
  }

  /** The id of a new command. */
  newId() {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** @param {string} text */
  #receive(text) {
    /** @type {Message} */
    const message = JSON.parse(text);
    if (message.type === 'welcome') return this.#welcome(message);
    if (message.type === 'refused' && !this.#greeted) return this.#helloRefused(message);
    if ('id' in message || message.type === 'refused') this.#settle(/** @type {Answer | Refused} */ (message));
    else if (message.type === 'closed') this.#loseRoom(message.room, message);
    else if ('room' in message && message.type !== 'paired') this.#rooms.get(message.room)?.receive(message);
    else for (const listener of this.#listeners) listener(message);
  }

  /** @param {Answer | Refused} answer */
  #settle(answer) {
    const id = answer.id ?? '';
    const pending = this.#pending.get(id) ?? this.#standing.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    if ('now' in answer && typeof answer.now === 'number') this.#readTime(answer.now, pending.sent ?? 0);
    this.#endDeadline();
    if (this.#pending.size > 0) this.#startDeadline(ANSWER_WITHIN_MS);
    if (answer.type !== 'refused') return pending.resolve(answer);
    const wait = resendWait(answer.reason, pending.tries);
    if (wait) {
      const stands = this.#standing.has(id);
      setTimeout(() => {
        if (!stands || this.#standing.has(id))
          this.#queue({ ...pending, tries: pending.tries + 1 }, stands ? id : undefined);
      }, wait);
      return;
    }
    pending.reject(new RefusedError(answer));
  }

  /**
   * The server has read its clock during a round trip. The shortest one is the most exact, unless a later one rules it
   * out: the device has slept, or a clock was set.
   * @param {number} now
   * @param {number} begin when the question was sent, by `performance.now()`
   */
  #readTime(now, begin) {
    const end = performance.now();
    const isPossible = this.#zero >= now - end - 1 && this.#zero <= now - begin + 1;
    if (isPossible && end - begin > this.#trip) return;
    this.#trip = end - begin;
    this.#zero = now - (begin + end) / 2;
  }

  /** @param {Welcome} welcome */
  #welcome(welcome) {
    if (this.welcomed(welcome)) return this.connect();
    this.#endDeadline();
    const switched = this.you && this.you !== welcome.you;
    this.you = welcome.you;
    this.name = welcome.name;
    this.chat = welcome.chat ?? true;
    this.#greeted = true;
    this.#failures = 0;
    // First the rooms, then unanswered commands, which may need them.
    for (const [code, listener] of this.#rooms) this.#join(code, listener);
    for (const [id, { command }] of this.#pending) {
      if (command.type !== 'join') this.#write(id, command);
    }
    for (const [id, standing] of this.#standing) if (!this.#pending.has(id)) this.#queue(standing, id);
    this.#setStatus('open');
    this.onchange();
    if (switched) this.onswitch();
  }

  /** @param {Refused} refused */
  #helloRefused(refused) {
    this.helloRefused(refused);
    if (refused.reason === 'identity_replaced' || refused.reason === 'signed_out')
      return this.#onClose(CLOSE_IDENTITY_REPLACED);
    if (refused.reason === 'unavailable') this.#failures = Math.min(this.#failures, FAILURES_UNAVAILABLE);
    this.#socket?.close();
  }

  /**
   * @param {string} code
   * @param {Listener} listener
   */
  #join(code, listener) {
    for (const [id, { command }] of this.#pending) {
      if (command.type === 'join' && command.room === code) this.#pending.delete(id);
    }
    this.send({ type: 'join', room: code, after: listener.seq() }).then(
      (answer) => {
        if (answer.type !== 'joined' || this.#rooms.get(code) !== listener) return;
        // The join of a long game may be late; its clock is not.
        this.send({ type: 'ping' }).catch(() => {});
        listener.joined(answer);
        // What it knew contradicts the server's log.
        if (answer.events && listener.seq() === undefined) this.#join(code, listener);
      },
      (error) => {
        const refusal = error instanceof RefusedError ? error.refusal : { reason: 'unavailable', text: '' };
        this.#loseRoom(code, { ...refusal, type: 'refused' });
      },
    );
  }

  /**
   * @param {string} code
   * @param {Refused | Closed} why
   */
  #loseRoom(code, why) {
    const listener = this.#rooms.get(code);
    this.#rooms.delete(code);
    listener?.lost(why);
  }
}
