// The options of a new game: clock, rules and board, and more in a part that unfolds.

/** @import { BotKind, Colour, CreateCommand, OpeningKind, Rules, TimeControl, VariantName } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { DAY_MS } from '../client/clock.js';
import { playsBy } from '../game/bots.js';
import { openingName, sizeName, stoneName, timeControlText, VARIANTS, variantName } from '../game/display-names.js';
import { dotted, hasText, t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';
import { check, segment, select } from '../ui/form-fields.js';

/** Keys of the options of games with friends and bots, of those that are offered to anyone, and of those on this device. */
const STORAGE_KEYS = { friends: 'fivefold.options', anyone: 'fivefold.offer', local: 'fivefold.local' };

/**
 * @typedef {object} Options
 * @property {VariantName} variant
 * @property {string} size a side, or `unbounded`
 * @property {number} clock its place in the list
 * @property {Colour} colour
 * @property {OpeningKind} opening
 * @property {boolean} assistance
 * @property {boolean} listed
 */

/** @type {Options} */
const DEFAULTS = {
  variant: 'freestyle',
  size: '15',
  clock: 0,
  colour: 'random',
  opening: 'free',
  assistance: false,
  listed: false,
};

/** What differs in games with anyone: they are fair, and they end.
 * @type {Partial<Options>} */
const DEFAULTS_ANYONE = { clock: 3, opening: 'swap2' };

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
  ...[1, 2, 3, 5, 7, 14].map((days) => /** @type {const} */ ({ type: 'daily', move_ms: days * DAY_MS })),
];
/** The clocks that most people want; the others unfold. */
const COMMON = [2, 3, 4, 0];
/** How many were made: each row of choices has its own name. */
let made = 0;
const SIZES = ['13', '15', '17', '19', '20', '30', 'unbounded'];

/**
 * @param {'friends' | 'anyone' | 'local'} [opponent]
 * @param {() => boolean} [hasAccount] where a game may be rated: whether the player is signed in
 */
export function createGameOptions(opponent = 'friends', hasAccount) {
  const forAnyone = opponent === 'anyone';
  const options = { ...DEFAULTS, ...(forAnyone && DEFAULTS_ANYONE), ...stored(opponent) };
  if (!hasText(`opening_${options.opening}_how`)) options.opening = 'free';
  /** The rules that the player has chosen, though a bot may play only others. */
  let wanted = options.variant;
  const fields = createFields(options);
  const { variant, size, clock, colour, opening } = fields;
  const line = el('span', { class: 'options-line' });
  const ruleHow = el('p', { class: 'hint wide rule-how' });
  const more = el(
    'details',
    { open: forAnyone, ontoggle: offerOpenings },
    el('summary', null, t('more_options'), ' ', line),
    el(
      'div',
      { class: 'fields' },
      clock.others,
      !forAnyone && colour.label,
      opening.label,
      opening.how,
      ...(opponent === 'friends' ? [fields.assistance.label, fields.listed.label] : []),
    ),
  );
  const main = el('div', { class: 'fields' }, clock.common, variant.label, size.label, ruleHow);
  const element = el('div', { class: 'options' }, main, more);
  /** @type {import('../players/rated-choice.js').RatedChoice | undefined} */
  let rated;
  if (hasAccount)
    // Without it, games are casual.
    void import('../players/rated-choice.js').then(
      ({ createRatedChoice }) => {
        rated = createRatedChoice(hasAccount);
        element.append(rated.element);
        rated.show(gameOf(options));
      },
      () => {},
    );
  element.addEventListener('change', ({ target }) => {
    if (target === variant.field) wanted = /** @type {VariantName} */ (variant.field.value);
    options.clock = clock.read(target);
    read();
  });
  read();

  function read() {
    Object.assign(options, readFields(fields));
    const { rules } = gameOf(options);
    for (const option of colour.field.options)
      if (option.value === 'black' || option.value === 'white') write(option, stoneName(option.value, rules));
    // These two variants have one board.
    size.label.hidden = options.variant === 'renju' || options.variant === 'mnk';
    siteStorage.setItem(STORAGE_KEYS[opponent], JSON.stringify({ ...options, variant: wanted }));
    offerOpenings();
    write(opening.how, t(`opening_${options.opening}_how`));
    // Without it, the names have to do.
    import('../game/rules/rule-text.js').then(
      ({ ruleText }) => write(ruleHow, ruleText(gameOf(options).rules)),
      () => {},
    );
    rated?.show(gameOf(options));
    const stone = options.colour === 'random' ? t('colour_random') : stoneName(options.colour, rules);
    write(line, dotted(!forAnyone && stone, options.opening !== 'free' && openingName(options.opening)));
  }

  function offerOpenings() {
    if (more.open) void opening.offer(gameOf(options).rules, read);
  }

  return {
    element,
    /** Offers only the rules by which a bot plays; without one, all. @param {BotKind} [bot] */
    offerTo(bot) {
      const names = VARIANTS.filter((name) => !bot || playsBy(bot, rulesOf(name, options.size)));
      fill(variant.field, ...names.map((name) => el('option', { value: name }, variantName(name))));
      variant.field.value = names.includes(wanted) ? wanted : (names[0] ?? wanted);
      read();
    },
    /** The game to offer. */
    settings: () => rated?.apply(gameOf(options)) ?? gameOf(options),
    /** Shows again whether the game can be rated: the player may have signed in or out. */
    refresh: () => rated?.show(),
    /** The chosen fields of `create`. @returns {CreateCommand} */
    command() {
      const { colour, assistance, listed } = options;
      return { type: 'create', ...gameOf(options), colour, assistance, visibility: listed ? 'public' : 'private' };
    },
  };
}

