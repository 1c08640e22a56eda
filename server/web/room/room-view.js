// A room's page: the board, the players, chat and everything they can do.

/** @import { Closed, NumberedEvent, Refused, Seat } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { siteStorage } from '../browser/browser-storage.js';
import { playClick, playFinish, playNotice } from '../browser/sounds.js';
import { saveBeaten } from '../game/bots.js';
import {
  memberName,
  nameOrYou,
  openingName,
  playerName,
  resultName,
  rulesName,
  sideName,
  stoneName,
  timeControlText,
} from '../game/display-names.js';
import { createMoveList } from '../game/move-list.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { createJudge, isClosedFive, mayForbid } from '../game/position-judge.js';
import { moverOf, opponent, Room, stoneAt, stoneOf } from '../game/room-state.js';
import { errorText, refusalText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { el, fill, icon, linkButton, seal, set, write } from '../ui/dom.js';
import { linkCard } from '../ui/link-card.js';
import { createAssistPanel } from './assist-panel.js';
import { createChat } from './chat.js';
import { createGameActions } from './game-actions.js';
import { createPlayerPlate } from './player-plate.js';

/** Interval of the clocks. */
const TICK_MS = 100;
/** Key of the last games of rooms: links to closed rooms lead to them. */
const ENDED_KEY = 'fivefold.ended';
const ENDED_MAX = 50;

