// The page's connection to the server: who speaks, which the browser stores for all tabs, and when to check the
// connection.

/** @import { Refused, Welcome } from '../ui/protocol-types' */

import { Connection } from '../client/connection.js';
import { siteStorage } from './browser-storage.js';

/** How long a new player's tab waits while another tab is getting their identity. */
const ALONE_WITHIN_MS = 2_000;

/** Keys of the stored identity and name, and of whether the browser's cookie speaks for an account. */
export const STORAGE_KEYS = {
  account: 'fivefold.account',
  identity: 'fivefold.identity',
  name: 'fivefold.name',
  next: 'fivefold.next',
};

export class PageConnection extends Connection {
  /** Whether the room is on this device. */
  local = false;
  /** Called when the account's session has ended. */
  onsignedout = () => {};
  /** The identity in our `hello`. @type {string | undefined} */
  #helloIdentity;

  /** Connects, and stays connected. */
  start() {
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.retryNow();
    });
    // Two tabs of a new player may each get an identity: both use the one stored last.
    addEventListener('storage', ({ key, newValue }) => {
      if (key === STORAGE_KEYS.account && !newValue) this.onsignedout();
      if ((key === STORAGE_KEYS.identity || key === STORAGE_KEYS.account) && this.#identity() !== this.#helloIdentity)
        this.connect();
    });
    this.connect();
  }

  /** Whether this browser is signed in: then its cookie speaks for the account, and no identity. */
  get account() {
    return !!siteStorage.getItem(STORAGE_KEYS.account);
  }

  /** Speaks for the cookie's account from now on, in all tabs. */
  signIn() {
    siteStorage.setItem(STORAGE_KEYS.account, '1');
    this.connect();
  }

  /** Goes on as this browser's guest, in all tabs. */
  signOut() {
    siteStorage.removeItem(STORAGE_KEYS.account);
    this.connect();
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

  /** The stored identity, which all tabs share. */
  #identity() {
    return this.account ? undefined : (siteStorage.getItem(STORAGE_KEYS.identity) ?? undefined);
  }

  /** @override */
  credentials() {
    const identity = (this.#helloIdentity = this.#identity());
    return { identity, name: (!this.account && siteStorage.getItem(STORAGE_KEYS.name)) || undefined };
  }

  /** Says hello. The tabs of a new player do so one after the other, so that the first one makes the identity of all.
   * @override @param {WebSocket} socket @param {() => void} hello */
  greet(socket, hello) {
    if (!navigator.locks || this.account || this.#identity()) return hello();
    navigator.locks
      .request(
        STORAGE_KEYS.identity,
        { signal: AbortSignal.timeout(ALONE_WITHIN_MS) },
        () =>
          // A socket that was left is closed, or will be.
          socket.readyState < 2 &&
          new Promise((done) => {
            // After the listener that keeps the identity.
            socket.addEventListener('message', done);
            socket.addEventListener('close', done);
            hello();
          }),
      )
      .catch(hello);
  }

  /** @override @param {Welcome} welcome */
  welcomed(welcome) {
    if (welcome.account) siteStorage.setItem(STORAGE_KEYS.account, '1');
    else if (this.account) {
      // The browser has dropped the cookie.
      siteStorage.removeItem(STORAGE_KEYS.account);
      this.onsignedout();
    }
    if (welcome.identity) {
      // Another tab got an identity first.
      if (this.#identity()) return true;
      siteStorage.setItem(STORAGE_KEYS.identity, welcome.identity);
      this.#helloIdentity = welcome.identity;
    }
    return false;
  }

  /** @override @param {Refused} refused */
  helloRefused({ reason }) {
    // Another tab has signed in, or the cookie's session has ended.
    if (reason === 'two_identities' || reason === 'signed_out') siteStorage.setItem(STORAGE_KEYS.account, '1');
    if (reason === 'malformed') {
      // The stored name or identity is invalid: continue without it.
      siteStorage.removeItem(siteStorage.getItem(STORAGE_KEYS.name) ? STORAGE_KEYS.name : STORAGE_KEYS.identity);
    }
  }

  /** Perhaps this player replaced the identity, or signed up with it. If an account's session has ended, the
   * browser goes on as a guest. Only an answer over HTTP can take its cookie away; and by then there may be a new one.
   * @override */
  async replaced() {
    if (!this.account) return this.adoptNextIdentity();
    const answer = await fetch('/api/account').catch(() => undefined);
    if (answer?.status === 401) {
      this.onsignedout();
      this.signOut();
    }
    return true;
  }
}
