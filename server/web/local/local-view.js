// Games on this device, without a server: against a bot, or two people at one board. The room's page shows
// them.

/** @import { BotSpec } from '../types' */
/** @import { View } from '../view-types' */

import { botLevel } from '../bot-level.js';
import { el, fill, write } from '../dom.js';
import { createGameOptions } from '../game-options.js';
import { createLevelChoice } from '../level-choice.js';
import { view as roomView } from '../room-view.js';
import { t } from '../texts.js';
import { hasKeptGame, LocalConnection } from './local-connection.js';

/** Stands in for a room's code. */
const CODE = 'local';

/** @type {View} */
export const view = (app, place) => {
  let leave = () => {};
  const options = createGameOptions('local');
  const bot = el('button', { type: 'button', onclick: () => start([t('you')], { kind: 'engine', level: botLevel() }) });
  const showLevel = () => write(bot, t('play_level', { level: botLevel() }));
  showLevel();
  place.append(el('div', { class: 'page' },
    el('h1', null, t('local')),
    el('section', { class: 'card play' },
      el('p', { class: 'hint' }, t('local_how')),
      hasKeptGame() && el('button', { type: 'button', class: 'primary', onclick: () => show((room) => room.goOn()) }, t('local_continue')),
      createLevelChoice(showLevel),
      options.element,
      el('div', { class: 'row' }, bot,
        el('button', { type: 'button', onclick: () => start([1, 2].map((number) => t('local_player', { number }))) }, t('local_two'))))));
  app.tab(`${t('local')} – Fivefold`);

  /** @param {string[]} names @param {BotSpec} [bot] */
  function start(names, bot) {
    const { colour = 'random' } = options.command();
    void show((room) => room.begin({ ...options.settings(), names, bot, colour }));
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
