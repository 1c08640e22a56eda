// The home page: a live game, one new game against anyone, a friend or a bot, open challenges, and more
// live games.

/** @import { View } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { siteStorage } from '../browser/browser-storage.js';
import { RefusedError } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { createOwnRooms } from '../room/own-rooms.js';
import { el, icon, linkButton, write } from '../ui/dom.js';
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
  /** The choices for a game against a friend or a bot, once one is wanted. @type {ReturnType<typeof loadChoices> | undefined} */
  let choices;
  const optionsPlace = el('div', { class: 'options' });
  const own = createOwnRooms(app, 1);
  const seek = createSeekCard(app);
  const open = createOpenSeeks(app, OPEN_MAX, linkButton('/lobby', t('post_challenge')));
  const openTitle = el('a', { href: '/lobby' });
  const unwatch = watchLobby(app, (lobby) => {
    seek.show(lobby);
    open.show(lobby.seeks);
    write(openTitle, t(lobby.seeks.length > OPEN_MAX ? 'all_count' : 'lobby', { count: lobby.seeks.length }));
  });
  const heroPlace = el('div', { class: 'board' });
  const shown = el('div', { class: 'shown' });
  const daily = el('div', { class: 'awaited' });
  const games = el('div', { class: 'below' });
  const hero = el('div', { class: 'hero-board' }, heroPlace, shown);
  /** Remove the live games and the puzzle of the day, once they are loaded. */
  let [remove, removeDaily] = [() => {}, () => {}];
  let left = false;
  /** @type {import('../board/board.js').Board | undefined} */
  let bare;
  // Buttons first, then the bare board, whose ground takes a slow phone a third of a second to paint, then
  // the boards of games, then the puzzle.
  const painted = new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))).then(() => {
    if (!left) bare = createBoard(heroPlace, { still: true });
  });
  void Promise.all([import('./live-games.js'), painted])
    .then(([{ createLiveGames }]) => {
      if (!bare) return undefined;
      const watch = createLiveGames(app, { board: bare, shown });
      games.prepend(watch.element);
      remove = watch.remove;
      return import('../puzzles/daily-puzzle.js');
    })
    .then((puzzles) => {
      if (!left) removeDaily = puzzles?.showDailyPuzzle(daily) ?? removeDaily;
    });

  const opponents = el(
    'fieldset',
    { class: 'opponents', onchange: showChosen },
    el('legend', { class: 'spoken' }, t('opponent')),
    ...OPPONENTS.map(([kind, sign]) =>
      el(
        'label',
        null,
        el('input', {
          type: 'radio',
          name: 'opponent',
          value: kind,
          checked: kind === (siteStorage.getItem(OPPONENT_KEY) ?? 'anyone'),
        }),
        icon(sign),
        el('b', null, t(`opponent_${kind}`)),
        el('span', null, t(`opponent_${kind}_how`)),
      ),
    ),
  );
  const botPlace = el('div', { class: 'bot-choice' });
  const main = el('button', { type: 'button', class: 'primary big start', onclick: start });
  const other = el('div', { class: 'other' }, botPlace, optionsPlace, main, el('a', { href: '/local' }, t('local')));

  async function loadChoices() {
    const [{ createGameOptions }, { findOrCreateRoom }, { createBotChoice, playText }] = await Promise.all([
      import('./game-options.js'),
      import('../room/new-room.js'),
      import('../game/bot-choice.js'),
    ]);
    const [options, bots] = [createGameOptions(), createBotChoice(showChosen)];
    optionsPlace.replaceWith(options.element);
    botPlace.append(bots.element);
    return { options, bots, playText, findOrCreateRoom };
  }

  const opponent = () => opponents.querySelector('input:checked')?.getAttribute('value') ?? 'anyone';

  function showChosen() {
    const chosen = opponent();
    siteStorage.setItem(OPPONENT_KEY, chosen);
    seek.element.hidden = chosen !== 'anyone';
    other.hidden = chosen === 'anyone';
    botPlace.hidden = chosen !== 'bot';
    write(main, t(chosen === 'bot' ? 'new_game' : 'create_link'));
    if (chosen === 'anyone') return;
    choices ??= loadChoices();
    // A press on the button tries again.
    choices.then(
      ({ options, bots, playText }) => {
        const bot = opponent() === 'bot' ? bots.spec() : undefined;
        options.offerTo(bot?.kind);
        if (bot) write(main, playText(bot));
      },
      () => {
        choices = undefined;
      },
    );
  }

  async function start() {
    const isBot = opponent() === 'bot';
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
      if (error instanceof RefusedError && error.refusal.reason.startsWith('too_many_rooms')) void own.showAll();
    } finally {
      main.disabled = false;
    }
  }

  /** An answer may never come. */
  const free = () => {
    main.disabled = false;
  };
  addEventListener('fivefold-status', free);
  showChosen();
  place.append(
    el(
      'div',
      { class: 'home' },
      own.element,
      el(
        'div',
        { class: 'hero' },
        hero,
        el(
          'div',
          { class: 'hero-side' },
          el('h1', null, t('tagline')),
          el('section', { class: 'card play', 'aria-label': t('new_game') }, opponents, seek.element, other),
          el(
            'section',
            { class: 'card seeks' },
            el('div', { class: 'head' }, el('h2', null, t('open_challenges')), openTitle),
            open.element,
          ),
          daily,
        ),
      ),
      games,
      el(
        'nav',
        { class: 'row rest', 'aria-label': t('pages') },
        linkButton('/leaderboard', t('players')),
        linkButton('/learn', t('learn')),
      ),
    ),
  );
  return () => {
    left = true;
    removeEventListener('fivefold-status', free);
    own.remove();
    unwatch();
    seek.remove();
    remove();
    removeDaily();
    bare?.remove();
  };
};
