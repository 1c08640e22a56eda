// A room: the board, the players, and what one can do there.

/** @import { NumberedEvent, Refused, Stone, View } from './types' */

import { createActions } from './actions.js';
import { createBoard } from './board.js';
import { createChat } from './chat.js';
import { deadEnd, el, fill, way, write } from './dom.js';
import { createHelp } from './help.js';
import { linkCard } from './invite.js';
import { pointName } from './geometry.js';
import { outcomeName, playerName, rulesName } from './names.js';
import { botLevel } from './options.js';
import { closeRoom, mayClose } from './own.js';
import { createPlate } from './plate.js';
import { createJudge, mayForbid } from './position.js';
import { opponent, Room } from './room.js';
import { spellControl } from './clock.js';
import { click, finish, notice } from './sounds.js';
import { createSteps } from './steps.js';
import { t } from './texts.js';
import { createUnseen } from './unseen.js';

/** How often clocks are drawn. */
const TICK_MS = 100;
/** Where the last games of rooms are kept: their links lead there when the rooms are closed. */
const ENDED_KEPT = 'fivefold.ended';
const ENDED_MAX = 50;

/** @type {View} */
export const view = (app, place, code) => {
  const room = new Room(code);
  const you = () => room.seatOf(app.connection.you);
  const status = el('h1', { class: 'status' });
  const about = el('p', { class: 'about' });
  const watching = el('span', { class: 'watching' });
  const result = el('div', { class: 'row ways-on' });
  const boardPlace = el('div', { class: 'board' });
  const invitation = el('div', { class: 'invitation', hidden: true });
  const [above, below] = [createPlate(app, room), createPlate(app, room)];
  const steps = createSteps(show);
  const unseen = createUnseen(app);
  const actions = createActions(app, room, result, unseen);
  const chat = createChat(app, room, unseen);
  const judge = createJudge(show);
  const board = createBoard(boardPlace, {
    onplay: play,
    onkey: (action) => (action.type === 'step' ? steps.step(action.by) : help.key(action)),
    onpoint: () => help.pointed(),
    announce: (text) => app.announce(text, true),
  });
  const help = createHelp(app, room, board, show, () => steps.at ?? room.game?.moves.length ?? 0);
  place.append(el('div', { class: 'table' },
    el('div', { class: 'board-side' }, boardPlace, invitation), above.element, below.element,
    el('div', { class: 'panel' }, el('div', { class: 'summary' }, status, board.premoved, about), actions.element, steps.element, help.element, chat.element)));
  let entered = false;
  let shownGame = 0;
  let gone = false;
  let shownWays = '';

  /** @param {import('./types').Point} point */
  function play(point) {
    const ply = room.game?.moves.length ?? 0;
    app.connection.send({ type: 'play', room: code, ply, point }).catch((error) => {
      board.refused();
      app.toast(error.message);
      app.announce(error.message, true);
    });
  }

  /** @param {import('./types').Command} command */
  function say(command) {
    app.connection.send({ ...command, room: code }).catch((error) => app.toast(error.message));
  }

  async function close() {
    await closeRoom(app, code);
    app.go('/');
  }

  function show() {
    const game = room.game;
    const seat = you();
    if (game && game.number !== shownGame) {
      shownGame = game.number;
      steps.reset();
    }
    const moves = game?.moves ?? [];
    steps.show(moves.length);
    const live = steps.at === undefined;
    const shown = live ? moves : moves.slice(0, steps.at);
    // Spectators may be thousands, who would all ask at once.
    const asks = game && (game.outcome ? !live : seat) && mayForbid(room.rules, shown);
    const judged = asks ? judge.of(room.rules, shown) : undefined;
    boardPlace.classList.toggle('over', !!game?.outcome);
    board.show({
      size: room.rules.size,
      moves: shown,
      forbidden: judged?.forbidden,
      winning: live ? game?.outcome?.points : undefined,
      turn: !gone && live && room.turn === seat ? seat : undefined,
      waiting: !gone && live && room.turn && seat && room.turn !== seat ? seat : undefined,
      ...help.shown(),
    });
    if (!gone) help.update();
    const bottom = seat ?? 'black';
    below.show(bottom);
    above.show(opponent(bottom));
    actions.show();
    chat.show();
    showWords(seat);
    showInvitation(seat);
  }

  /** @param {Stone | undefined} seat */
  function showWords(seat) {
    // The last words stay.
    if (gone) return;
    const outcome = room.game?.outcome;
    const turn = room.turn;
    let text = t('waiting');
    if (outcome) {
      text = !seat ? outcomeName(outcome) : !outcome.winner ? t('is_drawn') : t(outcome.winner === seat ? 'you_won' : 'you_lost');
    } else if (turn) {
      text = turn === seat ? t('your_turn') : t('their_turn', { name: playerName(room.seats[turn]) });
    }
    write(status, text);
    const clock = room.time.type === 'none' ? '' : ` · ${spellControl(room.time)}`;
    const watches = !seat && !room.vacant && `${t('you_watch')} `;
    fill(about, outcome && seat ? `${outcomeName(outcome)} · ` : '', watches, rulesName(room.rules), clock, ' ', watching);
    watching.title = room.spectators.names.join(', ');
    write(watching, room.spectators.count > 0 ? `· ${t('watching', { count: room.spectators.count })}` : '');
    const id = room.game?.id;
    const host = room.host === app.connection.you;
    const closes = outcome && mayClose({ host, phase: room.phase, seats: room.seats }, app.connection.you);
    // Buttons stay where they are while nothing changes.
    const ways = [outcome && id, !!outcome, closes, !!room.game].join();
    if (ways !== shownWays) {
      shownWays = ways;
      fill(result, outcome && id && way(`/game/${id}`, t('replay')), outcome && way('/', t('new_game')),
        closes ? el('button', { type: 'button', onclick: close }, t('close_room')) : room.game && way('/', t('leave')));
    }
    if (outcome && id) keepEnded(id);
    app.tab(turn && turn === seat ? `● ${t('your_turn')} – Fivefold` : `${text} – Fivefold`, turn && turn === seat ? 'yours' : turn);
  }

  /** Whom one waits for, and how he comes. @param {Stone | undefined} seat */
  function showInvitation(seat) {
    const wanted = room.seq > 0 && room.phase === 'waiting' && !room.game;
    if (wanted === !invitation.hidden) return;
    invitation.hidden = !wanted;
    if (!wanted) return fill(invitation);
    const open = room.vacant;
    const level = botLevel();
    const clock = room.time.type === 'none' ? t('clock_none') : spellControl(room.time);
    const what = [rulesName(room.rules), clock, seat && t('you_play', { stone: t(seat) })].filter(Boolean).join(' · ');
    fill(invitation, el('div', { class: 'card' },
      el('h2', null, t('invite')), el('p', { class: 'hint' }, t('invite_how')),
      el('p', null, what),
      linkCard(`${location.origin}/r/${code}`, t('invite_link'), what),
      el('div', { class: 'row' },
        seat && open && el('button', { type: 'button', onclick: () => say({ type: 'seat_bot', seat: open, bot: { kind: 'engine', level } }) }, t('invite_bot', { level })),
        way('/', t('leave')), room.host === app.connection.you && el('button', { type: 'button', onclick: close }, t('close_room'))),
    ));
  }

  /** @param {string} id */
  function keepEnded(id) {
    const { [code]: known, ...others } = ended();
    if (known === id) return;
    localStorage.setItem(ENDED_KEPT, JSON.stringify(Object.fromEntries([...Object.entries(others), [code, id]].slice(-ENDED_MAX))));
  }

  /** Says what happened, to ears and screen readers. @param {NumberedEvent} news */
  function tell({ event }) {
    const seat = you();
    switch (event.type) {
      case 'played': {
        const stone = event.ply % 2 === 0 ? 'black' : 'white';
        click();
        app.announce(t('moved', { stone: t(stone), point: pointName(event.point, room.rules.size === 'unbounded' ? null : room.rules.size) }), true);
        break;
      }
      case 'started':
        notice();
        if (seat) app.announce(t('game_begins', { stone: t(seat) }), true);
        break;
      case 'ended':
        finish();
        app.announce(outcomeName(event.outcome), true);
        break;
      case 'taken_back': app.announce(t('taken_back')); break;
      case 'draw_declined': if (event.by !== seat) told('draw_declined'); break;
      case 'takeback_refused': if (event.by !== seat) told('takeback_refused'); break;
      case 'draw_offered': case 'takeback_asked': case 'rematch_asked':
        if (event.by !== seat) notice();
        break;
      default:
    }
  }

  /** @param {'draw_declined' | 'takeback_refused'} key */
  function told(key) {
    if (you()) app.toast(t(key));
  }

  /** The room is closed, or does not let us in. @param {Refused} refused */
  function lost({ reason, text }) {
    const closed = reason === 'closed' || reason === 'no_such_room' || reason === 'malformed';
    const game = (room.game?.outcome ? room.game.id : undefined) ?? ended()[code];
    const again = el('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, t('try_again'));
    const ways = [closed ? game && way(`/game/${game}`, t('replay'), true) : again, way('/', t('new_game'), closed && !game), way('/games', t('games'))];
    const how = !closed ? text : room.seq > 0 || game ? t('room_gone_how') : t('no_room_how');
    app.announce(how, true);
    if (room.seq === 0) {
      app.tab('Fivefold');
      return fill(place, deadEnd(t(!closed ? 'no_entry' : game ? 'room_gone' : 'no_room'), how, ...ways));
    }
    // What was on the board stays to be looked at.
    gone = true;
    if (room.game?.clock) room.game.clock.running = undefined;
    show();
    if (!room.game?.outcome) write(status, t('room_gone'));
    fill(about, how);
    fill(result, ...ways);
    fill(actions.element, result);
    invitation.hidden = help.element.hidden = true;
    chat.element.inert = true;
  }

  app.connection.enter(code, {
    seq: () => room.seq || undefined,
    joined(joined) {
      for (const news of room.joined(joined)) tell(news);
      // Whoever comes by a link plays, if there is a seat.
      if (!entered && room.phase === 'waiting' && room.vacant && !you()) say({ type: 'sit' });
      entered = true;
      void chat.load();
      help.reset();
      show();
    },
    hear(news) {
      if (!entered) return;
      chat.hear(news);
      help.hear(news);
      if (!room.hear(news)) return;
      if (news.type === 'event') tell(news);
      show();
    },
    lost,
  });
  const ticker = setInterval(() => {
    above.showClock();
    below.showClock();
    actions.tick();
  }, TICK_MS);
  app.tab(t('board'));
  return () => {
    clearInterval(ticker);
    app.connection.leave(code);
    actions.remove();
    unseen.remove();
    judge.remove();
    board.remove();
  };
};

/** The last game of each room that one has seen end.
 * @returns {Record<string, string>} */
function ended() {
  try {
    return JSON.parse(localStorage.getItem(ENDED_KEPT) ?? '{}');
  } catch {
    return {};
  }
}
