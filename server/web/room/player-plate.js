// A player beside the board: name, stone, clock, and whether they are away.

/** @import { Room } from '../game/room-state.js' */
/** @import { Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { playTick } from '../browser/sounds.js';
import { clockFace, durationText } from '../game/clock-display.js';
import { botRating, nameOrYou, personName, playerName } from '../game/display-names.js';
import { isMember, stoneOf } from '../game/room-state.js';
import { formatTenths, t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';

/** Names of more letters are written smaller. */
const LONG = 14;

/**
 * @param {App} app
 * @param {Room} room
 */
export function createPlayerPlate(app, room) {
  const stone = el('span', { class: 'stone' });
  const name = el('span', { class: 'name' });
  const note = el('span', { class: 'note' });
  const clock = el('span', { class: 'clock', role: 'timer', 'aria-live': 'off' });
  const element = el('div', { class: 'plate' }, stone, name, note, clock);
  /** @type {Seat} */
  let seat = 'first';
  /** The shown player: the name is rebuilt only when it changes. */
  let shown = '';
  /** The second that was last warned of. */
  let warned = '';

  function showClock() {
    const running = room.game?.clock;
    clock.hidden = !running;
    if (!running) return;
    const shown = clockFace(running, seat, app.connection.now());
    write(clock, durationText(shown.left_ms, formatTenths) + (shown.periods > 0 ? ` ×${shown.periods}` : ''));
    element.classList.toggle('low', shown.low);
    if (shown.low) warn(Math.ceil(shown.left_ms / 1000));
  }

  /** @param {number} seconds */
  function warn(seconds) {
    const now = `${room.game?.number}.${room.game?.moves.length}.${seconds}`;
    if (now === warned || seconds === 0) return;
    warned = now;
    const own = isMember(room.seats[seat], app.connection.you);
    if (own) playTick();
    if (seconds === 10 || (own && seconds === 5)) {
      app.announce(t('seconds_left', { name: nameOrYou(app, room.seats[seat]), count: seconds }), own);
    }
  }

  return {
    element,
    /** Shows the player of a seat.
     * @param {Seat} at */
    show(at) {
      seat = at;
      const sits = room.seats[seat];
      const played = room.game?.outcome && room.game.players[seat];
      // A player who has left after the end is still shown, until somebody takes the seat.
      const player = sits ?? played;
      const away = room.away[seat];
      const colour = stoneOf(seat, room.black);
      const colourText = t(room.hasColours ? colour : 'opening_decides');
      stone.className = `stone ${room.hasColours ? colour : 'none'}`;
      stone.title = colourText;
      // Opponents in a game do not challenge each other to another one.
      const opposed = room.phase === 'running' && !!room.seatOf(app.connection.you);
      const state = JSON.stringify([player, opposed, app.connection.you]);
      if (state !== shown) {
        shown = state;
        fill(
          name,
          personName(app, player, { opposed, room: room.code }),
          isMember(player, app.connection.you) && el('span', { class: 'chip' }, t('you')),
        );
        name.classList.toggle('long', playerName(player).length > LONG);
      }
      element.classList.toggle('to-move', room.toAct === seat);
      element.classList.toggle('away', !!away);
      const won = room.game?.outcome?.winner === seat && JSON.stringify(player) === JSON.stringify(played);
      element.classList.toggle('winner', won);
      element.classList.toggle('you', isMember(player, app.connection.you));
      element.classList.toggle('vacant', !sits);
      const notes = [
        colourText,
        played && !sits && !isMember(played, app.connection.you) && t('has_left'),
        room.ratingText(at) || botRating(player),
        player && 'member' in player && player.engine && t('bot_engine'),
        away && t('away'),
        won && t('won'),
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
