// What waits for a player: the opponent's questions with their answers, the player's own questions, and
// countdowns. Questions do not take the focus.

/** @import { Room } from '../client/room-state.js' */
/** @import { BareType, Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { TextKey } from '../language/texts.js' */

import { NUDGE_AFTER_MS } from '../client/protocol.js';
import { opponent } from '../client/room-state.js';
import { playerName } from '../game/display-names.js';
import { formatSpan, t } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';

/** @param {App} app @param {Room} room @param {(type: BareType) => void} send */
export function createGameQuestions(app, room, send) {
  // Screen readers hear the first text of a countdown, not each second.
  const countdown = el('span', { 'aria-live': 'off' });
  // One element for all times: the text stays where it is while nothing else changes.
  const counting = line(countdown);
  let nudges = false;

  const answer = (/** @type {TextKey} */ label, /** @type {BareType} */ type, kind = '') =>
    button(t(label), () => send(type), { class: kind });

  /** Writes the countdown. @param {Seat} seat @param {{ until: number, text: TextKey }} deadline */
  function count(seat, { until, text }) {
    const left = Math.max(0, Math.ceil((until - app.connection.now()) / 1000));
    const values = { name: playerName(room.seats[opponent(seat)]), count: left, seconds: left };
    write(countdown, t(text, { ...values, time: formatSpan(left * 1000) }));
  }

  return {
    /** @param {Seat} seat */
    of(seat) {
      const { game, seats } = room;
      if (!game) return [];
      const them = opponent(seat);
      const name = playerName(seats[them] ?? game.players[them]);
      const question = (
        /** @type {Seat | undefined} */ by,
        /** @type {HTMLElement} */ own,
        /** @type {TextKey} */ text,
        /** @type {readonly [BareType, BareType]} */ [yes, no],
        how = '',
      ) =>
        by === seat
          ? own
          : by && offer(t(text, { name }), how, answer('accept', yes, 'primary'), answer('decline', no));
      nudges = mayNudge(app, room, seat);
      const waits = deadline(room, seat);
      if (waits) count(seat, waits);
      return [
        question(
          game.draw_offer,
          line(t('draw_asked')),
          'draw_offered',
          ['accept_draw', 'decline_draw'],
          t('draw_how'),
        ),
        question(game.takeback_ask, line(t('takeback_waits')), 'takeback_asked', ['grant_takeback', 'refuse_takeback']),
        question(
          game.rematch_ask,
          el('div', { class: 'offer' }, line(t('rematch_waits')), answer('cancel', 'decline_rematch', 'slim')),
          'rematch_asked',
          ['rematch', 'decline_rematch'],
        ),
        // Whoever waits for another game knows that nobody is there to answer.
        game.outcome &&
          (!seats[them] || room.away[them]) &&
          line(t(seats[them] ? 'opponent_away' : 'over_gone', { name })),
        nudges && answer('nudge', 'nudge'),
        waits &&
          (waits.due && waits.until <= app.connection.now()
            ? offer(
                t(waits.due, { name }),
                '',
                answer('claim_win', 'claim_win', 'primary'),
                answer('claim_draw', 'claim_draw'),
              )
            : counting),
      ].filter((one) => !!one);
    },
    /** What a question says, apart from its seconds. @param {Seat} seat @param {HTMLElement} one */
    textOf: (seat, one) => (one === counting ? deadline(room, seat)?.text : one.textContent),
    /** Updates the countdown. Whether the questions have changed. @param {Seat} seat */
    tick(seat) {
      const waits = deadline(room, seat);
      if (!waits || (waits.due && waits.until <= app.connection.now()))
        return !!waits || mayNudge(app, room, seat) !== nudges;
      count(seat, waits);
      return false;
    },
  };
}

/** @param {import('../ui/dom.js').Child} text */
function line(text) {
  return el('p', { class: 'offer-line' }, text);
}

/** @param {string} text @param {string} how what else answers it @param {...HTMLElement} answers */
function offer(text, how, ...answers) {
  return el(
    'div',
    { class: 'offer', role: 'alertdialog', 'aria-label': text },
    el('p', { class: 'say' }, text),
    how && el('p', null, how),
    el('div', { class: 'row' }, ...answers),
  );
}

/**
 * What follows unless somebody acts before a time: for the first act of a game, for an opponent who
 * is away, and after a nudge. `due` is there if the game can be claimed then.
 * @param {Room} room @param {Seat} seat
 * @returns {{ until: number, text: TextKey, due?: TextKey } | undefined}
 */
function deadline({ away, game, phase }, seat) {
  if (phase !== 'running') return undefined;
  const { first_act, nudge } = game ?? {};
  if (first_act) return { until: first_act.until, text: first_act.seat === seat ? 'first_act' : 'first_act_theirs' };
  const claim_at = away[opponent(seat)]?.claim_at;
  if (claim_at !== undefined) return { until: claim_at, text: 'away_claim', due: 'opponent_away' };
  if (!nudge) return undefined;
  return nudge.by === seat
    ? { until: nudge.until, text: 'nudge_claim', due: 'nudge_due' }
    : { until: nudge.until, text: 'nudged' };
}

/** Whether the player may ask the opponent whether they are still there. @param {App} app @param {Room} room @param {Seat} seat */
function mayNudge(app, room, seat) {
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
