// The home page: a live game, one new game against anyone, a friend or a bot, open challenges, and more
// live games.

/** @import { Create } from './types' */
/** @import { View } from './view-types' */

import { createBoard } from './board.js';
import { beatenLevel, botLevel, saveBotLevel } from './bot-level.js';
import { el, icon, write } from './dom.js';
import { segment } from './form-fields.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { createOwnRooms, findOrCreateRoom } from './own-rooms.js';
import { LEVEL_MAX } from './protocol.js';
import { RefusedError } from './refusals.js';
import { createSeekCard } from './seek-card.js';
import { t } from './texts.js';

/** Open challenges to show. */
const OPEN_MAX = 3;
/** Key of whom the player played last. */
const WHOM_KEY = 'fivefold.whom';

/** The opponents to choose from, with their icons. */
const WHOM = /** @type {const} */ ([['anyone', 'globe'], ['friend', 'people'], ['bot', 'bot']]);

/** @type {View} */
export const view = (app, place) => {
  /** The options of a game against a friend or a bot, once one is wanted. @type {Promise<ReturnType<typeof import('./game-options.js').createGameOptions>> | undefined} */
  let options;
  const optionsPlace = el('div');
  const own = createOwnRooms(app, 1);
  const seek = createSeekCard(app);
  const open = createOpenSeeks(app, OPEN_MAX);
  const openTitle = el('a', { href: '/lobby' });
  const unwatch = watchLobby(app, (lobby) => {
    seek.show(lobby);
    open.show(lobby.seeks);
    write(openTitle, t(lobby.seeks.length > OPEN_MAX ? 'all_count' : 'lobby', { count: lobby.seeks.length }));
  });
  // The bare board is there at once.
  const heroPlace = el('div', { class: 'board' });
  const shown = el('div', { class: 'shown' });
  const games = el('div', { class: 'below' });
  const hero = el('div', { class: 'hero-board' }, heroPlace, shown);
  /** Removes the live games, once they are loaded. */
  let remove = () => {};
  let left = false;
  // Buttons first, then boards.
  void import('./live-games.js').then(({ createLiveGames }) => {
    if (left) return;
    const watch = createLiveGames(app, { board: bare, shown });
    games.append(watch.element);
    remove = watch.remove;
  });

  const whos = el('fieldset', { class: 'whos', onchange: showWhom }, el('legend', { class: 'spoken' }, t('opponent')),
    ...WHOM.map(([whom, sign]) => el('label', null, el('input', { type: 'radio', class: 'spoken', name: 'whom', value: whom, checked: whom === (localStorage.getItem(WHOM_KEY) ?? 'anyone') }),
      icon(sign), el('b', null, t(`whom_${whom}`)), el('span', null, t(`whom_${whom}_how`)))));
  const level = segment(t('level'), 'level', Array.from({ length: LEVEL_MAX }, (_, at) => /** @type {const} */ ([`${at + 1}`, `${at + 1}`])));
  const levelHow = el('p', { class: 'hint' });
  const levels = el('div', { class: 'level', onchange: showWhom }, level.label, levelHow);
  level.value = String(botLevel());
  const main = el('button', { type: 'button', class: 'primary big start', onclick: start });
  const other = el('div', { class: 'other' }, levels, optionsPlace, main);

  async function loadOptions() {
    const { createGameOptions } = await import('./game-options.js');
    const made = createGameOptions();
    optionsPlace.replaceWith(made.element);
    return made;
  }

  const whom = () => whos.querySelector('input:checked')?.getAttribute('value') ?? 'anyone';

  function showWhom() {
    const chosen = whom();
    const number = Number(level.value) || botLevel();
    localStorage.setItem(WHOM_KEY, chosen);
    saveBotLevel(number);
    seek.element.hidden = chosen !== 'anyone';
    other.hidden = chosen === 'anyone';
    levels.hidden = chosen !== 'bot';
    if (chosen !== 'anyone') options ??= loadOptions();
    const beaten = beatenLevel();
    write(levelHow, `${t(/** @type {import('./texts.js').TextKey} */ (`level_${number}`))}${beaten ? ` ${t('level_beaten', { level: beaten })}` : ''}`);
    write(main, chosen === 'bot' ? t('play_level', { level: number }) : t('create_link'));
  }

  function start() {
    void create({ seats: ['me', whom() === 'bot' ? { bot: { kind: 'engine', level: botLevel() } } : 'open'] });
  }

  /** @param {Partial<Create>} command */
  async function create(command) {
    place.toggleAttribute('inert', true);
    try {
      app.go(`/r/${await findOrCreateRoom(app, { ...(await (options ??= loadOptions())).command(), ...command })}`);
    } catch (error) {
      app.showError(error);
      place.toggleAttribute('inert', false);
      if (error instanceof RefusedError && error.refusal.reason.startsWith('too_many_rooms')) void own.showAll();
    } finally {
      place.toggleAttribute('inert', false);
    }
  }

  showWhom();
  place.append(el('div', { class: 'home' },
    own.element,
    el('div', { class: 'hero' }, hero,
      el('div', { class: 'hero-side' }, el('h1', null, t('tagline')),
        el('section', { class: 'card play', 'aria-label': t('new_game') }, whos, seek.element, other),
        el('section', { class: 'card seeks' }, el('div', { class: 'head' }, el('h2', null, t('open_challenges')), openTitle), open.element))),
    games));
  const bare = createBoard(heroPlace, { still: true });
  return () => {
    left = true;
    own.remove();
    unwatch();
    seek.remove();
    remove();
    bare.remove();
  };
};
