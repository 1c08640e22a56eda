// Public games that are running now, as small live boards, and open rooms to join.

/** @import { RoomSummary } from './types' */
/** @import { App } from './view-types' */

import { createBoard } from './board.js';
import { playerName, rulesName, stoneSign } from './display-names.js';
import { el, fill, write } from './dom.js';
import { Room, seatWith, STONES } from './room-state.js';
import { t } from './texts.js';

/** Live boards to show. */
const BOARDS_MAX = 4;
/** Open rooms to list. */
const OPEN_MAX = 5;
const LIST_EVERY_MS = 8_000;

/** @typedef {{ remove: () => void }} Live */

/**
 * @param {App} app
 */
export function createLiveGames(app) {
  const boards = el('div', { class: 'live-boards' });
  const none = el('p', { class: 'hint' }, t('connecting'));
  const open = el('div', { class: 'open-rooms' });
  const element = el('section', { class: 'card watch' }, el('h2', null, t('watch')), el('p', { class: 'hint' }, t('watch_how')), none, boards, open);
  /** @type {Map<string, Live>} */
  const shown = new Map();
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
    running.sort((a, b) => Number(shown.has(b.room)) - Number(shown.has(a.room)) || b.spectators - a.spectators);
    const wanted = running.slice(0, BOARDS_MAX);
    for (const [code, live] of shown) {
      if (wanted.some((room) => room.room === code)) continue;
      live.remove();
      shown.delete(code);
    }
    for (const summary of wanted) {
      if (shown.has(summary.room)) continue;
      shown.set(summary.room, createLive(app, summary, boards));
    }
    const vacant = rooms.filter((room) => room.phase === 'waiting' && (!room.seats.first || !room.seats.second)).slice(0, OPEN_MAX);
    fill(open, vacant.length > 0 && el('h3', null, t('seats_open')), ...vacant.map(openRoom));
    write(none, t('watch_none'));
    none.hidden = shown.size > 0;
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

/**
 * One game, live.
 * @param {App} app
 * @param {RoomSummary} summary
 * @param {HTMLElement} boards
 * @returns {Live}
 */
function createLive(app, summary, boards) {
  const room = new Room(summary.room);
  const place = el('div', { class: 'live-board', 'aria-hidden': 'true' });
  const players = el('span', { class: 'live-players' });
  const about = el('span', { class: 'hint' });
  const element = el('a', { class: 'live', href: `/r/${summary.room}` }, place, players, about, el('span', { class: 'button' }, t('watch')));
  // A board reads its colors from its place in the document.
  boards.append(element);
  const board = createBoard(place, { still: true });
  function show() {
    board.show({ size: room.rules.size, moves: room.game?.moves ?? [], winning: room.game?.outcome?.points });
    fill(players, ...STONES.map((stone) => el('span', null, stoneSign(stone), el('bdi', null, playerName(room.seats[seatWith(stone, room.black)])))));
    write(about, `${rulesName(room.rules, room.openingKind)} · ${t('moves_count', { count: room.game?.moves.length ?? 0 })}`);
  }
  app.connection.enter(summary.room, {
    seq: () => room.seq || undefined,
    joined(joined) {
      room.joined(joined);
      show();
    },
    receive(news) {
      if (room.seq > 0 && room.receive(news)) show();
    },
    lost: () => element.remove(),
  });
  return {
    remove() {
      app.connection.leave(summary.room);
      board.remove();
      element.remove();
    },
  };
}

/** @param {RoomSummary} room */
function openRoom(room) {
  const host = playerName(room.seats.first ?? room.seats.second);
  return el('a', { class: 'open-room', href: `/r/${room.room}` },
    el('span', null, el('bdi', null, host), el('span', { class: 'hint' }, ` ${rulesName(room.rules, room.opening)}`)), el('span', { class: 'go' }, t('sit_here')));
}
