// Finished games: one's own and the public ones.

/** @import { GameSummary, View } from './types' */

import { KEPT } from './connection.js';
import { el, fill } from './dom.js';
import { outcomeName, playerName, rulesName, stoneSign } from './names.js';
import { createOwnRooms } from './own.js';
import { refusedAnswer } from './refusals.js';
import { isMember } from './room.js';
import { formatDate, t } from './texts.js';

/** A search that finds fewer looks on in older games, in so many pages of the list at once. */
const FOUND_ENOUGH = 20;
const PAGES_MAX = 20;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('games')} – Fivefold`);
  const search = el('input', { type: 'search', placeholder: t('search'), 'aria-label': t('search'), oninput: look });
  const tab = (/** @type {boolean} */ mine) => el('button', {
    type: 'button', 'aria-pressed': String(mine === own), onclick: () => choose(mine),
  }, t(mine ? 'my_games' : 'public_games'));
  const tabs = el('div', { class: 'row tabs' });
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

  /** Goes on in the list; while a search finds little there, further. */
  async function load() {
    turn += 1;
    const asked = turn;
    try {
      // Somebody new is given an identity first.
      if (!app.connection.you) await app.connection.send({ type: 'ping' });
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const query = new URLSearchParams(next ? { before: String(next) } : {});
        const headers = own ? { authorization: `Bearer ${localStorage.getItem(KEPT.identity)}` } : undefined;
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

  /** Another search. */
  function look() {
    if (show()) void load();
  }

  /** Shows what is found; whether a search is to go on in what is not there yet. */
  function show() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const found = games.filter((game) => words.every((word) => told(game).includes(word)));
    fill(list, ...(found.length > 0 ? found.map(row) : [el('li', { class: 'hint' }, t(games.length > 0 ? 'no_match' : 'no_games'))]));
    more.hidden = next === undefined;
    return words.length > 0 && found.length < FOUND_ENOUGH && next !== undefined;
  }

  /** Everything that a row says, to search in. @param {GameSummary} game */
  function told(game) {
    return row(game).textContent?.toLocaleLowerCase() ?? '';
  }

  /** @param {GameSummary} game */
  function row(game) {
    const seat = isMember(game.black, app.connection.you) ? 'black' : isMember(game.white, app.connection.you) ? 'white' : undefined;
    const { winner } = game.outcome;
    const mark = !winner ? t('draw_short') : !seat ? t(winner) : t(winner === seat ? 'won' : 'lost');
    const kind = !winner || !seat ? '' : winner === seat ? 'won' : 'lost';
    return el('li', null, el('a', { class: 'game', href: `/game/${game.id}` },
      el('span', { class: `mark ${kind}` }, mark),
      el('span', { class: 'game-players' },
        stoneSign('black'), el('bdi', null, playerName(game.black)), ' – ', stoneSign('white'), el('bdi', null, playerName(game.white))),
      el('span', { class: 'hint' }, `${rulesName(game.rules)} · ${t('moves_count', { count: game.plies })} · ${outcomeName(game.outcome)}`),
      el('time', { class: 'hint', dateTime: new Date(game.ended_at).toISOString() }, formatDate(game.ended_at, { dateStyle: 'medium', timeStyle: 'short' }))));
  }

  place.append(el('div', { class: 'page' }, el('h1', null, t('games')), open.element, el('h2', null, t('finished_games')), el('div', { class: 'row games-bar' }, tabs, search), list, more));
  choose(true);
  return () => {
    gone = true;
    open.remove();
  };
};
