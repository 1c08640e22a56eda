// The best players of a pool of ratings, and the visitor's own place.

/** @import { Leaders, Place } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { t } from '../language/texts.js';
import { el, fill, set } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
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

/** People and bots, with what the names of their pools begin with.
 * @type {readonly (readonly [string, 'people' | 'bots'])[]} */
const KINDS = [
  ['', 'people'],
  [BOTS, 'bots'],
];

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
  const speedOf = () => gamesOf(pool).split('/')[2];
  const kindOf = () => (pool.startsWith(BOTS) ? BOTS : '');
  rules.field.addEventListener('change', () => choose(`${kindOf()}${rules.field.value}/${speedOf()}`));
  const speeds = SPEEDS.map((speed) =>
    el(
      'button',
      { type: 'button', onclick: () => choose(`${kindOf()}${rules.field.value}/${speed}`) },
      tl(`all_${speed}`),
    ),
  );
  const kinds = KINDS.map(([kind, text]) =>
    el('button', { type: 'button', onclick: () => choose(`${kind}${gamesOf(pool)}`) }, tl(text)),
  );
  const list = el('div', { 'aria-live': 'polite' });

  /** @param {string} next */
  function choose(next) {
    pool = next;
    siteStorage.setItem(POOL_KEY, pool);
    history.replaceState(null, '', `/leaderboard?${new URLSearchParams({ pool })}`);
    void load();
  }

  async function load() {
    for (const [index, button] of speeds.entries())
      set(button, { 'aria-pressed': String(pool.endsWith(`/${SPEEDS[index]}`)) });
    for (const [index, button] of kinds.entries())
      set(button, { 'aria-pressed': String(kindOf() === KINDS[index]?.[0]) });
    turn += 1;
    const mine = turn;
    try {
      const leaders = await fetchLeaders(pool);
      if (mine === turn) show(leaders);
    } catch (error) {
      app.showError(error);
    }
  }

  /** @param {Leaders} leaders */
  function show({ places, own }) {
    const below = own && !places.some(({ member }) => member === own.member);
    const row = (/** @type {Place} */ one, below = false) =>
      el(
        'tr',
        { class: [one.member === own?.member ? 'own' : '', below ? 'below' : ''].filter(Boolean).join(' ') },
        el('td', null, String(one.place)),
        el(
          'td',
          null,
          el('a', { href: playerPath(one.name) }, el('bdi', null, one.name)),
          one.member === own?.member && el('span', { class: 'hint' }, ` (${tl('you_are_here')})`),
        ),
        el('td', null, String(one.rating)),
        el('td', { class: 'opt' }, `± ${one.deviation}`),
        el('td', null, String(one.games)),
      );
    const head = (/** @type {'place' | 'player' | 'rating' | 'deviation' | 'games'} */ key) =>
      el('th', { scope: 'col', class: key === 'deviation' ? 'opt' : '' }, tl(key));
    fill(
      list,
      places.length === 0
        ? el('p', { class: 'none' }, tl('nobody_listed'))
        : el(
            'table',
            { class: 'list leaders' },
            el(
              'thead',
              null,
              el('tr', null, head('place'), head('player'), head('rating'), head('deviation'), head('games')),
            ),
            el('tbody', null, ...places.map((one) => row(one)), below && row(own, true)),
          ),
      !own && app.connection.account && el('p', { class: 'hint tile' }, tl('no_place')),
    );
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
          el('div', { class: 'seg', role: 'group', 'aria-label': tl('who') }, ...kinds),
          rules.label,
          el('div', { class: 'seg', role: 'group', 'aria-label': tl('speed') }, ...speeds),
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

/** Whether a text names a pool. @param {string} text */
function isPool(text) {
  return POOLS.some((rules) => SPEEDS.some((speed) => gamesOf(text) === `${rules}/${speed}`));
}
