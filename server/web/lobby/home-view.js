// The home page: a live game, one new game against anyone, a friend or a bot, open challenges, and more
// live games.

/** @import { App, View } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { siteStorage } from '../browser/browser-storage.js';
import { RefusedError } from '../client/refused-error.js';
import { t } from '../language/texts.js';
import { createOwnRooms } from '../room/own-rooms.js';
import { button, el, icon, linkButton, write } from '../ui/dom.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { createSeekCard } from './seek-card.js';

/** Open challenges to show. */
const OPEN_MAX = 3;
/** Key of the kind of opponent that was chosen last. */
const OPPONENT_KEY = 'fivefold.opponent';

/** The kinds of opponents, with their icons. */
const OPPONENTS = /** @type {const} */ ([
  ['anyone', 'globe'],
  ['friend', 'people'],
  ['bot', 'bot'],
]);

/** @type {View} */
export const view = (app, place) => {
  const own = createOwnRooms(app, 1);
  const seek = createSeekCard(app);
  const direct = createDirectGame(app, () => void own.showAll());
  const opponents = createOpponents(showChosen);
  const open = createOpenSeeks(app, OPEN_MAX, linkButton('/lobby', t('post_challenge')));
  const openTitle = el('a', { href: '/lobby' });
  const unwatch = watchLobby(app, (lobby) => {
    seek.show(lobby);
    open.show(lobby.seeks);
    write(openTitle, t(lobby.seeks.length > OPEN_MAX ? 'all_count' : 'lobby', { count: lobby.seeks.length }));
  });
  const boards = createBoards(app);

  function showChosen() {
    const chosen = opponents.value();
    siteStorage.setItem(OPPONENT_KEY, chosen);
    seek.element.hidden = chosen !== 'anyone';
    direct.show(chosen);
  }
  showChosen();
  place.append(
    el(
      'div',
      { class: 'home' },
      own.element,
      el(
        'div',
        { class: 'hero' },
        boards.hero,
        el(
          'div',
          { class: 'hero-side' },
          el('h1', null, t('tagline')),
          el(
            'section',
            { class: 'card play', 'aria-label': t('new_game') },
            opponents.element,
            seek.element,
            direct.element,
          ),
          el(
            'section',
            { class: 'card seeks' },
            el('div', { class: 'head' }, el('h2', null, t('open_challenges')), openTitle),
            open.element,
          ),
          boards.daily,
        ),
      ),
      boards.games,
      el(
        'nav',
        { class: 'row rest', 'aria-label': t('pages') },
        linkButton('/leaderboard', t('players')),
        linkButton('/learn', t('learn')),
      ),
    ),
  );
  return () => {
    unwatch();
    for (const part of [own, seek, direct, boards]) part.remove();
  };
};

/** The choice of the kind of opponent. @param {() => void} onchange */
function createOpponents(onchange) {
  const chosen = siteStorage.getItem(OPPONENT_KEY) ?? 'anyone';
  const element = el(
    'fieldset',
    { class: 'opponents', onchange },
    el('legend', { class: 'spoken' }, t('opponent')),
    ...OPPONENTS.map(([value, sign]) =>
      el(
        'label',
        null,
        el('input', { type: 'radio', name: 'opponent', value, checked: value === chosen }),
        icon(sign),
        el('b', null, t(`opponent_${value}`)),
        el('span', null, t(`opponent_${value}_how`)),
      ),
    ),
  );
  return { element, value: () => element.querySelector('input:checked')?.getAttribute('value') ?? 'anyone' };
}

/** A new game against a friend or a bot. @param {App} app @param {() => void} showRooms there are too many */
function createDirectGame(app, showRooms) {
  let opponent = '';
  /** Loaded once they are wanted. @type {ReturnType<typeof loadChoices> | undefined} */
  let choices;
  let left = false;
  const optionsPlace = el('div', { class: 'options' });
  const botPlace = el('div', { class: 'bot-choice' });
  const main = button('', start, { class: 'primary big start' });
  const element = el('div', { class: 'other' }, botPlace, optionsPlace, main, el('a', { href: '/local' }, t('local')));
  /** An answer may never come. */
  const free = () => {
    main.disabled = false;
  };
  addEventListener('fivefold-status', free);

  async function loadChoices() {
    const [{ createGameOptions }, { findOrCreateRoom }, { createBotChoice, playText }] = await Promise.all([
      import('./game-options.js'),
      import('../room/new-room.js'),
      import('../game/bot-choice.js'),
    ]);
    const [options, bots] = [createGameOptions(), createBotChoice(() => show(opponent))];
    optionsPlace.replaceWith(options.element);
    botPlace.append(bots.element);
    return { options, bots, playText, findOrCreateRoom };
  }

  /** @param {string} chosen */
  function show(chosen) {
    opponent = chosen;
    element.hidden = chosen === 'anyone';
    botPlace.hidden = chosen !== 'bot';
    write(main, t(chosen === 'bot' ? 'new_game' : 'create_link'));
    if (chosen === 'anyone') return;
    choices ??= loadChoices();
    // A press on the button tries again.
    choices.then(
      ({ options, bots, playText }) => {
        const bot = opponent === 'bot' ? bots.spec() : undefined;
        options.offerTo(bot?.kind);
        if (bot) write(main, playText(bot));
      },
      () => {
        choices = undefined;
      },
    );
  }

  async function start() {
    const isBot = opponent === 'bot';
    // Bots play on the device, too. The rest is for when there is a server.
    if (app.connection.status === 'lost') return isBot ? app.go('/local#bot') : app.toast(t('connection_lost'));
    main.disabled = true;
    try {
      const { options, bots, findOrCreateRoom } = await (choices ??= loadChoices());
      const room = await findOrCreateRoom(app, {
        ...options.command(),
        seats: ['me', isBot ? { bot: bots.spec() } : 'open'],
      });
      if (!left) app.go(`/r/${room}`);
    } catch (error) {
      app.showError(error);
      if (error instanceof RefusedError && error.refusal.reason.startsWith('too_many_rooms')) showRooms();
    } finally {
      free();
    }
  }

  return {
    element,
    show,
    remove() {
      left = true;
      removeEventListener('fivefold-status', free);
    },
  };
}

/**
 * The boards, after all that can be pressed: the bare large one, whose ground takes a slow phone a third of a second
 * to paint, then those of live games, then the puzzle of the day.
 * @param {App} app
 */
function createBoards(app) {
  const boardPlace = el('div', { class: 'board' });
  const shown = el('div', { class: 'shown' });
  const daily = el('div', { class: 'awaited' });
  const games = el('div', { class: 'below' });
  /** Remove what is there. @type {(() => void)[]} */
  const ends = [];
  let left = false;

  const painted = new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))).then(() => {
    if (left) return undefined;
    const board = createBoard(boardPlace, { still: true });
    ends.push(() => board.remove());
    return board;
  });
  void Promise.all([import('./live-games.js'), painted])
    .then(([{ createLiveGames }, board]) => {
      if (left || !board) return undefined;
      const live = createLiveGames(app, { board, shown });
      games.prepend(live.element);
      ends.push(live.remove);
      return import('../puzzles/daily-puzzle.js');
    })
    .then((puzzles) => {
      if (!left && puzzles) ends.push(puzzles.showDailyPuzzle(daily));
    });
  return {
    hero: el('div', { class: 'hero-board' }, boardPlace, shown),
    daily,
    games,
    remove() {
      left = true;
      for (const end of ends) end();
    },
  };
}
