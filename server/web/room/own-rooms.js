// The player's own open rooms: whose turn it is, a link back in, and a button to close them.

/** @import { OwnRoom } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { isMember, SEATS } from '../client/room-state.js';
import { playerName, rulesName, timeControlText } from '../game/display-names.js';
import { formatSpan, t } from '../language/texts.js';
import { button, el, fill, write } from '../ui/dom.js';

/** Rooms to list, unless all are asked for. */
const SHOWN_MAX = 6;
/** Key of whether there were rooms: their place is kept until they are known. */
const SOME_KEY = 'fivefold.rooms';
const LIST_EVERY_MS = 4_000;
/** Without a list, rooms are fetched only once in so many times. */
const UNLISTED_TIMES = 4;

/** Receive the rooms, and show them: then they are fetched each time. @type {Set<(rooms: OwnRoom[]) => void>} */
const lists = new Set();
/** Receive the rooms when they are fetched. @type {Set<(rooms: OwnRoom[]) => void>} */
export const followers = new Set();

/** @param {App} app @returns {Promise<OwnRoom[]>} */
export async function fetchOwnRooms(app) {
  const answer = await app.connection.send({ type: 'own_rooms' });
  return answer.type === 'own_rooms' ? answer.rooms : [];
}

/** Fetches the rooms for all who receive them. @param {App} app */
export async function updateOwnRooms(app) {
  const rooms = await fetchOwnRooms(app);
  siteStorage.setItem(SOME_KEY, rooms.length > 0 ? '1' : '');
  for (const receive of [...lists, ...followers]) receive(rooms);
}

/**
 * Calls `show` again and again, and when the page is shown or hidden, with the rooms of people in which it is the
 * player's turn. A bot can wait, so its rooms do not count. Returns a function that asks at once.
 * @param {App} app
 * @param {(rooms: string[]) => void} show
 */
export function followTurns(app, show) {
  let running = true;
  let times = 0;
  followers.add((rooms) => {
    running = rooms.some(({ phase }) => phase === 'running');
    show(
      rooms.filter((room) => room.your_turn && withSomebody(room.seats, app.connection.you)).map(({ room }) => room),
    );
  });
  const poll = () => {
    times += 1;
    // Out of sight, only a running game is worth it.
    if (
      document.visibilityState === 'hidden' ? !running || times % UNLISTED_TIMES : !lists.size && times % UNLISTED_TIMES
    )
      return;
    // The next poll tries again.
    updateOwnRooms(app).catch(() => {});
  };
  setInterval(poll, LIST_EVERY_MS);
  const now = () => void updateOwnRooms(app).catch(() => {});
  // A player who comes back to the page should not wait for the next poll, and a title that is left behind is right.
  document.addEventListener('visibilitychange', now);
  now();
  return now;
}

