// Which refusals are only for now, and when to try again: a refused command, a refused hello, a lost connection.

/** Refusals after which a command is sent again, as a new one. */
const TRANSIENT = new Set(['too_fast', 'busy', 'unavailable', 'stopping']);
/** How often it is sent again. The first wait is the shortest, and each is twice the one before. */
const RESENT_MAX = 6;
const RESEND_AFTER_MS = 200;

/** Refusals of a program's `hello` after which it says it again. All others end its connection. */
export const HELLO_AGAIN = new Set([...TRANSIENT, 'server_full', 'disk_full', 'too_many_sessions']);

/** The first wait for a lost server, at most; each is up to twice the one before. */
const WAIT_MIN_MS = 250;
/** The longest wait: at first, and after a loss of so long, when nobody may be looking. */
const WAIT_MAX_MS = 1_500;
const WAIT_LONG_MS = 8_000;
const LOSS_LONG_MS = 120_000;
/** After more failures than this, the wait does not grow while a server is there that cannot read its database. */
export const FAILURES_UNAVAILABLE = 2;

/** How long to wait before a refused command is sent again, in milliseconds; 0 if it is not.
 * @param {string} reason @param {number} resent how often it was sent again */
export const resendWait = (reason, resent) =>
  TRANSIENT.has(reason) && resent < RESENT_MAX ? RESEND_AFTER_MS * 2 ** resent : 0;

/** How long to wait before a lost server is asked again, in milliseconds. Half of it is random, so that clients do not
 * all return at once. @param {number} failures in a row @param {number} lostMs since the connection was lost */
export const reconnectWait = (failures, lostMs) =>
  Math.min(lostMs < LOSS_LONG_MS ? WAIT_MAX_MS : WAIT_LONG_MS, WAIT_MIN_MS * 2 ** failures) * (0.5 + Math.random() / 2);
