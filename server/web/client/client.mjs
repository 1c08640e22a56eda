// A client for programs: who speaks, and the state of rooms. The page has its own class for this
// (browser/page-connection.js), so this file is in the package, but not served.

/** @import { Answer, Closed, Command, CreateCommand, Refused, Welcome } from './protocol-types.js' */
/** @import { Credentials, SocketClass } from './connection.js' */

import { Connection } from './connection.js';
import { RefusedError } from './refused-error.js';
import { HELLO_AGAIN } from './retries.js';
import { Room } from './room-state.js';

export { clockFace } from './clock.js';
export { opponent, SEATS, STONES, seatWith, stoneAt, stoneOf } from './room-state.js';
export { RefusedError, Room };

/** Refusals of a `hello` that mean that the credentials are no longer valid. */
const ENDED = new Set(['identity_replaced', 'signed_out']);

/**
 * Who speaks: the account of a token, a guest who was here before, or without either a new guest.
 * @typedef {object} Options
 * @property {string} [token] an API token of an account or a bot, `ff_...`
 * @property {string} [identity] the secret of a guest, from `identity` of an earlier client
 * @property {string} [name] the name of a guest
 * @property {SocketClass} [WebSocket] needed if the platform has none, as Node.js before version 22: the class from `ws`
 */

/**
 * Connects to a server. Fails if it does not answer; fails with a `RefusedError` if it refuses the token, the identity or
 * the name, or is full. If the connection is lost later, the client reconnects by itself.
 * @param {string} address such as `https://example.org`
 * @param {Options} [options]
 */
export async function connect(address, options) {
  const client = new Client(address, options);
  client.onchange = () => {
    if (client.status !== 'lost') return;
    client.stop(client.refusal() ?? new Error(`${client.address} does not answer as a Fivefold server.`));
  };
  client.connect();
  await client.send({ type: 'ping' });
  client.onchange = () => {};
  return client;
}

/** A connection of a program. The function `connect` makes one that is open. After `new Client`, call its `connect()`,
 * which also waits for a server that cannot be reached yet. */
export class Client extends Connection {
  /** The secret of a guest, to keep for the next time; none with a token. @type {string | undefined} */
  identity;
  #token;
  #name;
  /** @type {Refused | undefined} */
  #refused;
  /** What fails when the connection ends. @type {Set<(error: Error) => void>} */
  #waiting = new Set();

  /** @param {string} address @param {Options} [options] */
  constructor(address, { token, identity, name, WebSocket = globalThis.WebSocket } = {}) {
    if (!WebSocket) throw new Error('This platform has no WebSocket. Pass a class as the option WebSocket.');
    const { origin, protocol } = new URL(address.replace(/^ws/, 'http'));
    if (!/^https?:$/.test(protocol)) throw new Error(`${address} is not an address of a server.`);
    super(origin, '/ws', withoutErrors(WebSocket));
    this.identity = identity;
    this.#token = token;
    this.#name = name;
  }

  /**
   * Sends a command and resolves with its answer. After a lost connection it is sent again, but executed only
   * once. Fails with a `RefusedError`, or when the connection ends for good.
   * @override @param {Command} command
   * @returns {Promise<Answer>}
   */
  send(command) {
    return new Promise((resolve, reject) => {
      if (this.status === 'stopped') return reject(new Error('The connection has ended.'));
      this.#waiting.add(reject);
      super
        .send(command)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /**
   * Enters a room, and resolves when its state is known. Calls `changed` then and after each change, including what
   * has happened during a lost connection. Fails with a `RefusedError` if the room cannot be entered.
   * @param {string} code
   * @param {(room: Room) => void} [changed]
   * @param {(why: Refused | Closed) => void} [lost] the room was closed, or cannot be entered again
   * @returns {Promise<Room>}
   */
  join(code, changed = () => {}, lost = () => {}) {
    const room = new Room(code);
    return new Promise((resolve, reject) => {
      if (this.status === 'stopped') return reject(new Error('The connection has ended.'));
      // While the connection is lost, there is no command that could fail.
      this.#waiting.add(reject);
      this.enter(code, {
        seq: () => room.after,
        playing: () => room.phase === 'running',
        joined: (joined) => {
          room.joined(joined);
          // The connection asks for the whole state next.
          if (room.contradicted) return;
          this.#waiting.delete(reject);
          resolve(room);
          changed(room);
        },
        receive(news) {
          if (room.seq > 0 && room.receive(news)) changed(room);
        },
        lost: (why) => {
          this.#waiting.delete(reject);
          reject(new RefusedError({ ...why, reason: why.reason ?? 'no_such_room' }));
          lost(why);
        },
      });
    });
  }

  /**
   * Makes a room, and enters it as `join` does.
   * @param {Omit<CreateCommand, 'type'>} options
   * @param {(room: Room) => void} [changed]
   * @param {(why: Refused | Closed) => void} [lost]
   */
  async create(options, changed, lost) {
    const answer = await this.send({ ...options, type: 'create' });
    if (answer.type !== 'joined') throw new Error(`The server answered with ${answer.type}.`);
    return this.join(answer.room, changed, lost);
  }

  /** Why the server has refused the last `hello`, if it has. */
  refusal() {
    return this.#refused && new RefusedError(this.#refused);
  }

  /** Ends the connection for good. Commands that have no answer yet fail, and so does entering a room.
   * @override @param {Error} [error] what they fail with */
  stop(error = new Error('The connection has ended.')) {
    super.stop();
    for (const reject of this.#waiting) reject(error);
  }

  /** @override @returns {Credentials} */
  credentials() {
    return { token: this.#token, identity: this.identity, name: this.#name };
  }

  /** @override @param {Welcome} welcome */
  welcomed(welcome) {
    this.identity = welcome.identity ?? this.identity;
    this.#refused = undefined;
    return false;
  }

  /** @override @param {Refused} refused */
  helloRefused(refused) {
    this.#refused = refused;
    if (!HELLO_AGAIN.includes(refused.reason) && !ENDED.has(refused.reason)) this.stop(new RefusedError(refused));
  }

  /** @override */
  async replaced() {
    this.stop(this.refusal() ?? new Error('The identity or token is no longer valid.'));
    return false;
  }
}

/** A class whose sockets only report that they are closed: some would throw errors that nobody handles.
 * @param {SocketClass} WebSocket @returns {SocketClass} */
function withoutErrors(WebSocket) {
  return class extends WebSocket {
    /** @param {string} url */
    constructor(url) {
      super(url);
      this.onerror = () => {};
    }
  };
}
