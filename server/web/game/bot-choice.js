// The choice of a bot for a new game, and of one for a free seat: the kind of bot, and the engine's level with what
// it does and overlooks, and the highest that the player has beaten.

/** @import { BotKind, BotSpec, Rules } from '../ui/protocol-types' */
/** @import { TextKey } from '../language/texts.js' */

import { LEVEL_MAX, LEVEL_RATINGS } from '../client/protocol.js';
import { t } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';
import { segment, select } from '../ui/form-fields.js';
import { BOTS, beatenLevel, botLevel, chosenBot, playsBy, saveBotKind, saveBotLevel } from './bots.js';
import { playerName } from './display-names.js';

/**
 * @param {() => void} [chosen] after another bot was chosen
 * @param {Rules} [rules] of the position in which the bot shall play
 */
export function createBotChoice(chosen, rules) {
  const kinds = BOTS.filter((name) => !rules || playsBy(name, rules));
  const kind = select(
    t('local_bot'),
    kinds.map((name) => [name, t(`bot_${name}`)]),
  );
  const levels = segment(
    t('level'),
    'level',
    Array.from({ length: LEVEL_MAX }, (_, at) => /** @type {const} */ ([`${at + 1}`, `${at + 1}`])),
  );
  const how = el('p', { class: 'hint' });
  const level = el('div', { class: 'level' }, levels.label);
  kind.field.value = chosenBot().kind;
  if (!kind.field.value) kind.field.value = 'engine';
  levels.value = String(botLevel());
  show();

  function show() {
    const { level: at } = spec();
    level.hidden = how.hidden = at === undefined;
    if (at === undefined) return;
    const beaten = beatenLevel();
    write(
      how,
      [
        t(/** @type {TextKey} */ (`level_${at}`)),
        t('level_rating', { rating: String(LEVEL_RATINGS[at - 1] ?? '') }),
        beaten > 0 && t('level_beaten', { level: beaten }),
      ]
        .filter(Boolean)
        .join(' '),
    );
  }

  /** @returns {BotSpec} */
  function spec() {
    const name = /** @type {BotKind} */ (kind.field.value);
    return name === 'engine' ? { kind: name, level: botLevel() } : { kind: name };
  }

  function choose() {
    saveBotKind(spec().kind);
    saveBotLevel(Number(levels.value));
    show();
    chosen?.();
  }

  return { element: el('div', { class: 'bot-choice', onchange: choose }, kind.label, level, how), spec };
}

/** What a button says that begins a game with a bot. @param {BotSpec} bot */
export function playText({ kind, level }) {
  return level === undefined ? t('local_play', { bot: t(`bot_${kind}`) }) : t('play_level', { level });
}

/**
 * A list of the bots that play by the rules of a room, and a button that seats one.
 * @param {Rules} rules @param {(bot: BotSpec) => void} seat
 */
export function createBotSeat(rules, seat) {
  const levels = Array.from(
    { length: LEVEL_MAX },
    (_, at) => /** @type {BotSpec} */ ({ kind: 'engine', level: at + 1 }),
  );
  const bots = [
    ...levels,
    ...BOTS.filter((kind) => kind !== 'engine' && playsBy(kind, rules)).map(
      (kind) => /** @type {BotSpec} */ ({ kind }),
    ),
  ];
  const field = el(
    'select',
    { 'aria-label': t('local_bot') },
    ...bots.map((bot) => el('option', { value: JSON.stringify(bot) }, playerName({ bot }))),
  );
  field.value = JSON.stringify(chosenBot());
  if (!field.value) field.selectedIndex = botLevel() - 1;
  return el(
    'div',
    { class: 'row bot-seat' },
    field,
    button(t('invite_bot'), () => seat(JSON.parse(field.value))),
  );
}
