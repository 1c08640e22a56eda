// Games on this device, without a server: against a bot, or two people at one board. The room's page shows
// them.

/** @import { BotSpec } from '../types' */
/** @import { View } from '../view-types' */

import { el, fill } from '../dom.js';
import { botLevel, createGameOptions, createLevel } from '../game-options.js';
import { view as roomView } from '../room-view.js';
import { t } from '../texts.js';
import { hasKeptGame, LocalConnection } from './local-connection.js';

/** Stands in for a room's code. */
const CODE = 'local';

/** @type {View} */
export const view = (app, place) => {
  let leave = () => {};
  const options = createGameOptions('local');
  place.append(el('div', { class: 'home' },
    el('h1', null, t('local')),
    el('p', { class: 'hint' }, t('local_how')),
    el('div', { class: 'start' },
      el('div', { class: 'ways' },
        hasKeptGame() && el('button', { type: 'button', class: 'primary', onclick: () => show((room) => room.goOn()) }, t('local_continue')),
        el('button', { type: 'button', onclick: () => start([t('you')], { kind: 'engine', level: botLevel() }) }, t('play_bot')),
        createLevel(),
        el('button', { type: 'button', onclick: () => start([1, 2].map((number) => t('local_player', { number }))) }, t('local_two')),
        options.element))));
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
      leave = roomView({ ...app, connection: /** @type {any} */ (room) }, place, CODE);
    } catch (error) {
      room.leave();
      app.showError(error);
    }
  }

  return () => leave();
};
