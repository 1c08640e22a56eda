// The panel of an opening: what a seat must do, the choices with their consequences, and the draft.

/** @import { Act, Ask, Point, Stone } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Room } from '../client/room-state.js' */
/** @import { Doing } from './opening-draft.js' */
/** @import { Child } from '../ui/dom.js' */
/** @import { TextKey } from '../language/texts.js' */

import { opponent, stoneAt, stoneOf } from '../client/room-state.js';
import { t } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { stoneSign } from './display-names.js';
import { OpeningDraft, openTo, partOf, putOf, sideOf, zoneText } from './opening-draft.js';
import { openingLines } from './opening-lines.js';
import { shownOpening } from './opening-marks.js';

/** The words for an opening whose player does something. @type {Record<Exclude<Doing, 'put'>, TextKey>} */
const WHAT = { choose: 'opening_choose', take: 'opening_take', offer: 'opening_offer', select: 'opening_select' };

/** @typedef {ReturnType<typeof createOpeningPanel>} OpeningPanel */

/**
 * @param {App} app @param {Room} room
 * @param {{ changed: () => void, focus: () => void, refused: () => void }} board
 */
export function createOpeningPanel(app, room, board) {
  const title = el('h1', { class: 'spoken' });
  const path = el('ol', { class: 'path', 'aria-label': t('opening') });
  const body = el('div', { class: 'opening-body' });
  const message = el('p', { class: 'opening-message', role: 'status' });
  const asking = el('div', { class: 'opening-asking' }, title, path, message, body);
  const lines = el('ol', { class: 'opening-lines', role: 'log' });
  const element = el('section', { class: 'opening', 'aria-label': t('opening') }, asking);
  const draft = new OpeningDraft(app, room, {
    ...board,
    say: (text) => {
      message.textContent = text;
    },
  });
  let shownState = '';

  function update() {
    draft.renew();
    const { opening } = room;
    asking.hidden = !opening;
    showLines(lines, draft);
    if (!opening?.ask) return;
    const { ask, kind } = opening;
    const mine = draft.ask;
    const { asked, chosen, stones, declared, sending, name } = draft;
    const state = JSON.stringify([asked, mine && chosen, stones, declared, sending, name('first'), name('second')]);
    if (state === shownState) return;
    shownState = state;
    const held = element.contains(document.activeElement);
    const what = whatOf(draft, ask);
    title.textContent = t('opening_title', { kind: t(`opening_${kind}`), what });
    showPath(path, draft, what);
    fill(body, ...(mine ? parts(draft, mine) : [strong(what)]), why(kind));
    // The focused button is gone.
    if (held && !element.contains(document.activeElement)) focusNext();
  }

  function focusNext() {
    const next = body.querySelector('button:not(:disabled), select');
    if (next instanceof HTMLElement && !draft.needsBoard) next.focus();
    else board.focus();
  }

  return {
    element,
    /** What each player did, in words. */
    lines,
    update,
    press: (/** @type {Point} */ point) => draft.press(point),
    /** What the board shows of it, besides the game's moves. */
    shown() {
      draft.renew();
      return shownOpening(draft);
    },
  };
}

/** Shows the steps: what was done last, what is done now, and then the game.
 * @param {HTMLElement} path @param {OpeningDraft} draft @param {string} what */
function showPath(path, draft, what) {
  const done = linesOf(draft).at(-1);
  fill(
    path,
    done && el('li', { class: 'done' }, done),
    el('li', { 'aria-current': 'step' }, what),
    el('li', null, t('play')),
  );
}

/** What was done, in words. @param {OpeningDraft} draft */
function linesOf(draft) {
  const opening = draft.room.game?.opening;
  return opening ? openingLines(opening.acts, opening.first, draft).map(({ text }) => text) : [];
}

