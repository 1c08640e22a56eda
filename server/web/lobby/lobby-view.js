// The lobby: open challenges and pools, or live games, and beside them a challenge of one's own.

/** @import { Pool, SeekCommand } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */
/** @import { Seek } from './seeks.js' */

import { NAME_MAX } from '../client/protocol.js';
import { botLevel } from '../game/bots.js';
import { eachSecond } from '../game/clock-display.js';
import { ratedName } from '../game/display-names.js';
import { dotted, formatSpan, t } from '../language/texts.js';
import { findOrCreateRoom } from '../room/new-room.js';
import { button, el, fill, set, write } from '../ui/dom.js';
import { createGameOptions } from './game-options.js';
import { createLiveGames } from './live-games.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { createOwnSeeks } from './own-seeks.js';
import { clockOf, groupOf } from './pool-choice.js';
import { dots } from './seeks.js';
import { tl } from './texts.js';

/** After this long the page says that it is connecting. */
const CONNECTING_AFTER_MS = 400;
/** Open challenges to list, as many as the server sends. */
const LISTED_MAX = 100;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('lobby')} – Fivefold`);
  const level = botLevel();
  const options = createGameOptions('anyone', () => app.connection.account);
  const open = createOpenSeeks(
    app,
    LISTED_MAX,
    button(t('play_level', { level }), () => playBot(app, level)),
  );
  const live = createLiveGames(app);
  const state = createListState(app);
  const counts = el('span', { class: 'hint', role: 'status' });
  const challengesTab = button(t('challenges'), () => choose(false));
  const gamesTab = button(t('live_games'), () => choose(true));
  /** @type {Pool[]} */
  let pools = [];
  const own = createOwnSeeks(app, () => pools, showPools);
  const anyone = createPoolList(app, own.seekIn, start);
  const challenges = el('div', null, anyone.element, el('h2', null, t('open_challenges')), open.element);

  /** @param {SeekCommand} command @param {string} [name] of the challenged person */
  async function start(command, name) {
    (await app.seeks()).start(command, name);
    (await own.panel)?.element.scrollIntoView({ block: 'nearest' });
  }

  function showPools() {
    anyone.show(pools);
  }

  /** Shows challenges or live games. @param {boolean} games */
  function choose(games) {
    challenges.hidden = games;
    live.element.hidden = !games;
    set(challengesTab, { 'aria-pressed': String(!games) });
    set(gamesTab, { 'aria-pressed': String(games) });
  }

  const stop = watchLobby(app, (lobby) => {
    ({ pools } = lobby);
    state.loaded();
    showPools();
    open.show(lobby.seeks);
    options.refresh();
    const count = lobby.seeks.length;
    const sum = (/** @type {'waiting' | 'games'} */ what) => pools.reduce((all, pool) => all + pool[what], 0);
    const [games, waiting] = [sum('games'), sum('waiting') + count];
    write(
      counts,
      dotted(waiting > 0 && t('waiting_count', { count: waiting }), games > 0 && t('games_count', { count: games })),
    );
    write(challengesTab, t('challenges') + (count > 0 ? ` (${count})` : ''));
    own.show();
  });

  place.append(
    el(
      'div',
      { class: 'page' },
      el('div', { class: 'head' }, el('h1', null, t('lobby')), counts, createWays()),
      own.place,
      el(
        'div',
        { class: 'lobby' },
        el(
          'section',
          { class: 'card list-card' },
          el('div', { class: 'seg tabs-of' }, challengesTab, gamesTab),
          state.element,
          challenges,
          live.element,
        ),
        el(
          'section',
          { class: 'card post' },
          el('h2', null, t('post_challenge')),
          options.element,
          button(tl('post_wait'), () => start({ type: 'seek', settings: options.settings() }), { class: 'primary' }),
          el('h2', null, tl('challenge_by_name')),
          challengeForm((name) => start({ type: 'challenge', name, settings: options.settings() }, name)),
        ),
      ),
    ),
  );
  choose(false);
  return () => {
    stop();
    for (const part of [state, own, live]) part.remove();
  };
};

/** The ways from the lobby to others. */
function createWays() {
  return el('span', null, el('a', { href: '/tv' }, t('tv')), ' · ', el('a', { href: '/leaderboard' }, t('players')));
}

/** Says why there is no list yet. @param {App} app */
function createListState({ connection }) {
  const text = el('p', { role: 'status' });
  const retry = button(tl('retry_now'), () => connection.retryNow());
  const element = el('div', { class: 'none', hidden: true }, text, retry);
  // Lists mostly come at once.
  const slow = setTimeout(() => {
    element.hidden = false;
  }, CONNECTING_AFTER_MS);
  const stop = eachSecond(() => {
    const failed = connection.status === 'lost';
    write(text, failed ? tl('list_failed') : t('connecting'));
    retry.hidden = !failed;
  });
  const remove = () => {
    clearTimeout(slow);
    stop();
  };
  return {
    element,
    loaded() {
      remove();
      element.hidden = true;
    },
    remove,
  };
}

/** The form that challenges somebody. @param {(name: string) => void} challenge */
function challengeForm(challenge) {
  const name = el('input', {
    maxLength: NAME_MAX,
    required: true,
    placeholder: tl('name'),
    'aria-label': tl('challenge_by_name'),
    autocomplete: 'off',
  });
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (wanted) challenge(wanted);
    name.value = '';
  };
  return el('form', { class: 'row', onsubmit }, name, el('button', { type: 'submit' }, t('challenge')));
}

/**
 * The pools as cards; a press seeks a game in one, or ends that.
 * @param {App} app @param {(pool: Pool) => Seek | undefined} seekIn the player's seek in a pool
 * @param {(command: SeekCommand) => void} start
 */
function createPoolList(app, seekIn, start) {
  const list = el('ol', { class: 'pools' });
  const element = el('div', { hidden: true }, el('h2', null, tl('play_anyone')), list);
  /** The shown pools: cards are rebuilt only when they change. */
  let shown = '';

  /** @param {Pool} pool */
  async function press(pool) {
    const seek = seekIn(pool);
    if (seek) (await app.seeks()).cancel(seek);
    else start({ type: 'seek', pool: pool.name });
  }

  /** @param {Pool} pool */
  function card(pool) {
    const sought = !!seekIn(pool);
    const { rated, waiting, wait_ms: wait, games } = pool;
    const about = dotted(
      ratedName(rated),
      waiting > 0 && t('waiting_count', { count: waiting }),
      waiting > 0 && wait !== undefined && t('usual_wait', { time: formatSpan(wait) }),
      games > 0 && t('games_count', { count: games }),
    );
    return el(
      'li',
      null,
      button(
        [
          el('b', null, clockOf(pool), sought && dots()),
          el('span', null, groupOf(pool)),
          el('span', { class: 'hint' }, sought ? t('cancel') : about),
        ],
        () => press(pool),
        { class: `pool ${waiting > 0 ? 'now' : ''}`, 'aria-pressed': String(sought) },
      ),
    );
  }

  return {
    element,
    /** @param {Pool[]} pools */
    show(pools) {
      const state = JSON.stringify(pools.map((pool) => [pool, !!seekIn(pool)]));
      if (state === shown) return;
      shown = state;
      const at = [...list.children].findIndex((item) => item.contains(document.activeElement));
      fill(list, ...pools.map(card));
      list.children[at]?.querySelector('button')?.focus({ preventScroll: true });
      element.hidden = pools.length === 0;
    },
  };
}

/** @param {App} app @param {number} level */
async function playBot(app, level) {
  try {
    const command = createGameOptions().command();
    app.go(`/r/${await findOrCreateRoom(app, { ...command, seats: ['me', { bot: { kind: 'engine', level } }] })}`);
  } catch (error) {
    app.showError(error);
  }
}
