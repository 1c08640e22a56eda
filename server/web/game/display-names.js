// Names for people of variants, board sizes, players and outcomes.

/** @import { GameSettings, OpeningKind, Outcome, Player, Rules, Seat, Size, Stone, TimeControl, VariantName } from '../ui/protocol-types' */

import { drawnName } from '../board/board-squares.js';
import { DAY_MS } from '../client/clock.js';
import { LEVEL_MAX, LEVEL_RATINGS } from '../client/protocol.js';
import { isMember, stoneOf } from '../client/room-state.js';
import { formatSpan, formatTenths, t } from '../language/texts.js';
import { button, el } from '../ui/dom.js';
import { durationText } from './clock-display.js';

/** @import { App, PersonContext } from '../ui/view-types' */
/** @import { Face } from '../client/clock.js' */

/** @type {readonly VariantName[]} */
export const VARIANTS = ['freestyle', 'standard', 'renju', 'caro', 'caro_overline', 'mnk'];

/** @param {VariantName} variant */
export function variantName(variant) {
  return t(variant);
}

/** What a player plays: a colour, or crosses and noughts where the board draws those. @param {Stone} stone @param {Pick<Rules, 'size'>} [rules] */
export function stoneName(stone, rules) {
  return t(drawnName(stone, rules?.size));
}

/** The same as a part of a sentence. @param {Stone} stone @param {Pick<Rules, 'size'>} [rules] */
export function sideName(stone, rules) {
  return t(`the_${drawnName(stone, rules?.size)}`);
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
  return [variantName(rules.variant), sizeName(rules.size), opening !== 'free' && openingName(opening)]
    .filter(Boolean)
    .join(' · ');
}

/** The game of a seek: rules, opening, clock, and whether it is rated. @param {GameSettings} game */
export function gameName({ rules, opening, time, rated }) {
  return `${rulesName(rules, opening)} · ${clockText(time)} · ${ratedName(rated)}`;
}

/** The clock of a game, also of one without. @param {TimeControl | undefined} control */
export function clockText(control) {
  return !control || control.type === 'none' ? t('clock_none') : timeControlText(control);
}

/** A time control in short: 5+3, 10+3×30 s, 3d a move. @param {TimeControl | undefined} control @returns {string} */
export function timeControlText(control) {
  const seconds = (/** @type {number} */ ms) => t('seconds_short', { seconds: ms / 1000 });
  const short = (/** @type {number} */ ms) => (ms % 60_000 === 0 ? `${ms / 60_000}` : seconds(ms));
  switch (control?.type) {
    case 'sudden_death':
      return `${short(control.main_ms)}+0`;
    case 'fischer':
      if (control.main_ms >= DAY_MS) return `${formatSpan(control.main_ms)} + ${formatSpan(control.increment_ms)}`;
      return `${short(control.main_ms)}+${control.increment_ms / 1000}`;
    case 'byo_yomi':
      return `${short(control.main_ms)}+${control.periods}×${seconds(control.period_ms)}`;
    case 'per_move':
      return t('clock_each', { time: seconds(control.move_ms) });
    case 'daily':
      return t('clock_each', { time: formatSpan(control.move_ms) });
    default:
      return '∞';
  }
}

/** What a player's clock shows: the time left, and the periods after it. @param {Face} face */
export function faceText({ left_ms, periods }) {
  const time = left_ms < DAY_MS ? durationText(left_ms, formatTenths) : formatSpan(left_ms);
  return periods ? `${time} ×${periods}` : time;
}

/** @param {boolean} [rated] */
export function ratedName(rated) {
  return t(rated ? 'rated' : 'casual');
}

/** @param {Player | null | undefined} player */
export function playerName(player) {
  if (!player) return t('seat_open');
  if ('member' in player) return player.engine ? t('bot_kind', { kind: player.name }) : memberName(player.name);
  const { kind, level } = player.bot;
  return kind === 'engine' ? t('bot_level', { level: level ?? 10 }) : t('bot_kind', { kind: t(`bot_${kind}`) });
}

/** The player's name, or "You". @param {App} app @param {Player | null | undefined} player */
export function nameOrYou({ connection }, player) {
  return !connection.local && isMember(player, connection.you) ? t('you') : playerName(player);
}

/** A name, in the language of the page if the server has given it to a guest. @param {string} name */
export function memberName(name) {
  const number = /^Guest (\d{4})$/.exec(name)?.[1];
  return number ? t('guest_number', { number }) : name;
}

/** The rating of a bot's level, which no game changes. @param {Player | null | undefined} player */
export function botRating(player) {
  return player && 'bot' in player && player.bot.kind === 'engine'
    ? String(LEVEL_RATINGS[(player.bot.level ?? LEVEL_MAX) - 1] ?? '')
    : '';
}

/** A name; that of another person is a button for what the player can do about them.
 * @param {App} app @param {Player | null | undefined} player @param {PersonContext} [context] where the person was met */
export function personName(app, player, context) {
  const name = el('bdi', null, playerName(player));
  if (!player || !('member' in player) || app.connection.local || isMember(player, app.connection.you)) return name;
  return button(name, () => app.openPerson(player, context), { class: 'person' });
}

/** A small stone to stand before a name. @param {Stone} stone @param {Pick<Rules, 'size'>} [rules] */
export function stoneSign(stone, rules) {
  return el('span', { class: `stone ${stone} sign`, title: stoneName(stone, rules) });
}

/** @param {{ reason: Outcome['reason'], winner?: Stone | null, by?: Stone | null }} outcome @param {Rules} rules */
export function outcomeName(outcome, rules) {
  if (outcome.reason === 'aborted')
    return outcome.by ? t('result_aborted', { stone: sideName(outcome.by, rules) }) : t('is_aborted');
  const why = outcome.reason === 'five' ? lineName(rules) : t(`end_${outcome.reason}`);
  if (!outcome.winner) return t('result_draw', { why });
  return t('result_won', { stone: sideName(outcome.winner, rules), why });
}

/** The line that wins. @param {Rules} rules */
function lineName({ k = 5 }) {
  return k === 5 ? t('end_five') : k === 3 ? t('end_three') : t('end_line', { count: k });
}

/**
 * How a game ended in which `black` played Black.
 * @param {Outcome} outcome
 * @param {Seat} black
 * @param {Rules} rules
 */
export function resultName(outcome, black, rules) {
  const { reason, winner, by } = outcome;
  return outcomeName({ reason, winner: winner && stoneOf(winner, black), by: by && stoneOf(by, black) }, rules);
}
