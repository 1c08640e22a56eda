// The connection to the server: who we are, what we have said, and coming back.
//
// A command is kept until it is answered, and said again over the next socket with the same id, so
// that it is done once and nothing is lost. What a room's events mean is unknown here.

/** @import { Answer, Closed, Command, Joined, Message, Refused, RoomNews } from './types' */

import { RefusedError } from './refusals.js';

/** How a member of a room listens to it.
 * @typedef {object} Listener
 * @property {() => number | undefined} seq the number of the last event that it has
 * @property {(joined: Joined) => void} joined is told what it lacks
 * @property {(news: RoomNews) => void} hear
 * @property {(why: Refused | Closed) => void} lost the room cannot be entered any more
 */

/** @typedef {'connecting' | 'open' | 'lost' | 'stopped' | 'replaced'} Status `replaced`: the identity opens nothing any more. */

const PROTOCOL = 1;
/** Try again as a new command: the server was busy, and nothing was done. */
const IN_A_MOMENT = new Set(['too_fast', 'busy', 'unavailable', 'stopping']);
const TRIES_MAX = 6;
/** After these codes the page does not come back, as `come_back` in shared/src/protocol/close.rs. */
const CLOSED_FOR_GOOD = new Set([1000, 1002, 1007, 1009, 4003]);
/** Somebody has replaced our identity, perhaps we ourselves. */
const CLOSED_REPLACED = 4004;
/** Too many commands: come back, but slower. */
const CLOSED_TOO_FAST = 1008;
const PING_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 6_000;
const WAIT_MIN_MS = 250;
const WAIT_MAX_MS = 8_000;
/** After so many failures the wait is the longest. */
const FAILURES_MANY = 5;

/** Where the identity and the name are kept. */
export const KEPT = { identity: 'fivefold.identity', name: 'fivefold.name', former: 'fivefold.former', next: 'fivefold.next' };
/** So many of those one was before are kept. */
const FORMER_MAX = 5;

