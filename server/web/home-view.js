// The home page: play anyone, a friend or the bot; open challenges; watch.

/** @import { Create } from './types' */
/** @import { View } from './view-types' */

import { el, icon } from './dom.js';
import { botLevel, createGameOptions, createLevel } from './game-options.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { createOwnRooms, findOrCreateRoom } from './own-rooms.js';
import { RefusedError } from './refusals.js';
import { createSeekCard } from './seek-card.js';
import { t } from './texts.js';

const FRIENDS = 'M8.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.4a3.5 3.5 0 0 1 0 6.4M18 14.4c2.5.7 4 2.6 4 5.6';
const ROBOT = 'M5 9h14v10H5zM12 9V5m0 0a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4M9 13v1.5m6-1.5v1.5M2.5 12.5v3m19-3v3';

/** Open challenges to show. */
const OPEN_MAX = 3;

/** @type {View} */
export const view = (app, place) => {
  const options = createGameOptions();
  const own = createOwnRooms(app);
  const seek = createSeekCard(app);
  const open = createOpenSeeks(app, OPEN_MAX);
  const unwatch = watchLobby(app, (lobby) => {
    seek.show(lobby);
    open.show(lobby.seeks);
  });
  const games = el('div');
  /** Removes the live games, once they are loaded. */
  let remove = () => {};
  let left = false;
  // Buttons first, then boards.
  void import('./live-games.js').then(({ createLiveGames }) => {
    if (left) return;
    const watch = createLiveGames(app);
    games.append(watch.element);
    remove = watch.remove;
  });
  /** @param {Partial<Create>} command */
  async function create(command) {
    place.toggleAttribute('inert', true);
    try {
      app.go(`/r/${await findOrCreateRoom(app, { ...options.command(), ...command })}`);
    } catch (error) {
      app.showError(error);
      place.toggleAttribute('inert', false);
      if (error instanceof RefusedError && error.refusal.reason.startsWith('too_many_rooms')) void own.showAll();
    } finally {
      place.toggleAttribute('inert', false);
    }
  }

  const friend = el('button', { class: 'way', type: 'button', onclick: () => create({ seats: ['me', 'open'] }) },
    icon(FRIENDS), el('strong', null, t('play_friend')), el('span', null, t('play_friend_how')));
  const bot = el('button', {
    class: 'way', type: 'button',
    onclick: () => create({ seats: ['me', { bot: { kind: 'engine', level: botLevel() } }] }),
  }, icon(ROBOT), el('strong', null, t('play_bot')), el('span', null, t('play_bot_how')));
  place.append(el('div', { class: 'home' },
    el('h1', null, t('tagline')),
    own.element,
    el('div', { class: 'start' }, seek.element,
      el('div', { class: 'ways' },
        friend, el('div', { class: 'bot-way' }, bot, createLevel()), options.element, el('a', { href: '/local' }, t('local')))),
    el('section', { class: 'card' }, el('div', { class: 'head' }, el('h2', null, t('open_challenges')), el('a', { href: '/lobby' }, t('show_lobby'))), open.element),
    games));
  return () => {
    left = true;
    own.remove();
    unwatch();
    seek.remove();
    remove();
  };
};
