// A player's actions besides moving: resign, abort, offer, ask, answer, nudge, claim, and the ways on
// after the game. Giving up a game waits a few seconds for "Undo"; everything else is sent at once.

/** @import { Room } from '../game/room-state.js' */
/** @import { BareType, Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { ICONS } from '../ui/icons.js' */

import { playerName } from '../game/display-names.js';
import { opponent, stoneOf } from '../game/room-state.js';
import { t } from '../language/texts.js';
import { NUDGE_AFTER_MS } from '../protocol.js';
import { el, fill, icon, write } from '../ui/dom.js';
import { canClose, closeRoom, hasOthers } from './own-rooms.js';

/** Time to undo that a game is given up. */
const UNDO_MS = 5_000;

/** @typedef {import('../language/texts.js').TextKey} TextKey */

/**
 * @param {App} app
 * @param {Room} room
 * @param {readonly HTMLElement[]} more buttons that stand beside a player's own while they play
 */
export function createGameActions(app, room, more) {
  const offers = el('div', { class: 'offers' });
  const again = el('div', { class: 'again' });
  const element = el('div', { class: 'actions' });
  // Screen readers hear the first text of a countdown, not each second.
  const countdown = el('span', { 'aria-live': 'off' });
  // One element for all times: the text stays where it is while nothing else changes.
  const counting = el('p', { class: 'offer-line' }, countdown);
  let nudges = false;
  /** The action that can still be undone.
   * @type {{ text: string, timer: ReturnType<typeof setTimeout> } | undefined} */
  let waiting;
  /** The shown state: buttons are rebuilt only when it changes. */
  let shown = '';
  /** @type {HTMLElement | false | undefined} */
  let sit;

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
    offers.querySelector('button')?.focus();
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
   * @param {keyof typeof ICONS} [sign]
   * @param {boolean} [disabled] what has no use now keeps its place
   */
  const button = (label, press, kind = '', sign = undefined, disabled = false) =>
    el('button', { type: 'button', class: kind, disabled, onclick: press }, sign && icon(sign), t(label));

  /**
   * A question with its answers. It does not take the focus.
   * @param {string} text
   * @param {string} how what else answers it
   * @param {...HTMLElement} answers
   */
  const offer = (text, how, ...answers) =>
    el(
      'div',
      { class: 'offer', role: 'alertdialog', 'aria-label': text },
      el('p', { class: 'say' }, text),
      how && el('p', null, how),
      el('div', { class: 'row' }, ...answers),
    );

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
    return nudge.by === seat
      ? { until: nudge.until, text: 'nudge_claim', due: 'nudge_due' }
      : { until: nudge.until, text: 'nudged' };
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
    return (
      room.toAct === them &&
      room.time.type === 'none' &&
      'member' in (room.seats[them] ?? {}) &&
      !room.away[them] &&
      !first_act &&
      !nudge &&
      app.connection.now() - room.turnSince >= NUDGE_AFTER_MS
    );
  }

  /** @param {Seat} seat */
  function offersTo(seat) {
    const game = room.game;
    if (!game) return [];
    const them = opponent(seat);
    const name = playerName(room.seats[them] ?? game.players[them]);
    const line = (/** @type {TextKey} */ key) => el('p', { class: 'offer-line' }, t(key));
    const answers = (/** @type {BareType} */ yes, /** @type {BareType} */ no) => [
      button('accept', () => send(yes), 'primary'),
      button('decline', () => send(no)),
    ];
    const made = [];
    if (game.draw_offer === seat) made.push(line('draw_asked'));
    else if (game.draw_offer)
      made.push(offer(t('draw_offered', { name }), t('draw_how'), ...answers('accept_draw', 'decline_draw')));
    if (game.takeback_ask === seat) made.push(line('takeback_waits'));
    else if (game.takeback_ask)
      made.push(offer(t('takeback_asked', { name }), '', ...answers('grant_takeback', 'refuse_takeback')));
    if (game.rematch_ask === seat)
      made.push(
        el(
          'div',
          { class: 'offer' },
          line('rematch_waits'),
          button('cancel', () => send('decline_rematch'), 'slim'),
        ),
      );
    else if (game.rematch_ask)
      made.push(offer(t('rematch_asked', { name }), '', ...answers('rematch', 'decline_rematch')));
    // Whoever waits for another game knows that nobody is there to answer.
    if (game.outcome && (!room.seats[them] || room.away[them]))
      made.push(el('p', { class: 'offer-line' }, t(room.seats[them] ? 'opponent_away' : 'over_gone', { name })));
    nudges = mayNudge(seat);
    if (nudges) made.push(button('nudge', () => send('nudge')));
    const waits = deadline(seat);
    if (waits) {
      count(seat, waits.until, waits.text);
      made.push(
        waits.due && waits.until <= app.connection.now()
          ? offer(
              t(waits.due, { name }),
              '',
              button('claim_win', () => send('claim_win'), 'primary'),
              button('claim_draw', () => send('claim_draw')),
            )
          : counting,
      );
    }
    return made;
  }

  /** What a player may do while the game runs. @param {Seat} seat */
  function ownActions(seat) {
    const game = room.game;
    if (room.phase !== 'running' || !game) return [];
    const bot = playsBot(seat);
    const own = game.moves.length > (stoneOf(seat, game.black) === 'black' ? 0 : 1);
    const opening = !!room.opening;
    return [
      button('takeback', () => send('ask_takeback'), '', 'undo', !own || opening || !!game.takeback_ask),
      !bot && button('draw', () => send('offer_draw'), '', 'even', opening || !!game.draw_offer),
      ...more,
      game.first_act
        ? button('abort', () => later('abort', t('aborting')), 'danger', 'close')
        : button('resign', () => later('resign', t('resigning')), 'danger', 'flag'),
    ];
  }

  /** @param {Seat} seat */
  function playsBot(seat) {
    return 'bot' in (room.seats[opponent(seat)] ?? {});
  }

  /** The ways on in the voice after a game: play again, or look at it. @param {Seat | undefined} seat */
  function waysOn(seat) {
    const { game } = room;
    if (!game?.outcome) return [sit];
    const plays = seat && room.phase === 'finished';
    return [
      sit,
      plays && !game.rematch_ask && button('rematch', () => send('rematch'), 'primary'),
      seat && room.paired && button('new_opponent', seekAnother),
      room.keptGame && el('a', { class: 'button', href: `/game/${room.keptGame}` }, icon('graph'), t('replay')),
    ];
  }

  /** The ways out of the room. @param {Seat | undefined} seat */
  function waysOut(seat) {
    const { game } = room;
    const over = !!game?.outcome;
    if (!game || (seat && !over)) return [];
    const { you } = app.connection;
    const { phase, seats } = room;
    const ours = over && !withOthers() && canClose({ host: room.host === you, phase, seats }, you);
    const way = (/** @type {TextKey} */ text, /** @type {keyof typeof ICONS} */ sign) =>
      el('a', { class: 'button', href: '/' }, icon(sign), t(text));
    return [
      ...more,
      over && button('share', share, '', 'share', !room.keptGame),
      over && !room.paired && way('change_rules', 'swap'),
      // Nobody else needs the room of a game against a bot.
      ours ? button('leave', close, '', 'previous') : way('leave', 'previous'),
    ];
  }

  /** Whether somebody else is or was here. A player without a seat is a spectator. */
  function withOthers() {
    const { you } = app.connection;
    const spectators = room.spectators.count - (room.seatOf(you) ? 0 : 1);
    return hasOthers({ seats: room.seats, spectators, ply: room.game?.moves.length ?? 0 }, you);
  }

  async function close() {
    if (await closeRoom(app, room.code, withOthers())) app.go('/');
  }

  async function seekAnother() {
    (await app.seeks()).another(room.code);
    app.go('/');
  }

  function share() {
    app.share(`${location.origin}/game/${room.keptGame}`);
  }

  /** @param {HTMLElement | false | undefined} [sits] what takes a free seat, for a spectator */
  function show(sits = sit) {
    sit = sits;
    const seat = room.seatOf(app.connection.you);
    if (waiting && room.phase !== 'running') undo();
    const offered = seat ? offersTo(seat) : [];
    const offered_texts = offered
      .map((one) => (one.contains(countdown) ? seat && deadline(seat)?.text : one.textContent))
      .join();
    const acts = [...(seat ? ownActions(seat) : []), ...waysOut(seat)];
    const on = waysOn(seat);
    const texts = [...acts, ...on].map(
      (one) => one && (more.includes(one) || [one.textContent, one.matches(':disabled')]),
    );
    const state = JSON.stringify([
      seat,
      room.phase,
      room.keptGame,
      waiting?.text,
      offered_texts,
      offered.length,
      texts,
    ]);
    if (state === shown) return;
    shown = state;
    const undoing =
      waiting &&
      el(
        'div',
        { class: 'offer undoable' },
        el('p', { class: 'say' }, waiting.text),
        el('div', { class: 'row' }, button('undo', undo, 'primary')),
      );
    fill(offers, undoing, ...offered);
    fill(again, ...on);
    fill(element, ...acts);
  }

  return {
    /** Questions and countdowns, for the voice. */
    offers,
    /** The ways on after the game, for the voice. */
    again,
    /** What the player may do. */
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
    /** Closes the room, and leaves it. */
    closeRoom: close,
    /** The room is closed: only these ways are left. @param {...(HTMLElement | false | undefined)} ways */
    close(...ways) {
      fill(offers);
      fill(again, ...ways);
      fill(element);
    },
    remove: () => clearTimeout(waiting?.timer),
  };
}
