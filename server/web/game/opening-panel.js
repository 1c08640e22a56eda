// The panel of an opening: what a seat must do, choices with their consequences, and the stones that
// are placed but not confirmed. It knows no protocol: the server says in `ask` what may be done now.

/** @import { Act, Ask, Point, Seat, Stone, Zone } from '../ui/protocol-types' */
/** @import { App, Shown } from '../ui/view-types' */
/** @import { Room } from './room-state.js' */
/** @import { Child } from '../ui/dom.js' */
/** @import { TextKey } from '../language/texts.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { t } from '../language/texts.js';
import { el, fill } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { nameOrYou, stoneSign } from './display-names.js';
import { openingLines } from './opening-lines.js';
import { paintOffered, paintZone } from './opening-marks.js';
import { opponent, stoneAt, stoneOf } from './room-state.js';

/** What a player may be doing: choosing among several, or one of the parts of an act.
 * @typedef {'choose' | 'take' | 'put' | 'offer' | 'select'} Doing */

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
  /** The ask that the draft belongs to. */
  let asked = '';
  /** The part of the act that the player has chosen. @type {Doing | undefined} */
  let chosen;
  /** Stones that are placed, or offered, and not confirmed. @type {Point[]} */
  let draft = [];
  let declared = 0;
  let sending = false;
  let shownState = '';
  /** The game whose lines are shown. */
  let linesOf = 0;

  const name = (/** @type {Seat} */ seat) => nameOrYou(app, room.seats[seat]);
  const called = (/** @type {Point} */ point) => pointName(point, boundsOf(room.rules.size));
  const running = () => room.opening;

  /** The ask that this player must answer. @returns {Ask | undefined} */
  function own() {
    const ask = running()?.ask;
    return ask && room.seatOf(app.connection.you) === ask.seat ? ask : undefined;
  }

  /** @param {Ask} ask @returns {Doing} */
  function doing(ask) {
    return chosen ?? openTo(ask);
  }

  /** Starts over when something else is asked. */
  function renew() {
    const game = room.game;
    const now = JSON.stringify([game?.number, game?.moves.length, running()?.ask]);
    if (now === asked) return;
    asked = now;
    chosen = undefined;
    draft = [];
    declared = 0;
    sending = false;
    message.textContent = '';
  }

  function update() {
    renew();
    const opening = running();
    asking.hidden = !opening;
    showLines();
    if (!opening?.ask) return;
    const { ask, kind } = opening;
    const mine = own();
    const state = JSON.stringify([asked, mine && chosen, draft, declared, sending, name('first'), name('second')]);
    if (state === shownState) return;
    shownState = state;
    const held = element.contains(document.activeElement);
    const what = whatOf(ask, !!mine);
    title.textContent = t('opening_title', { kind: t(`opening_${kind}`), what });
    showPath(what);
    fill(body, ...(mine ? parts(mine) : [strong(what)]), why(kind));
    // The focused button is gone.
    if (held && !element.contains(document.activeElement)) focusNext();
  }

  /** Shows the steps: what was done last, what is done now, and then the game. @param {string} what */
  function showPath(what) {
    const game = room.game;
    const done = game?.opening && openingLines(game.opening.acts, game.opening.first, { name, called }).at(-1);
    fill(
      path,
      done && el('li', { class: 'done' }, done.text),
      el('li', { 'aria-current': 'step' }, what),
      el('li', null, t('play')),
    );
  }

  /** Adds a line for each act. Screen readers announce what is added. */
  function showLines() {
    const game = room.game;
    const known = game?.opening;
    if (!game || !known) return;
    const texts = openingLines(known.acts, known.first, { name, called }).map(({ text }) => text);
    // A game may also end in its opening.
    if (!known.ask && !game.outcome) texts.push(t('opening_over', { name: name(game.black) }));
    const grown =
      game.number === linesOf &&
      texts.slice(0, lines.children.length).every((text, at) => lines.children[at]?.textContent === text);
    if (!grown) fill(lines);
    linesOf = game.number;
    lines.append(...texts.slice(lines.children.length).map((text) => el('li', null, text)));
  }

  function focusNext() {
    const next = body.querySelector('button:not(:disabled), select');
    if (next instanceof HTMLElement && !needsBoard()) next.focus();
    else board.focus();
  }

  /** Whether the next stone goes on the board. */
  function needsBoard() {
    const ask = own();
    if (!ask || sending) return false;
    const now = doing(ask);
    return (
      now === 'select' ||
      (now === 'put' && draft.length < putOf(ask).length) ||
      (now === 'offer' && draft.length < (ask.offer ?? 0))
    );
  }

  /** What the player of an ask does, for the title. @param {Ask} ask @param {boolean} mine */
  function whatOf(ask, mine) {
    const now = mine ? doing(ask) : openTo(ask);
    const key = now === 'put' ? /** @type {TextKey} */ (`opening_put_${putOf(ask).length}`) : WHAT[now];
    return mine
      ? t(/** @type {TextKey} */ (key.replace('opening_', 'opening_you_')))
      : t(key, { name: name(ask.seat) });
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

  /** @param {Ask} ask @returns {Child[]} */
  function parts(ask) {
    switch (doing(ask)) {
      case 'choose':
      case 'take':
        return [choices(ask)];
      case 'put':
        return placing(ask);
      case 'offer':
        return offering(ask);
      case 'select':
        return [strong(t('your_turn')), el('p', null, t('opening_select_how'))];
    }
  }

  /** The buttons of a choice. @param {Ask} ask */
  function choices(ask) {
    const other = { name: name(opponent(ask.seat)) };
    const held = stoneOf(ask.seat, room.black);
    const [first, second] = held === 'white' ? [held, 'black'] : [held, 'white'];
    // A player who may place the next stone at once need not keep their side first.
    const keeps = putOf(ask).length !== 1;
    const stones = /** @type {Stone[]} */ (ask.take ? [first, second].filter((stone) => keeps || stone !== held) : []);
    const part = ask.put?.[0] && partOf(ask.put[0], room);
    const title = t(ask.take ? 'opening_choose_side' : 'your_turn');
    return el(
      'div',
      { class: 'choice', role: 'group', 'aria-label': title },
      strong(title),
      ...stones.map((stone) =>
        choice([stone], sideText(ask, stone), nextText(ask, stone), () => send({ take: stone })),
      ),
      putOf(ask).length === 2 &&
        choice(
          putOf(ask).map((_, at) => stoneAt(ply() + at)),
          t('opening_two_more'),
          t('opening_two_more_how', other),
          () => choose('put'),
        ),
      putOf(ask).length === 1 &&
        choice(
          [stoneAt(ply())],
          t('opening_one_fifth'),
          t('opening_one_fifth_how', { ...other, side: part ? sideOf(part) : '' }),
          () => choose('put'),
        ),
      ask.offer &&
        choice([stoneAt(ply())], t('opening_offer_ten'), t('opening_offer_ten_how', other), () => choose('offer')),
    );
  }

  /** @param {readonly Stone[]} stones @param {string} text @param {string} consequence @param {() => void} press */
  function choice(stones, text, consequence, press) {
    return el(
      'button',
      { type: 'button', onclick: press, disabled: sending },
      el('span', { class: 'pic', 'aria-hidden': 'true' }, ...stones.map((stone) => stoneSign(stone))),
      el('b', null, text),
      el('span', null, consequence),
    );
  }

  /** Swap2 asks for a side; elsewhere a player keeps theirs, or switches. @param {Ask} ask @param {Stone} stone */
  function sideText(ask, stone) {
    const held = stoneOf(ask.seat, room.black) === stone;
    const verb = running()?.kind === 'swap2' ? 'play' : held ? 'keep' : 'switch';
    return t(/** @type {TextKey} */ (`opening_${verb}_${stone}`));
  }

  /** Who acts after a player has taken a stone: the one with the next stone. @param {Ask} ask @param {Stone} stone */
  function nextText(ask, stone) {
    const next = stoneAt(ply()) === stone ? ask.seat : opponent(ask.seat);
    const count = running()?.declared;
    const values = { name: name(next), count: count ?? 0 };
    const who = next === ask.seat ? 'you' : 'they';
    return t(/** @type {TextKey} */ (`opening_${who}${count ? '_offer' : ''}_next`), values);
  }

  /** @param {Ask} ask @returns {Child[]} */
  function placing(ask) {
    const count = putOf(ask).length;
    const done = draft.length === count;
    const at = { at: Math.min(draft.length + 1, count), total: count };
    const stone = stoneAt(ply() + Math.min(draft.length, count - 1));
    const zone = putOf(ask)[draft.length];
    const even = count > 1 || ['swap1', 'taraguchi10'].includes(running()?.kind ?? '');
    return [
      strong(
        done ? t('opening_all_placed') : t(`opening_stone_of_${stone}`, at),
        done ? undefined : stoneAt(ply() + draft.length),
      ),
      declaring(ask),
      buttons(done && (ask.declare === undefined || declared > 0), count > 1 || ask.declare !== undefined, () =>
        send({
          put: draft,
          ...(ask.declare !== undefined && { declare: declared }),
        }),
      ),
      !done && zone && zoneText(zone) && el('p', null, zoneText(zone)),
      !done && even && el('p', { class: 'hint' }, t('opening_even', { name: name(opponent(ask.seat)) })),
    ];
  }

  /** @param {Ask} ask */
  function declaring(ask) {
    if (ask.declare === undefined) return null;
    const counts = Array.from({ length: ask.declare }, (_, at) => String(at + 1));
    const { field, label } = select(t('opening_declare', { most: ask.declare }), [
      ['0', '–'],
      ...counts.map((count) => /** @type {const} */ ([count, count])),
    ]);
    field.value = String(declared);
    field.addEventListener('change', () => {
      declared = Number(field.value);
      redraw();
    });
    return label;
  }

  /** @param {Ask} ask @returns {Child[]} */
  function offering(ask) {
    const count = ask.offer ?? 0;
    return [
      strong(t('opening_offered', { at: draft.length, total: count })),
      buttons(draft.length === count, true, () => send({ offer: draft })),
      el('p', { class: 'hint' }, t('opening_offer_how')),
    ];
  }

  /** Undo and Confirm, and the way back to the other choices.
   * @param {boolean} complete @param {boolean} confirms whether the act waits to be confirmed @param {() => void} confirm */
  function buttons(complete, confirms, confirm) {
    const back = chosen && draft.length === 0;
    if (!confirms && !back) return null;
    return el(
      'div',
      { class: 'row' },
      back
        ? el('button', { type: 'button', onclick: () => choose(undefined) }, t('opening_back'))
        : el('button', { type: 'button', onclick: undo, disabled: draft.length === 0 || sending }, t('undo')),
      confirms &&
        el(
          'button',
          { type: 'button', class: 'primary', onclick: confirm, disabled: !complete || sending },
          t('opening_confirm'),
        ),
    );
  }

  /** @param {string} text @param {Stone} [stone] */
  function strong(text, stone) {
    return el('p', { class: 'say opening-now' }, el('span', null, text), stone && stoneSign(stone));
  }

  /** @param {Zone} zone */
  function zoneText(zone) {
    const part = partOf(zone, room);
    if (!part) return '';
    const side = sideOf(part);
    return side === 1 ? t('opening_centre') : t(part.beyond ? 'opening_beyond' : 'opening_within', { side });
  }

  function ply() {
    return room.game?.moves.length ?? 0;
  }

  /** @param {Doing | undefined} way */
  function choose(way) {
    chosen = way;
    redraw();
  }

  function undo() {
    draft = draft.slice(0, -1);
    redraw();
  }

  /** @param {string} [text] what a player must know */
  function redraw(text = '') {
    message.textContent = text;
    board.changed();
  }

  /** @param {Act} act */
  function send(act) {
    sending = true;
    redraw();
    app.connection.send({ type: 'choose', room: room.code, ply: ply(), act }).catch((error) => {
      sending = false;
      app.showError(error);
      board.refused();
      redraw();
    });
  }

  /** A point was chosen on the board. @param {Point} point */
  function press(point) {
    const ask = own();
    if (!ask || sending) return board.refused();
    const now = doing(ask);
    if (now === 'put') return putStone(ask, point);
    if (now === 'offer') return offerStone(ask, point);
    if (has(ask.select ?? [], point)) return send({ select: point });
    refuse(t('opening_select_first', { point: called(point) }));
  }

  /** @param {string} text */
  function refuse(text) {
    board.refused();
    redraw(text);
  }

  /** @param {Ask} ask @param {Point} point */
  function putStone(ask, point) {
    const zone = putOf(ask)[draft.length];
    if (!zone) return refuse(t('opening_all_placed'));
    if (!allows(zone, point)) return refuse(t('opening_outside_zone', { point: called(point), zone: zoneText(zone) }));
    draft = [...draft, point];
    if (putOf(ask).length === 1 && ask.declare === undefined) return send({ put: draft });
    app.announce(t('moved', { stone: t(stoneAt(ply() + draft.length - 1)), point: called(point) }), true);
    redraw(
      draft.length === putOf(ask).length && ask.declare !== undefined && !declared ? t('opening_declare_first') : '',
    );
  }

  /** @param {Ask} ask @param {Point} point */
  function offerStone(ask, point) {
    const known = indexOf(draft, point);
    const count = ask.offer ?? 0;
    if (known >= 0) {
      draft = draft.filter((_, at) => at !== known);
      return offered(count);
    }
    const group = ask.same?.find((points) => has(points, point)) ?? [];
    const same = draft.findIndex((one) => has(group, one));
    if (same >= 0) return refuse(t('opening_same', { number: same + 1 }));
    if (draft.length < count) draft = [...draft, point];
    offered(count);
  }

  /** @param {number} count how many are wanted */
  function offered(count) {
    app.announce(t('opening_offered', { at: draft.length, total: count }), true);
    redraw();
  }

  /** Whether a zone has a point. @param {Zone} zone @param {Point} point */
  function allows(zone, point) {
    const part = partOf(zone, room);
    if (!part) return true;
    const away = Math.max(Math.abs(point[0] - part.middle[0]), Math.abs(point[1] - part.middle[1]));
    return away <= part.distance !== part.beyond;
  }

  return {
    element,
    /** What each player did, in words. */
    lines,
    update,
    press,
    /** What the board shows of it, besides the game's moves: for the player who acts also the draft.
     * @returns {Partial<Shown>} */
    shown() {
      renew();
      const opening = running();
      if (!opening?.ask) return {};
      const ask = own();
      const now = ask && doing(ask);
      const moves = [...(room.game?.moves ?? []), ...(now === 'put' ? draft : [])];
      const offered = now === 'offer' ? draft : (opening.offered ?? []);
      const zone = now === 'put' ? ask && putOf(ask)[draft.length] : undefined;
      const part = zone && partOf(zone, room);
      const bounds = boundsOf(room.rules.size);
      return {
        moves,
        numbered: true,
        turn: needsBoard() ? stoneAt(moves.length) : undefined,
        waiting: undefined,
        paint: (canvas, frame, palette) => {
          if (part && bounds) paintZone(canvas, frame, palette, part, bounds, moves);
          paintOffered(canvas, frame, palette, offered);
        },
        note: (point) => {
          const at = indexOf(offered, point);
          if (at >= 0) return t('opening_offered_point', { number: at + 1 });
          return zone && !allows(zone, point) ? t('opening_not_here') : undefined;
        },
      };
    },
  };
}

