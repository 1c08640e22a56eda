// What finds an opponent on the home page: rules, clock, one button. Each pair of them is a pool of the
// server. A new player gets a game that needs no explanation, with a bot until somebody comes.

/** @import { Pool } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Lobby } from './lobby-watch.js' */

import { siteStorage } from '../browser/browser-storage.js';
import { dotted, formatSpan, hasText, t } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';
import { createOwnSeeks } from './own-seeks.js';
import { clockOf, createPoolChoice } from './pool-choice.js';

/** Key of the pool that was sought last. */
const POOL_KEY = 'fivefold.pool';
/** The clock that is chosen at first where nobody waits. */
const FIRST_CLOCK = '5+3';

/** @param {App} app */
export function createSeekCard(app) {
  const how = el('p', { class: 'hint' });
  const now = el('p', { class: 'hint seek-now', role: 'status' }, t('connecting'));
  const find = button(t('find_opponent'), seek, { class: 'primary big find', disabled: true });
  const others = button(t('other_games'), showAll, { class: 'quiet' });
  /** @type {Pool[]} */
  let pools = [];
  let chosen = siteStorage.getItem(POOL_KEY) ?? '';
  /** Whether the player has no account, has not chosen a pool yet, and has not asked for others. */
  let isNew = !chosen && !app.connection.account;
  const own = createOwnSeeks(app, () => pools, show);
  const choice = createPoolChoice((pool) => {
    chosen = pool;
    siteStorage.setItem(POOL_KEY, chosen);
    show();
  }, waitingIn);
  const element = el('div', { class: 'seek' }, own.place, choice.element, how, find, now, others);
  choice.element.hidden = isNew;
  others.hidden = !isNew;
  let ruleText = (/** @type {Pool['rules']} */ _) => '';
  import('../game/rules/rule-text.js').then(
    (texts) => {
      ({ ruleText } = texts);
      show();
    },
    () => {},
  );

  const current = () => pools.find(({ name }) => name === chosen);

  async function seek() {
    find.disabled = true;
    try {
      const panel = await own.panel;
      const pool = current();
      const begins = isNew && pool && waitingIn(pool) === 0;
      if (panel) (await app.seeks()).start({ type: 'seek', pool: chosen });
      if (begins) return await panel?.playBot();
    } catch (error) {
      app.showError(error);
    }
    show();
    own.focus();
    element.scrollIntoView({ block: 'nearest' });
  }

  /** How many others wait there. @param {Pool} pool */
  function waitingIn(pool) {
    return Math.max(0, pool.waiting - Number(!!own.seekIn(pool)));
  }

  function endNew() {
    isNew = false;
    chosen = firstChoice(pools, false);
  }

  function showAll() {
    endNew();
    show();
    choice.focus();
  }

  function show() {
    const pool = current();
    choice.show(pools, pool);
    if (!pool) return;
    const waiting = waitingIn(pool);
    find.disabled = false;
    find.hidden = how.hidden = !!own.seekIn(pool);
    choice.element.hidden = find.hidden || isNew;
    others.hidden = find.hidden || !isNew;
    write(how, isNew && isFree(pool) ? dotted(t('first_game'), clockOf(pool)) : howText(pool, ruleText(pool.rules)));
    write(find, t(waiting > 0 ? 'find_opponent' : isNew ? 'play_now' : 'wait_opponent'));
    write(now, nowText(pool, waiting, find.hidden, isNew));
  }

  return {
    element,
    /** @param {Lobby} lobby */
    show(lobby) {
      ({ pools } = lobby);
      if (isNew && app.connection.account) endNew();
      if (!current()) chosen = firstChoice(pools, isNew);
      show();
      own.show();
    },
    remove: own.remove,
  };
}

/** How games of a pool are played. @param {Pool} pool @param {string} rules */
function howText({ opening = 'free', rated }, rules) {
  const key = `opening_${opening}_how`;
  return [rules, hasText(key) && t(key), t(rated ? 'rated_how' : 'casual_how')].filter(Boolean).join(' ');
}

/** Who is in a pool now. @param {Pool} pool @param {number} waiting @param {boolean} isSought @param {boolean} isNew */
function nowText(pool, waiting, isSought, isNew) {
  const { wait_ms: wait } = pool;
  return dotted(
    waiting > 0 ? t('waiting_count', { count: waiting }) : !isSought && t(isNew ? 'nobody_waits_bot' : 'nobody_waits'),
    waiting > 0 && !isSought && wait !== undefined && t('usual_wait', { time: formatSpan(wait) }),
    pool.games > 0 && t('games_count', { count: pool.games }),
  );
}

/** Whether both just put stones. @param {Pool} pool */
function isFree({ opening = 'free', rules }) {
  return opening === 'free' && rules.variant === 'freestyle';
}

/** The pool where most wait: for a new player one that needs no explanation, for others a fair one. @param {Pool[]} pools @param {boolean} isNew */
function firstChoice(pools, isNew) {
  const fit = pools
    .filter((pool) => isNew === isFree(pool))
    .sort((a, b) => b.waiting - a.waiting || Number(clockOf(b) === FIRST_CLOCK) - Number(clockOf(a) === FIRST_CLOCK));
  return (fit[0] ?? pools[0])?.name ?? '';
}
