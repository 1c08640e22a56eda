// A room's page: the board, the players, chat and everything they can do.

/** @import { Closed, NumberedEvent, Refused, Seat } from './types' */
/** @import { View } from './view-types' */

import { createAssistPanel } from './assist-panel.js';
import { pointName } from './board-geometry.js';
import { createBoard } from './board.js';
import { createChat } from './chat.js';
import { timeControlText } from './clock-display.js';
import { playerName, resultName, rulesName } from './display-names.js';
import { el, fill, linkButton, messagePage, write } from './dom.js';
import { createGameActions } from './game-actions.js';
import { botLevel } from './game-options.js';
import { linkCard } from './link-card.js';
import { createMoveNavigation } from './move-navigation.js';
import { canClose, closeRoom } from './own-rooms.js';
import { createPlayerPlate } from './player-plate.js';
import { createJudge, mayForbid } from './position-judge.js';
import { errorText, refusalText } from './refusals.js';
import { opponent, Room, stoneAt, stoneOf } from './room-state.js';
import { playClick, playFinish, playNotice } from './sounds.js';
import { t } from './texts.js';
import { createUnseenBadge } from './unseen-badge.js';

/** Interval of the clocks. */
const TICK_MS = 100;
/** Key of the last games of rooms: links to closed rooms lead to them. */
const ENDED_KEY = 'fivefold.ended';
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
  const openingPlace = el('div', { class: 'opening-place', hidden: true });
  const [above, below] = [createPlayerPlate(app, room), createPlayerPlate(app, room)];
  const navigation = createMoveNavigation(show);
  const unseen = createUnseenBadge(app);
  const actions = createGameActions(app, room, result, unseen);
  const chat = createChat(app, room, unseen);
  const judge = createJudge(show);
  const board = createBoard(boardPlace, {
    onplay: play,
    onkey: (action) => (action.type === 'step' ? navigation.step(action.by) : assist.key(action)),
    onpoint: () => assist.pointed(),
    announce: (text) => app.announce(text, true),
  });
  const assist = createAssistPanel(app, room, board, show, () => navigation.at ?? room.game?.moves.length ?? 0);
  place.append(el('div', { class: 'table' },
    el('div', { class: 'board-side' }, boardPlace, invitation), above.element, below.element,
    el('div', { class: 'panel' }, openingPlace, el('div', { class: 'summary' }, status, board.premoved, about), actions.element, navigation.element, assist.element, chat.element)));
  let entered = false;
  let shownGame = 0;
  let gone = false;
  let left = false;
  let shownWays = '';
  /** The panel of the opening, once one is played. @type {import('./opening-panel.js').OpeningPanel | undefined} */
  let opening;
  let openingLoads = false;

  /** @param {import('./types').Point} point */
  function play(point) {
    if (room.opening) return opening?.press(point);
    const ply = room.game?.moves.length ?? 0;
    app.connection.send({ type: 'play', room: code, ply, point }).catch((error) => {
      board.refused();
      app.showError(error);
      app.announce(errorText(error), true);
    });
  }

  /** @param {import('./types').RoomCommand} command */
  function send(command) {
    app.connection.send({ ...command, room: code }).catch(app.showError);
  }

  /** Loads the panel of the opening. */
  async function loadOpening() {
    if (openingLoads) return;
    openingLoads = true;
    try {
      const { createOpeningPanel } = await import('./opening-panel.js');
      opening = createOpeningPanel(app, room, { changed: show, focus: () => board.focus(), refused: () => board.refused() });
      openingPlace.append(opening.element);
      if (!left) show();
    } catch (error) {
      // The next event tries again.
      openingLoads = false;
      app.showError(error);
    }
  }

  async function seekAnother() {
    (await app.seeks()).another(code);
    app.go('/');
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
      navigation.reset();
    }
    const moves = game?.moves ?? [];
    navigation.show(moves.length);
    const live = navigation.at === undefined;
    const shown = live ? moves : moves.slice(0, navigation.at);
    // Spectators do not ask: there may be thousands.
    const inOpening = live && !gone && !!room.opening;
    const asks = game && !room.opening && (game.outcome ? !live : seat) && mayForbid(room.rules, shown);
    const judged = asks ? judge.of(room.rules, shown) : undefined;
    const stone = seat && stoneOf(seat, room.black);
    boardPlace.classList.toggle('over', !!game?.outcome);
    board.show({
      size: room.rules.size,
      moves: shown,
      forbidden: judged?.forbidden,
      winning: live ? game?.outcome?.points : undefined,
      turn: !gone && live && !inOpening && room.toAct === seat ? stone : undefined,
      waiting: !gone && live && !inOpening && room.toAct && seat && room.toAct !== seat ? stone : undefined,
      ...assist.shown(),
      ...inOpening && opening?.shown(),
    });
    if (game?.opening) void loadOpening();
    opening?.update();
    openingPlace.hidden = !game?.opening || gone;
    status.hidden = inOpening && !!opening;
    if (!gone) assist.update();
    const bottom = app.connection.local ? 'first' : seat ?? room.black;
    below.show(bottom);
    above.show(opponent(bottom));
    actions.show();
    chat.show();
    showStatus(seat);
    showInvitation(seat);
    seekOn(game?.outcome, seat);
  }

  /** The search for an opponent goes on if they aborted the game.
   * @param {import('./types').Outcome | undefined} outcome @param {Seat | undefined} seat */
  function seekOn(outcome, seat) {
    if (outcome?.reason === 'aborted' && seat && outcome.by !== seat) void app.seeks().then((seeks) => seeks.aborted(code));
  }

  /** @param {Seat | undefined} seat */
  function showStatus(seat) {
    // A closed room keeps its last message.
    if (gone) return;
    const outcome = room.game?.outcome;
    const turn = room.toAct;
    let text = t('waiting');
    if (outcome) {
      text = !seat ? resultName(outcome, room.black) : outcome.reason === 'aborted' ? t('is_aborted') : !outcome.winner ? t('is_drawn') : t(outcome.winner === seat ? 'you_won' : 'you_lost');
    } else if (turn) {
      text = turn === seat ? t('your_turn') : t('their_turn', { name: playerName(room.seats[turn]) });
    }
    write(status, text);
    const clock = room.time.type === 'none' ? '' : ` · ${timeControlText(room.time)}`;
    const watches = !seat && !room.vacant && `${t('you_watch')} `;
    fill(about, outcome && seat ? `${resultName(outcome, room.black)} · ` : '', watches, rulesName(room.rules, room.openingKind), clock, ' ', watching);
    watching.title = room.spectators.names.join(', ');
    write(watching, room.spectators.count > 0 ? `· ${t('watching', { count: room.spectators.count })}` : '');
    const id = room.keptGame;
    const host = room.host === app.connection.you;
    const closes = outcome && canClose({ host, phase: room.phase, seats: room.seats }, app.connection.you);
    // Rebuild the buttons only when they change.
    const ways = [id, !!outcome, closes, !!room.game].join();
    if (ways !== shownWays) {
      shownWays = ways;
      fill(result, id && linkButton(`/game/${id}`, t('replay')),
        outcome && (room.paired && seat ? el('button', { type: 'button', onclick: seekAnother }, t('new_opponent')) : linkButton('/', t('new_game'))),
        closes ? el('button', { type: 'button', onclick: close }, t('close_room')) : room.game && linkButton('/', t('leave')));
    }
    if (id) saveEndedGame(id);
    app.tab(turn && turn === seat ? `● ${t('your_turn')} – Fivefold` : `${text} – Fivefold`, turn && (turn === seat ? 'yours' : stoneOf(turn, room.black)));
  }

  /** Shows how to invite an opponent. @param {Seat | undefined} seat */
  function showInvitation(seat) {
    const wanted = room.seq > 0 && room.phase === 'waiting' && !room.game;
    if (wanted === !invitation.hidden) return;
    invitation.hidden = !wanted;
    if (!wanted) return fill(invitation);
    const open = room.vacant;
    const level = botLevel();
    const clock = room.time.type === 'none' ? t('clock_none') : timeControlText(room.time);
    const what = [rulesName(room.rules, room.openingKind), clock, seat && t('you_play', { stone: t(stoneOf(seat, room.black)) })].filter(Boolean).join(' · ');
    fill(invitation, el('div', { class: 'card' },
      el('h2', null, t('invite')), el('p', { class: 'hint' }, t('invite_how')),
      el('p', null, what),
      linkCard(`${location.origin}/r/${code}`, t('invite_link'), what),
      el('div', { class: 'row' },
        seat && open && el('button', { type: 'button', onclick: () => send({ type: 'seat_bot', seat: open, bot: { kind: 'engine', level } }) }, t('invite_bot', { level })),
        linkButton('/', t('leave')), room.host === app.connection.you && el('button', { type: 'button', onclick: close }, t('close_room'))),
    ));
  }

  /** @param {string} id */
  function saveEndedGame(id) {
    const { [code]: known, ...others } = endedGames();
    if (known === id) return;
    localStorage.setItem(ENDED_KEY, JSON.stringify(Object.fromEntries([...Object.entries(others), [code, id]].slice(-ENDED_MAX))));
  }

  /** Plays a sound and announces an event to screen readers. @param {NumberedEvent} news */
  function announceEvent({ event }) {
    const seat = you();
    switch (event.type) {
      case 'played': {
        const stone = stoneAt(event.ply);
        playClick();
        app.announce(t('moved', { stone: t(stone), point: pointName(event.point, room.rules.size === 'unbounded' ? null : room.rules.size) }), true);
        break;
      }
      case 'started':
        playNotice();
        if (seat) {
          const text = t('game_begins', { stone: t(stoneOf(seat, event.black)) });
          app.announce(text, true);
          app.notify(text);
        }
        break;
      case 'ended':
        playFinish();
        app.announce(resultName(event.outcome, room.black), true);
        break;
      case 'swapped':
        above.swap();
        below.swap();
        break;
      case 'taken_back': app.announce(t('taken_back')); break;
      case 'draw_declined': if (event.by !== seat) notifyPlayer('draw_declined'); break;
      case 'takeback_refused': if (event.by !== seat) notifyPlayer('takeback_refused'); break;
      case 'draw_offered': case 'takeback_asked': case 'rematch_asked': case 'nudged':
        if (event.by !== seat) playNotice();
        break;
      default:
    }
  }

  /** @param {'draw_declined' | 'takeback_refused'} key */
  function notifyPlayer(key) {
    if (you()) app.toast(t(key));
  }

  /** The room is closed, or does not let us in. @param {Refused | Closed} refusal */
  function lost(refusal) {
    const { type, reason } = refusal;
    const closed = type === 'closed' || reason === 'no_such_room' || reason === 'malformed';
    const game = room.keptGame ?? endedGames()[code];
    const again = el('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, t('try_again'));
    const ways = [closed ? game && linkButton(`/game/${game}`, t('replay'), true) : again, linkButton('/', t('new_game'), closed && !game), linkButton('/games', t('games'))];
    const how = type === 'refused' && !closed ? refusalText(refusal) : room.seq > 0 || game ? t('room_gone_how') : t('no_room_how');
    app.announce(how, true);
    if (room.seq === 0) {
      app.tab('Fivefold');
      return fill(place, messagePage(t(!closed ? 'no_entry' : game ? 'room_gone' : 'no_room'), how, ...ways));
    }
    // The board stays visible.
    gone = true;
    if (room.game?.clock) room.game.clock.running = undefined;
    show();
    if (!room.game?.outcome) write(status, t('room_gone'));
    fill(about, how);
    fill(result, ...ways);
    fill(actions.element, result);
    invitation.hidden = assist.element.hidden = true;
    chat.element.inert = true;
  }

  app.connection.enter(code, {
    seq: () => room.seq || undefined,
    joined(joined) {
      for (const news of room.joined(joined)) announceEvent(news);
      // A visitor with the link takes a free seat.
      if (!entered && room.phase === 'waiting' && room.vacant && !you()) send({ type: 'sit' });
      entered = true;
      void chat.load();
      assist.reset();
      show();
    },
    receive(news) {
      if (!entered) return;
      chat.receive(news);
      if (!room.receive(news)) return;
      if (news.type === 'event') announceEvent(news);
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
    left = true;
    clearInterval(ticker);
    app.connection.leave(code);
    assist.remove();
    actions.remove();
    unseen.remove();
    judge.remove();
    board.remove();
  };
};

/** The last ended game of each room that this player was in.
 * @returns {Record<string, string>} */
function endedGames() {
  try {
    return JSON.parse(localStorage.getItem(ENDED_KEY) ?? '{}');
  } catch {
    return {};
  }
}
