// What a game's clock shows at a given time. It counts as shared/src/clock.rs does; only the server's
// clock decides.

/** @import { Clock, Seat, SideTime, TimeControl, TimeOff } from './protocol-types.js' */

/** A day: from here on, clocks show days and hours. */
export const DAY_MS = 86_400_000;
/** Below this, tenths of seconds are shown and a warning is announced once. */
export const LOW_MS = 10_000;

/**
 * The clock at the start of a game; none without a time control.
 * @param {TimeControl | undefined} control
 * @returns {Clock | undefined}
 */
export function newClock(control) {
  if (!control || control.type === 'none') return undefined;
  const left_ms = 'move_ms' in control ? control.move_ms : control.main_ms;
  const periods = control.type === 'byo_yomi' ? control.periods : undefined;
  return { control, first: { left_ms, periods }, second: { left_ms, periods } };
}

/** Whether a game is a daily game. @param {TimeControl | undefined} control */
export function isDaily(control) {
  return (newClock(control)?.first.left_ms ?? 0) >= DAY_MS;
}

/** @typedef {{ left_ms: number, periods: number, low: boolean }} Face `low`: time is running out. */

/**
 * What one side's clock shows at a given server time.
 * @param {Clock} clock
 * @param {Seat} seat
 * @param {number} now
 * @returns {Face}
 */
export function clockFace(clock, seat, now) {
  const side = clock[seat];
  const running = clock.running?.seat === seat;
  const since = clock.running?.since ?? now;
  const spent = running ? Math.max(0, now - since) - overlap(clock.off?.[seat], since, now) : 0;
  const { left_ms, periods } = left(clock.control, side, spent);
  const low = running && left_ms < LOW_MS && periods <= 1;
  return { left_ms, periods, low };
}

/** How much of a player's time off is between two times. @param {TimeOff | null | undefined} off @param {number} start @param {number} end */
function overlap(off, start, end) {
  return off ? Math.max(0, Math.min(off.until, end) - Math.max(off.from, start)) : 0;
}

/**
 * Sets a player's time off. A turn keeps what an earlier one gave it.
 * @param {Clock} clock @param {Seat} seat @param {TimeOff} next @param {number} now
 */
export function setOff(clock, seat, next, now) {
  const { off, running } = clock;
  if (running?.seat === seat && off?.[seat]?.from !== next.from)
    running.since += overlap(off?.[seat], running.since, Math.min(next.from, now));
  clock.off = { first: null, second: null, ...off, [seat]: next };
}

/**
 * @param {TimeControl} control
 * @param {SideTime} side
 * @param {number} spent
 */
function left(control, side, spent) {
  const periods = side.periods ?? 0;
  if (control.type !== 'byo_yomi') return { left_ms: Math.max(0, side.left_ms - spent), periods };
  if (spent < side.left_ms) return { left_ms: side.left_ms - spent, periods };
  const over = spent - side.left_ms;
  const used = Math.min(periods, Math.floor(over / control.period_ms));
  if (used === periods) return { left_ms: 0, periods: 0 };
  return { left_ms: control.period_ms - (over - used * control.period_ms), periods: periods - used };
}