/** The stones that may be put, by their zones. @param {Ask} ask */
function putOf(ask) {
  return ask.put ?? [];
}

/** The one thing that an ask leaves open, or a choice among several. @param {Ask} ask @returns {Doing} */
function openTo(ask) {
  const ways = /** @type {Doing[]} */ (
    [ask.take && 'take', ask.put && 'put', ask.offer && 'offer', ask.select && 'select'].filter(Boolean)
  );
  return ways.length === 1 ? (ways[0] ?? 'choose') : 'choose';
}

/** The middle of the board that a zone is about: the largest distance in it. Nothing where a stone may go anywhere.
 * @param {Zone} zone @param {Room} room @returns {{ middle: Point, distance: number, beyond: boolean } | undefined} */
function partOf(zone, { rules: { size } }) {
  if (zone === 'anywhere' || size === 'unbounded') return undefined;
  const beyond = 'beyond' in zone;
  return { middle: [(size[0] - 1) / 2, (size[1] - 1) / 2], distance: beyond ? zone.beyond - 1 : zone.within, beyond };
}

/** @param {{ distance: number }} part */
function sideOf({ distance }) {
  return 2 * distance + 1;
}

/** @param {readonly Point[]} points @param {Point} point */
function indexOf(points, point) {
  return points.findIndex((one) => String(one) === String(point));
}

/** @param {readonly Point[]} points @param {Point} point */
function has(points, point) {
  return indexOf(points, point) >= 0;
}
