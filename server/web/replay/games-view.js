// The page of finished games: the player's own and the public ones.

/** @import { GameSummary } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { STORAGE_KEYS } from '../browser/page-connection.js';
import { isMember, opponent, SEATS, stoneOf } from '../client/room-state.js';
import { nameOrYou, resultName, rulesName, stoneName, stoneSign } from '../game/display-names.js';
import { refusedAnswer } from '../language/refusals.js';
import { formatMoment, t } from '../language/texts.js';
import { createOwnRooms } from '../room/own-rooms.js';
import { button, el, fill, linkButton } from '../ui/dom.js';
import { tg } from './texts.js';

/** A search with fewer matches loads older pages, at most this many at once. */
const FOUND_ENOUGH = 20;
const PAGES_MAX = 20;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('games')} – Fivefold`);
  const search = el('input', {
    type: 'search',
    placeholder: tg('search'),
    'aria-label': tg('search'),
    oninput: () => show() && void load(),
  });
  const tab = (/** @type {boolean} */ mine) =>
    button(tg(mine ? 'my_games' : 'public_games'), () => choose(mine), { 'aria-pressed': String(mine === own) });
  const tabs = el('div', { class: 'seg' });
  const open = createOwnRooms(app);
  const list = el('ol', { class: 'games' });
  const more = button(t('more'), load, { hidden: true });
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
        const page = await fetchGames(app, own, next);
        if (gone || asked !== turn) return;
        games = [...games, ...page.games];
        next = page.next;
        if (!show()) return;
      }
    } catch (error) {
      app.showError(error);
    }
  }

  /** Shows the matches. Whether the search should load more pages. */
  function show() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const rows = games.map((game) => rowOf(app, game));
    const found = rows.filter(({ textContent }) => {
      const text = textContent?.toLocaleLowerCase();
      return words.every((word) => text?.includes(word));
    });
    fill(list, ...(found.length > 0 ? found : [noneRow(games.length > 0)]));
    more.hidden = next === undefined;
    return words.length > 0 && found.length < FOUND_ENOUGH && next !== undefined;
  }

  place.append(
    el(
      'div',
      { class: 'page' },
      el('h1', null, t('games')),
      open.element,
      el(
        'div',
        { class: 'head' },
        el('h2', null, tg('finished_games')),
        el('a', { href: '/collections' }, tg('collections')),
      ),
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

/** @param {App} app @param {boolean} own @param {number} [before] @returns {Promise<{ games: GameSummary[], next?: number }>} */
async function fetchGames({ connection }, own, before) {
  const { account } = connection;
  const query = new URLSearchParams({
    ...(before && { before: String(before) }),
    ...(own && account && { own: 'true' }),
  });
  const headers =
    own && !account ? { authorization: `Bearer ${siteStorage.getItem(STORAGE_KEYS.identity)}` } : undefined;
  const answer = await fetch(`/api/games?${query}`, { headers });
  if (!answer.ok) throw await refusedAnswer(answer);
  return answer.json();
}

/** Says that no game is found. @param {boolean} searched whether there are others */
function noneRow(searched) {
  const ways = [linkButton('/', t('find_opponent'), true), linkButton('/local', t('local'))];
  return el(
    'li',
    { class: 'none' },
    tg(searched ? 'no_match' : 'no_games'),
    !searched && el('div', { class: 'row' }, ...ways),
  );
}

/** @param {App} app @param {GameSummary} game */
function rowOf(app, game) {
  const { black, rules } = game;
  const seat = SEATS.find((one) => isMember(game[one], app.connection.you));
  const { winner } = game.outcome;
  const kind = !winner || !seat ? '' : winner === seat ? 'won' : 'lost';
  const mark = kind ? t(kind) : winner ? stoneName(stoneOf(winner, black), rules) : t('draw_short');
  const about = [
    rulesName(rules, game.opening?.kind),
    t('moves_count', { count: game.plies }),
    resultName(game.outcome, black, rules),
  ];
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
        stoneSign('black', rules),
        el('bdi', null, nameOrYou(app, game[black])),
        ' – ',
        stoneSign('white', rules),
        el('bdi', null, nameOrYou(app, game[opponent(black)])),
      ),
      el('span', { class: 'hint' }, about.join(' · ')),
      el('time', { class: 'hint', dateTime: new Date(game.ended_at).toISOString() }, formatMoment(game.ended_at)),
    ),
  );
}
