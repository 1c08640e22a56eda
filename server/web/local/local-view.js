// Games on this device, without a server: against a bot, or two people at one board. The room's page shows
// them.

/** @import { BotKind, BotSpec, Colour } from '../types' */
/** @import { View } from '../view-types' */

import { ta } from '../analysis/texts.js';
import { botLevel } from '../bot-level.js';
import { siteStorage } from '../browser-storage.js';
import { rulesName } from '../display-names.js';
import { el, fill, write } from '../dom.js';
import { select } from '../form-fields.js';
import { createGameOptions } from '../game-options.js';
import { createLevelChoice } from '../level-choice.js';
import { linkedPosition } from '../position-link.js';
import { stoneAt } from '../room-state.js';
import { view as roomView } from '../room-view.js';
import { t } from '../texts.js';
import { hasKeptGame, LocalConnection } from './local-connection.js';

/** Stands in for a room's code. */
const CODE = 'local';
const BOT_KEY = 'fivefold.local_bot';
/** All bots. The rules do not offer each; the room says so. @type {BotKind[]} */
const BOTS = ['engine', 'pattern', 'attack', 'minimax'];

/** @type {View} */
export const view = (app, place) => {
  let leave = () => {};
  const options = createGameOptions('local');
  /** The position from which the game goes on, if the address has one. */
  const from = linkedPosition(location.hash.slice(1));
  const own = select(t('colour'), [['black', t('black')], ['white', t('white')]]);
  if (from) own.field.value = stoneAt(from.moves.length);
  const kind = select(t('local_bot'), BOTS.map((name) => [name, t(`bot_${name}`)]));
  kind.field.value = BOTS.find((name) => name === siteStorage.getItem(BOT_KEY)) ?? 'engine';
  const bot = el('button', { type: 'button', onclick: () => start([t('you')], spec()) });
  const levels = createLevelChoice(showBot);
  kind.field.addEventListener('change', () => {
    siteStorage.setItem(BOT_KEY, kind.field.value);
    showBot();
  });
  showBot();
  place.append(el('div', { class: 'page' },
    el('h1', null, t('local')),
    el('section', { class: 'card play' },
      el('p', { class: 'hint' }, t('local_how'), ' ', el('a', { href: '/learn' }, t('learn'))),
      hasKeptGame() && el('button', { type: 'button', class: 'primary', onclick: () => show((room) => room.goOn()) }, t('local_continue')),
      kind.label,
      levels,
      from ? el('div', { class: 'fields' }, el('p', null, `${ta('play_from', { count: from.moves.length })} ${rulesName(from.rules)}`), own.label) : options.element,
      el('div', { class: 'row' }, bot,
        el('button', { type: 'button', onclick: () => start([1, 2].map((number) => t('local_player', { number }))) }, t('local_two'))))));
  app.tab(`${t('local')} – Fivefold`);

  /** The chosen bot. Only the engine has levels. @returns {BotSpec} */
  function spec() {
    const chosen = /** @type {BotKind} */ (kind.field.value);
    return chosen === 'engine' ? { kind: chosen, level: botLevel() } : { kind: chosen };
  }

  function showBot() {
    const { kind: name, level } = spec();
    levels.hidden = level === undefined;
    write(bot, level === undefined ? t('local_play', { bot: t(`bot_${name}`) }) : t('play_level', { level }));
  }

  /** @param {string[]} names @param {BotSpec} [bot] */
  function start(names, bot) {
    const { colour = 'random' } = options.command();
    const setup = from ? { ...from, colour: /** @type {Colour} */ (own.field.value) } : { ...options.settings(), colour };
    void show((room) => room.begin({ ...setup, names, bot }));
  }

  /** Shows the room once it is open. @param {(room: LocalConnection) => Promise<void>} open */
  async function show(open) {
    const room = new LocalConnection();
    try {
      await open(room);
      fill(place);
      // The game does not miss the server.
      const lost = el('span', { hidden: true });
      leave = roomView({ ...app, lost, connection: /** @type {any} */ (room) }, place, CODE);
    } catch (error) {
      room.leave();
      app.showError(error);
    }
  }

  return () => leave();
};
