// How lengths of time are shown.

import { LOW_MS } from '../client/clock.js';

/**
 * A length of time as people read it: 1:02:03, 4:05, 9.8 when it is short, and 0:00 when it is up.
 * @param {number} ms @param {(seconds: number) => string} [tenths] how the language writes tenths of seconds
 */
export function durationText(ms, tenths = (seconds) => seconds.toFixed(1)) {
  if (ms <= 0) return '0:00';
  if (ms < LOW_MS) return tenths(Math.floor(ms / 100) / 10);
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** A wait that is counted: minutes and seconds. In a sentence, `formatSpan` names its units. @param {number} ms */
export function waitText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Shows something now and each second. Returns a function that ends it. @param {() => void} show */
export function eachSecond(show) {
  show();
  const timer = setInterval(show, 1_000);
  return () => clearInterval(timer);
}
