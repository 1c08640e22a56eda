// What the player has solved, and on how many days in a row; kept in this browser. Whatever lies in the
// browser's storage, it reads as some progress.

import { siteStorage } from '../browser/browser-storage.js';
import { DAY_MS } from '../client/clock.js';

/**
 * @typedef {object} Progress
 * @property {Set<string>} solved names of puzzles
 * @property {string} last the last day on which one was solved, such as `2026-11-22`; empty if none
 * @property {number} days how many days in a row up to then
 * @property {number} longest the most days in a row ever
 */

const STORAGE_KEY = 'fivefold.puzzles';
const WANTED_KEY = 'fivefold.puzzles_wanted';
/** More than there are puzzles. */
const SOLVED_MAX = 20_000;
const DAYS_MAX = 100_000;
const ID = /^[a-z]{1,16}-[0-9a-z]{1,8}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** @returns {Progress} */
export function readProgress() {
  const { solved, last, days, longest } = read(STORAGE_KEY);
  const count = (/** @type {unknown} */ value) =>
    Number.isInteger(value) ? Math.min(Math.max(Number(value), 0), DAYS_MAX) : 0;
  const isDay = typeof last === 'string' && DAY.test(last);
  const names = Array.isArray(solved) ? solved.filter((id) => typeof id === 'string' && ID.test(id)) : [];
  return {
    solved: new Set(names.slice(0, SOLVED_MAX)),
    last: isDay ? last : '',
    days: isDay ? count(days) : 0,
    longest: Math.max(count(longest), isDay ? count(days) : 0),
  };
}

/** Notes that a puzzle is solved. Another tab may have noted others. @param {string} id @param {string} day
 * @param {boolean} [counts] for the streak */
export function noteSolved(id, day, counts = true) {
  const { solved, last, days, longest } = readProgress();
  if (!counts) return keep(STORAGE_KEY, { solved: [...solved.add(id)], last, days, longest });
  const now = last === day ? days : last === dayBefore(day) ? days + 1 : 1;
  keep(STORAGE_KEY, { solved: [...solved.add(id)], last: day, days: now, longest: Math.max(longest, now) });
}

/** How many days in a row count today: none if a day went by without a puzzle. @param {Progress} progress @param {string} day */
export function streak({ last, days }, day) {
  return last === day || last === dayBefore(day) ? days : 0;
}

/** The player's own day. @param {Date} now */
export function dayOf(now) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** @param {string} day */
function dayBefore(day) {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
}

/** The filters that were chosen last; texts of any content. @returns {Record<string, string>} */
export function readWanted() {
  return Object.fromEntries(Object.entries(read(WANTED_KEY)).filter(([, value]) => typeof value === 'string'));
}

/** @param {Record<string, string>} wanted */
export function keepWanted(wanted) {
  keep(WANTED_KEY, wanted);
}

/** @param {string} key @returns {Record<string, any>} */
function read(key) {
  try {
    const value = JSON.parse(siteStorage.getItem(key) ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** @param {string} key @param {object} value */
function keep(key, value) {
  siteStorage.setItem(key, JSON.stringify(value));
}
