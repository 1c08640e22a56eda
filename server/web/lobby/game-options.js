// The options of a new game: clock, rules and board, and more in a part that unfolds.

/** @import { BotKind, Colour, CreateCommand, GameSettings, OpeningKind, Rules, TimeControl, VariantName } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { playsBy } from '../game/bots.js';
import { openingName, sizeName, stoneName, timeControlText, VARIANTS, variantName } from '../game/display-names.js';
import { hasText, t } from '../language/texts.js';
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
  /** The rules that the player has chosen, though a bot may play only others. */
  let wanted = options.variant;
  if (!hasText(`opening_${options.opening}_how`)) options.opening = 'free';
  const line = el('span', { class: 'options-line' });
  const variant = select(
    t('variant'),
    VARIANTS.map((name) => [name, variantName(name)]),
  );
  const size = select(
    t('size'),
    SIZES.map((side) => [side, sizeName(side === 'unbounded' ? side : [Number(side), Number(side)])]),
  );
  made += 1;
  const names = CLOCKS.map((control, index) => /** @type {const} */ ([String(index), clockName(control)]));
  const clock = segment(
    t('clock_how'),
    `clock-${made}`,
    COMMON.map((index) => names[index] ?? ['0', '']),
  );
  const otherClock = select(t('clock_other'), [['', '–'], ...names.filter((_, index) => !COMMON.includes(index))]);
  const ruleHow = el('p', { class: 'hint wide rule-how' });
  const colour = select(t('colour'), [
    ['random', t('colour_random')],
    ['black', t('black')],
    ['white', t('white')],
  ]);
  const opening = select(t('opening'), []);
  const openingHow = el('p', { class: 'hint opening-how' });
  const assistance = check(t('assistance'));
  const listed = check(t('public_room'));
  const more = el(
    'details',
    { open: forAnyone },
    el('summary', null, t('more_options'), ' ', line),
    el(
      'div',
      { class: 'fields' },
      otherClock.label,
      !forAnyone && colour.label,
      opening.label,
      openingHow,
      ...(opponent === 'friends' ? [assistance.label, listed.label] : []),
    ),
  );
  const element = el(
    'div',
    { class: 'options' },
    el('div', { class: 'fields' }, clock.label, variant.label, size.label, ruleHow),
    more,
  );
  /** @type {import('../players/rated-choice.js').RatedChoice | undefined} */
  let rated;
  if (hasAccount) void offerRated(hasAccount);
  /** The rules whose openings are listed. */
  let offeredFor = '';

  variant.field.value = options.variant;
  size.field.value = options.size;
  showClock();
  colour.field.value = options.colour;
  assistance.field.checked = options.assistance;
  listed.field.checked = options.listed;
  listOpenings([options.opening]);
  element.addEventListener('change', ({ target }) => {
    if (target === variant.field) wanted = /** @type {VariantName} */ (variant.field.value);
    const others = target === otherClock.field && otherClock.field.value !== '';
    options.clock = Number(others ? otherClock.field.value : clock.value || options.clock);
    showClock();
    read();
  });
  more.addEventListener('toggle', offerOpenings);
  read();

  function showClock() {
    clock.value = otherClock.field.value = String(options.clock);
    if (COMMON.includes(options.clock)) otherClock.field.value = '';
  }

  function read() {
    options.variant = VARIANTS.find((name) => name === variant.field.value) ?? 'freestyle';
    options.size = size.field.value;
    options.colour = /** @type {Colour} */ (colour.field.value);
    options.opening = /** @type {OpeningKind} */ (opening.field.value);
    options.assistance = assistance.field.checked;
    options.listed = listed.field.checked;
    for (const option of colour.field.options)
      if (option.value === 'black' || option.value === 'white') write(option, stoneName(option.value, rules()));
    // These two variants have one board.
    size.label.hidden = options.variant === 'renju' || options.variant === 'mnk';
    siteStorage.setItem(STORAGE_KEYS[opponent], JSON.stringify({ ...options, variant: wanted }));
    void offerOpenings();
    write(openingHow, t(`opening_${options.opening}_how`));
    // Without it, the names have to do.
    import('../game/rules/rule-text.js').then(
      ({ ruleText }) => write(ruleHow, ruleText(rules())),
      () => {},
    );
    rated?.show(settings());
    write(
      line,
      [
        !forAnyone && (options.colour === 'random' ? t('colour_random') : stoneName(options.colour, rules())),
        options.opening !== 'free' && openingName(options.opening),
      ]
        .filter(Boolean)
        .join(' · '),
    );
  }

  /** @param {() => boolean} isSignedIn */
  async function offerRated(isSignedIn) {
    try {
      const { createRatedChoice } = await import('../players/rated-choice.js');
      rated = createRatedChoice(isSignedIn);
      element.append(rated.element);
      rated.show(settings());
    } catch {
      // Without it, games are casual.
    }
  }

  /** Lists the openings that the rules offer. The server knows them. */
  async function offerOpenings() {
    const wanted = JSON.stringify(rules());
    if (!more.open || wanted === offeredFor) return;
    offeredFor = wanted;
    try {
      const { fetchJudged } = await import('../game/position-judge.js');
      const { openings } = await fetchJudged({ rules: rules(), moves: [] });
      if (wanted !== offeredFor) return;
      listOpenings(openings ?? ['free']);
      read();
    } catch {
      // The next change asks again.
      offeredFor = '';
    }
  }

  /** @param {readonly OpeningKind[]} kinds */
  function listOpenings(kinds) {
    fill(opening.field, ...kinds.map((kind) => el('option', { value: kind }, openingName(kind))));
    opening.field.value = kinds.includes(options.opening) ? options.opening : 'free';
  }

  /** @returns {Rules} */
  function rules(name = options.variant) {
    if (name === 'mnk') return { variant: name, k: 3, size: [3, 3] };
    const side = name === 'renju' ? 15 : Number(options.size);
    return { variant: name, size: options.size === 'unbounded' && name !== 'renju' ? 'unbounded' : [side, side] };
  }

  /** Tic-tac-toe has no other. @returns {OpeningKind} */
  function openingKind() {
    return options.variant === 'mnk' ? 'free' : options.opening;
  }

  /** @returns {GameSettings} */
  function settings() {
    return { rules: rules(), time: CLOCKS[options.clock] ?? { type: 'none' }, opening: openingKind() };
  }

  return {
    element,
    /** Offers only the rules by which a bot plays; without one, all. @param {BotKind} [bot] */
    offerTo(bot) {
      const names = VARIANTS.filter((name) => !bot || playsBy(bot, rules(name)));
      fill(variant.field, ...names.map((name) => el('option', { value: name }, variantName(name))));
      variant.field.value = names.includes(wanted) ? wanted : (names[0] ?? wanted);
      read();
    },
    /** The game to offer. */
    settings: () => rated?.apply(settings()) ?? settings(),
    /** Shows again whether the game can be rated: the player may have signed in or out. */
    refresh: () => rated?.show(),
    /** The chosen fields of `create`. @returns {CreateCommand} */
    command: () => ({
      type: 'create',
      rules: rules(),
      time: CLOCKS[options.clock] ?? { type: 'none' },
      colour: options.colour,
      opening: openingKind(),
      assistance: options.assistance,
      visibility: options.listed ? 'public' : 'private',
    }),
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
