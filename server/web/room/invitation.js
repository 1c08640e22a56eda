// The card over the board of a room without a game: how to invite an opponent, or who invites the visitor.

/** @import { Room } from '../client/room-state.js' */
/** @import { RoomCommand, Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { opponent, stoneOf } from '../client/room-state.js';
import { clockText, playerName, rulesName, sideName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { button, el, fill, linkButton } from '../ui/dom.js';
import { linkCard } from '../ui/link-card.js';

/** @typedef {{ send: (command: RoomCommand) => void, watch: () => void, closeRoom: () => void }} Choices */

/** @param {App} app @param {Room} room @param {Choices} choices */
export function createInvitation(app, room, choices) {
  const element = el('div', { class: 'invitation', hidden: true });
  let shown = '';
  return {
    element,
    /** @param {Seat | undefined} seat the visitor's @param {Seat | undefined} asked the one that the visitor may take */
    show(seat, asked) {
      const hosts = room.host === app.connection.you;
      const waits = room.seq > 0 && room.phase === 'waiting' && !room.game && (!!seat || hosts);
      const state = asked ? JSON.stringify([asked, room.seats]) : String(waits);
      if (state === shown) return;
      shown = state;
      element.hidden = !asked && !waits;
      if (asked) invite(element, room, asked, choices);
      else fill(element, waits && waitingCard(room, seat, hosts, choices));
    },
  };
}

/** Asks the visitor to play. @param {Element} place @param {Room} room @param {Seat} seat @param {Choices} choices */
function invite(place, room, seat, { send, watch }) {
  const other = room.seats[opponent(seat)];
  const sit = sitButton(room, seat, send, 'primary big');
  fill(
    place,
    el(
      'div',
      { class: 'card' },
      el('h2', null, other ? t('invited_by', { name: playerName(other) }) : t('seat_open')),
      el('p', null, gameText(room, seat)),
      rulesHint(room),
      sit,
      button(t('watch'), watch),
    ),
  );
  sit.focus({ preventScroll: true });
}

/** Shows how to invite somebody. @param {Room} room @param {Seat | undefined} seat @param {boolean} hosts @param {Choices} choices */
function waitingCard(room, seat, hosts, { send, closeRoom }) {
  const open = room.vacant;
  const what = gameText(room, seat);
  const bots = el('div');
  if (seat && open)
    void import('../game/bot-choice.js').then(({ createBotSeat }) =>
      bots.replaceWith(createBotSeat(room.rules, (bot) => send({ type: 'seat_bot', seat: open, bot }))),
    );
  return el(
    'div',
    { class: 'card' },
    el('h2', null, t('invite')),
    el('p', { class: 'hint' }, t('invite_how')),
    el('p', null, what),
    rulesHint(room),
    linkCard(`${location.origin}/r/${room.code}`, t('invite_link'), what),
    bots,
    el('div', { class: 'row' }, linkButton('/', t('leave')), hosts && button(t('close_room'), closeRoom)),
  );
}

/** The button that takes a seat. @param {Room} room @param {Seat} seat @param {Choices['send']} send */
export function sitButton({ seats }, seat, send, kind = '') {
  const other = seats[opponent(seat)];
  const text = other ? t('play_against', { name: playerName(other) }) : t('sit_here');
  return button(text, () => send({ type: 'sit' }), { class: kind });
}

/** What is played in a room. @param {Room} room @param {Seat | undefined} seat the visitor's, or to be */
function gameText({ openingKind, rules, time, black }, seat) {
  // Where the opening decides the colors, nobody knows theirs.
  const side = seat && openingKind === 'free' && t('you_play', { stone: sideName(stoneOf(seat, black), rules) });
  return [rulesName(rules, openingKind), clockText(time), side].filter(Boolean).join(' · ');
}

/** Says what the rules are; without that, their name has to do. @param {Room} room */
export function rulesHint({ rules }) {
  const hint = el('p', { class: 'hint' });
  import('../game/rules/rule-text.js').then(
    ({ ruleText }) => hint.append(ruleText(rules)),
    () => {},
  );
  return hint;
}
