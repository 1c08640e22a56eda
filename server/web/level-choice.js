// The choice of the bot's level: what the level does and overlooks, and the highest that the player has beaten.

/** @import { TextKey } from './texts.js' */

import { beatenLevel, botLevel, saveBotLevel } from './bot-level.js';
import { el, write } from './dom.js';
import { segment } from './form-fields.js';
import { LEVEL_MAX, LEVEL_RATINGS } from './protocol.js';
import { t } from './texts.js';

/** @param {() => void} [chosen] after another level was chosen */
export function createLevelChoice(chosen) {
  const levels = segment(t('level'), 'level', Array.from({ length: LEVEL_MAX }, (_, at) => /** @type {const} */ ([`${at + 1}`, `${at + 1}`])));
  const how = el('p', { class: 'hint' });
  levels.value = String(botLevel());
  show();

  function show() {
    const beaten = beatenLevel();
    write(how, `${t(/** @type {TextKey} */ (`level_${botLevel()}`))} ${t('level_rating', { rating: String(LEVEL_RATINGS[botLevel() - 1] ?? '') })}${beaten ? ` ${t('level_beaten', { level: beaten })}` : ''}`);
  }

  function choose() {
    saveBotLevel(Number(levels.value));
    show();
    chosen?.();
  }

  return el('div', { class: 'level', onchange: choose }, levels.label, how);
}