/** Adds a line for each act. Screen readers announce what is added. @param {HTMLElement} lines @param {OpeningDraft} draft */
function showLines(lines, draft) {
  const { game } = draft.room;
  if (!game?.opening) return;
  const texts = linesOf(draft);
  // A game may also end in its opening.
  if (!game.opening.ask && !game.outcome) texts.push(t('opening_over', { name: draft.name(game.black) }));
  if (![...lines.children].every(({ textContent }, at) => textContent === texts[at])) fill(lines);
  lines.append(...texts.slice(lines.children.length).map((text) => el('li', null, text)));
}

/** What the player of an ask does, for the title. @param {OpeningDraft} draft @param {Ask} ask */
function whatOf(draft, ask) {
  const now = draft.ask ? draft.doing(ask) : openTo(ask);
  const key = now === 'put' ? /** @type {TextKey} */ (`opening_put_${putOf(ask).length}`) : WHAT[now];
  return draft.ask
    ? t(/** @type {TextKey} */ (key.replace('opening_', 'opening_you_')))
    : t(key, { name: draft.name(ask.seat) });
}

/** @param {string} kind */
function why(kind) {
  const texts = /** @type {const} */ ([
    `opening_${kind}_how`,
    kind.includes('pro') ? 'opening_why_pro' : 'opening_why_swap',
  ]);
  return el(
    'details',
    { class: 'opening-why' },
    el('summary', null, t('opening_why')),
    ...texts.map((key) => el('p', { class: 'hint' }, t(/** @type {TextKey} */ (key)))),
  );
}

/** @param {OpeningDraft} draft @param {Ask} ask @returns {Child[]} */
function parts(draft, ask) {
  switch (draft.doing(ask)) {
    case 'choose':
    case 'take':
      return [choices(draft, ask)];
    case 'put':
      return placing(draft, ask);
    case 'offer':
      return offering(draft, ask);
    case 'select':
      return [strong(t('your_turn')), el('p', null, t('opening_select_how'))];
  }
}

/** The buttons of a choice. @param {OpeningDraft} draft @param {Ask} ask */
function choices(draft, ask) {
  const other = { name: draft.name(opponent(ask.seat)) };
  const held = stoneOf(ask.seat, draft.room.black);
  const [first, second] = held === 'white' ? [held, 'black'] : [held, 'white'];
  // A player who may place the next stone at once need not keep their side first.
  const keeps = putOf(ask).length !== 1;
  const stones = /** @type {Stone[]} */ (ask.take ? [first, second].filter((stone) => keeps || stone !== held) : []);
  const part = ask.put?.[0] && partOf(ask.put[0], draft.room);
  const next = stoneAt(draft.ply);
  const option = choice.bind(null, draft.sending);
  const puts = () => draft.change({ chosen: 'put' });
  const title = t(ask.take ? 'opening_choose_side' : 'your_turn');
  return el(
    'div',
    { class: 'choice', role: 'group', 'aria-label': title },
    strong(title),
    ...stones.map((stone) =>
      option([stone], sideText(draft, ask, stone), nextText(draft, ask, stone), () => draft.send({ take: stone })),
    ),
    putOf(ask).length === 2 &&
      option([next, stoneAt(draft.ply + 1)], t('opening_two_more'), t('opening_two_more_how', other), puts),
    putOf(ask).length === 1 &&
      option(
        [next],
        t('opening_one_fifth'),
        t('opening_one_fifth_how', { ...other, side: part ? sideOf(part) : '' }),
        puts,
      ),
    ask.offer &&
      option([next], t('opening_offer_ten'), t('opening_offer_ten_how', other), () =>
        draft.change({ chosen: 'offer' }),
      ),
  );
}

/** @param {boolean} disabled @param {readonly Stone[]} stones @param {string} text @param {string} consequence @param {() => void} onclick */
function choice(disabled, stones, text, consequence, onclick) {
  const picture = el('span', { class: 'pic', 'aria-hidden': 'true' }, ...stones.map((stone) => stoneSign(stone)));
  return button([picture, el('b', null, text), el('span', null, consequence)], onclick, { disabled });
}

