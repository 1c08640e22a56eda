// What a room's page says of its game: whose turn it is or how it ended, what is played, and who watches.

/** @import { Room } from '../client/room-state.js' */
/** @import { Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { moverOf, stoneOf } from '../client/room-state.js';
import { clockText, memberName, nameOrYou, playerName, resultName, rulesName } from '../game/display-names.js';
import { isClosedFive } from '../game/position-judge.js';
import { t } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';

/** The visitor of a room.
 * @typedef {{ seat: Seat | undefined, open: Seat | undefined, looksBack: boolean }} Visitor `open` is a seat that they can take */

/** @param {App} app @param {Room} room @param {() => void} reveal brings the rest of it into sight */
export function createRoomSummary(app, room, reveal) {
  const status = el('h1', { class: 'status say' });
  const detail = el('p');
  const about = el('p', { class: 'about-text' });
  const watching = el('p', { class: 'hint' });
  const line = button('', reveal, { class: 'game-line' });
  return {
    status,
    detail,
    about,
    watching,
    /** What is played, for the bar. */
    line,
    /** @param {Visitor} visitor */
    show(visitor) {
      const text = statusText(app, room, visitor);
      write(status, text);
      write(detail, detailText(app, room, visitor));
      const game = `${rulesName(room.rules, room.openingKind)} · ${clockText(room.time)}`;
      write(line, game);
      write(about, [game, ...countsTexts(room)].join(' · '));
      const { bots, count, names } = room.spectators;
      watching.title = names
        .map((name) => (bots?.includes(name) ? t('bot_kind', { kind: name }) : memberName(name)))
        .join(', ');
      write(watching, count > 0 ? t('watching', { count }) : '');
      const turn = room.toAct;
      const yours = turn && turn === visitor.seat;
      app.tab(
        `${yours ? `● ${t('your_turn')}` : text} – Fivefold`,
        yours ? 'yours' : turn && stoneOf(turn, room.black),
      );
    },
    /** The room is closed. @param {string} how */
    close(how) {
      if (!room.game?.outcome) write(status, t('room_gone'));
      write(detail, how);
    },
  };
}

/** @param {App} app @param {Room} room @param {Visitor} visitor */
function statusText(app, room, { seat, open }) {
  const outcome = room.game?.outcome;
  const turn = room.toAct;
  const played = room.playedBy(app.connection.you);
  if (outcome && !played) return resultName(outcome, room.black, room.rules);
  if (outcome?.reason === 'aborted') return t('is_aborted');
  if (outcome) return t(!outcome.winner ? 'is_drawn' : outcome.winner === played ? 'you_won' : 'you_lost');
  if (turn) return turn === seat ? t('your_turn') : t('their_turn', { name: playerName(room.seats[turn]) });
  return t(open ? 'seat_open' : 'waiting');
}

/** @param {App} app @param {Room} room @param {Visitor} visitor */
function detailText(app, room, { seat, open, looksBack }) {
  const { game } = room;
  const outcome = game?.outcome;
  if (outcome && room.playedBy(app.connection.you)) return resultName(outcome, room.black, room.rules);
  const mover = (/** @type {number} */ count) => game && nameOrYou(app, game.players[moverOf(game, count - 1)]);
  const count = game?.moves.length ?? 0;
  // Whose five has not won, and why, until its player moves again.
  const five = !outcome && [count, count - 1].find((end) => isClosedFive(room.rules, game?.moves.slice(0, end) ?? []));
  const closedFive = five && t('closed_five', { name: mover(five) ?? '' });
  const last = !outcome && game?.moves.at(-1);
  // Who played where last; nothing before the first move.
  const played = last && t('played', { name: mover(count) ?? '', point: pointName(last, boundsOf(room.rules.size)) });
  const taken = !seat && !open && !room.vacant && !outcome && t('you_watch');
  return [closedFive, taken || (looksBack ? t('looks_back') : played)].filter(Boolean).join(' ');
}

/** Whether the game is rated, or why it is not. @param {Room} room */
function countsTexts({ game, paired }) {
  const counts = game?.rated ? 'rated' : game && paired && 'casual';
  const why = game?.casual && t(`casual_${game.casual}`);
  const part = game?.part && t('counts_part', { part: game.part });
  return [counts && t(counts), why || part].filter(Boolean);
}
