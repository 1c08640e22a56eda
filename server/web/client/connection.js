// The connection to the server: identity, commands and their answers, and reconnecting.
//
// A command is kept until its answer arrives and is sent again over the next socket with the same
// id, so that it is done exactly once. The meaning of a room's events is unknown here.

/** @import { Answer, Closed, Command, Joined, LobbyNews, Message, Refused, RoomNews } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { RefusedError } from '../language/refusals.js';
import { CLOSE_FOR_GOOD, CLOSE_IDENTITY_REPLACED, CLOSE_POLICY, PROTOCOL_VERSION } from './protocol.js';

/** Receives a room's messages.
 * @typedef {object} Listener
 * @property {() => number | undefined} seq the number of the event after which it wants all others; none for a snapshot
 * @property {() => boolean} playing whether a game is running
 * @property {(joined: Joined) => void} joined receives what it lacks
 * @property {(news: RoomNews) => void} receive
 * @property {(why: Refused | Closed) => void} lost the room cannot be entered
 */

/** @typedef {'connecting' | 'open' | 'lost' | 'stopped' | 'replaced'} Status `replaced`: the identity no longer works. */

/** Refusals after which the command is sent again, as a new one. */
const TRANSIENT = new Set(['too_fast', 'busy', 'unavailable', 'stopping']);
const TRIES_MAX = 6;
/** After this much silence of the server a ping is sent, which must be answered in time. */
const PING_AFTER_MS = 10_000;
const ANSWER_WITHIN_MS = 6_000;
/** The same while a game is running: the clock runs, too. */
const PLAYING_PING_AFTER_MS = 3_000;
const PLAYING_ANSWER_WITHIN_MS = 3_000;
/** When a silent server is left during a game, how long each further socket may take before the next one is opened,
 * and after the last one the loss is shown. Each may lead to another node. Browsers open one socket at a time. */
const CHANGE_WITHIN_MS = [700, 900, 1_400];
const WAIT_MIN_MS = 250;
/** The longest wait: at first, and after a loss of so long, when nobody may be looking. */
const WAIT_MAX_MS = 1_500;
const WAIT_LONG_MS = 8_000;
const LOSS_LONG_MS = 120_000;
/** Answers as soon as there is a server. */
const PRESENCE = '/healthz';
/** After this many failures the wait is the longest. */
const FAILURES_MANY = 5;

/** After more failures than this, the wait does not grow while a server is there that cannot read its database. */
const FAILURES_UNAVAILABLE = 2;

/** How long a new player's tab waits for another one that is getting their identity. */
const ALONE_WITHIN_MS = 2_000;
/** How long an identity that was replaced waits for another tab, which may have signed up with it. */
const REPLACED_AFTER_MS = 1_000;

