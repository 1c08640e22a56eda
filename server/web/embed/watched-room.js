// A room as spectators see it: its game while it is running, with the clocks, and how it ended.

/** @import { PageConnection } from '../browser/page-connection.js' */

import { clockFace } from '../client/clock.js';
import { Room, STONES, seatWith } from '../client/room-state.js';
import { botRating, faceText, playerName, resultName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { write } from '../ui/dom.js';
import { createWatchedGame } from './watched-game.js';

/** Interval of the clocks. */
const TICK_MS = 100;

/**
 * @typedef {object} RoomOptions
 * @property {(text: string) => void} announce to screen readers
 * @property {(room: Room) => void} [changed] the room is shown as it is now
 * @property {() => void} [lost] there is no such room, or it was closed
 */

/**
 * Follows a room, and shows it.
 * @param {PageConnection} connection @param {string} code @param {HTMLElement} place @param {RoomOptions} options
 */
export function createWatchedRoom(connection, code, place, { announce, changed, lost }) {
  const room = new Room(code);
  const game = createWatchedGame(place, { announce });
  let closed = false;

  function show() {
    const { rules } = room;
    const outcome = room.game?.outcome;
    game.board.show({ size: rules.size, moves: room.game?.moves ?? [], winning: outcome?.points });
    for (const stone of STONES) {
      const seat = seatWith(stone, room.black);
      const player = (outcome && room.game?.players[seat]) || room.seats[seat];
      const side = {
        player,
        turn: room.toAct === seat,
        won: outcome?.winner === seat,
        away: !!room.away[seat],
        rating: room.ratingText(seat) || botRating(player),
      };
      game.showSide(stone, side, room.hasColours ? rules : undefined);
    }
    write(game.status, statusText());
    tick();
    changed?.(room);
  }

  function statusText() {
    const { rules, black, toAct } = room;
    const outcome = room.game?.outcome;
    if (outcome) return resultName(outcome, black, rules);
    if (closed) return t('room_gone');
    return toAct ? t('their_turn', { name: playerName(room.seats[toAct]) }) : t('waiting');
  }

  function tick() {
    const running = room.game?.clock;
    for (const [index, stone] of STONES.entries()) {
      const clock = game.clocks[index];
      if (!clock) continue;
      clock.toggleAttribute('hidden', !running);
      if (!running) continue;
      const face = clockFace(running, seatWith(stone, room.black), connection.now());
      clock.classList.toggle('low', face.low);
      write(clock, faceText(face));
    }
  }

  connection.enter(code, {
    seq: () => room.after,
    // There may be many who watch, and none is in a hurry.
    playing: () => false,
    joined(joined) {
      room.joined(joined);
      if (!room.contradicted) show();
    },
    receive(news) {
      if (room.seq > 0 && room.receive(news)) show();
    },
    lost() {
      closed = true;
      // What was shown stays.
      if (room.game?.clock) room.game.clock.running = undefined;
      if (room.seq > 0) show();
      lost?.();
    },
  });
  const ticker = setInterval(tick, TICK_MS);
  return {
    room,
    status: game.status,
    remove() {
      clearInterval(ticker);
      if (!closed) connection.leave(code);
      game.remove();
    },
  };
}
