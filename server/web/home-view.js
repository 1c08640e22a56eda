// The home page: a live game, one new game against anyone, a friend or a bot, open challenges, and more
// live games.

/** @import { Create } from './types' */
/** @import { View } from './view-types' */

import { createBoard } from './board.js';
import { botLevel } from './bot-level.js';
import { siteStorage } from './browser-storage.js';
import { el, icon, write } from './dom.js';
import { createLevelChoice } from './level-choice.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { createOwnRooms, findOrCreateRoom } from './own-rooms.js';
import { RefusedError } from './refusals.js';
import { createSeekCard } from './seek-card.js';
import { t } from './texts.js';

/** Open challenges to show. */
const OPEN_MAX = 3;
/** Key of the kind of opponent that was chosen last. */
const OPPONENT_KEY = 'fivefold.opponent';

/** The kinds of opponents, with their icons. */
const OPPONENTS = /** @type {const} */ ([['anyone', 'globe'], ['friend', 'people'], ['bot', 'bot']]);

/** @type {View} */
export const view = (app, place) => {
  /** The options of a game against a friend or a bot, once one is wanted. @type {Promise<ReturnType<typeof import('./game-options.js').createGameOptions>> | undefined} */
  let options;
  const optionsPlace = el('div', { class: 'options' });
  const own = createOwnRooms(app, 1);
  const seek = createSeekCard(app);
  const open = createOpenSeeks(app, OPEN_MAX);
  const openTitle = el('a', { href: '/lobby' });
  const unwatch = watchLobby(app, (lobby) => {
    seek.show(lobby);
    open.show(lobby.seeks);
    write(openTitle, t(lobby.seeks.length > OPEN_MAX ? 'all_count' : 'lobby', { count: lobby.seeks.length }));
  });
  const heroPlace = el('div', { class: 'board' });
  const shown = el('div', { class: 'shown' });
  const daily = el('div');
  const games = el('div', { class: 'below' }, daily);
  const hero = el('div', { class: 'hero-board' }, heroPlace, shown);
  /** Remove the live games and the puzzle of the day, once they are loaded. */
  let [remove, removeDaily] = [() => {}, () => {}];
  let left = false;
  /** @type {import('./board.js').Board | undefined} */
  let bare;
  // Buttons first, then the bare board, whose ground takes a slow phone a third of a second to paint, then
  // the boards of games, then the puzzle.
  const painted = new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))).then(() => {
    if (!left) bare = createBoard(heroPlace, { still: true });
  });
  void Promise.all([import('./live-games.js'), painted]).then(([{ createLiveGames }]) => {
    if (!bare) return undefined;
    const watch = createLiveGames(app, { board: bare, shown });
    games.prepend(watch.element);
    remove = watch.remove;
    return import('./puzzles/daily-puzzle.js');
  }).then((puzzles) => {
    if (!left) removeDaily = puzzles?.showDailyPuzzle(daily) ?? removeDaily;
  });

  const opponents = el('fieldset', { class: 'opponents', onchange: showChosen }, el('legend', { class: 'spoken' }, t('opponent')),
    ...OPPONENTS.map(([kind, sign]) => el('label', null, el('input', { type: 'radio', name: 'opponent', value: kind, checked: kind === (siteStorage.getItem(OPPONENT_KEY) ?? 'anyone') }),
      icon(sign), el('b', null, t(`opponent_${kind}`)), el('span', null, t(`opponent_${kind}_how`)))));
  const level = createLevelChoice(showChosen);
  const main = el('button', { type: 'button', class: 'primary big start', onclick: start });
  const other = el('div', { class: 'other' }, level, optionsPlace, main, el('a', { href: '/local' }, t('local')));

  async function loadOptions() {
    const { createGameOptions } = await import('./game-options.js');
    const made = createGameOptions();
    optionsPlace.replaceWith(made.element);
    return made;
  }

  const opponent = () => opponents.querySelector('input:checked')?.getAttribute('value') ?? 'anyone';

  function showChosen() {
    const chosen = opponent();
    siteStorage.setItem(OPPONENT_KEY, chosen);
    seek.element.hidden = chosen !== 'anyone';
    other.hidden = chosen === 'anyone';
    level.hidden = chosen !== 'bot';
    if (chosen !== 'anyone') options ??= loadOptions();
    write(main, chosen === 'bot' ? t('play_level', { level: botLevel() }) : t('create_link'));
  }

  function start() {
    void create({ seats: ['me', opponent() === 'bot' ? { bot: { kind: 'engine', level: botLevel() } } : 'open'] });
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

  showChosen();
  place.append(el('div', { class: 'home' },
    own.element,
    el('div', { class: 'hero' }, hero,
      el('div', { class: 'hero-side' }, el('h1', null, t('tagline')),
        el('section', { class: 'card play', 'aria-label': t('new_game') }, opponents, seek.element, other),
        el('section', { class: 'card seeks' }, el('div', { class: 'head' }, el('h2', null, t('open_challenges')), openTitle), open.element))),
    games));
  return () => {
    left = true;
    own.remove();
    unwatch();
    seek.remove();
    remove();
    removeDaily();
    bare?.remove();
  };
};
