// The card on the home page that finds an opponent: choose a pool, press one button.

/** @import { Pool } from './types' */
/** @import { App } from './view-types' */
/** @import { Lobby } from './lobby-watch.js' */

import { timeControlText, waitText } from './clock-display.js';
import { rulesName } from './display-names.js';
import { el, fill, write } from './dom.js';
import { hasText, t } from './texts.js';

/** Key of the pool that was sought last. */
const POOL_KEY = 'fivefold.pool';
/** The choice of a new player where nobody waits. */
const FIRST_POOL = 'gomoku-5-3';

/** @param {App} app */
export function createSeekCard(app) {
  const choices = el('fieldset', { class: 'pools', onchange: choose });
  const how = el('p', { class: 'hint' });
  const now = el('p', { class: 'hint seek-now', role: 'status' }, t('connecting'));
  const find = el('button', { class: 'primary find', type: 'button', disabled: true, onclick: seek }, t('find_opponent'));
  const panelPlace = el('div', { hidden: true });
  const element = el('section', { class: 'card seek' }, el('h2', null, t('play_anyone')), panelPlace, choices, how, find, now);
  /** @type {Pool[]} */
  let pools = [];
  let chosen = localStorage.getItem(POOL_KEY) ?? '';
  /** The shown pools: choices are rebuilt only when there are others. */
  let shown = '';
  let left = false;
  /** @type {import('./seeks.js').Seeks | undefined} */
  let seeks;
  /** @type {import('./seek-panel.js').SeekPanel | undefined} */
  let panel;

  /** Loads the player's seeks, which may go on from another page. */
  async function load() {
    const [own, { createSeekPanel }] = await Promise.all([app.seeks(), import('./seek-panel.js')]);
    if (left) return;
    seeks = own;
    panel = createSeekPanel(app, own, (name) => pools.find((pool) => pool.name === name), show);
    panelPlace.replaceWith(panel.element);
  }
  const loaded = load();

  function choose() {
    chosen = choices.querySelector('input:checked')?.getAttribute('value') ?? chosen;
    localStorage.setItem(POOL_KEY, chosen);
    show();
  }

  async function seek() {
    find.disabled = true;
    try {
      await loaded;
      seeks?.start({ type: 'seek', pool: chosen });
    } catch (error) {
      app.showError(error);
    }
    show();
    panel?.element.querySelector('button')?.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  }

  /** Whether the player seeks in this pool. @param {Pool} pool */
  const isSought = (pool) => !!seeks?.list().some(({ command }) => 'pool' in command && command.pool === pool.name);
  /** How many others wait there. @param {Pool} pool */
  const others = (pool) => Math.max(0, pool.waiting - Number(isSought(pool)));

  /** @param {Pool} pool */
  function choice(pool) {
    return el('label', { class: 'pool' },
      el('input', { type: 'radio', name: 'pool', value: pool.name, class: 'spoken', checked: pool.name === chosen }),
      el('b', null, pool.time ? timeControlText(pool.time) : t('clock_none')), el('span', { class: 'waiting' }),
      el('span', null, rulesName(pool.rules, pool.opening).replace(' · 15×15', '')));
  }

  function show() {
    const names = pools.map(({ name }) => name).join();
    if (names !== shown) {
      shown = names;
      fill(choices, el('legend', { class: 'spoken' }, t('play_anyone')), ...pools.map(choice));
    }
    for (const [index, place] of choices.querySelectorAll('.waiting').entries()) {
      const pool = pools[index];
      write(place, pool && others(pool) > 0 ? t('waiting_count', { count: others(pool) }) : '');
    }
    const pool = pools.find(({ name }) => name === chosen);
    if (!pool) return;
    const key = `opening_${pool.opening ?? 'free'}_how`;
    write(how, hasText(key) ? t(key) : '');
    const waiting = others(pool);
    find.disabled = false;
    find.hidden = isSought(pool);
    write(find, t(waiting > 0 ? 'find_opponent' : 'wait_opponent'));
    write(now, [
      waiting > 0 ? t('waiting_count', { count: waiting }) : !find.hidden && t('nobody_waits'),
      pool.wait_ms !== undefined && !find.hidden && t('usual_wait', { time: waitText(pool.wait_ms) }),
      pool.games > 0 && t('games_count', { count: pool.games }),
    ].filter(Boolean).join(' · '));
  }

  return {
    element,
    /** @param {Lobby} lobby */
    show(lobby) {
      ({ pools } = lobby);
      if (!pools.some(({ name }) => name === chosen)) chosen = firstChoice(pools);
      show();
      panel?.show();
    },
    remove() {
      left = true;
      panel?.remove();
    },
  };
}

/** The pool for a new player: the fair one where most wait. @param {Pool[]} pools */
function firstChoice(pools) {
  const fair = pools.filter(({ opening }) => opening).sort((a, b) => b.waiting - a.waiting || Number(b.name === FIRST_POOL) - Number(a.name === FIRST_POOL));
  return (fair[0] ?? pools[0])?.name ?? '';
}
