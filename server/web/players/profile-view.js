// A player's profile: ratings, how each has changed, results, last games, and the record against the visitor.

/** @import { Opponent, ProfileGame, ProfileRating, Profile } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { showNotFound } from '../board/not-found.js';
import { LEVEL_RATINGS } from '../client/protocol.js';
import { RefusedError } from '../client/refused-error.js';
import { opponent, STONES, stoneOf } from '../client/room-state.js';
import { nearestLevel } from '../game/bots.js';
import { playerName, rulesName, stoneSign } from '../game/display-names.js';
import { dotted, formatDate, t } from '../language/texts.js';
import { createBotRoom } from '../room/new-room.js';
import { button, el, fill, linkButton } from '../ui/dom.js';
import { fetchProfile, playerPath } from './players-requests.js';
import { createRatings } from './profile-ratings.js';
import { PUZZLES, resultsBar } from './rating-text.js';
import { tl } from './texts.js';

/** The pool of the games that find a player's level. */
const PLACEMENT_POOL = 'standard/15/normal';
/** How many they are, until the server says so. */
const PLACEMENT_GAMES = 3;
/** The level of the first bot. */
const FIRST_LEVEL = 5;

/** @type {View} */
export const view = (app, place, encoded) => {
  /** Ends what is shown. @type {(() => void)[]} */
  const ends = [];
  let gone = false;
  void load();
  return () => {
    gone = true;
    for (const end of ends) end();
  };

  async function load() {
    try {
      await app.connection.greeted();
      const profile = await fetchProfile(decodeURIComponent(encoded));
      if (!gone) ends.push(...show(app, place, profile));
    } catch (error) {
      if (gone) return;
      const unknown =
        error instanceof URIError || (error instanceof RefusedError && error.refusal.reason === 'no_such_player');
      if (!unknown) return app.showError(error);
      const ways = [linkButton('/leaderboard', tl('leaderboard'), true), linkButton('/lobby', t('lobby'))];
      ends.push(showNotFound(place, tl('no_player'), tl('no_player_how'), ...ways));
    }
  }
};

/** Shows a profile, and returns what ends it. @param {App} app @param {HTMLElement} place @param {Profile} profile */
function show(app, place, profile) {
  const { name, games, bot_of: owner } = profile;
  const ratings = allRatings(profile);
  // An old name leads here; the address has the current one.
  if (location.pathname !== playerPath(name)) history.replaceState(history.state, '', playerPath(name));
  const isOwn = profile.member === app.connection.you;
  app.tab(`${name} – Fivefold`);
  const count = profile.ratings.reduce((sum, rating) => sum + rating.games, 0);
  const section = ratings.length > 0 ? createRatings(app, name, ratings) : undefined;
  const rows = games.map(row);
  fill(
    place,
    el(
      'div',
      { class: 'page profile' },
      profileHead(
        profile,
        count,
        !isOwn && button(t('challenge'), () => app.openPerson(profile), { class: 'primary' }),
        !isOwn && !owner && app.connection.account && friendPlace(app, profile),
      ),
      !section && el('p', { class: 'card tile' }, tl(isOwn ? 'own_not_rated' : 'not_rated')),
      isOwn && !owner && !ratings.some(({ pool }) => pool === PLACEMENT_POOL) && placement(app, profile),
      section?.element,
      el(
        'div',
        { class: 'cols' },
        el(
          'section',
          { class: 'card list-card' },
          el('h2', null, t('games')),
          games.length === 0
            ? noGames(isOwn, count > 0)
            : el('table', { class: 'list last' }, el('tbody', null, ...rows.map(({ element }) => element))),
        ),
        el('div', { class: 'beside' }, againstYou(profile), byStone(profile), frequentOpponents(profile)),
      ),
    ),
  );
  // A board reads its size from its place in the document.
  const boards = rows.flatMap(({ game, place: boardPlace }) => {
    if (!game.moves) return [];
    const board = createBoard(boardPlace, { still: true });
    board.show({ size: game.rules.size, moves: game.moves, winning: game.outcome.points });
    return [board];
  });
  return [...(section ? [section] : []), ...boards].map((part) => () => part.remove());
}

/** Who it is. @param {Profile} profile @param {number} count of rated games @param {...(Node | false)} actions */
function profileHead({ name, bot_of: owner, made_at: made }, count, ...actions) {
  const joined = tl('joined', { date: formatDate(made, { month: 'long', year: 'numeric' }) });
  return el(
    'section',
    { class: 'profile-head' },
    el('span', { class: 'face large', 'aria-hidden': 'true' }, [...name][0]?.toUpperCase()),
    el(
      'div',
      { class: 'grow' },
      el('h1', null, el('bdi', null, owner ? t('bot_kind', { kind: name }) : name)),
      owner && el('p', null, tl('bot_of'), ' ', el('a', { href: playerPath(owner) }, el('bdi', null, owner))),
      el('p', { class: 'hint' }, dotted(joined, count > 0 && tl('rated_games', { count }))),
    ),
    ...actions,
  );
}

/** Where a visitor with an account asks the player to be friends. @param {App} app @param {Profile} profile */
function friendPlace(app, profile) {
  const place = el('div', { class: 'row' });
  const load = import('../account/friend-button.js');
  void load.then(({ showFriendButton }) => showFriendButton(place, profile), app.showError);
  return place;
}

/** @param {boolean} isOwn @param {boolean} isRated */
function noGames(isOwn, isRated) {
  return el(
    'div',
    { class: 'tile none' },
    el('p', null, tl(isRated ? 'no_public_of_rated' : 'no_public_games')),
    isOwn && linkButton(isRated ? '/games' : '/', t(isRated ? 'your_games' : 'find_opponent')),
  );
}

/** The record against the visitor. @param {Profile} profile */
function againstYou({ name, against_you: results }) {
  if (!results) return false;
  return el(
    'section',
    { class: 'card tile' },
    el('h2', null, tl('against_you', { name })),
    results.games === 0 ? el('p', { class: 'hint' }, tl('never_played')) : resultsBar(results),
  );
}

/** Offers games with the server's bots that give a first rating. @param {App} app @param {Profile} profile */
function placement(app, { placements }) {
  const {
    games = 0,
    of = PLACEMENT_GAMES,
    rating = LEVEL_RATINGS[FIRST_LEVEL - 1] ?? 0,
  } = placements?.find(({ pool }) => pool === PLACEMENT_POOL) ?? {};
  if (games >= of) return el('p', { class: 'card tile' }, tl('placed', { rating: String(rating) }));
  const level = nearestLevel(rating);
  const play = button(t('play_level', { level }), async () => {
    try {
      const room = await createBotRoom(app, level, {
        rules: { variant: 'standard', size: [15, 15] },
        time: { type: 'fischer', main_ms: 300_000, increment_ms: 3_000 },
      });
      app.go(`/r/${room}`);
    } catch (error) {
      app.showError(error);
    }
  });
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