/** Keys of the stored identity and name, and of whether the browser's cookie speaks for an account. */
export const STORAGE_KEYS = {
  account: 'fivefold.account',
  identity: 'fivefold.identity',
  name: 'fivefold.name',
  former: 'fivefold.former',
  next: 'fivefold.next',
};

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
  /** Whether the room is on this device. */
  local = false;
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
  /** Called when the account's session has ended. */
  onsignedout = () => {};

  /** @type {WebSocket | undefined} */
  #socket;
  #greeted = false;
  /** The identity in our `hello`. @type {string | undefined} */
  #helloIdentity;
  #failures = 0;
  /** When the connection was lost, by `performance.now()`. */
  #lostAt = 0;
  #prefix = randomPrefix();
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

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /** Connects, and stays connected. */
  start() {
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#probe();
    });
    // Two tabs of a new player may each get an identity: both use the one stored last.
    addEventListener('storage', ({ key, newValue }) => {
      if (key === STORAGE_KEYS.account && !newValue) this.onsignedout();
      if ((key === STORAGE_KEYS.identity || key === STORAGE_KEYS.account) && this.#identity() !== this.#helloIdentity)
        this.#connect();
    });
    this.#connect();
  }

  /** Whether this browser is signed in: then its cookie speaks for the account, and no identity. */
  get account() {
    return !!siteStorage.getItem(STORAGE_KEYS.account);
  }

  /** Speaks for the cookie's account from now on, in all tabs. */
  signIn() {
    siteStorage.setItem(STORAGE_KEYS.account, '1');
    this.#connect();
  }

  /** Goes on as this browser's guest, in all tabs. */
  signOut() {
    siteStorage.removeItem(STORAGE_KEYS.account);
    this.#connect();
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

  /** @param {string} name */
  async rename(name) {
    await this.send({ type: 'set_name', name });
    siteStorage.setItem(STORAGE_KEYS.name, name);
    this.name = name;
    this.onchange();
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

  /** Drops an identity that no longer works, for a new one. */
  startAsNewPlayer() {
    siteStorage.removeItem(STORAGE_KEYS.identity);
    location.reload();
  }

  /** Adopts the identity of a started replacement, or of another tab. Whether there is one. */
  adoptNextIdentity() {
    const next = siteStorage.getItem(STORAGE_KEYS.next);
    if (!next) return this.#identity() !== this.#helloIdentity;
    siteStorage.setItem(STORAGE_KEYS.identity, next);
    siteStorage.removeItem(STORAGE_KEYS.next);
    this.#helloIdentity = next;
    return true;
  }

  #connect() {
    this.#open();
    this.#startDeadline(ANSWER_WITHIN_MS);
  }

  /** Opens a socket in place of the one before, and says hello. */
  #open() {
    this.#drop();
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    const hello = () => {
      if (socket !== this.#socket) return;
      const identity = (this.#helloIdentity = this.#identity());
      const name = (!this.account && siteStorage.getItem(STORAGE_KEYS.name)) || undefined;
      socket.send(JSON.stringify({ type: 'hello', id: this.newId(), protocol: PROTOCOL_VERSION, identity, name }));
    };
    socket.onopen = () => this.#alone(socket, hello);
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#receive(event.data);
      this.#awaitNews();
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#onClose(event.code);
    };
  }

  /** Says hello. The tabs of a new player do so one after the other, so that the first one makes the identity of all.
   * @param {WebSocket} socket @param {() => void} hello */
  #alone(socket, hello) {
    if (!navigator.locks || this.account || this.#identity()) return hello();
    navigator.locks
      .request(
        STORAGE_KEYS.identity,
        { signal: AbortSignal.timeout(ALONE_WITHIN_MS) },
        () =>
          socket === this.#socket &&
          new Promise((done) => {
            // After the listener that keeps the identity.
            socket.addEventListener('message', done);
            socket.addEventListener('close', done);
            hello();
          }),
      )
      .catch(hello);
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
        if (playing) this.#startDeadline(PLAYING_ANSWER_WITHIN_MS);
      },
      playing ? PLAYING_PING_AFTER_MS : PING_AFTER_MS,
    );
  }

  /** The stored identity, which all tabs share. */
  #identity() {
    return this.account ? undefined : (siteStorage.getItem(STORAGE_KEYS.identity) ?? undefined);
  }

  /** @param {number} code */
  #onClose(code) {
    this.#drop();
    if (code === CLOSE_IDENTITY_REPLACED) {
      if (this.account) return void this.#checkAccount();
      // Perhaps this player replaced it, or signed up with it.
      if (!this.adoptNextIdentity()) {
        this.#retry = setTimeout(() => this.#setStatus('replaced'), REPLACED_AFTER_MS);
        return this.#setStatus('lost');
      }
    } else if (CLOSE_FOR_GOOD.includes(code)) return this.#setStatus('stopped');
    if (this.status !== 'lost') this.#lostAt = performance.now();
    this.#setStatus('lost');
    if (code === CLOSE_POLICY) {
      this.#failures = FAILURES_MANY;
      this.#lostAt = -LOSS_LONG_MS;
    }
    this.#askLater();
  }

  #askLater() {
    clearTimeout(this.#retry);
    const longest = performance.now() - this.#lostAt < LOSS_LONG_MS ? WAIT_MAX_MS : WAIT_LONG_MS;
    const most = Math.min(longest, WAIT_MIN_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Half of the wait is random, so that clients do not all return at once.
    this.#retry = setTimeout(() => this.#ask(), most * (0.5 + Math.random() / 2));
  }

  /** Connects if a server is there, and asks again until it is. Some browsers delay sockets, but not requests, for long
   * after others have failed. */
  #ask() {
    // A board on another site cannot read the answer, but learns that there is one.
    fetch(PRESENCE, { cache: 'no-store', mode: 'no-cors', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
      ({ status }) => {
        if (status < 500 && this.status === 'lost' && !this.#socket) this.#connect();
      },
      () => {},
    );
    this.#askLater();
  }

  /** Reconnects at once: the network is back, or the player asks for it. */
  retryNow() {
    this.#failures = 0;
    if (this.status === 'lost' && !this.#socket) this.#ask();
    else this.#probe();
  }

  /** Checks that the server still answers. */
  #probe() {
    if (!this.#greeted) {
      if (this.status === 'lost' && !this.#socket) this.retryNow();
      return;
    }
    this.send({ type: 'ping' }).catch(() => {});
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
    // A socket that is closing takes nothing more; the next one gets the command.
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ ...command, id }));
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
    if (TRANSIENT.has(answer.reason) && pending.tries < TRIES_MAX) {
      const wait = 200 * 2 ** pending.tries;
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

  /** @param {import('../ui/protocol-types').Welcome} welcome */
  #welcome(welcome) {
    if (welcome.account) siteStorage.setItem(STORAGE_KEYS.account, '1');
    else if (this.account) {
      // The browser has dropped the cookie.
      siteStorage.removeItem(STORAGE_KEYS.account);
      this.onsignedout();
    }
    if (welcome.identity) {
      // Another tab got an identity first.
      if (this.#identity()) return this.#connect();
      siteStorage.setItem(STORAGE_KEYS.identity, welcome.identity);
      this.#helloIdentity = welcome.identity;
    }
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
    if (refused.reason === 'identity_replaced') return this.#onClose(CLOSE_IDENTITY_REPLACED);
    if (refused.reason === 'signed_out') return void this.#checkAccount();
    // Another tab has signed in.
    if (refused.reason === 'two_identities') siteStorage.setItem(STORAGE_KEYS.account, '1');
    if (refused.reason === 'malformed') {
      // The stored name or identity is invalid: continue without it.
      siteStorage.removeItem(siteStorage.getItem(STORAGE_KEYS.name) ? STORAGE_KEYS.name : STORAGE_KEYS.identity);
    }
    if (refused.reason === 'unavailable') this.#failures = Math.min(this.#failures, FAILURES_UNAVAILABLE);
    this.#socket?.close();
  }

  /** Goes on as a guest if the account's session has ended. Only an answer over HTTP can take its cookie
   * away; and by then there may be a new one. */
  async #checkAccount() {
    this.#drop();
    this.#setStatus('lost');
    const answer = await fetch('/api/account').catch(() => undefined);
    if (answer?.status === 401) {
      this.onsignedout();
      this.signOut();
    } else if (!this.#socket) this.#onClose(1006);
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

function randomPrefix() {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes)).replaceAll(/[^a-zA-Z0-9]/g, 'x');
}
