// A room: the board, the players, and what one can do there.

/** @import { View } from './types' */

import { createBoard } from './board.js';
import { el, fill } from './dom.js';
import { createHelp } from './help.js';
import { Room, STONES } from './room.js';
import { t } from './texts.js';

/** @type {View} */
export const view = (app, place, code) => {
  const room = new Room(code);
  const status = el('p', { role: 'status' });
  const boardPlace = el('div', { class: 'board' });
  place.append(el('div', { class: 'table' }, boardPlace, status));
  const board = createBoard(boardPlace, {
    onplay: (point) => {
      const ply = room.game?.moves.length ?? 0;
      app.connection.send({ type: 'play', room: code, ply, point }).catch((error) => app.toast(error.message));
    },
  });
  const help = createHelp(app, room, board, show);
  place.append(help.element);

  function show() {
    const turn = room.turn;
    board.show({
      size: room.rules.size,
      moves: room.game?.moves ?? [],
      winning: room.game?.outcome?.points,
      turn: turn && room.seatOf(app.connection.you) === turn ? turn : undefined,
      ...help.shown(),
    });
    help.update();
    fill(status, room.game?.outcome ? `${room.game.outcome.reason} ${room.game.outcome.winner ?? ''}` : turn ? t(turn) : '');
  }

  app.connection.enter(code, {
    seq: () => room.seq || undefined,
    joined(joined) {
      room.joined(joined);
      if (room.phase === 'waiting' && room.vacant && !room.seatOf(app.connection.you)) {
        app.connection.send({ type: 'sit', room: code }).catch(() => {});
      }
      show();
    },
    hear(news) {
      if (room.hear(news)) show();
    },
    lost: (refused) => fill(status, refused.text),
  });
  app.tab(STONES.map((stone) => t(stone)).join(' – '));
  return () => {
    app.connection.leave(code);
    help.remove();
    board.remove();
  };
};
