// A player's profile: ratings, how each has changed, results, last games, and the record against the visitor.

/** @import { Opponent, ProfileGame, ProfileRating, Profile, RatingPoint } from '../ui/protocol-types' */
/** @import { Board } from '../board/board.js' */
/** @import { App, View } from '../ui/view-types' */
/** @import { Range } from './rating-graph.js' */

import { createBoard } from '../board/board.js';
import { showNotFound } from '../board/not-found.js';
import { nearestLevel } from '../game/bots.js';
import { playerName, rulesName, stoneSign } from '../game/display-names.js';
import { opponent, STONES, stoneOf } from '../game/room-state.js';
import { RefusedError } from '../language/refusals.js';
import { formatDate, t } from '../language/texts.js';
import { LEVEL_RATINGS } from '../protocol.js';
import { createBotRoom } from '../room/new-room.js';
import { el, fill, linkButton, set } from '../ui/dom.js';
import { fetchHistory, fetchLeaders, fetchProfile, playerPath } from './players-requests.js';
import { createRatingGraph, RANGES } from './rating-graph.js';
import { PUZZLES, pointsText, poolName, ratingText, resultsBar } from './rating-text.js';
import { tl } from './texts.js';

const DAY_MS = 86_400_000;
/** The pool of the games that find a player's level. */
const PLACEMENT_POOL = 'standard/15/normal';
/** How many they are, until the server says so. */
const PLACEMENT_GAMES = 3;
/** The level of the first bot. */
const FIRST_LEVEL = 5;
/** Places of the leaderboard beside a profile. */
const BEST_MAX = 3;