/** Swap2 asks for a side; elsewhere a player keeps theirs, or switches. @param {OpeningDraft} draft @param {Ask} ask @param {Stone} stone */
function sideText(draft, ask, stone) {
  const held = stoneOf(ask.seat, draft.room.black) === stone;
  const verb = draft.room.opening?.kind === 'swap2' ? 'play' : held ? 'keep' : 'switch';
  return t(/** @type {TextKey} */ (`opening_${verb}_${stone}`));
}

/** Who acts after a player has taken a stone: the one with the next stone. @param {OpeningDraft} draft @param {Ask} ask @param {Stone} stone */
function nextText(draft, ask, stone) {
  const next = stoneAt(draft.ply) === stone ? ask.seat : opponent(ask.seat);
  const count = draft.room.opening?.declared;
  const values = { name: draft.name(next), count: count ?? 0 };
  const who = next === ask.seat ? 'you' : 'they';
  return t(/** @type {TextKey} */ (`opening_${who}${count ? '_offer' : ''}_next`), values);
}

/** @param {OpeningDraft} draft @param {Ask} ask @returns {Child[]} */
function placing(draft, ask) {
  const { room, ply, stones, zone } = draft;
  const total = putOf(ask).length;
  const done = !zone;
  const stone = stoneAt(ply + Math.min(stones.length, total - 1));
  const at = { at: Math.min(stones.length + 1, total), total };
  const even = total > 1 || ['swap1', 'taraguchi10'].includes(room.opening?.kind ?? '');
  const declares = ask.declare !== undefined;
  return [
    done ? strong(t('opening_all_placed')) : strong(t(`opening_stone_of_${stone}`, at), stone),
    declaring(draft, ask),
    buttons(draft, done && (!declares || draft.declared > 0), total > 1 || declares, {
      put: stones,
      ...(declares && { declare: draft.declared }),
    }),
    zone && zoneText(zone, room) && el('p', null, zoneText(zone, room)),
    zone && even && el('p', { class: 'hint' }, t('opening_even', { name: draft.name(opponent(ask.seat)) })),
  ];
}

/** @param {OpeningDraft} draft @param {Ask} ask */
function declaring(draft, ask) {
  if (ask.declare === undefined) return null;
  const counts = Array.from({ length: ask.declare }, (_, at) => String(at + 1));
  const { field, label } = select(t('opening_declare', { most: ask.declare }), [
    ['0', '–'],
    ...counts.map((count) => /** @type {const} */ ([count, count])),
  ]);
  field.value = String(draft.declared);
  field.addEventListener('change', () => draft.change({ declared: Number(field.value) }));
  return label;
}

/** @param {OpeningDraft} draft @param {Ask} ask @returns {Child[]} */
function offering(draft, ask) {
  const count = ask.offer ?? 0;
  return [
    strong(t('opening_offered', { at: draft.stones.length, total: count })),
    buttons(draft, draft.stones.length === count, true, { offer: draft.stones }),
    el('p', { class: 'hint' }, t('opening_offer_how')),
  ];
}

/** Undo and Confirm, and the way back to the other choices.
 * @param {OpeningDraft} draft @param {boolean} complete @param {boolean} confirms whether the act waits to be confirmed @param {Act} act */
function buttons(draft, complete, confirms, act) {
  const { chosen, sending, stones } = draft;
  const back = chosen && stones.length === 0;
  if (!confirms && !back) return null;
  const disabled = !complete || sending;
  return el(
    'div',
    { class: 'row' },
    back
      ? button(t('opening_back'), () => draft.change({ chosen: undefined }))
      : button(t('undo'), () => draft.undo(), { disabled: stones.length === 0 || sending }),
    confirms && button(t('opening_confirm'), () => draft.send(act), { class: 'primary', disabled }),
  );
}

/** @param {string} text @param {Stone} [stone] */
function strong(text, stone) {
  return el('p', { class: 'say opening-now' }, el('span', null, text), stone && stoneSign(stone));
}
