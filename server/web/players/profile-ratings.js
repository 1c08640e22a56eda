// The ratings of a profile, and all about the chosen one: how it has changed, results, and the best players.

/** @import { Leaders, ProfileRating, RatingPoint } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Range } from './rating-graph.js' */

import { DAY_MS } from '../client/clock.js';
import { button, el, fill, set } from '../ui/dom.js';
import { choiceButtons } from './choice-buttons.js';
import { fetchHistory, fetchLeaders, playerPath } from './players-requests.js';
import { createRatingGraph, RANGES } from './rating-graph.js';
import { PUZZLES, pointsText, poolName, ratingText, resultsBar } from './rating-text.js';
import { tl } from './texts.js';

/** Places of the leaderboard beside a profile. */
const BEST_MAX = 3;

/** @param {App} app @param {string} name of the player @param {readonly ProfileRating[]} ratings one or more */
export function createRatings(app, name, ratings) {
  const graph = createRatingGraph();
  /** @type {Map<string, Promise<RatingPoint[]>>} */
  const histories = new Map();
  let range = /** @type {Range} */ ('year');
  let chosen = /** @type {ProfileRating} */ (ratings[0]);
  let gone = false;
  const title = el('h2');
  const results = el('section', { class: 'card tile' });
  const best = el('section', { class: 'card tile', hidden: true });
  const cards = ratings.map((rating) => ratingCard(rating, historyOf(rating.pool), () => choose(rating)));
  const ranges = choiceButtons(
    tl('range'),
    /** @type {Range[]} */ (Object.keys(RANGES)).map((one) => /** @type {const} */ ([one, tl(one)])),
    (one) => {
      range = one;
      void drawHistory();
    },
  );
  choose(chosen);

  /** @param {string} pool */
  function historyOf(pool) {
    const history = histories.get(pool) ?? fetchHistory(name, pool).then(({ points }) => points);
    histories.set(pool, history);
    return history;
  }

  async function drawHistory() {
    ranges.show(range);
    const { pool } = chosen;
    try {
      const points = await historyOf(pool);
      if (!gone && pool === chosen.pool) graph.show(points, range, Date.now());
    } catch (error) {
      histories.delete(pool);
      app.showError(error);
    }
  }

  /** @param {ProfileRating} rating */
  function choose(rating) {
    const { pool, won: solved, games: tries } = rating;
    chosen = rating;
    for (const [index, card] of cards.entries()) set(card, { 'aria-pressed': String(ratings[index] === rating) });
    title.textContent = tl('rating_of', { pool: poolName(pool) });
    const words = pool === PUZZLES ? tl('puzzles_say', { solved, tries }) : undefined;
    fill(results, el('h2', null, tl('results')), resultsBar(rating, words));
    void drawHistory();
    const hideBest = () => {
      best.hidden = true;
    };
    // Puzzles have no leaderboard.
    if (pool === PUZZLES) return hideBest();
    fetchLeaders(pool).then((leaders) => !gone && pool === chosen.pool && showBest(best, leaders), hideBest);
  }

  const head = el('div', { class: 'head' }, title, ranges.element);
  return {
    element: el(
      'div',
      { class: 'rated' },
      el('section', { class: 'rates', 'aria-label': tl('ratings') }, ...cards),
      el(
        'div',
        { class: 'cols' },
        el('section', { class: 'card tile' }, head, graph.element),
        el('div', { class: 'beside' }, results, best),
      ),
    ),
    remove() {
      gone = true;
      graph.remove();
    },
  };
}

/** A rating as a button, with how it has changed in a month. @param {ProfileRating} rating @param {Promise<RatingPoint[]>} history @param {() => void} choose */
function ratingCard(rating, history, choose) {
  const month = el('span', { class: 'hint' });
  history.then(
    (points) => {
      const since = Date.now() - RANGES.month * DAY_MS;
      // Who began in this month began with the first rating.
      const before = points.findLast(({ at }) => at < since) ?? points[0];
      const change = rating.rating - (before?.rating ?? rating.rating);
      const words = tl('this_month', { points: pointsText(change) });
      if (change !== 0 && !rating.provisional) fill(month, el('span', { class: change > 0 ? 'gain' : 'loss' }, words));
    },
    () => {},
  );
  const about = [
    tl(rating.pool === PUZZLES ? 'puzzle_tries' : 'rated_games', { count: rating.games }),
    rating.provisional && tl('provisional'),
  ];
  return button(
    [
      el('span', { class: 'hint' }, poolName(rating.pool)),
      el('b', null, ratingText(rating)),
      el('span', { class: 'hint' }, about.filter(Boolean).join(', ')),
      month,
    ],
    choose,
    { class: 'card rate' },
  );
}

/** Shows the first places of a pool, and the visitor's. @param {HTMLElement} place @param {Leaders} leaders */
function showBest(place, { pool, places, own }) {
  place.hidden = places.length === 0;
  const first = places.slice(0, BEST_MAX);
  const shown = own && !first.some(({ member }) => member === own.member) ? [...first, own] : first;
  const items = shown.map((one) =>
    el(
      'li',
      { class: one.member === own?.member ? 'own' : '' },
      el('span', null, String(one.place)),
      el('a', { href: playerPath(one.name) }, el('bdi', null, one.name)),
      el('b', null, String(one.rating)),
    ),
  );
  fill(
    place,
    el('h2', null, tl('best')),
    el('ol', { class: 'places' }, ...items),
    el('a', { href: `/leaderboard?${new URLSearchParams({ pool })}` }, tl('whole_list')),
  );
}
