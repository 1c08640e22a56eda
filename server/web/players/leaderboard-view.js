// The best players of a pool of ratings, and the visitor's own place.

/** @import { Leaders, Place } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { t } from '../language/texts.js';
import { el, fill } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { choiceButtons } from './choice-buttons.js';
import { fetchLeaders, playerPath } from './players-requests.js';
import { BOTS, gamesOf, poolRules, RATED_VARIANTS, SIZES, SPEEDS } from './rating-text.js';
import { tl } from './texts.js';

/** Key of the pool that was seen last. */
const POOL_KEY = 'fivefold.leaderboard';
const FIRST_POOL = 'standard/15/normal';
/** A pool of ratings, in text. Renju has one size of board. */
const POOLS = RATED_VARIANTS.flatMap((variant) =>
  SIZES.filter((size) => variant !== 'renju' || size === '15').map((size) => `${variant}/${size}`),
);

/** @type {View} */
export const view = (app, place) => {
  app.tab(`${tl('leaderboard')} – Fivefold`);
  const asked = new URLSearchParams(location.search).get('pool') ?? siteStorage.getItem(POOL_KEY) ?? '';
  let pool = isPool(asked) ? asked : FIRST_POOL;
  let turn = 0;
  const rules = select(
    tl('rules'),
    POOLS.map((one) => [one, poolRules(one)]),
  );
  rules.field.value = gamesOf(pool).split('/').slice(0, 2).join('/');
  rules.field.addEventListener('change', () => choose(kindOf(pool), speedOf(pool)));
  const kinds = choiceButtons(
    tl('who'),
    /** @type {const} */ ([
      ['', tl('people')],
      [BOTS, tl('bots')],
    ]),
    (kind) => choose(kind, speedOf(pool)),
  );
  const speeds = choiceButtons(
    tl('speed'),
    SPEEDS.map((speed) => /** @type {const} */ ([speed, tl(`all_${speed}`)])),
    (speed) => choose(kindOf(pool), speed),
  );
  const list = el('div', { 'aria-live': 'polite' });

  /** @param {string} kind @param {string} speed */
  function choose(kind, speed) {
    pool = `${kind}${rules.field.value}/${speed}`;
    siteStorage.setItem(POOL_KEY, pool);
    history.replaceState(null, '', `/leaderboard?${new URLSearchParams({ pool })}`);
    void load();
  }

  async function load() {
    kinds.show(kindOf(pool));
    speeds.show(speedOf(pool));
    turn += 1;
    const mine = turn;
    try {
      const leaders = await fetchLeaders(pool);
      if (mine !== turn) return;
      const hasNoPlace = !leaders.own && app.connection.account;
      fill(list, leadersTable(leaders), hasNoPlace && el('p', { class: 'hint tile' }, tl('no_place')));
    } catch (error) {
      app.showError(error);
    }
  }

  place.append(
    el(
      'div',
      { class: 'page profile' },
      el('h1', null, tl('leaderboard')),
      el(
        'div',
        { class: 'cols' },
        el('section', { class: 'card list-card' }, list),
        el(
          'section',
          { class: 'card tile' },
          kinds.element,
          rules.label,
          speeds.element,
          el('p', { class: 'hint' }, tl('speed_how')),
          el('p', { class: 'hint' }, tl('who_is_listed')),
          el('a', { href: '/lobby' }, t('lobby')),
        ),
      ),
    ),
  );
  void load();
  return () => {
    turn += 1;
  };
};

/** The best players, and below them the visitor if they are not among them. @param {Leaders} leaders */
function leadersTable({ places, own }) {
  if (places.length === 0) return el('p', { class: 'none' }, tl('nobody_listed'));
  const head = (/** @type {'place' | 'player' | 'rating' | 'deviation' | 'games'} */ key) =>
    el('th', { scope: 'col', class: key === 'deviation' ? 'opt' : '' }, tl(key));
  const row = (/** @type {Place} */ one, /** @type {string} */ kind) =>
    el(
      'tr',
      { class: kind },
      el('td', null, String(one.place)),
      el(
        'td',
        null,
        el('a', { href: playerPath(one.name) }, el('bdi', null, one.name)),
        kind && el('span', { class: 'hint' }, ` (${tl('you_are_here')})`),
      ),
      el('td', null, String(one.rating)),
      el('td', { class: 'opt' }, `± ${one.deviation}`),
      el('td', null, String(one.games)),
    );
  return el(
    'table',
    { class: 'list leaders' },
    el('thead', null, el('tr', null, head('place'), head('player'), head('rating'), head('deviation'), head('games'))),
    el(
      'tbody',
      null,
      ...places.map((one) => row(one, one.member === own?.member ? 'own' : '')),
      own && !places.some(({ member }) => member === own.member) && row(own, 'own below'),
    ),
  );
}

/** People or bots: what the pool's name begins with. @param {string} pool */
function kindOf(pool) {
  return pool.startsWith(BOTS) ? BOTS : '';
}

/** @param {string} pool */
function speedOf(pool) {
  return SPEEDS.find((speed) => pool.endsWith(`/${speed}`)) ?? 'normal';
}

/** Whether a text names a pool. @param {string} text */
function isPool(text) {
  return POOLS.some((rules) => SPEEDS.some((speed) => gamesOf(text) === `${rules}/${speed}`));
}
