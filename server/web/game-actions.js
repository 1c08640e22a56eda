// A player's actions besides moving: resign, offer, ask, answer, claim. Actions that cannot be undone
// wait a few seconds for "Undo".

/** @import { Room } from './room-state.js' */
/** @import { BareType, Seat } from './types' */
/** @import { App } from './view-types' */
/** @import { UnseenBadge } from './unseen-badge.js' */

import { playerName } from './display-names.js';
import { el, fill, write } from './dom.js';
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
  const countdown = el('span');
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
    const claim_at = room.away[opponent(seat)]?.claim_at;
    if (room.phase === 'running' && claim_at !== undefined) {
      const due = claim_at <= app.connection.now();
      made.push(due
        ? offer(t('opponent_away', { name }), button('claim_win', () => send('claim_win'), 'primary'), button('claim_draw', () => send('claim_draw')))
        : el('div', { class: 'offer' }, countdown));
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
    return [
      own && !opening && !game.takeback_ask && button('takeback', () => (bot ? send('ask_takeback') : later('ask_takeback', t('taking_back')))),
      !bot && !opening && !game.draw_offer && button('draw', () => later('offer_draw', t('drawing'))),
      button('resign', () => later('resign', t('resigning')), 'danger'),
    ];
  }

  function show() {
    const seat = room.seatOf(app.connection.you);
    if (waiting && room.phase !== 'running' && room.phase !== 'finished') undo();
    const offered = seat ? offersTo(seat) : [];
    const offered_texts = offered.map((one) => one.textContent).join();
    const made = seat ? buttonsOf(seat) : [];
    const state = JSON.stringify([seat, room.phase, waiting?.text, offered.length, offered_texts, made.map((one) => one && one.textContent)]);
    if (state === shown) return;
    shown = state;
    fill(offers, ...offered);
    const asked = offered.find((one) => one.querySelector('button'))?.firstChild?.textContent;
    if (asked) unseen.add(offers, asked);
    else unseen.clear(offers);
    if (waiting) fill(buttons, el('div', { class: 'offer undoable' }, el('span', null, waiting.text), button('undo', undo, 'primary')));
    else fill(buttons, ...made);
  }

  return {
    element,
    show,
    /** Updates the countdown to a claim. */
    tick() {
      const seat = room.seatOf(app.connection.you);
      const claim_at = seat && room.away[opponent(seat)]?.claim_at;
      if (!seat || claim_at === undefined) return;
      const left = claim_at - app.connection.now();
      if (left > 0) write(countdown, t('away_claim', { name: playerName(room.seats[opponent(seat)]), count: Math.ceil(left / 1000) }));
      else show();
    },
    remove: () => clearTimeout(waiting?.timer),
  };
}
