// A player's actions besides moving: resign, abort, offer, ask, answer, nudge, claim. Actions that
// cannot be undone wait a few seconds for "Undo".

/** @import { Room } from './room-state.js' */
/** @import { BareType, Seat } from './types' */
/** @import { App } from './view-types' */
/** @import { UnseenBadge } from './unseen-badge.js' */

import { playerName } from './display-names.js';
import { el, fill, write } from './dom.js';
import { NUDGE_AFTER_MS } from './protocol.js';
import { opponent, stoneOf } from './room-state.js';
import { t } from './texts.js';

/** Time to undo an action before it is sent. */
const UNDO_MS = 4_000;

/** @typedef {import('./texts.js').TextKey} TextKey */

/**
 * @param {App} app
 * @param {Room} room
 * @param {HTMLElement} ways links that stand beside the buttons
 * @param {UnseenBadge} unseen
 */
export function createGameActions(app, room, ways, unseen) {
  const offers = el('div', { class: 'offers', role: 'status' });
  const buttons = el('div', { class: 'row actions' });
  const element = el('div', { class: 'actions-place' }, offers, el('div', { class: 'row' }, buttons, ways));
  // Screen readers hear the first text of a countdown, not each second.
  const countdown = el('span', { 'aria-live': 'off' });
  // One element for all times: the text stays where it is while nothing else changes.
  const counting = el('div', { class: 'offer' }, countdown);
  let nudges = false;
  /** The action that can still be undone.
   * @type {{ text: string, timer: ReturnType<typeof setTimeout> } | undefined} */
  let waiting;
  /** The shown state: buttons are rebuilt only when it changes. */
  let shown = '';

  /** @param {BareType} type */
  const send = (type) => {
    app.connection.send({ type, room: room.code }).catch(app.showError);
  };

  /**
   * @param {BareType} type
   * @param {string} text
   */
  function later(type, text) {
    clearTimeout(waiting?.timer);
    const timer = setTimeout(() => {
      waiting = undefined;
      send(type);
      show();
    }, UNDO_MS);
    waiting = { text, timer };
    show();
    element.querySelector('button')?.focus();
  }

  function undo() {
    clearTimeout(waiting?.timer);
    waiting = undefined;
    show();
  }

  /**
   * @param {TextKey} label
   * @param {() => void} press
   * @param {string} [kind]
   */
  const button = (label, press, kind = '') => el('button', { type: 'button', class: kind, onclick: press }, t(label));

  /**
   * @param {string} text
   * @param {...(HTMLElement | false)} answers
   */
  const offer = (text, ...answers) => el('div', { class: 'offer' }, el('span', null, text), el('span', { class: 'row' }, ...answers));

  /**
   * What follows unless somebody acts before a time: for the first act of a game, for an opponent who
   * is away, and after a nudge. `due` is there if the game can be claimed then.
   * @param {Seat} seat
   * @returns {{ until: number, text: TextKey, due?: TextKey } | undefined}
   */
  function deadline(seat) {
    if (room.phase !== 'running') return undefined;
    const { first_act, nudge } = room.game ?? {};
    if (first_act) return { until: first_act.until, text: first_act.seat === seat ? 'first_act' : 'first_act_theirs' };
    const claim_at = room.away[opponent(seat)]?.claim_at;
    if (claim_at !== undefined) return { until: claim_at, text: 'away_claim', due: 'opponent_away' };
    if (!nudge) return undefined;
    return nudge.by === seat ? { until: nudge.until, text: 'nudge_claim', due: 'nudge_due' } : { until: nudge.until, text: 'nudged' };
  }

  /** Writes the countdown. @param {Seat} seat @param {number} until @param {TextKey} text */
  function count(seat, until, text) {
    const left = Math.max(0, Math.ceil((until - app.connection.now()) / 1000));
    write(countdown, t(text, { name: playerName(room.seats[opponent(seat)]), count: left, seconds: left }));
  }

  /** Whether the player may ask the opponent whether they are still there. @param {Seat} seat */
  function mayNudge(seat) {
    const them = opponent(seat);
    const { first_act, nudge } = room.game ?? {};
    return room.toAct === them && room.time.type === 'none' && 'member' in (room.seats[them] ?? {}) && !room.away[them]
      && !first_act && !nudge && app.connection.now() - room.turnSince >= NUDGE_AFTER_MS;
  }

  /** @param {Seat} seat */
  function offersTo(seat) {
    const game = room.game;
    if (!game) return [];
    const name = playerName(room.seats[opponent(seat)]);
    const answers = (/** @type {BareType} */ yes, /** @type {BareType} */ no) => [
      button('accept', () => send(yes), 'primary'), button('decline', () => send(no)),
    ];
    const made = [];
    if (game.draw_offer === seat) made.push(offer(t('draw_asked')));
    else if (game.draw_offer) made.push(offer(t('draw_offered', { name }), ...answers('accept_draw', 'decline_draw')));
    if (game.takeback_ask === seat) made.push(offer(t('takeback_waits')));
    else if (game.takeback_ask) made.push(offer(t('takeback_asked', { name }), ...answers('grant_takeback', 'refuse_takeback')));
    if (game.rematch_ask === seat) made.push(offer(t('rematch_waits')));
    else if (game.rematch_ask) made.push(offer(t('rematch_asked', { name }), button('accept', () => send('rematch'), 'primary')));
    const waits = deadline(seat);
    if (waits) {
      count(seat, waits.until, waits.text);
      made.push(waits.due && waits.until <= app.connection.now()
        ? offer(t(waits.due, { name }), button('claim_win', () => send('claim_win'), 'primary'), button('claim_draw', () => send('claim_draw')))
        : counting);
    }
    return made;
  }

  /** @param {Seat} seat */
  function buttonsOf(seat) {
    const game = room.game;
    const bot = !!room.seats[opponent(seat)] && 'bot' in (room.seats[opponent(seat)] ?? {});
    if (room.phase === 'finished') return game?.rematch_ask ? [] : [button('rematch', () => (bot ? send('rematch') : later('rematch', t('rematching'))), 'primary')];
    if (room.phase !== 'running' || !game) return [];
    const own = game.moves.length > (stoneOf(seat, game.black) === 'black' ? 0 : 1);
    const opening = !!room.opening;
    nudges = mayNudge(seat);
    return [
      nudges && button('nudge', () => send('nudge'), 'primary'),
      own && !opening && !game.takeback_ask && button('takeback', () => (bot ? send('ask_takeback') : later('ask_takeback', t('taking_back')))),
      !bot && !opening && !game.draw_offer && button('draw', () => later('offer_draw', t('drawing'))),
      game.first_act
        ? button('abort', () => later('abort', t('aborting')), 'danger')
        : button('resign', () => later('resign', t('resigning')), 'danger'),
    ];
  }

  function show() {
    const seat = room.seatOf(app.connection.you);
    if (waiting && room.phase !== 'running' && room.phase !== 'finished') undo();
    const offered = seat ? offersTo(seat) : [];
    const offered_texts = offered.map((one) => (one.contains(countdown) ? seat && deadline(seat)?.text : one.textContent)).join();
    const made = seat ? buttonsOf(seat) : [];
    const state = JSON.stringify([seat, room.phase, waiting?.text, offered.length, offered_texts, made.map((one) => one && one.textContent)]);
    if (state === shown) return;
    shown = state;
    fill(offers, ...offered);
    const asked = offered.find((one) => one.querySelector('button') || one.contains(countdown) && room.game?.nudge)?.firstChild?.textContent;
    if (asked) unseen.add(offers, asked);
    else unseen.clear(offers);
    if (waiting) fill(buttons, el('div', { class: 'offer undoable' }, el('span', null, waiting.text), button('undo', undo, 'primary')));
    else fill(buttons, ...made);
  }

  return {
    element,
    show,
    /** Updates the countdown, and shows what a player may do from now on. */
    tick() {
      const seat = room.seatOf(app.connection.you);
      if (!seat) return;
      const waits = deadline(seat);
      if (waits && (!waits.due || waits.until > app.connection.now())) count(seat, waits.until, waits.text);
      else if (waits || mayNudge(seat) !== nudges) show();
    },
    remove: () => clearTimeout(waiting?.timer),
  };
}
