// The lobby: open challenges and pools, or live games, and beside them a challenge of one's own.

/** @import { Pool } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { botLevel } from '../game/bots.js';
import { eachSecond } from '../game/clock-display.js';
import { ratedName, rulesName, timeControlText } from '../game/display-names.js';
import { formatSpan, t } from '../language/texts.js';
import { NAME_MAX } from '../protocol.js';
import { findOrCreateRoom } from '../room/new-room.js';
import { el, fill, set, write } from '../ui/dom.js';
import { createGameOptions } from './game-options.js';
import { createLiveGames } from './live-games.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { dots } from './seeks.js';

/** After this long the page says that it is connecting. */
const CONNECTING_AFTER_MS = 400;
/** Open challenges to list, as many as the server sends. */
const LISTED_MAX = 100;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('lobby')} – Fivefold`);
  const options = createGameOptions('anyone', () => app.connection.account);
  const level = botLevel();
  const open = createOpenSeeks(
    app,
    LISTED_MAX,
    el('button', { type: 'button', onclick: playBot }, t('play_level', { level })),
  );
  const live = createLiveGames(app);
  /** Says why there is no list yet. */
  const stateText = el('p', { role: 'status' });
  const retry = el('button', { type: 'button', onclick: () => app.connection.retryNow() }, t('retry_now'));
  const state = el('div', { class: 'none', hidden: true }, stateText, retry);
  const counts = el('span', { class: 'hint', role: 'status' });
  const tab = (/** @type {boolean} */ games) => el('button', { type: 'button', onclick: () => choose(games) });
  const tabs = [tab(false), tab(true)];
  const list = el('ol', { class: 'pools' });
  const anyone = el('div', { hidden: true }, el('h2', null, t('play_anyone')), list);
  const name = el('input', {
    maxLength: NAME_MAX,
    required: true,
    placeholder: t('name'),
    'aria-label': t('challenge_by_name'),
    autocomplete: 'off',
  });
  const panelPlace = el('div', { hidden: true });
  const own = el('form', { class: 'row', onsubmit: challenge }, name, el('button', { type: 'submit' }, t('challenge')));
  /** @type {Pool[]} */
  let pools = [];
  let loaded = false;
  // Lists mostly come at once.
  const slow = setTimeout(() => {
    state.hidden = loaded;
  }, CONNECTING_AFTER_MS);
  const stopState = eachSecond(showState);
  /** The shown pools: cards are rebuilt only when they change. */
  let shown = '';
  let left = false;
  /** @type {import('./seeks.js').Seeks | undefined} */
  let seeks;
  /** @type {import('./seek-panel.js').SeekPanel | undefined} */
  let panel;
  void load();

  async function load() {
    const [own, { createSeekPanel }] = await Promise.all([app.seeks(), import('./seek-panel.js')]);
    if (left) return;
    seeks = own;
    panel = createSeekPanel(app, own, (pool) => pools.find((one) => one.name === pool), showPools);
    panelPlace.replaceWith(panel.element);
  }

  /** @param {import('../ui/protocol-types').SeekCommand} command @param {string} [name] */
  async function start(command, name) {
    (await app.seeks()).start(command, name);
    panel?.element.scrollIntoView({ block: 'nearest' });
  }

  function showState() {
    const failed = app.connection.status === 'lost';
    write(stateText, t(failed ? 'list_failed' : 'connecting'));
    retry.hidden = !failed;
    if (loaded) state.hidden = true;
  }

  async function playBot() {
    try {
      app.go(
        `/r/${await findOrCreateRoom(app, { ...createGameOptions().command(), seats: ['me', { bot: { kind: 'engine', level } }] })}`,
      );
    } catch (error) {
      app.showError(error);
    }
  }

  /** Shows challenges or live games. @param {boolean} games */
  function choose(games) {
    challenges.hidden = games;
    live.element.hidden = !games;
    for (const [index, one] of tabs.entries()) set(one, { 'aria-pressed': String(games === (index === 1)) });
  }

  /** @param {Event} event */
  function challenge(event) {
    event.preventDefault();
    const wanted = name.value.trim();
    if (wanted) void start({ type: 'challenge', name: wanted, settings: options.settings() }, wanted);
    name.value = '';
  }

  /** The player's seek in a pool. @param {Pool} pool */
  const soughtIn = (pool) => seeks?.list().find(({ command }) => 'pool' in command && command.pool === pool.name);

  /** @param {Pool} pool */
  function press(pool) {
    const seek = soughtIn(pool);
    if (seek) seeks?.cancel(seek);
    else void start({ type: 'seek', pool: pool.name });
  }

  /** @param {Pool} pool */
  function card(pool) {
    const sought = !!soughtIn(pool);
    const about = [
      ratedName(pool.rated),
      pool.waiting > 0 && t('waiting_count', { count: pool.waiting }),
      pool.waiting > 0 && pool.wait_ms !== undefined && t('usual_wait', { time: formatSpan(pool.wait_ms) }),
      pool.games > 0 && t('games_count', { count: pool.games }),
    ]
      .filter(Boolean)
      .join(' · ');
    return el(
      'li',
      null,
      el(
        'button',
        {
          type: 'button',
          class: `pool ${pool.waiting > 0 ? 'now' : ''}`,
          'aria-pressed': String(sought),
          onclick: () => press(pool),
        },
        el('b', null, pool.time ? timeControlText(pool.time) : t('clock_none'), sought && dots()),
        el('span', null, rulesName(pool.rules, pool.opening).replace(' · 15×15', '')),
        el('span', { class: 'hint' }, sought ? t('cancel') : about),
      ),
    );
  }

  function showPools() {
    const state = JSON.stringify(pools.map((pool) => [pool, !!soughtIn(pool)]));
    if (state === shown) return;
    shown = state;
    const at = [...list.children].findIndex((item) => item.contains(document.activeElement));
    fill(list, ...pools.map(card));
    list.children[at]?.querySelector('button')?.focus({ preventScroll: true });
    anyone.hidden = pools.length === 0;
  }

  const stop = watchLobby(app, (lobby) => {
    ({ pools } = lobby);
    loaded = true;
    showState();
    showPools();
    open.show(lobby.seeks);
    options.refresh();
    const sum = (/** @type {'waiting' | 'games'} */ what) => pools.reduce((all, pool) => all + pool[what], 0);
    const [games, waiting] = [sum('games'), sum('waiting') + lobby.seeks.length];
    write(
      counts,
      [waiting > 0 && t('waiting_count', { count: waiting }), games > 0 && t('games_count', { count: games })]
        .filter(Boolean)
        .join(' · '),
    );
    if (tabs[0])
      write(tabs[0], lobby.seeks.length > 0 ? `${t('challenges')} (${lobby.seeks.length})` : t('challenges'));
    panel?.show();
  });

  const challenges = el('div', null, anyone, el('h2', null, t('open_challenges')), open.element);
  for (const [index, one] of tabs.entries()) write(one, t(index ? 'live_games' : 'challenges'));
  place.append(
    el(
      'div',
      { class: 'page' },
      el('div', { class: 'head' }, el('h1', null, t('lobby')), counts, el('a', { href: '/leaderboard' }, t('players'))),
      panelPlace,
      el(
        'div',
        { class: 'lobby' },
        el(
          'section',
          { class: 'card list-card' },
          el('div', { class: 'seg tabs-of' }, ...tabs),
          state,
          challenges,
          live.element,
        ),
        el(
          'section',
          { class: 'card post' },
          el('h2', null, t('post_challenge')),
          options.element,
          el(
            'button',
            { type: 'button', class: 'primary', onclick: () => start({ type: 'seek', settings: options.settings() }) },
            t('post_wait'),
          ),
          el('h2', null, t('challenge_by_name')),
          own,
        ),
      ),
    ),
  );
  choose(false);
  return () => {
    left = true;
    clearTimeout(slow);
    stopState();
    stop();
    panel?.remove();
    live.remove();
  };
};
