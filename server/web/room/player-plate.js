// A player beside the board: name, stone, clock, and whether they are away.

/** @import { Room } from '../client/room-state.js' */
/** @import { Player, Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { playTick } from '../browser/sounds.js';
import { clockFace } from '../client/clock.js';
import { isMember, stoneOf } from '../client/room-state.js';
import { botRating, faceText, nameOrYou, personName, playerName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';

/** Names of more letters are written smaller. */
const LONG = 14;

/** @param {App} app @param {Room} room */
export function createPlayerPlate(app, room) {
  const stone = el('span', { class: 'stone' });
  const name = el('span', { class: 'name' });
  const note = el('span', { class: 'note' });
  const clock = createClock(app, room);
  const element = el('div', { class: 'plate' }, stone, name, note, clock.element);
  /** @type {Seat} */
  let seat = 'first';
  /** The shown player. */
  let shown = '';

  function showClock() {
    element.classList.toggle('low', clock.show(seat));
  }

  /** Writes who plays; the name is rebuilt only when it changes. @param {Player | null | undefined} player */
  function showName(player) {
    // Opponents in a game do not challenge each other to another one.
    const opposed = room.phase === 'running' && !!room.seatOf(app.connection.you);
    const state = JSON.stringify([player, opposed, app.connection.you]);
    if (state === shown) return;
    shown = state;
    const you = isMember(player, app.connection.you) && el('span', { class: 'chip' }, t('you'));
    fill(name, personName(app, player, { opposed, room: room.code }), you);
    name.classList.toggle('long', playerName(player).length > LONG);
  }

  return {
    element,
    /** Shows the player of a seat. @param {Seat} at */
    show(at) {
      seat = at;
      const sits = room.seats[seat];
      const played = room.game?.outcome && room.game.players[seat];
      // A player who has left after the end is still shown, until somebody takes the seat.
      const player = sits ?? played;
      const colour = room.hasColours ? stoneOf(seat, room.black) : 'none';
      stone.className = `stone ${colour}`;
      stone.title = t(colour === 'none' ? 'opening_decides' : colour);
      showName(player);
      const away = !!room.away[seat];
      const winner = room.game?.outcome?.winner === seat && JSON.stringify(player) === JSON.stringify(played);
      const you = isMember(player, app.connection.you);
      const classes = { 'to-move': room.toAct === seat, away, winner, you, vacant: !sits };
      for (const [kind, is] of Object.entries(classes)) element.classList.toggle(kind, is);
      const notes = [
        stone.title,
        !sits && played && !you && t('has_left'),
        room.ratingText(at) || botRating(player),
        player && 'member' in player && player.engine && t('bot_engine'),
        away && t('away'),
        winner && t('won'),
      ].filter(Boolean);
      // A line ends between them only.
      if (note.textContent !== notes.join(' · '))
        fill(
          note,
          ...notes.flatMap((one, index) => [index > 0 && ' ', el('span', null, one, index < notes.length - 1 && ' ·')]),
        );
      showClock();
    },
    showClock,
    /** Moves once, because the player has another stone now. */
    swap() {
      element.classList.remove('swapped');
      // Only a style that was computed without the class lets the motion begin again.
      void element.offsetWidth;
      element.classList.add('swapped');
    },
  };
}

/** A player's clock, which warns of the last seconds. @param {App} app @param {Room} room */
function createClock(app, room) {
  const element = el('span', { class: 'clock', role: 'timer', 'aria-live': 'off' });
  /** The second that was last warned of. */
  let warned = '';

  /** @param {Seat} seat @param {number} seconds */
  function warn(seat, seconds) {
    const now = `${room.game?.number}.${room.game?.moves.length}.${seconds}`;
    if (now === warned || seconds === 0) return;
    warned = now;
    const own = isMember(room.seats[seat], app.connection.you);
    if (own) playTick();
    if (seconds === 10 || (own && seconds === 5))
      app.announce(t('seconds_left', { name: nameOrYou(app, room.seats[seat]), count: seconds }), own);
  }

  return {
    element,
    /** Whether little time is left. @param {Seat} seat */
    show(seat) {
      const running = room.game?.clock;
      // Setting the property makes the browser compute styles, even if it has this value.
      element.toggleAttribute('hidden', !running);
      if (!running) return false;
      const face = clockFace(running, seat, app.connection.now());
      write(element, faceText(face));
      if (face.low) warn(seat, Math.ceil(face.left_ms / 1000));
      return face.low;
    },
  };
}
