// One's own open rooms: whose turn it is in each, one press back in, and what to close.

/** @import { App, Command, OwnRoom } from './types' */

import { el, fill } from './dom.js';
import { playerName, rulesName } from './names.js';
import { isMember, STONES } from './room.js';
import { spellControl } from './clock.js';
import { t } from './texts.js';

/** So many are listed, unless all are asked for. */
const SHOWN_MAX = 6;
const LIST_EVERY_MS = 4_000;

/** @param {App} app @returns {Promise<OwnRoom[]>} */
async function fetchOwn(app) {
  const answer = await app.connection.send({ type: 'own_rooms' });
  return answer.type === 'own_rooms' ? answer.rooms : [];
}

/** @param {App} app */
export function createOwnRooms(app) {
  const list = el('ol', { class: 'own-rooms' });
  const element = el('section', { hidden: true }, el('h2', { tabIndex: -1 }, t('your_games')), list);
  let most = SHOWN_MAX;
  let gone = false;
  /** What is shown, so that nothing moves under a finger. */
  let shown = '';

  async function update() {
    if (gone || (document.visibilityState === 'hidden' && shown)) return;
    try {
      const rooms = await fetchOwn(app);
      if (!gone) show(rooms.slice(0, most));
    } catch {
      // It is asked again soon.
    }
  }

  /** @param {OwnRoom[]} rooms */
  function show(rooms) {
    element.hidden = rooms.length === 0;
    const state = JSON.stringify(rooms);
    if (state === shown) return;
    shown = state;
    fill(list, ...rooms.map(row));
  }

  /** @param {OwnRoom} room */
  function row(room) {
    const players = STONES.map((stone) => el('bdi', null, playerName(room.seats[stone])));
    const clock = room.time ? ` · ${spellControl(room.time)}` : '';
    return el('li', { class: 'own-room' },
      el('a', { href: `/r/${room.room}`, class: room.your_turn ? 'now' : '' },
        el('span', { class: 'own-players' }, ...players.flatMap((name, at) => (at ? [' – ', name] : [name]))),
        el('strong', null, stateOf(room)), el('span', { class: 'hint' }, `${rulesName(room.rules)}${clock}`)),
      mayClose(room, app.connection.you) && el('button', { type: 'button', 'aria-label': t('close_room'), onclick: () => closeRoom(app, room.room).then(update) }, t('close')));
  }

  void update();
  const timer = setInterval(update, LIST_EVERY_MS);
  return {
    element,
    /** Lists every room: some of them are to be closed. */
    async showAll() {
      most = Infinity;
      await update();
      element.querySelector('h2')?.focus();
    },
    remove() {
      gone = true;
      clearInterval(timer);
    },
  };
}

/** @param {OwnRoom} room */
function stateOf(room) {
  if (room.phase === 'running') {
    const turn = STONES[room.ply % 2] ?? 'black';
    return room.your_turn ? t('your_turn') : t('their_turn', { name: playerName(room.seats[turn]) });
  }
  return t(isOver(room) ? 'game_over' : 'waiting');
}

/**
 * Whether the server closes a room for us: for its host, unless somebody else plays there.
 * @param {Pick<OwnRoom, 'host' | 'phase' | 'seats'>} room
 * @param {string} you
 */
export function mayClose({ host, phase, seats }, you) {
  return host && (phase !== 'running' || !withSomebody(seats, you));
}

/** Whether somebody else has a seat. @param {OwnRoom['seats']} seats @param {string} you */
function withSomebody(seats, you) {
  return STONES.some((stone) => {
    const player = seats[stone];
    return !!player && 'member' in player && !isMember(player, you);
  });
}

/** @param {App} app @param {string} code */
export async function closeRoom(app, code) {
  try {
    await app.connection.send({ type: 'close', room: code });
  } catch (error) {
    app.showError(error);
  }
}

/** The bots that sit there. @param {OwnRoom} room */
function botsIn({ seats }) {
  return STONES.flatMap((stone) => {
    const player = seats[stone];
    return player && 'bot' in player ? [player.bot] : [];
  });
}

/** Whether a game was played there, and none is. @param {OwnRoom} room */
function isOver(room) {
  return room.phase === 'finished' || (room.phase === 'waiting' && (room.ply > 0 || botsIn(room).length > 0));
}

/**
 * The room in which a new game is to be played: one that is over, where the same was played against
 * a bot, or a new one. Other rooms that are over, and where nobody else is, are closed; one that
 * waits stays, as a friend may have its link.
 * @param {App} app
 * @param {Command} create
 * @returns {Promise<string>} its code
 */
export async function openRoom(app, create) {
  const rooms = await fetchOwn(app);
  const left = rooms.filter((room) => room.host && isOver(room) && room.spectators === 0 && !withSomebody(room.seats, app.connection.you));
  const same = left.find((room) => fits(room, create));
  for (const room of left) if (room !== same) await closeRoom(app, room.room);
  if (same) return same.room;
  const answer = await app.connection.send(create);
  return answer.type === 'joined' ? answer.room : '';
}

/**
 * Whether a room against bots is as it would be made. Which colour one has there next is not ours
 * to choose.
 * @param {OwnRoom} room
 * @param {Command} create
 */
function fits(room, create) {
  const bots = /** @type {(string | { bot: unknown })[]} */ (create.seats).flatMap((seat) => (typeof seat === 'object' ? [seat.bot] : []));
  const one = [room.rules, room.time ?? { type: 'none' }, room.assistance, room.visibility, botsIn(room)];
  const other = [create.rules, create.time, create.assistance, create.visibility, bots];
  return create.colour === 'random' && bots.length > 0 && JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** Has fields told in one order. @param {string} _ @param {unknown} value */
function sorted(_, value) {
  return value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
}
