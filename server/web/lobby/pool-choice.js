// The choice of a pool of the server: its rules, and the clocks that these rules have.

/** @import { Pool } from '../ui/protocol-types' */

import { rulesName, timeControlText } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';
import { segment, select } from '../ui/form-fields.js';

/** What a pool's rules are called. @param {Pool} pool */
export function groupOf({ rules, opening }) {
  return rulesName(rules, opening).replace(' · 15×15', '');
}

/** @param {Pool | undefined} pool */
export function clockOf(pool) {
  return pool?.time ? timeControlText(pool.time) : t('clock_none');
}

/** @param {(pool: string) => void} choose @param {(pool: Pool) => number} waitingIn how many others wait there */
export function createPoolChoice(choose, waitingIn) {
  const clock = segment(t('clock_how'), 'pool', []);
  const rules = select(t('variant'), []);
  /** @type {readonly Pool[]} */
  let pools = [];
  /** @type {Pool | undefined} */
  let chosen;
  /** The shown pools: choices are rebuilt only when there are others. */
  let shown = '';
  clock.row.addEventListener('change', () => choose(clock.value));
  rules.field.addEventListener('change', () => {
    const others = pools.filter((pool) => groupOf(pool) === rules.field.value);
    const pool = others.find((one) => clockOf(one) === clockOf(chosen)) ?? others[0];
    if (pool) choose(pool.name);
  });

  function build() {
    const group = chosen && groupOf(chosen);
    const state = JSON.stringify([pools.map(({ name }) => name), group]);
    if (state === shown) return;
    shown = state;
    fill(rules.field, ...[...new Set(pools.map(groupOf))].map((value) => el('option', { value })));
    clock.offer(pools.filter((one) => groupOf(one) === group).map((one) => [one.name, clockOf(one)]));
  }

  return {
    element: el('div', { class: 'fields' }, clock.label, rules.label),
    focus: () => clock.row.querySelector('input')?.focus(),
    /** @param {readonly Pool[]} all @param {Pool | undefined} pool the chosen one */
    show(all, pool) {
      [pools, chosen] = [all, pool];
      build();
      for (const option of rules.field.options) {
        const waiting = pools
          .filter((one) => groupOf(one) === option.value)
          .reduce((sum, one) => sum + waitingIn(one), 0);
        write(option, option.value + (waiting > 0 ? ` (${t('waiting_count', { count: waiting })})` : ''));
      }
      for (const label of clock.row.children) {
        const one = pools.find(({ name }) => name === label.querySelector('input')?.value);
        const place = label.querySelector('small');
        if (one && place) write(place, waitingIn(one) > 0 ? t('waiting_count', { count: waitingIn(one) }) : '');
      }
      if (pool) rules.field.value = groupOf(pool);
      clock.value = pool?.name ?? '';
    },
  };
}
