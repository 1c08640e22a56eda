// Names for people of variants, board sizes, players and outcomes.

/** @import { GameSettings, OpeningKind, Outcome, Player, Rules, Seat, Size, Stone, VariantName } from './types' */

import { timeControlText } from './clock-display.js';
import { el } from './dom.js';
import { LEVEL_MAX, LEVEL_RATINGS } from './protocol.js';
import { isMember, stoneOf } from './room-state.js';
import { t } from './texts.js';

/** @import { App } from './view-types' */

/** @type {readonly VariantName[]} */
export const VARIANTS = ['freestyle', 'standard', 'renju', 'caro', 'caro_overline', 'mnk'];

/** @param {VariantName} variant */
export function variantName(variant) {
  return t(variant);
}

/** @param {OpeningKind} kind */
export function openingName(kind) {
  return t(`opening_${kind}`);
}

/** @param {Size} size */
export function sizeName(size) {
  return size === 'unbounded' ? t('unbounded') : `${size[0]}×${size[1]}`;
}

/** @param {Rules} rules @param {OpeningKind} [opening] named unless it is free */
export function rulesName(rules, opening = 'free') {
  return [variantName(rules.variant), sizeName(rules.size), opening !== 'free' && openingName(opening)].filter(Boolean).join(' · ');
}

/** The game of a seek: rules, opening, clock, and whether it is rated. @param {GameSettings} game */
export function gameName({ rules, opening, time, rated }) {
  return `${rulesName(rules, opening)} · ${time ? timeControlText(time) : t('clock_none')} · ${ratedName(rated)}`;
}

/** @param {boolean} [rated] */
export function ratedName(rated) {
  return t(rated ? 'rated' : 'casual');
}

/** @param {Player | null | undefined} player */
export function playerName(player) {
  if (!player) return t('seat_open');
  if ('member' in player) return player.engine ? t('bot_kind', { kind: player.name }) : player.name;
  const { kind, level } = player.bot;
  return kind === 'engine' ? t('bot_level', { level: level ?? 10 }) : t('bot_kind', { kind });
}

/** The rating of a bot's level, which no game changes. @param {Player | null | undefined} player */
export function botRating(player) {
  return player && 'bot' in player && player.bot.kind === 'engine' ? String(LEVEL_RATINGS[(player.bot.level ?? LEVEL_MAX) - 1] ?? '') : '';
}

/** A name; that of another person is a button for what the player can do about them.
 * @param {App} app @param {Player | null | undefined} player @param {import('./person-dialog.js').Context} [context] */
export function personName(app, player, context) {
  const name = el('bdi', null, playerName(player));
  if (!player || !('member' in player) || app.connection.local || isMember(player, app.connection.you)) return name;
  const press = () => void import('./person-dialog.js').then(({ openPersonDialog }) => openPersonDialog(app, player, context));
  return el('button', { type: 'button', class: 'person', onclick: press }, name);
}

/** A small stone to stand before a name. @param {Stone} stone */
export function stoneSign(stone) {
  return el('span', { class: `stone ${stone} sign`, title: t(stone) });
}

/** @param {{ reason: Outcome['reason'], winner?: Stone | null, by?: Stone }} outcome */
export function outcomeName(outcome) {
  if (outcome.reason === 'aborted') return t('result_aborted', { stone: t(outcome.by ?? 'black') });
  const why = t(`end_${outcome.reason}`);
  if (!outcome.winner) return t('result_draw', { why });
  return t(outcome.winner === 'black' ? 'result_black_won' : 'result_white_won', { why });
}

/**
 * How a game ended in which `black` played Black.
 * @param {Outcome} outcome
 * @param {Seat} black
 */
export function resultName(outcome, black) {
  const { reason, winner, by } = outcome;
  return outcomeName({ reason, winner: winner && stoneOf(winner, black), by: by && stoneOf(by, black) });
}