/** @param {App} app @param {number} [first] rooms to list at first */
export function createOwnRooms(app, first = SHOWN_MAX) {
  const list = el('ol', { class: 'own-rooms' });
  const element = el(
    'section',
    { class: 'own', hidden: !siteStorage.getItem(SOME_KEY) },
    el('h2', { tabIndex: -1 }, t('your_games')),
    list,
  );
  let most = first;
  /** The shown state: rows are rebuilt only when it changes. */
  let shown = '';
  /** Each updates the time left in its row. @type {(() => void)[]} */
  let lefts = [];

  /** @param {OwnRoom[]} rooms */
  function show(rooms) {
    element.hidden = rooms.length === 0;
    const state = JSON.stringify([most, rooms]);
    if (state !== shown) {
      shown = state;
      lefts = [];
      // Where only some are shown, those come first that wait for the player.
      const sorted = most < rooms.length ? [...rooms].sort((a, b) => urgency(b) - urgency(a)) : rooms;
      fill(list, ...sorted.slice(0, most).map(row));
    }
    for (const left of lefts) left();
  }

  /** @param {OwnRoom} room */
  function row(room) {
    const them = SEATS.map((seat) => room.seats[seat] ?? room.players?.[seat]).find(
      (player) => player && !isMember(player, app.connection.you),
    );
    const clock = room.time ? ` · ${timeControlText(room.time)}` : '';
    // Who thinks is named already.
    const named = them && (room.your_turn || room.phase !== 'running');
    const others = hasOthers(room, app.connection.you) || (room.phase === 'running' && room.ply > 0);
    const close = () => closeRoom(app, room.room, others).then(() => updateOwnRooms(app));
    const { due } = room;
    const left = el('span', { class: 'hint' });
    if (due && room.your_turn)
      lefts.push(() => write(left, ` · ${t('time_left', { time: formatSpan(due - app.connection.now()) })}`));
    return el(
      'li',
      { class: 'own-room' },
      el(
        'a',
        { href: `/r/${room.room}`, class: room.your_turn ? 'now' : '' },
        el(
          'span',
          { class: 'own-state' },
          el('strong', null, stateOf(room)),
          named && (isOver(room) ? ' · ' : ` ${t('against')} `),
          named && el('bdi', null, playerName(them)),
          left,
        ),
        el('span', { class: 'hint opt' }, `${rulesName(room.rules, room.opening)}${clock}`),
        el(
          'span',
          { class: room.your_turn ? 'button primary slim' : 'button slim' },
          t(isOver(room) ? 'view' : 'continue'),
        ),
      ),
      canClose(room, app.connection.you) && button(t('close_room'), close, { class: 'slim' }),
    );
  }

  lists.add(show);
  updateOwnRooms(app).catch(() => {});
  return {
    element,
    /** Lists every room, so that the player can close some. */
    async showAll() {
      most = Infinity;
      await updateOwnRooms(app);
      element.querySelector('h2')?.focus();
    },
    remove: () => void lists.delete(show),
  };
}

/** How much a room waits for the player. @param {OwnRoom} room */
function urgency(room) {
  return room.phase !== 'running' ? 0 : room.your_turn ? 2 : 1;
}

/** @param {OwnRoom} room */
function stateOf(room) {
  if (room.phase === 'running') {
    return room.your_turn || !room.to_act
      ? t('your_turn')
      : t('their_turn', { name: playerName(room.seats[room.to_act]) });
  }
  return t(isOver(room) ? 'game_over' : 'waiting');
}

/**
 * Whether this player can close a room: they created it, and nobody else is playing in it.
 * @param {Pick<OwnRoom, 'host' | 'phase' | 'seats'>} room
 * @param {string} you
 */
export function canClose({ host, phase, seats }, you) {
  return host && (phase !== 'running' || !withSomebody(seats, you));
}

/** Whether somebody else has a seat. @param {OwnRoom['seats']} seats @param {string} you */
export function withSomebody(seats, you) {
  return SEATS.some((seat) => {
    const player = seats[seat];
    return !!player && 'member' in player && !isMember(player, you);
  });
}

/**
 * Whether somebody else is or was in a room: in a seat, as a spectator, or in a game without bots.
 * @param {Pick<OwnRoom, 'seats' | 'spectators' | 'ply'>} room
 * @param {string} you
 */
export function hasOthers(room, you) {
  return withSomebody(room.seats, you) || room.spectators > 0 || (room.ply > 0 && botsIn(room).length === 0);
}

/**
 * Closes a room. Whether it was: the player may turn it down.
 * @param {App} app @param {string} code @param {boolean} [asks] whether to ask first
 */
export async function closeRoom(app, code, asks = false) {
  if (asks && !confirm(t('close_room_how'))) return false;
  try {
    await app.connection.send({ type: 'close', room: code });
    return true;
  } catch (error) {
    app.showError(error);
    return false;
  }
}

/** The bots that sit there. @param {Pick<OwnRoom, 'seats'>} room */
export function botsIn({ seats }) {
  return SEATS.flatMap((seat) => {
    const player = seats[seat];
    return player && 'bot' in player ? [player.bot] : [];
  });
}

/** Whether a game was played there, and none is. @param {OwnRoom} room */
export function isOver(room) {
  return (
    room.phase === 'finished' ||
    (room.phase === 'waiting' && (room.ply > 0 || !!room.players || botsIn(room).length > 0))
  );
}