/**
 * @typedef {object} Pending
 * @property {Command} command
 * @property {number} tries
 * @property {(answer: Answer) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class Connection {
  /** @type {Status} */
  status = 'connecting';
  /** Our public id, once known. */
  you = '';
  /** What we are called. */
  name = '';
  /** Whether people may talk on this server. */
  chat = true;
  /** The server's clock minus ours, in milliseconds. */
  offset = 0;
  /** Is told whenever the status or the name is another. */
  onchange = () => {};

  /** @type {WebSocket | undefined} */
  #socket;
  #greeted = false;
  /** Who we have said that we are. @type {string | undefined} */
  #said;
  #failures = 0;
  #prefix = random();
  #count = 0;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** @type {Map<string, Listener>} */
  #rooms = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #deadline;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /** Connects, and stays connected. */
  start() {
    addEventListener('online', () => this.#now());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#look();
    });
    // Two tabs of somebody new may each be given an identity: what was kept last counts for both.
    addEventListener('storage', ({ key }) => {
      if (key === KEPT.identity && this.#identity() !== this.#said) this.#connect();
    });
    setInterval(() => this.#look(), PING_EVERY_MS);
    this.#connect();
  }

  /** The server's time. */
  now() {
    return Date.now() + this.offset;
  }

  /**
   * Says something, and gives the answer; it is said again until there is one.
   * @param {Command} command
   * @returns {Promise<Answer>}
   */
  send(command) {
    return new Promise((resolve, reject) => {
      this.#say({ command, tries: 0, resolve, reject });
    });
  }

  /** @param {string} name */
  async rename(name) {
    await this.send({ type: 'set_name', name });
    localStorage.setItem(KEPT.name, name);
    this.name = name;
    this.onchange();
  }

  /**
   * Hears a room from now on, over every socket. The answer to `create` or `join` enters it.
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

  /** Those one was before on this device, the last first.
   * @returns {{ identity: string, name: string }[]} */
  former() {
    try {
      return JSON.parse(localStorage.getItem(KEPT.former) ?? '[]');
    } catch {
      return [];
    }
  }

  /** Becomes somebody else, who has this identity; everything begins anew. Who one was is kept.
   * @param {string} identity
   * @param {string} [name] */
  become(identity, name) {
    const own = this.#identity();
    const others = this.former().filter((one) => one.identity !== identity && one.identity !== own);
    if (own) others.unshift({ identity: own, name: this.name });
    localStorage.setItem(KEPT.former, JSON.stringify(others.slice(0, FORMER_MAX)));
    localStorage.setItem(KEPT.identity, identity);
    if (name) localStorage.setItem(KEPT.name, name);
    else localStorage.removeItem(KEPT.name);
    location.reload();
  }

  /** Gives up an identity that opens nothing, for a new one. */
  forget() {
    localStorage.removeItem(KEPT.identity);
    location.reload();
  }

  /**
   * Has another secret be the key to our seats and games. It is kept before it is sent, so that we
   * are not locked out if the answer is lost.
   */
  async replaceIdentity() {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const identity = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    localStorage.setItem(KEPT.next, identity);
    try {
      await this.send({ type: 'replace_identity', identity });
    } catch (error) {
      localStorage.removeItem(KEPT.next);
      // The server knows nothing of us that a new identity would have to keep.
      if (error instanceof RefusedError && error.refusal.reason === 'not_allowed') return this.forget();
      throw error;
    }
    this.#takeNext();
  }

  /** Takes the identity that was to be the next one. Whether there was one. */
  #takeNext() {
    const next = localStorage.getItem(KEPT.next);
    if (!next) return this.#identity() !== this.#said;
    localStorage.setItem(KEPT.identity, next);
    localStorage.removeItem(KEPT.next);
    this.#said = next;
    return true;
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#socket?.close();
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#greeted = false;
    this.#expect();
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      const identity = this.#said = this.#identity();
      const name = localStorage.getItem(KEPT.name) ?? undefined;
      socket.send(JSON.stringify({ type: 'hello', id: this.#id(), protocol: PROTOCOL, identity, name }));
    };
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#hear(event.data);
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#closed(event.code);
    };
  }

  /** Who we are to be: as this is kept, every tab is the same. */
  #identity() {
    return localStorage.getItem(KEPT.identity) ?? undefined;
  }

  /** @param {number} code */
  #closed(code) {
    clearTimeout(this.#deadline);
    this.#socket = undefined;
    this.#greeted = false;
    if (CLOSED_FOR_GOOD.has(code)) return this.#become('stopped');
    if (code === CLOSED_REPLACED && !this.#takeNext()) return this.#become('replaced');
    this.#become('lost');
    if (code === CLOSED_TOO_FAST) this.#failures = FAILURES_MANY;
    const most = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Half of it by chance, so that not all come back at once.
    this.#retry = setTimeout(() => this.#connect(), most * (0.5 + Math.random() / 2));
  }

  /** Tries at once: there is a network again. */
  #now() {
    this.#failures = 0;
    if (this.status === 'lost' && !this.#socket) this.#connect();
    else this.#look();
  }

  /** Whether the server still answers. */
  #look() {
    if (!this.#greeted) {
      if (this.status === 'lost' && !this.#socket) this.#now();
      return;
    }
    this.send({ type: 'ping' }).catch(() => {});
  }

  /** If nothing is heard for a while, the socket is taken for dead. */
  #expect() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      const socket = this.#socket;
      if (!socket) return;
      this.#closed(1006);
      socket.close();
    }, ANSWER_WITHIN_MS);
  }

  /** @param {Status} status */
  #become(status) {
    if (this.status === status) return;
    this.status = status;
    this.onchange();
  }

  /** @param {Pending} pending */
  #say(pending) {
    const id = this.#id();
    this.#pending.set(id, pending);
    if (this.#greeted) this.#write(id, pending.command);
  }

  /**
   * @param {string} id
   * @param {Command} command
   */
  #write(id, command) {
    this.#socket?.send(JSON.stringify({ ...command, id }));
    if (this.#pending.size > 0) this.#expect();
  }

  #id() {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** @param {string} text */
  #hear(text) {
    /** @type {Message} */
    const message = JSON.parse(text);
    if (message.type === 'welcome') return this.#welcome(message);
    if (message.type === 'refused' && !this.#greeted) return this.#unwelcome(message);
    if ('id' in message || message.type === 'refused') this.#answered(/** @type {Answer | Refused} */ (message));
    else if (message.type === 'closed') this.#loseRoom(message.room, message);
    else if ('room' in message) this.#rooms.get(message.room)?.hear(message);
  }

  /** @param {Answer | Refused} answer */
  #answered(answer) {
    const pending = this.#pending.get(answer.id ?? '');
    if (!pending) return;
    this.#pending.delete(answer.id ?? '');
    clearTimeout(this.#deadline);
    if (this.#pending.size > 0) this.#expect();
    if (answer.type !== 'refused') return pending.resolve(answer);
    if (IN_A_MOMENT.has(answer.reason) && pending.tries < TRIES_MAX) {
      const wait = 200 * 2 ** pending.tries;
      setTimeout(() => this.#say({ ...pending, tries: pending.tries + 1 }), wait);
      return;
    }
    pending.reject(new RefusedError(answer));
  }

  /** @param {import('./types').Welcome} welcome */
  #welcome(welcome) {
    if (welcome.identity) {
      // Another tab was faster.
      if (this.#identity()) return this.#connect();
      localStorage.setItem(KEPT.identity, welcome.identity);
      this.#said = welcome.identity;
    }
    clearTimeout(this.#deadline);
    this.you = welcome.you;
    this.name = welcome.name;
    this.chat = welcome.chat ?? true;
    this.#greeted = true;
    this.#failures = 0;
    // First back into the rooms, then what was not answered: it may need them.
    for (const [code, listener] of this.#rooms) this.#join(code, listener);
    for (const [id, { command }] of this.#pending) {
      if (command.type !== 'join') this.#write(id, command);
    }
    this.#become('open');
    this.onchange();
  }

  /** @param {Refused} refused */
  #unwelcome(refused) {
    if (refused.reason === 'identity_replaced') {
      const socket = this.#socket;
      this.#closed(CLOSED_REPLACED);
      return socket?.close();
    }
    if (refused.reason === 'malformed') {
      // What was kept is no identity, or no name: be somebody new rather than nobody.
      localStorage.removeItem(localStorage.getItem(KEPT.name) ? KEPT.name : KEPT.identity);
    }
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
    const begin = Date.now();
    this.send({ type: 'join', room: code, after: listener.seq() }).then((answer) => {
      if (answer.type !== 'joined' || this.#rooms.get(code) !== listener) return;
      this.offset = answer.now - (begin + Date.now()) / 2;
      listener.joined(answer);
    }, (error) => {
      const refusal = error instanceof RefusedError ? error.refusal : { reason: 'unavailable', text: '' };
      this.#loseRoom(code, { ...refusal, type: 'refused' });
    });
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

function random() {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes)).replaceAll(/[^a-zA-Z0-9]/g, 'x');
}
