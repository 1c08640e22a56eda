// The options of a new game: one line that sums them up and unfolds to the fields.

/** @import { Rules, TimeControl, VariantName } from './types' */

import { timeControlText } from './clock-display.js';
import { sizeName, variantName, VARIANTS } from './display-names.js';
import { el, write } from './dom.js';
import { check, select } from './form-fields.js';
import { t } from './texts.js';

const STORAGE_KEY = 'fivefold.options';
const LEVEL_KEPT = 'fivefold.level';
const LEVEL = 3;

/** The last chosen level of the bot. */
export function botLevel() {
  return Number(localStorage.getItem(LEVEL_KEPT)) || LEVEL;
}

/** @param {number} level */
export function saveBotLevel(level) {
  localStorage.setItem(LEVEL_KEPT, String(level));
}

/**
 * @typedef {object} Options
 * @property {VariantName} variant
 * @property {string} size a side, or `unbounded`
 * @property {number} clock its place in the list
 * @property {string} colour
 * @property {boolean} assistance
 * @property {boolean} listed
 */

/** @type {Options} */
const DEFAULTS = { variant: 'freestyle', size: '15', clock: 0, colour: 'random', assistance: false, listed: false };

const MINUTE = 60_000;
/** @type {readonly TimeControl[]} */
const CLOCKS = [
  { type: 'none' },
  { type: 'fischer', main_ms: MINUTE, increment_ms: 1_000 },
  { type: 'fischer', main_ms: 3 * MINUTE, increment_ms: 2_000 },
  { type: 'fischer', main_ms: 5 * MINUTE, increment_ms: 3_000 },
  { type: 'fischer', main_ms: 10 * MINUTE, increment_ms: 5_000 },
  { type: 'sudden_death', main_ms: 15 * MINUTE },
  { type: 'byo_yomi', main_ms: 10 * MINUTE, period_ms: 30_000, periods: 3 },
  { type: 'per_move', move_ms: 30_000 },
];
const SIZES = ['13', '15', '17', '19', '20', '30', 'unbounded'];

export function createGameOptions() {
  const options = { ...DEFAULTS, ...stored() };
  const line = el('span', { class: 'options-line' });
  const variant = select(t('variant'), VARIANTS.map((name) => [name, variantName(name)]));
  const size = select(t('size'), SIZES.map((side) => [side, sizeName(side === 'unbounded' ? side : [Number(side), Number(side)])]));
  const clock = select(t('clock'), CLOCKS.map((control, index) => [String(index), clockName(control)]));
  const colour = select(t('colour'), [['random', t('colour_random')], ['black', t('black')], ['white', t('white')]]);
  const assistance = check(t('assistance'));
  const listed = check(t('public_room'));
  const element = el('details', { class: 'options' }, el('summary', null, line),
    el('div', { class: 'options-fields' }, variant.label, size.label, clock.label, colour.label, assistance.label, listed.label));

  variant.field.value = options.variant;
  size.field.value = options.size;
  clock.field.value = String(options.clock);
  colour.field.value = options.colour;
  assistance.field.checked = options.assistance;
  listed.field.checked = options.listed;
  element.addEventListener('change', read);
  read();

  function read() {
    options.variant = VARIANTS.find((name) => name === variant.field.value) ?? 'freestyle';
    options.size = size.field.value;
    options.clock = clock.field.selectedIndex;
    options.colour = colour.field.value;
    options.assistance = assistance.field.checked;
    options.listed = listed.field.checked;
    // These two variants have one board.
    size.label.hidden = options.variant === 'renju' || options.variant === 'mnk';
    localStorage.setItem(STORAGE_KEY, JSON.stringify(options));
    const control = CLOCKS[options.clock];
    write(line, [
      variantName(options.variant), sizeName(rules().size),
      control?.type === 'none' ? t('clock_none') : timeControlText(control),
      options.colour === 'random' ? t('colour_random') : t(options.colour === 'black' ? 'black' : 'white'),
    ].join(' · '));
  }

  /** @returns {Rules} */
  function rules() {
    if (options.variant === 'mnk') return { variant: 'mnk', k: 3, size: [3, 3] };
    const side = options.variant === 'renju' ? 15 : Number(options.size);
    return { variant: options.variant, size: options.size === 'unbounded' && options.variant !== 'renju' ? 'unbounded' : [side, side] };
  }

  return {
    element,
    /** The chosen fields of `create`. */
    command: () => ({
      type: 'create', rules: rules(), time: CLOCKS[options.clock] ?? { type: 'none' }, colour: options.colour,
      assistance: options.assistance, visibility: options.listed ? 'public' : 'private',
    }),
  };
}

/** @param {TimeControl} control */
function clockName(control) {
  switch (control.type) {
    case 'none': return t('clock_none');
    case 'per_move': return t('clock_each', { seconds: control.move_ms / 1000 });
    case 'byo_yomi': return t('clock_byo', { minutes: control.main_ms / MINUTE, periods: control.periods, seconds: control.period_ms / 1000 });
    default: return timeControlText(control);
  }
}

/** @returns {Partial<Options>} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
  } catch {
    return {};
  }
}
