// Public games that are running now, as live boards, and open rooms to join.

/** @import { RoomSummary } from '../ui/protocol-types' */
/** @import { Board } from '../board/board.js' */
/** @import { App } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { Room, STONES, seatWith } from '../client/room-state.js';
import { playerName, rulesName, stoneSign } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';

/** Live boards to show, besides the large one. */
const BOARDS_MAX = 5;
/** Open rooms to list. */
const OPEN_MAX = 5;
const LIST_EVERY_MS = 8_000;

/** @typedef {{ remove: () => void }} Live */
/** A large board that is there already, and the place for what it shows. @typedef {{ board: Board, shown: HTMLElement }} Large */

/**
 * @param {App} app
 * @param {Large} [large] shows the first of them
 */
export function createLiveGames(app, large) {
  const boards = el('div', { class: 'live-boards' });
  const none = el('p', { class: 'hint' }, t('connecting'));
  const open = el('div', { class: 'open-rooms' });
  const title = el('h2', null, t('live_games'));
  const element = el('section', { class: 'watch' }, title, none, boards, open);
  /** @type {Map<string, Live>} */
  const shown = new Map();
  /** The room on the large board. */
  let first = '';
  let gone = false;

  async function list() {
    if (document.visibilityState === 'hidden' && shown.size > 0) return;
    try {
      const answer = await app.connection.send({ type: 'rooms' });
      if (answer.type === 'rooms' && !gone) show(answer.rooms);
    } catch {
      // The next poll tries again.
    }
  }

  /** @param {RoomSummary[]} rooms */
  function show(rooms) {
    const running = rooms.filter((room) => room.phase === 'running');
    // Shown games stay; then the most watched come first.
    running.sort(
      (a, b) =>
        Number(b.room === first) - Number(a.room === first) ||
        Number(shown.has(b.room)) - Number(shown.has(a.room)) ||
        b.spectators - a.spectators,
    );
    const wanted = running.slice(0, BOARDS_MAX + Number(!!large));
    for (const [code, live] of shown) {
      if (wanted.some((room) => room.room === code)) continue;
      live.remove();
      shown.delete(code);
      if (code === first) first = '';
    }
    for (const { room } of wanted) {
      if (shown.has(room)) continue;
      const takesLarge = large && !first;
      if (takesLarge) first = room;
      shown.set(room, follow(app, room, takesLarge ? largeFace(large) : smallFace(boards, room)));
    }
    const vacant = rooms
      .filter((room) => room.phase === 'waiting' && (!room.seats.first || !room.seats.second))
      .slice(0, OPEN_MAX);
    fill(open, vacant.length > 0 && el('h3', null, t('seats_open')), ...vacant.map(openRoom));
    write(none, t('watch_none'));
    none.hidden = shown.size > 0;
    title.hidden = !!large && shown.size === 1;
    if (large && shown.size === 0) fill(large.shown);
  }

  void list();
  const timer = setInterval(list, LIST_EVERY_MS);
  return {
    element,
    remove() {
      gone = true;
      clearInterval(timer);
      for (const live of shown.values()) live.remove();
    },
  };
}

/** What shows a game. @typedef {{ show: (room: Room) => void, remove: () => void }} Face */

/**
 * The large board, and a line below it.
 * @param {Large} large
 * @returns {Face}
 */
function largeFace({ board, shown }) {
  const about = el('span', { class: 'hint opt' });
  const names = el('span', { class: 'shown-players' });
  return {
    show(room) {
      showOn(board, room);
      fill(names, ...playersOf(room));
      write(about, aboutText(room));
      if (!names.isConnected)
        fill(shown, names, about, el('a', { href: `/r/${room.code}` }, t('watch')), el('a', { href: '/tv' }, t('tv')));
    },
    remove: () => {},
  };
}

/**
 * A small board that is a link.
 * @param {HTMLElement} boards @param {string} code
 * @returns {Face}
 */
function smallFace(boards, code) {
  const place = el('div', { class: 'live-board', 'aria-hidden': 'true' });
  const players = el('span', { class: 'live-players' });
  const about = el('span', { class: 'hint' });
  const element = el('a', { class: 'live', href: `/r/${code}` }, place, players, about);
  // A board reads its size from its place in the document.
  boards.append(element);
  const board = createBoard(place, { still: true });
  return {
    show(room) {
      showOn(board, room);
      fill(players, ...playersOf(room));
      write(about, aboutText(room));
    },
    remove() {
      board.remove();
      element.remove();
    },
  };
}

/** The players with their stones, Black first. @param {Room} room */
function playersOf(room) {
  return STONES.map((stone) =>
    el(
      'span',
      null,
      room.hasColours && stoneSign(stone, room.rules),
      el('bdi', null, playerName(room.seats[seatWith(stone, room.black)])),
    ),
  );
}

/** @param {Board} board @param {Room} room */
function showOn(board, room) {
  board.show({ size: room.rules.size, moves: room.game?.moves ?? [], winning: room.game?.outcome?.points });
}

/** @param {Room} room */
function aboutText(room) {
  return `${rulesName(room.rules, room.openingKind)} · ${t('moves_count', { count: room.game?.moves.length ?? 0 })}`;
}

/**
 * Follows a room, and shows it.
 * @param {App} app @param {string} code @param {Face} face
 * @returns {Live}
 */
function follow(app, code, face) {
  const room = new Room(code);
  app.connection.enter(code, {
    seq: () => room.after,
    // A lobby is in no hurry.
    playing: () => false,
    joined(joined) {
      room.joined(joined);
      face.show(room);
    },
    receive(news) {
      if (room.seq > 0 && room.receive(news)) face.show(room);
    },
    lost: () => face.remove(),
  });
  return {
    remove() {
      app.connection.leave(code);
      face.remove();
    },
  };
}

/** @param {RoomSummary} room */
function openRoom(room) {
  const host = playerName(room.seats.first ?? room.seats.second ?? room.players?.first);
  return el(
    'a',
    { class: 'open-room', href: `/r/${room.room}` },
    el('span', null, el('bdi', null, host), el('span', { class: 'hint' }, ` ${rulesName(room.rules, room.opening)}`)),
    el('span', { class: 'go' }, t('sit_here')),
  );
}
