// Which refusals are only for now, and when to try again: a refused command, a refused hello, a lost connection.

/** Refusals after which a command is sent again, as a new one. */
const TRANSIENT = ['too_fast', 'busy', 'unavailable', 'stopping'];

/** Refusals of a program's `hello` after which it says it again. All others end its connection. */
export const HELLO_AGAIN = [...TRANSIENT, 'server_full', 'disk_full', 'too_many_sessions'];

/** After more failures than this, the wait does not grow while a server is there that cannot read its database. */
export const FAILURES_UNAVAILABLE = 2;

/** How long to wait before a refused command is sent again, in milliseconds, or 0 if it is not. It is sent again six
 * times at most, and each wait is twice the one before.
 * @param {string} reason @param {number} resent how often it was sent again */
export const resendWait = (reason, resent) => (TRANSIENT.includes(reason) && resent < 6 ? 200 * 2 ** resent : 0);

/** How long to wait before a lost server is asked again, in milliseconds. The waits grow up to a second and a half, and
 * after two minutes, when nobody may be looking, up to eight seconds. Half of a wait is random, so that clients do not
 * all return at once.
 * @param {number} failures in a row @param {number} lostMs since the connection was lost */
export const reconnectWait = (failures, lostMs) =>
  Math.min(lostMs < 120_000 ? 1_500 : 8_000, 250 * 2 ** failures) * (1 + Math.random()) * 0.5;
