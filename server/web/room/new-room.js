// The room for a new game: a new one, or a finished one of the player's own.

/** @import { CreateCommand, OwnRoom } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { isMember, SEATS } from '../client/room-state.js';
import { botsIn, closeRoom, fetchOwnRooms, isOver, withSomebody } from './own-rooms.js';

/**
 * The room for a new game: a finished one with the same bot and options, in which the next game begins, or a new
 * one. Closes other finished rooms without other people. Waiting rooms stay, because a friend may have the link.
 * @param {App} app
 * @param {CreateCommand} create
 * @returns {Promise<string>} its code
 */
export async function findOrCreateRoom(app, create) {
  const rooms = await fetchOwnRooms(app);
  const left = rooms.filter(
    (room) => room.host && isOver(room) && room.spectators === 0 && !withSomebody(room.seats, app.connection.you),
  );
  const same = left.find((room) => fits(room, create));
  for (const room of left) if (room !== same) await closeRoom(app, room.room);
  if (same) return playAgain(app, same.room);
  const answer = await app.connection.send(create);
  return answer.type === 'joined' ? answer.room : '';
}

/**
 * Begins the next game with the bots of a finished room.
 * @param {App} app
 * @param {string} room
 */
async function playAgain(app, room) {
  const answer = await app.connection.send({ type: 'join', room });
  const seats = answer.type === 'joined' && answer.snapshot?.seats;
  const isSeated = seats && SEATS.some((seat) => isMember(seats[seat], app.connection.you));
  await app.connection.send({ type: isSeated ? 'rematch' : 'sit', room });
  return room;
}

/**
 * The room for a game with a bot of this level, for the player alone; its code.
 * @param {App} app
 * @param {number} level
 * @param {Pick<CreateCommand, 'rules' | 'time'>} game
 */
export function createBotRoom(app, level, game) {
  return findOrCreateRoom(app, {
    type: 'create',
    ...game,
    seats: ['me', { bot: { kind: 'engine', level } }],
    colour: 'random',
    opening: 'free',
    assistance: false,
    visibility: 'private',
  });
}

/**
 * Whether a room against a bot matches the options. A rematch does not let the player choose the
 * color.
 * @param {OwnRoom} room
 * @param {CreateCommand} create
 */
function fits(room, create) {
  const bots = /** @type {(string | { bot: unknown })[]} */ (create.seats).flatMap((seat) =>
    typeof seat === 'object' ? [seat.bot] : [],
  );
  const one = [
    room.rules,
    room.opening ?? 'free',
    room.time ?? { type: 'none' },
    room.assistance,
    room.visibility,
    botsIn(room),
  ];
  const other = [create.rules, create.opening ?? 'free', create.time, create.assistance, create.visibility, bots];
  return create.colour === 'random' && bots.length > 0 && JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** Sorts the fields of objects, for comparison. @param {string} _ @param {unknown} value */
function sorted(_, value) {
  return value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;
}
