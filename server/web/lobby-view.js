// The lobby: pools, open challenges, a challenge of one's own, and live games.

/** @import { Pool } from './types' */
/** @import { View } from './view-types' */

import { waitText } from './clock-display.js';
import { gameName } from './display-names.js';
import { el, fill, write } from './dom.js';
import { createGameOptions } from './game-options.js';
import { createLiveGames } from './live-games.js';
import { watchLobby } from './lobby-watch.js';
import { createOpenSeeks } from './open-seeks.js';
import { NAME_MAX } from './protocol.js';
import { t } from './texts.js';

/** Open challenges to list, as many as the server sends. */
const LISTED_MAX = 100;

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${t('lobby')} – Fivefold`);
  const options = createGameOptions('anyone');
  const open = createOpenSeeks(app, LISTED_MAX);
  const live = createLiveGames(app);
  const counts = el('p', { class: 'hint', role: 'status' }, t('connecting'));
  const list = el('ol', { class: 'open-seeks' });
  const name = el('input', { maxLength: NAME_MAX, required: true, placeholder: t('name'), 'aria-label': t('challenge_by_name'), autocomplete: 'off' });
  const panelPlace = el('div', { hidden: true });
  const own = el('form', { class: 'row', onsubmit: challenge }, name, el('button', { type: 'submit' }, t('challenge')));
  /** @type {Pool[]} */
  let pools = [];
  /** The shown pools: rows are rebuilt only when they change. */
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

  /** @param {import('./types').SeekCommand} command @param {string} [whom] */
  async function start(command, whom) {
    (await app.seeks()).start(command, whom);
    panel?.element.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Event} event */
  function challenge(event) {
    event.preventDefault();
    const whom = name.value.trim();
    if (whom) void start({ type: 'challenge', name: whom, settings: options.settings() }, whom);
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
  function row(pool) {
    const about = [
      t('waiting_count', { count: pool.waiting }), pool.wait_ms !== undefined && t('usual_wait', { time: waitText(pool.wait_ms) }),
      pool.games > 0 && t('games_count', { count: pool.games }),
    ].filter(Boolean).join(' · ');
    const what = gameName(pool);
    return el('li', { class: `open-seek ${pool.waiting > 0 ? 'now' : ''}` },
      el('span', { class: 'grow' }, el('strong', null, what), el('span', { class: 'hint' }, about)),
      el('button', { type: 'button', onclick: () => press(pool) }, t(soughtIn(pool) ? 'cancel' : 'play'), el('span', { class: 'spoken' }, ` ${what}`)));
  }

  function showPools() {
    const state = JSON.stringify(pools.map((pool) => [pool, !!soughtIn(pool)]));
    if (state === shown) return;
    shown = state;
    fill(list, ...pools.map(row));
  }

  const stop = watchLobby(app, (lobby) => {
    ({ pools } = lobby);
    showPools();
    open.show(lobby.seeks);
    const sum = (/** @type {'waiting' | 'games'} */ what) => pools.reduce((all, pool) => all + pool[what], 0);
    write(counts, `${t('waiting_count', { count: sum('waiting') + lobby.seeks.length })} · ${t('games_count', { count: sum('games') })}`);
    panel?.show();
  });

  place.append(el('div', { class: 'page' }, el('h1', null, t('lobby')), counts, panelPlace,
    el('div', { class: 'lobby' },
      el('section', { class: 'card' }, el('h2', null, t('open_challenges')), open.element, el('h2', null, t('play_anyone')), list),
      el('section', { class: 'card post' }, el('h2', null, t('post_challenge')), options.element,
        el('button', { type: 'button', class: 'primary', onclick: () => start({ type: 'seek', settings: options.settings() }) }, t('post_wait')),
        el('h2', null, t('challenge_by_name')), own)),
    live.element));
  return () => {
    left = true;
    stop();
    panel?.remove();
    live.remove();
  };
};