/** @type {View} */
export const view = (app, place, code) => {
  const room = new Room(code);
  const you = () => room.seatOf(app.connection.you);
  const status = el('h1', { class: 'status say' });
  const detail = el('p');
  const about = el('p', { class: 'about-text' });
  const ruleHow = el('p', { class: 'hint' });
  const watching = el('p', { class: 'hint' });
  const boardPlace = el('div', { class: 'board', 'aria-busy': true });
  const invitation = el('div', { class: 'invitation', hidden: true });
  const openingPlace = el('div', { class: 'opening-place', hidden: true });
  const [above, below] = [createPlayerPlate(app, room), createPlayerPlate(app, room)];
  const asks = el('div', { class: 'asks-touch' });
  const navigation = createMoveNavigation(show);
  const list = createMoveList([], room.rules.size, (ply) => navigation.go(ply));
  const judge = createJudge(show);
  const board = createBoard(boardPlace, {
    asks,
    onplay: play,
    onkey: (action) => (action.type === 'step' ? navigation.step(action.by) : assist.key(action)),
    onpoint: () => assist.pointed(),
    announce: (text) => app.announce(text, true),
  });
  const assist = createAssistPanel(app, room, board, show, () => navigation.at ?? room.game?.moves.length ?? 0);
  const chat = createChat(app, room, () => openSide('.chat'));
  const actions = createGameActions(app, room, [chat.button, assist.hint]);
  const side = el(
    'aside',
    {
      class: 'side',
      'aria-label': t('more_here'),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Escape' && closeSide(),
    },
    el(
      'button',
      { type: 'button', class: 'quiet side-close', 'aria-label': t('close'), onclick: closeSide },
      icon('close'),
    ),
    el('section', { class: 'card about' }, about, ruleHow, watching),
    assist.element,
    chat.element,
  );
  const voice = el(
    'section',
    { class: 'card voice', 'aria-live': 'polite' },
    openingPlace,
    el('div', { class: 'summary' }, seal(), el('div', null, status, detail, assist.told)),
    actions.offers,
    asks,
    actions.again,
    app.lost,
  );
  const table = el(
    'div',
    { class: 'table' },
    el('div', { class: 'board-side' }, boardPlace, invitation),
    el('section', { class: 'card score', 'aria-label': t('players') }, above.element, below.element),
    voice,
    el('section', { class: 'card moves-card' }, list.element, navigation.element),
    chat.line,
    actions.element,
    side,
  );
  place.append(table);
  document.body.classList.add('gaming');
  const line = el('button', { type: 'button', class: 'game-line', onclick: () => openSide('.about') });
  const more = el(
    'button',
    { type: 'button', class: 'quiet more', 'aria-label': t('more_here'), onclick: () => openSide('.about') },
    icon('more'),
  );
  app.bar.querySelector('.games-pill')?.before(line);
  app.bar.append(more);
  let entered = false;
  let shownGame = 0;
  let gone = false;
  let left = false;
  /** Whether the visitor only wants to watch. */
  let watches = false;
  /** What the card over the board shows. */
  let invited = '';
  /** Removes a page that is shown instead of the room. */
  let clearPlace = () => {};
  /** The panel of the opening, once one is played. @type {import('../game/opening-panel.js').OpeningPanel | undefined} */
  let opening;
  let openingLoads = false;

  /** Brings a part of what stands at the side into sight, on small screens over everything. @param {string} part */
  function openSide(part) {
    side.classList.add('open');
    const found = side.querySelector(part);
    if (found instanceof HTMLDetailsElement) found.open = true;
    found?.scrollIntoView({ block: 'nearest' });
    const focus = found?.querySelector('input') ?? side.querySelector('button');
    focus?.focus({ preventScroll: true });
  }

  function closeSide() {
    side.classList.remove('open');
    board.focus();
  }

  /** @param {import('../ui/protocol-types').Point} point */
  function play(point) {
    if (room.opening) return opening?.press(point);
    const ply = room.game?.moves.length ?? 0;
    app.connection.send({ type: 'play', room: code, ply, point }).catch((error) => {
      board.refused();
      app.showError(error);
      app.announce(errorText(error), true);
    });
  }

  /** @param {import('../ui/protocol-types').RoomCommand} command */
  function send(command) {
    app.connection.send({ ...command, room: code }).catch(app.showError);
  }

  /** Loads the panel of the opening. */
  async function loadOpening() {
    if (openingLoads) return;
    openingLoads = true;
    try {
      const { createOpeningPanel } = await import('../game/opening-panel.js');
      opening = createOpeningPanel(app, room, {
        changed: show,
        focus: () => board.focus(),
        refused: () => board.refused(),
      });
      openingPlace.append(opening.element);
      side.querySelector('.about')?.append(opening.lines);
      if (!left) show();
    } catch (error) {
      // The next event tries again.
      openingLoads = false;
      app.showError(error);
    }
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
    // The board of an opening takes stones once its panel is there.
    set(boardPlace, { 'aria-busy': room.seq === 0 || (inOpening && !opening) });
    boardPlace.classList.toggle('over', !!game?.outcome);
    table.classList.toggle('is-over', !!game?.outcome);
    table.classList.toggle('is-won', !!seat && game?.outcome?.winner === seat);
    board.show({
      size: room.rules.size,
      moves: shown,
      forbidden: judged?.forbidden,
      winning: live ? game?.outcome?.points : undefined,
      turn: !gone && live && !inOpening && room.toAct === seat ? stone : undefined,
      waiting: !gone && live && !inOpening && room.toAct && seat && room.toAct !== seat ? stone : undefined,
      ...assist.shown(),
      ...(inOpening && opening?.shown()),
    });
    if (game?.opening) void loadOpening();
    opening?.update();
    openingPlace.hidden = !game?.opening || gone;
    table.classList.toggle('opening-runs', inOpening && !!opening);
    list.set(moves, room.rules.size);
    if (!gone) assist.update();
    const bottom = app.connection.local ? 'first' : (seat ?? room.black);
    below.show(bottom);
    above.show(opponent(bottom));
    table.classList.toggle('timed', room.time.type !== 'none');
    const open = seat || gone ? undefined : room.openSeat;
    const asked = open && !watches && !game?.outcome && room.host !== app.connection.you;
    actions.show(!!open && !asked && sitButton(open));
    chat.show();
    showStatus(seat, open);
    showInvitation(seat, asked ? open : undefined);
    // The list is as high as the voice leaves it.
    list.show(shown.length);
    seekOn(game?.outcome, seat);
  }

  /** The search for an opponent goes on if they aborted the game.
   * @param {import('../ui/protocol-types').Outcome | undefined} outcome @param {Seat | undefined} seat */
  function seekOn(outcome, seat) {
    if (outcome?.reason === 'aborted' && seat && outcome.by !== seat)
      void app.seeks().then((seeks) => seeks.aborted(code));
  }

  /** @param {Seat} open */
  function sitButton(open, kind = '') {
    const other = room.seats[opponent(open)];
    return el(
      'button',
      { type: 'button', class: kind, onclick: () => send({ type: 'sit' }) },
      other ? t('play_against', { name: playerName(other) }) : t('sit_here'),
    );
  }

  /** @param {Seat | undefined} seat @param {Seat | undefined} open a seat that the visitor can take */
  function showStatus(seat, open) {
    // A closed room keeps its last message.
    if (gone) return;
    const outcome = room.game?.outcome;
    const turn = room.toAct;
    const played = room.playedBy(app.connection.you);
    let text = t(open ? 'seat_open' : 'waiting');
    if (outcome) {
      text = !played
        ? resultName(outcome, room.black, room.rules)
        : outcome.reason === 'aborted'
          ? t('is_aborted')
          : !outcome.winner
            ? t('is_drawn')
            : t(outcome.winner === played ? 'you_won' : 'you_lost');
    } else if (turn) {
      text = turn === seat ? t('your_turn') : t('their_turn', { name: playerName(room.seats[turn]) });
    }
    write(status, text);
    const now = navigation.at === undefined ? lastMove() : t('looks_back');
    const taken = !seat && !open && !room.vacant && !outcome && t('you_watch');
    const result = outcome && played && resultName(outcome, room.black, room.rules);
    write(detail, [!outcome && closedFive(), taken || result || now].filter(Boolean).join(' '));
    const clock = room.time.type === 'none' ? t('clock_none') : timeControlText(room.time);
    const rules = rulesName(room.rules, room.openingKind);
    const game = room.game;
    const counts = game?.rated ? 'rated' : game && room.paired && 'casual';
    const why = game?.casual && t(`casual_${game.casual}`);
    const part = game?.part && t('counts_part', { part: game.part });
    write(about, [rules, clock, counts && t(counts), why || part].filter(Boolean).join(' · '));
    write(line, `${rules} · ${clock}`);
    watching.title = room.spectators.names
      .map((name) => (room.spectators.bots?.includes(name) ? t('bot_kind', { kind: name }) : memberName(name)))
      .join(', ');
    write(watching, room.spectators.count > 0 ? t('watching', { count: room.spectators.count }) : '');
    const id = room.keptGame;
    if (id) saveEndedGame(id);
    if (id && outcome?.winner && outcome.winner === played) {
      const loser = room.game?.players[opponent(played)];
      if (loser && 'bot' in loser && loser.bot.kind === 'engine') saveBeaten(loser.bot.level ?? 0);
    }
    app.tab(
      turn && turn === seat ? `● ${t('your_turn')} – Fivefold` : `${text} – Fivefold`,
      turn && (turn === seat ? 'yours' : stoneOf(turn, room.black)),
    );
  }

  /** Who played where last; nothing before the first move. */
  function lastMove() {
    const { game } = room;
    const point = game?.moves.at(-1);
    if (!game || !point || game.outcome) return '';
    return t('played', {
      name: moverName(game, game.moves.length - 1),
      point: pointName(point, boundsOf(room.rules.size)),
    });
  }

  /** Whose five has not won, and why, until its player moves again. */
  function closedFive() {
    const { game } = room;
    const end =
      game &&
      [game.moves.length, game.moves.length - 1].find((count) => isClosedFive(room.rules, game.moves.slice(0, count)));
    return game && end && t('closed_five', { name: moverName(game, end - 1) });
  }

  /** @param {import('../ui/protocol-types').Game} game @param {number} ply */
  function moverName(game, ply) {
    return nameOrYou(app, game.players[moverOf(game, ply)]);
  }

  /** Says what the rules are; without that, their name has to do. @param {HTMLElement} place */
  function explainRules(place) {
    import('../game/rules/rule-text.js').then(
      ({ ruleText }) => write(place, ruleText(room.rules)),
      () => {},
    );
  }

  /** Gives the board the keyboard, unless the player is writing something. */
  function focusBoard() {
    if (!document.activeElement?.closest('input, textarea, select, dialog')) board.focus();
  }

  /** Shows how to invite an opponent, or who invites the visitor. @param {Seat | undefined} seat @param {Seat | undefined} asked the seat that the visitor may take */
  function showInvitation(seat, asked) {
    const { openingKind, rules, seats } = room;
    const waits = room.seq > 0 && room.phase === 'waiting' && !room.game && (seat || room.host === app.connection.you);
    const wanted = asked ? JSON.stringify([asked, seats]) : String(!!waits);
    if (wanted === invited) return;
    invited = wanted;
    invitation.hidden = !asked && !waits;
    table.classList.toggle('inviting', !invitation.hidden);
    if (invitation.hidden) return fill(invitation);
    const own = asked ?? seat;
    const clock = room.time.type === 'none' ? t('clock_none') : timeControlText(room.time);
    // Where the opening decides the colors, nobody knows theirs.
    const how = el('p', { class: 'hint' });
    explainRules(how);
    const what = [
      rulesName(rules, openingKind),
      clock,
      own && openingKind === 'free' && t('you_play', { stone: sideName(stoneOf(own, room.black), rules) }),
    ]
      .filter(Boolean)
      .join(' · ');
    if (asked) {
      const other = seats[opponent(asked)];
      const sit = sitButton(asked, 'primary big');
      fill(
        invitation,
        el(
          'div',
          { class: 'card' },
          el('h2', null, other ? t('invited_by', { name: playerName(other) }) : t('seat_open')),
          el('p', null, what),
          how,
          sit,
          el('button', { type: 'button', onclick: watchOnly }, t('watch')),
        ),
      );
      sit.focus({ preventScroll: true });
      return;
    }
    const open = room.vacant;
    const bots = el('div');
    if (seat && open)
      void import('../game/bot-choice.js').then(({ createBotSeat }) =>
        bots.replaceWith(createBotSeat(rules, (bot) => send({ type: 'seat_bot', seat: open, bot }))),
      );
    fill(
      invitation,
      el(
        'div',
        { class: 'card' },
        el('h2', null, t('invite')),
        el('p', { class: 'hint' }, t('invite_how')),
        el('p', null, what),
        how,
        linkCard(`${location.origin}/r/${code}`, t('invite_link'), what),
        bots,
        el(
          'div',
          { class: 'row' },
          linkButton('/', t('leave')),
          room.host === app.connection.you &&
            el('button', { type: 'button', onclick: actions.closeRoom }, t('close_room')),
        ),
      ),
    );
  }

  function watchOnly() {
    watches = true;
    show();
    board.focus();
  }

  /** @param {string} id */
  function saveEndedGame(id) {
    const { [code]: known, ...others } = endedGames();
    if (known === id) return;
    siteStorage.setItem(
      ENDED_KEY,
      JSON.stringify(Object.fromEntries([...Object.entries(others), [code, id]].slice(-ENDED_MAX))),
    );
  }

  /** Plays a sound and announces an event to screen readers. @param {NumberedEvent} news */
  function announceEvent({ event }) {
    const seat = you();
    switch (event.type) {
      case 'played': {
        const stone = stoneAt(event.ply);
        playClick();
        app.announce(
          t('moved', {
            stone: stoneName(stone, room.rules),
            point: pointName(event.point, room.rules.size === 'unbounded' ? null : room.rules.size),
          }),
          true,
        );
        break;
      }
      case 'started':
        playNotice();
        if (seat) {
          const text = room.hasColours
            ? t('game_begins', { stone: sideName(stoneOf(seat, event.black), room.rules) })
            : `${openingName(room.openingKind)}: ${t(`opening_${room.openingKind}_how`)}`;
          app.announce(text, true);
          app.notify(text);
          focusBoard();
        }
        break;
      case 'ended':
        playFinish();
        app.announce(resultName(event.outcome, room.black, room.rules), true);
        break;
      case 'swapped':
        above.swap();
        below.swap();
        break;
      case 'taken_back':
        app.announce(t('taken_back'));
        break;
      case 'draw_declined':
      case 'takeback_refused':
      case 'rematch_declined':
        if (seat && event.by !== seat) app.toast(t(event.type));
        break;
      case 'draw_offered':
      case 'takeback_asked':
      case 'rematch_asked':
      case 'nudged':
        if (event.by !== seat) playNotice();
        break;
      default:
    }
  }

  /** The room is closed, or does not let us in. @param {Refused | Closed} refusal */
  function lost(refusal) {
    const { type, reason } = refusal;
    const closed = type === 'closed' || reason === 'no_such_room' || reason === 'malformed';
    const game = room.keptGame ?? endedGames()[code];
    const again = el('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, t('try_again'));
    const ways = [
      closed ? !!game && linkButton(`/game/${game}`, t('replay'), true) : again,
      linkButton('/', t('find_opponent'), closed && !game),
      linkButton('/games', t('your_games')),
      closed && linkButton('/lobby', t('lobby')),
    ];
    const restored = type === 'refused' && reason === 'no_such_room' && room.seq > 0;
    const how =
      type === 'refused' && !closed
        ? refusalText(refusal)
        : restored
          ? t('room_gone_or_restored')
          : room.seq > 0 || game
            ? t('room_gone_how')
            : t('no_room_how');
    app.announce(how, true);
    if (room.seq === 0) {
      app.tab('Fivefold');
      const title = t(!closed ? 'no_entry' : game ? 'room_gone' : 'no_room');
      document.body.classList.remove('gaming');
      return void import('../board/not-found.js').then(({ showNotFound }) => {
        if (!left) clearPlace = showNotFound(place, title, how, ...ways);
      });
    }
    // The board stays visible.
    gone = true;
    if (room.game?.clock) room.game.clock.running = undefined;
    show();
    if (!room.game?.outcome) write(status, t('room_gone'));
    write(detail, how);
    actions.close(...ways);
    invitation.hidden = assist.element.hidden = true;
    table.classList.remove('inviting');
    chat.element.inert = true;
  }

  app.connection.enter(code, {
    seq: () => room.after,
    playing: () => room.phase === 'running',
    joined(joined) {
      for (const news of room.joined(joined)) announceEvent(news);
      if (room.contradicted) return;
      const gone = room.takeGone();
      if (gone !== undefined) app.restored(gone);
      // The creator of a new room plays. To sit down after a game would begin another one, and programs that look at
      // links open rooms, too: these wait for a press.
      if (!entered && !room.game && room.vacant && !you() && room.host === app.connection.you) send({ type: 'sit' });
      // The rules of a room never change.
      if (!entered) explainRules(ruleHow);
      const begins = !entered && room.phase === 'running' && !!you();
      entered = true;
      void chat.load();
      assist.reset();
      show();
      if (begins) focusBoard();
    },
    receive(news) {
      if (!entered) return;
      chat.receive(news);
      if (!room.receive(news)) return;
      const gone = room.takeGone();
      if (gone !== undefined) app.restored(gone);
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
    chat.remove();
    judge.remove();
    board.remove();
    clearPlace();
    line.remove();
    more.remove();
    document.querySelector('.strip')?.prepend(app.lost);
    document.body.classList.remove('gaming');
  };
};

/** The last ended game of each room that this player was in.
 * @returns {Record<string, string>} */
function endedGames() {
  try {
    return JSON.parse(siteStorage.getItem(ENDED_KEY) ?? '{}');
  } catch {
    return {};
  }
}
