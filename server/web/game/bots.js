// The bots: which there are and by which rules they play, the last chosen one and its level, and the highest level
// that the player has beaten.

/** @import { BotKind, BotSpec, Rules } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { LEVEL_RATINGS } from '../client/protocol.js';

const KIND_KEY = 'fivefold.bot';
const CHOSEN_KEY = 'fivefold.level';
const BEATEN_KEY = 'fivefold.beaten';
/** The level of a new player. */
const LEVEL = 3;
/** The largest board, in points, on which minimax plays, as `MINIMAX_POINTS_MAX` in shared/engine/src/bot.rs. */
const MINIMAX_POINTS = 20;

/** All bots. The rules do not offer each. @type {readonly BotKind[]} */
export const BOTS = ['engine', 'attack', 'pattern', 'minimax'];

/** Whether a bot plays by these rules, as `offered` in shared/src/bot_spec.rs. @param {BotKind} kind @param {Rules} rules */
export function playsBy(kind, { variant, k = 5, size }) {
  if (kind === 'pattern') return k === 5;
  // Minimax plays only where overlines win.
  return (
    kind !== 'minimax' ||
    (size !== 'unbounded' && size[0] * size[1] <= MINIMAX_POINTS && (variant === 'mnk' || variant === 'freestyle'))
  );
}

/** The last chosen bot. Only the engine has levels. @returns {BotSpec} */
export function chosenBot() {
  const kind = BOTS.find((name) => name === siteStorage.getItem(KIND_KEY)) ?? 'engine';
  return kind === 'engine' ? { kind, level: botLevel() } : { kind };
}

/** @param {BotKind} kind */
export function saveBotKind(kind) {
  siteStorage.setItem(KIND_KEY, kind);
}

/** The last chosen level of the engine. */
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