/** @type {View} */
export const view = (app, place, encoded) => {
  const graph = createRatingGraph();
  /** @type {Board[]} */
  let boards = [];
  let gone = false;
  let remove = () => {};
  void load();

  async function load() {
    try {
      await app.connection.greeted();
      const profile = await fetchProfile(decodeURIComponent(encoded));
      if (!gone) show(profile);
    } catch (error) {
      if (gone) return;
      const unknown =
        error instanceof URIError || (error instanceof RefusedError && error.refusal.reason === 'no_such_player');
      if (!unknown) app.showError(error);
      else
        remove = showNotFound(
          place,
          tl('no_player'),
          tl('no_player_how'),
          linkButton('/leaderboard', tl('leaderboard'), true),
          linkButton('/lobby', t('lobby')),
        );
    }
  }

  /** @param {Profile} profile */
  function show(profile) {
    const { name, games, bot_of: owner } = profile;
    const ratings = allRatings(profile);
    // An old name leads here; the address has the current one.
    if (location.pathname !== playerPath(name)) history.replaceState(history.state, '', playerPath(name));
    const isOwn = profile.member === app.connection.you;
    app.tab(`${name} – Fivefold`);
    const count = profile.ratings.reduce((sum, rating) => sum + rating.games, 0);
    const about = [
      tl('joined', { date: formatDate(profile.made_at, { month: 'long', year: 'numeric' }) }),
      count > 0 && tl('rated_games', { count }),
    ]
      .filter(Boolean)
      .join(' · ');
    const challenge = el(
      'button',
      { type: 'button', class: 'primary', onclick: () => app.openPerson(profile) },
      t('challenge'),
    );
    const rows = games.map(row);
    fill(
      place,
      el(
        'div',
        { class: 'page profile' },
        el(
          'section',
          { class: 'profile-head' },
          el('span', { class: 'face large', 'aria-hidden': 'true' }, [...name][0]?.toUpperCase()),
          el(
            'div',
            { class: 'grow' },
            el('h1', null, el('bdi', null, owner ? t('bot_kind', { kind: name }) : name)),
            owner && el('p', null, tl('bot_of'), ' ', el('a', { href: playerPath(owner) }, el('bdi', null, owner))),
            el('p', { class: 'hint' }, about),
          ),
          !isOwn && challenge,
        ),
        ratings.length === 0 && el('p', { class: 'card tile' }, tl(isOwn ? 'own_not_rated' : 'not_rated')),
        isOwn && !owner && !ratings.some(({ pool }) => pool === PLACEMENT_POOL) && placement(app, profile),
        ...(ratings.length > 0 ? [rated(profile)] : []),
        el(
          'div',
          { class: 'cols' },
          el(
            'section',
            { class: 'card list-card' },
            el('h2', null, t('games')),
            games.length === 0
              ? el(
                  'div',
                  { class: 'tile none' },
                  el('p', null, tl(count > 0 ? 'no_public_of_rated' : 'no_public_games')),
                  isOwn && linkButton(count > 0 ? '/games' : '/', t(count > 0 ? 'your_games' : 'find_opponent')),
                )
              : el('table', { class: 'list last' }, el('tbody', null, ...rows.map(({ element }) => element))),
          ),
          el(
            'div',
            { class: 'beside' },
            profile.against_you &&
              el(
                'section',
                { class: 'card tile' },
                el('h2', null, tl('against_you', { name })),
                profile.against_you.games === 0
                  ? el('p', { class: 'hint' }, tl('never_played'))
                  : resultsBar(profile.against_you),
              ),
            byStone(profile),
            frequentOpponents(profile),
          ),
        ),
      ),
    );
    // A board reads its size from its place in the document.
    boards = rows.flatMap(({ game, place: boardPlace }) => {
      if (!game.moves) return [];
      const board = createBoard(boardPlace, { still: true });
      board.show({ size: game.rules.size, moves: game.moves, winning: game.outcome.points });
      return [board];
    });
  }

  /** The ratings, and all about the chosen one. @param {Profile} profile */
  function rated(profile) {
    const { name } = profile;
    const ratings = allRatings(profile);
    /** @type {Map<string, Promise<RatingPoint[]>>} */
    const histories = new Map();
    let range = /** @type {Range} */ ('year');
    let chosen = /** @type {ProfileRating} */ (ratings[0]);
    const title = el('h2');
    const results = el('section', { class: 'card tile' });
    const best = el('section', { class: 'card tile', hidden: true });

    /** @param {string} pool */
    function historyOf(pool) {
      const history = histories.get(pool) ?? fetchHistory(name, pool).then(({ points }) => points);
      histories.set(pool, history);
      return history;
    }

    const cards = ratings.map((rating) => {
      const month = el('span', { class: 'hint' });
      void historyOf(rating.pool).then(
        (points) => {
          const since = Date.now() - RANGES.month * DAY_MS;
          // Who began in this month began with the first rating.
          const before = points.findLast(({ at }) => at < since) ?? points[0];
          const change = rating.rating - (before?.rating ?? rating.rating);
          if (change !== 0 && !rating.provisional)
            fill(
              month,
              el('span', { class: change > 0 ? 'gain' : 'loss' }, tl('this_month', { points: pointsText(change) })),
            );
        },
        () => {},
      );
      const about = [
        tl(rating.pool === PUZZLES ? 'puzzle_tries' : 'rated_games', { count: rating.games }),
        rating.provisional && tl('provisional'),
      ]
        .filter(Boolean)
        .join(', ');
      return el(
        'button',
        { type: 'button', class: 'card rate', onclick: () => choose(rating) },
        el('span', { class: 'hint' }, poolName(rating.pool)),
        el('b', null, ratingText(rating)),
        el('span', { class: 'hint' }, about),
        month,
      );
    });
    const ranges = /** @type {Range[]} */ (Object.keys(RANGES)).map((one) =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': String(one === range),
          onclick: (/** @type {Event} */ event) => {
            range = one;
            for (const other of ranges) set(other, { 'aria-pressed': String(other === event.currentTarget) });
            void drawHistory();
          },
        },
        tl(one),
      ),
    );

    async function drawHistory() {
      const { pool } = chosen;
      try {
        const points = await historyOf(pool);
        if (!gone && pool === chosen.pool) graph.show(points, range, Date.now());
      } catch (error) {
        histories.delete(pool);
        app.showError(error);
      }
    }

    async function showBest() {
      const { pool } = chosen;
      // Puzzles have no leaderboard.
      const { places, own } = pool === PUZZLES ? { places: [], own: undefined } : await fetchLeaders(pool);
      if (gone || pool !== chosen.pool) return;
      best.hidden = places.length === 0;
      const first = places.slice(0, BEST_MAX);
      const shown = own && !first.some(({ member }) => member === own.member) ? [...first, own] : first;
      fill(
        best,
        el('h2', null, tl('best')),
        el(
          'ol',
          { class: 'places' },
          ...shown.map((one) =>
            el(
              'li',
              { class: one.member === own?.member ? 'own' : '' },
              el('span', null, String(one.place)),
              el('a', { href: playerPath(one.name) }, el('bdi', null, one.name)),
              el('b', null, String(one.rating)),
            ),
          ),
        ),
        el('a', { href: `/leaderboard?${new URLSearchParams({ pool })}` }, tl('whole_list')),
      );
    }

    /** @param {ProfileRating} rating */
    function choose(rating) {
      chosen = rating;
      for (const [index, card] of cards.entries()) set(card, { 'aria-pressed': String(ratings[index] === rating) });
      title.textContent = tl('rating_of', { pool: poolName(rating.pool) });
      const words =
        rating.pool === PUZZLES ? tl('puzzles_say', { solved: rating.won, tries: rating.games }) : undefined;
      fill(results, el('h2', null, tl('results')), resultsBar(rating, words));
      void drawHistory();
      showBest().catch(() => {
        best.hidden = true;
      });
    }

    choose(chosen);
    return el(
      'div',
      { class: 'rated' },
      el('section', { class: 'rates', 'aria-label': tl('ratings') }, ...cards),
      el(
        'div',
        { class: 'cols' },
        el(
          'section',
          { class: 'card tile' },
          el(
            'div',
            { class: 'head' },
            title,
            el('div', { class: 'seg', role: 'group', 'aria-label': tl('range') }, ...ranges),
          ),
          graph.element,
        ),
        el('div', { class: 'beside' }, results, best),
      ),
    );
  }

  return () => {
    gone = true;
    graph.remove();
    for (const board of boards) board.remove();
    remove();
  };
};

