// The page of finished games: the player's own and the public ones.

/** @import { GameSummary } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../connection.js';
import { nameOrYou, resultName, rulesName, stoneName, stoneSign } from '../game/display-names.js';
import { isMember, opponent, SEATS, stoneOf } from '../game/room-state.js';
import { refusedAnswer } from '../language/refusals.js';
import { formatDate, t } from '../language/texts.js';
import { createOwnRooms } from '../room/own-rooms.js';
import { el, fill, linkButton } from '../ui/dom.js';

/** A search with fewer matches loads older pages, at most this many at once. */
const FOUND_ENOUGH = 20;
const PAGES_MAX = 20;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('games')} – Fivefold`);
  const search = el('input', {
    type: 'search',
    placeholder: t('search'),
    'aria-label': t('search'),
    oninput: searchAgain,
  });
  const tab = (/** @type {boolean} */ mine) =>
    el(
      'button',
      {
        type: 'button',
        'aria-pressed': String(mine === own),
        onclick: () => choose(mine),
      },
      t(mine ? 'my_games' : 'public_games'),
    );
  const tabs = el('div', { class: 'seg' });
  const open = createOwnRooms(app);
  const list = el('ol', { class: 'games' });
  const more = el('button', { type: 'button', hidden: true, onclick: load }, t('more'));
  let own = true;
  /** @type {GameSummary[]} */
  let games = [];
  /** @type {number | undefined} */
  let next;
  let gone = false;
  let turn = 0;

  /** @param {boolean} mine */
  function choose(mine) {
    own = mine;
    games = [];
    next = undefined;
    fill(tabs, tab(true), tab(false));
    fill(list);
    void load();
  }

  /** Loads the next page, and more while a search finds too little. */
  async function load() {
    turn += 1;
    const asked = turn;
    try {
      // A new player first needs an identity, which `hello` brings.
      if (!app.connection.you) await app.connection.send({ type: 'ping' });
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const { account } = app.connection;
        const query = new URLSearchParams({
          ...(next && { before: String(next) }),
          ...(own && account && { own: 'true' }),
        });
        const headers =
          own && !account ? { authorization: `Bearer ${siteStorage.getItem(STORAGE_KEYS.identity)}` } : undefined;
        const answer = await fetch(`/api/games?${query}`, { headers });
        if (!answer.ok) throw await refusedAnswer(answer);
        const page = await answer.json();
        if (gone || asked !== turn) return;
        games = [...games, ...page.games];
        next = page.next;
        if (!show()) return;
      }
    } catch (error) {
      app.showError(error);
    }
  }

  /** Filters again after a change of the search. */
  function searchAgain() {
    if (show()) void load();
  }

  /** Shows the matches. Whether the search should load more pages. */
  function show() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const found = games.filter((game) => words.every((word) => searchText(game).includes(word)));
    fill(
      list,
      ...(found.length > 0
        ? found.map(row)
        : [
            el(
              'li',
              { class: 'none' },
              t(games.length > 0 ? 'no_match' : 'no_games'),
              games.length === 0 &&
                el(
                  'div',
                  { class: 'row' },
                  linkButton('/', t('find_opponent'), true),
                  linkButton('/local', t('local')),
                ),
            ),
          ]),
    );
    more.hidden = next === undefined;
    return words.length > 0 && found.length < FOUND_ENOUGH && next !== undefined;
  }

  /** All text of a row, to search in. @param {GameSummary} game */
  function searchText(game) {
    return row(game).textContent?.toLocaleLowerCase() ?? '';
  }

  /** @param {GameSummary} game */
  function row(game) {
    const seat = SEATS.find((one) => isMember(game[one], app.connection.you));
    const white = opponent(game.black);
    const { winner } = game.outcome;
    const mark = !winner
      ? t('draw_short')
      : !seat
        ? stoneName(stoneOf(winner, game.black), game.rules)
        : t(winner === seat ? 'won' : 'lost');
    const kind = !winner || !seat ? '' : winner === seat ? 'won' : 'lost';
    return el(
      'li',
      null,
      el(
        'a',
        { class: 'game', href: `/game/${game.id}` },
        el('span', { class: `mark ${kind}` }, mark),
        el(
          'span',
          { class: 'game-players' },
          stoneSign('black', game.rules),
          el('bdi', null, nameOrYou(app, game[game.black])),
          ' – ',
          stoneSign('white', game.rules),
          el('bdi', null, nameOrYou(app, game[white])),
        ),
        el(
          'span',
          { class: 'hint' },
          `${rulesName(game.rules, game.opening?.kind)} · ${t('moves_count', { count: game.plies })} · ${resultName(game.outcome, game.black, game.rules)}`,
        ),
        el(
          'time',
          { class: 'hint', dateTime: new Date(game.ended_at).toISOString() },
          formatDate(game.ended_at, { dateStyle: 'medium', timeStyle: 'short' }),
        ),
      ),
    );
  }

  place.append(
    el(
      'div',
      { class: 'page' },
      el('h1', null, t('games')),
      open.element,
      el('h2', null, t('finished_games')),
      el('div', { class: 'row games-bar' }, tabs, search),
      list,
      more,
    ),
  );
  choose(true);
  return () => {
    gone = true;
    open.remove();
  };
};