/** @typedef {ReturnType<typeof createFields>} Fields */

/** @param {Options} options the chosen ones */
function createFields(options) {
  const variant = select(
    t('variant'),
    VARIANTS.map((name) => [name, variantName(name)]),
  );
  const size = select(
    t('size'),
    SIZES.map((side) => [side, sizeName(side === 'unbounded' ? side : [Number(side), Number(side)])]),
  );
  const colour = select(t('colour'), [
    ['random', t('colour_random')],
    ['black', t('black')],
    ['white', t('white')],
  ]);
  const [assistance, listed] = [check(t('assistance')), check(t('public_room'))];
  variant.field.value = options.variant;
  size.field.value = options.size;
  colour.field.value = options.colour;
  assistance.field.checked = options.assistance;
  listed.field.checked = options.listed;
  const [clock, opening] = [createClockField(options.clock), createOpeningField(options.opening)];
  return { variant, size, clock, colour, opening, assistance, listed };
}

/** What is chosen, besides the clock. @param {Fields} fields @returns {Omit<Options, 'clock'>} */
function readFields({ variant, size, colour, opening, assistance, listed }) {
  return {
    variant: VARIANTS.find((name) => name === variant.field.value) ?? 'freestyle',
    size: size.field.value,
    colour: /** @type {Colour} */ (colour.field.value),
    opening: /** @type {OpeningKind} */ (opening.field.value),
    assistance: assistance.field.checked,
    listed: listed.field.checked,
  };
}

/** The choice of a clock: the usual ones in a row, the others in a list. @param {number} at the place of the chosen one */
function createClockField(at) {
  made += 1;
  const names = CLOCKS.map((control, index) => /** @type {const} */ ([String(index), clockName(control)]));
  const common = segment(
    t('clock_how'),
    `clock-${made}`,
    COMMON.map((index) => names[index] ?? ['0', '']),
  );
  const others = select(t('clock_other'), [['', '–'], ...names.filter((_, index) => !COMMON.includes(index))]);
  const show = () => {
    common.value = others.field.value = String(at);
    if (COMMON.includes(at)) others.field.value = '';
  };
  show();
  return {
    common: common.label,
    others: others.label,
    /** The place of the chosen one. @param {EventTarget | null} changed the field that has changed */
    read(changed) {
      const isOther = changed === others.field && others.field.value !== '';
      at = Number(isOther ? others.field.value : common.value || at);
      show();
      return at;
    },
  };
}

/** The choice of an opening. @param {OpeningKind} chosen */
function createOpeningField(chosen) {
  const { field, label } = select(t('opening'), []);
  /** The rules whose openings are listed. */
  let offeredFor = '';
  list([chosen], chosen);

  /** @param {readonly OpeningKind[]} kinds @param {string} kept */
  function list(kinds, kept) {
    fill(field, ...kinds.map((kind) => el('option', { value: kind }, openingName(kind))));
    field.value = kinds.some((kind) => kind === kept) ? kept : 'free';
  }

  return {
    field,
    label,
    how: el('p', { class: 'hint opening-how' }),
    /** Lists the openings that the rules offer. The server knows them. @param {Rules} rules @param {() => void} listed */
    async offer(rules, listed) {
      const wanted = JSON.stringify(rules);
      if (wanted === offeredFor) return;
      offeredFor = wanted;
      try {
        const { fetchJudged } = await import('../game/position-judge.js');
        const { openings } = await fetchJudged({ rules, moves: [] });
        if (wanted !== offeredFor) return;
        list(openings ?? ['free'], field.value);
        listed();
      } catch {
        // The next change asks again.
        offeredFor = '';
      }
    },
  };
}

/** @param {VariantName} variant @param {string} size @returns {Rules} */
function rulesOf(variant, size) {
  if (variant === 'mnk') return { variant, k: 3, size: [3, 3] };
  const side = variant === 'renju' ? 15 : Number(size);
  return { variant, size: size === 'unbounded' && variant !== 'renju' ? 'unbounded' : [side, side] };
}

/** The game that is chosen. Tic-tac-toe has no opening. @param {Options} options */
function gameOf({ variant, size, clock, opening }) {
  return {
    rules: rulesOf(variant, size),
    time: CLOCKS[clock] ?? /** @type {TimeControl} */ ({ type: 'none' }),
    opening: /** @type {OpeningKind} */ (variant === 'mnk' ? 'free' : opening),
  };
}

/** @param {TimeControl} control */
function clockName(control) {
  switch (control.type) {
    case 'none':
      return t('clock_none');
    case 'byo_yomi':
      return t('clock_byo', {
        minutes: control.main_ms / MINUTE,
        periods: control.periods,
        seconds: control.period_ms / 1000,
      });
    default:
      return timeControlText(control);
  }
}

/** @param {keyof typeof STORAGE_KEYS} opponent @returns {Partial<Options>} */
function stored(opponent) {
  try {
    return JSON.parse(siteStorage.getItem(STORAGE_KEYS[opponent]) ?? '{}');
  } catch {
    return {};
  }
}
