// The bot's level: the last chosen one, and the highest that the player has beaten.

import { siteStorage } from './browser-storage.js';
import { LEVEL_RATINGS } from './protocol.js';

const CHOSEN_KEY = 'fivefold.level';
const BEATEN_KEY = 'fivefold.beaten';
/** The level of a new player. */
const LEVEL = 3;

/** The last chosen level of the bot. */
export function botLevel() {
  return Number(siteStorage.getItem(CHOSEN_KEY)) || LEVEL;
}

/** The level whose rating is nearest. @param {number} rating */
export function nearestLevel(rating) {
  const away = LEVEL_RATINGS.map((level) => Math.abs(level - rating));
  return away.indexOf(Math.min(...away)) + 1;
}

/** @param {number} level */
export function saveBotLevel(level) {
  siteStorage.setItem(CHOSEN_KEY, String(level));
}

/** The highest level that the player has beaten; 0 if none. */
export function beatenLevel() {
  return Number(siteStorage.getItem(BEATEN_KEY)) || 0;
}

/** Remembers a win against the bot. @param {number} level */
export function saveBeaten(level) {
  if (level > beatenLevel()) siteStorage.setItem(BEATEN_KEY, String(level));
}