/** Offers games with the server's bots that give a first rating. @param {App} app @param {Profile} profile */
function placement(app, { placements }) {
  const {
    games = 0,
    of = PLACEMENT_GAMES,
    rating = LEVEL_RATINGS[FIRST_LEVEL - 1] ?? 0,
  } = placements?.find(({ pool }) => pool === PLACEMENT_POOL) ?? {};
  if (games >= of) return el('p', { class: 'card tile' }, tl('placed', { rating: String(rating) }));
  const level = nearestLevel(rating);
  const play = el(
    'button',
    {
      type: 'button',
      onclick: async () => {
        try {
          const room = await createBotRoom(app, level, {
            rules: { variant: 'standard', size: [15, 15] },
            time: { type: 'fischer', main_ms: 300_000, increment_ms: 3_000 },
          });
          app.go(`/r/${room}`);
        } catch (error) {
          app.showError(error);
        }
      },
    },
    t('play_level', { level }),
  );
  return el(
    'section',
    { class: 'card tile placement' },
    el('h2', null, tl('placement')),
    el('p', { class: 'hint' }, tl('placement_how')),
    el('div', { class: 'row' }, play, el('span', { class: 'hint' }, tl('placement_done', { games, of }))),
  );
}

/** The ratings, and that in puzzles as one more: each puzzle is an opponent. @param {Profile} profile @returns {ProfileRating[]} */
function allRatings({ ratings, puzzles }) {
  if (!puzzles) return ratings;
  const { tries, solved, ...rating } = puzzles;
  return [...ratings, { pool: PUZZLES, ...rating, games: tries, won: solved, drawn: 0, lost: tries - solved }];
}

/** How the last games ended with each stone. @param {Profile} profile */
function byStone({ by_stone: results }) {
  const played = STONES.filter((stone) => results[stone].games > 0);
  return (
    played.length > 0 &&
    el(
      'section',
      { class: 'card tile' },
      el('h2', null, tl('by_stone')),
      el('p', { class: 'hint' }, tl('last_public')),
      ...played.map((stone) =>
        el('div', { class: 'by-stone' }, el('h3', null, stoneSign(stone), ' ', t(stone)), resultsBar(results[stone])),
      ),
    )
  );
}

/** @param {Profile} profile */
function frequentOpponents({ opponents }) {
  /** @param {Opponent} one */
  const item = ({ name, rated, won, drawn, lost }) => {
    const text = el('bdi', null, name);
    return el(
      'li',
      null,
      rated ? el('a', { href: playerPath(name) }, text) : text,
      el('b', { title: tl('results_say', { won, drawn, lost }) }, `${won}–${drawn > 0 ? `${drawn}–` : ''}${lost}`),
    );
  };
  return (
    opponents.length > 0 &&
    el(
      'section',
      { class: 'card tile' },
      el('h2', null, tl('opponents')),
      el('ol', { class: 'places met' }, ...opponents.map(item)),
    )
  );
}

/** A game of the player's, with a place for a small board. @param {ProfileGame} game */
function row(game) {
  const { seat } = game;
  const { winner } = game.outcome;
  const kind = !winner ? '' : winner === seat ? 'gain' : 'loss';
  const other = opponent(seat);
  const player = game[other];
  const name = el('bdi', null, playerName(player));
  const place = el('div', { class: 'small-board', 'aria-hidden': 'true' });
  const element = el(
    'tr',
    null,
    el('td', { class: 'opt' }, place),
    el(
      'td',
      null,
      el('a', { href: `/game/${game.id}`, class: kind }, t(!winner ? 'draw_short' : winner === seat ? 'won' : 'lost')),
    ),
    el(
      'td',
      null,
      stoneSign(stoneOf(other, game.black), game.rules),
      ' ',
      // Both players of a rated game have accounts.
      game.rated && 'member' in player ? el('a', { href: playerPath(player.name) }, name) : name,
      game.ratings && el('span', { class: 'hint num' }, ` ${game.ratings[other]}`),
    ),
    el(
      'td',
      { class: 'opt hint' },
      `${rulesName(game.rules, game.opening?.kind)} · ${t('moves_count', { count: game.plies })}`,
    ),
    el(
      'td',
      null,
      el(
        'time',
        { class: 'hint', dateTime: new Date(game.ended_at).toISOString() },
        formatDate(game.ended_at, { dateStyle: 'medium' }),
      ),
    ),
  );
  return { element, place, game };
}
