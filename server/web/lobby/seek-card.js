// What finds an opponent on the home page: rules, clock, one button. Each pair of them is a pool of the
// server. A new player gets a game that needs no explanation, with a bot until somebody comes.

/** @import { Pool } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Lobby } from './lobby-watch.js' */

import { siteStorage } from '../browser/browser-storage.js';
import { rulesName, timeControlText } from '../game/display-names.js';
import { formatSpan, hasText, t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';
import { segment, select } from '../ui/form-fields.js';

/** Key of the pool that was sought last. */
const POOL_KEY = 'fivefold.pool';
/** The clock that is chosen at first where nobody waits. */
const FIRST_CLOCK = '5+3';

/** @param {App} app */
export function createSeekCard(app) {
  const clock = segment(t('clock_how'), 'pool', []);
  const rules = select(t('variant'), []);
  const how = el('p', { class: 'hint' });
  const now = el('p', { class: 'hint seek-now', role: 'status' }, t('connecting'));
  const find = el(
    'button',
    { class: 'primary big find', type: 'button', disabled: true, onclick: seek },
    t('find_opponent'),
  );
  const panelPlace = el('div', { hidden: true });
  const choices = el('div', { class: 'fields' }, clock.label, rules.label);
  const others = el('button', { type: 'button', class: 'quiet', onclick: showAll }, t('other_games'));
  const element = el('div', { class: 'seek' }, panelPlace, choices, how, find, now, others);
  /** @type {Pool[]} */
  let pools = [];
  let chosen = siteStorage.getItem(POOL_KEY) ?? '';
  /** Whether the player has no account, has not chosen a pool yet, and has not asked for others. */
  let isNew = !chosen && !app.connection.account;
  choices.hidden = isNew;
  others.hidden = !isNew;
  let ruleText = (/** @type {Pool['rules']} */ _) => '';
  import('../game/rules/rule-text.js').then(
    (texts) => {
      ({ ruleText } = texts);
      show();
    },
    () => {},
  );
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
  clock.row.addEventListener('change', () => choose(clock.value));
  rules.field.addEventListener('change', () => {
    const others = pools.filter((pool) => groupOf(pool) === rules.field.value);
    const same = others.find((pool) => clockOf(pool) === clockOf(current()));
    choose((same ?? others[0])?.name ?? chosen);
  });

  const current = () => pools.find(({ name }) => name === chosen);

  /** @param {string} pool */
  function choose(pool) {
    chosen = pool;
    siteStorage.setItem(POOL_KEY, chosen);
    show();
  }

  async function seek() {
    find.disabled = true;
    try {
      await loaded;
      const pool = current();
      const begins = isNew && pool && waitingIn(pool) === 0;
      seeks?.start({ type: 'seek', pool: chosen });
      if (begins) return await panel?.playBot();
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
  const waitingIn = (pool) => Math.max(0, pool.waiting - Number(isSought(pool)));

  function endNew() {
    isNew = false;
    chosen = firstChoice(pools, false);
  }

  function showAll() {
    endNew();
    show();
    clock.row.querySelector('input')?.focus();
  }

  /** Shows the pools as rules, and the clocks of the chosen rules. */
  function showChoices() {
    const pool = current();
    const state = JSON.stringify([pools.map(({ name }) => name), pool && groupOf(pool)]);
    if (state !== shown) {
      shown = state;
      const groups = new Map(pools.map((one) => [groupOf(one), one]));
      fill(rules.field, ...[...groups].map(([value]) => el('option', { value })));
      clock.offer(
        pools.filter((one) => groupOf(one) === (pool && groupOf(pool))).map((one) => [one.name, clockOf(one)]),
      );
    }
    for (const option of rules.field.options) {
      const all = pools.filter((one) => groupOf(one) === option.value);
      const waiting = all.reduce((sum, one) => sum + waitingIn(one), 0);
      write(option, option.value + (waiting > 0 ? ` (${t('waiting_count', { count: waiting })})` : ''));
    }
    for (const label of clock.row.children) {
      const one = pools.find(({ name }) => name === label.querySelector('input')?.value);
      const place = label.querySelector('small');
      if (one && place) write(place, waitingIn(one) > 0 ? t('waiting_count', { count: waitingIn(one) }) : '');
    }
    if (pool) rules.field.value = groupOf(pool);
    clock.value = chosen;
  }

  function show() {
    showChoices();
    const pool = current();
    if (!pool) return;
    const key = `opening_${pool.opening ?? 'free'}_how`;
    const isSimple = isNew && isFree(pool);
    write(
      how,
      isSimple
        ? [t('first_game'), clockOf(pool)].join(' · ')
        : [ruleText(pool.rules), hasText(key) && t(key), t(pool.rated ? 'rated_how' : 'casual_how')]
            .filter(Boolean)
            .join(' '),
    );
    const waiting = waitingIn(pool);
    find.disabled = false;
    find.hidden = how.hidden = isSought(pool);
    choices.hidden = find.hidden || isNew;
    others.hidden = find.hidden || !isNew;
    write(find, t(waiting > 0 ? 'find_opponent' : isNew ? 'play_now' : 'wait_opponent'));
    write(
      now,
      [
        waiting > 0
          ? t('waiting_count', { count: waiting })
          : !find.hidden && t(isNew ? 'nobody_waits_bot' : 'nobody_waits'),
        pool.wait_ms !== undefined &&
          waiting > 0 &&
          !find.hidden &&
          t('usual_wait', { time: formatSpan(pool.wait_ms) }),
        pool.games > 0 && t('games_count', { count: pool.games }),
      ]
        .filter(Boolean)
        .join(' · '),
    );
  }

  return {
    element,
    /** @param {Lobby} lobby */
    show(lobby) {
      ({ pools } = lobby);
      if (isNew && app.connection.account) endNew();
      if (!pools.some(({ name }) => name === chosen)) chosen = firstChoice(pools, isNew);
      show();
      panel?.show();
    },
    remove() {
      left = true;
      panel?.remove();
    },
  };
}

/** What a pool's rules are called. @param {Pool} pool */
function groupOf({ rules, opening }) {
  return rulesName(rules, opening).replace(' · 15×15', '');
}

/** @param {Pool | undefined} pool */
function clockOf(pool) {
  return pool?.time ? timeControlText(pool.time) : t('clock_none');
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
