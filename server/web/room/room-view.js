// A room's page: the board, the players, chat and everything they can do.

/** @import { Closed, Outcome, Point, Refused, RoomCommand, RoomNews, Seat } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */

import { createBoard } from '../board/board.js';
import { isDaily } from '../client/clock.js';
import { opponent, Room, stoneOf } from '../client/room-state.js';
import { saveBeaten } from '../game/bots.js';
import { createMoveList } from '../game/move-list.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { createJudge, mayForbid } from '../game/position-judge.js';
import { errorText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { button, el, icon, seal, set } from '../ui/dom.js';
import { AssistPanel } from './assist-panel.js';
import { createChat } from './chat.js';
import { closedRoom, saveEndedGame } from './closed-room.js';
import { createGameActions, leaveRoom } from './game-actions.js';
import { createInvitation, rulesHint, sitButton } from './invitation.js';
import { createPlayerPlate } from './player-plate.js';
import { tellNews } from './room-news.js';
import { createRoomSummary } from './room-summary.js';

/** Interval of the clocks. */
const TICK_MS = 100;

/** @type {View} */
export const view = (app, place, code) => {
  const page = new RoomPage(app, place, code);
  app.connection.enter(code, page);
  const ticker = setInterval(() => page.tick(), TICK_MS);
  return () => {
    clearInterval(ticker);
    app.connection.leave(code);
    page.remove();
  };
};

/** It listens to the room's messages. */
class RoomPage {
  /** Number of the shown game. */
  #game = 0;
  #entered = false;
  /** Whether the room is closed. */
  #closed = false;
  /** Whether the visitor has gone elsewhere. */
  #left = false;
  /** Whether the visitor only wants to watch. */
  #watches = false;
  /** Removes a page that is shown instead of the room. */
  #clearPlace = () => {};
  /** The panel of the opening, once one is played. @type {import('../game/opening-panel.js').OpeningPanel | undefined} */
  #opening;
  #openingLoads = false;
  #openingPlace = el('div', { class: 'opening-place', hidden: true });
  #boardPlace = el('div', { class: 'board', 'aria-busy': true });
  #asks = el('div', { class: 'asks-touch' });

  /** @param {App} app @param {HTMLElement} place @param {string} code */
  constructor(app, place, code) {
    const room = new Room(code);
    const show = () => this.show();
    this.app = app;
    this.place = place;
    this.room = room;
    this.above = createPlayerPlate(app, room);
    this.below = createPlayerPlate(app, room);
    this.navigation = createMoveNavigation(show);
    this.list = createMoveList([], room.rules.size, (ply) => this.navigation.go(ply));
    this.judge = createJudge(show);
    this.board = createBoard(this.#boardPlace, {
      asks: this.#asks,
      onplay: (point) => this.#play(point),
      onkey: (action) => (action.type === 'step' ? this.navigation.step(action.by) : this.assist.key(action)),
      onpoint: () => this.assist.pointed(),
      announce: (text) => app.announce(text, true),
    });
    const viewed = () => this.navigation.at ?? room.game?.moves.length ?? 0;
    this.assist = new AssistPanel(app, room, this.board, show, viewed);
    const openAbout = () => this.side.open('.about');
    this.summary = createRoomSummary(app, room, openAbout);
    this.chat = createChat(app, room, () => this.side.open('.chat'));
    this.actions = createGameActions(app, room, [this.chat.button, this.assist.hint]);
    this.invitation = createInvitation(app, room, {
      send: (command) => this.#send(command),
      watch: () => this.#watch(),
      closeRoom: () => leaveRoom(app, room),
    });
    const { about, watching, line } = this.summary;
    this.side = createSide(
      () => this.board.focus(),
      el('section', { class: 'card about' }, about, watching),
      this.assist.element,
      this.chat.element,
    );
    this.table = el('div', { class: 'table' }, ...this.#parts());
    place.append(this.table);
    document.body.classList.add('gaming');
    this.more = button(icon('more'), openAbout, { class: 'quiet more', 'aria-label': t('more_here') });
    app.bar.querySelector('.games-pill')?.before(line);
    app.bar.append(this.more);
    app.tab(t('board'));
  }

  /** What stands on the table. */
  #parts() {
    const { above, below, actions, assist, chat, invitation, list, navigation, side, summary } = this;
    return [
      el('div', { class: 'board-side' }, this.#boardPlace, invitation.element),
      el('section', { class: 'card score', 'aria-label': t('players') }, above.element, below.element),
      el(
        'section',
        { class: 'card voice', 'aria-live': 'polite' },
        this.#openingPlace,
        el('div', { class: 'summary' }, seal(), el('div', null, summary.status, summary.detail, assist.told)),
        actions.offers,
        this.#asks,
        actions.again,
        this.app.lost,
      ),
      el('section', { class: 'card moves-card' }, list.element, navigation.element),
      chat.line,
      actions.element,
      side.element,
    ];
  }

  /** The visitor's seat. */
  get #seat() {
    return this.room.seatOf(this.app.connection.you);
  }

  /** @param {Point} point */
  #play(point) {
    const { app, board, room } = this;
    if (room.opening) return this.#opening?.press(point);
    const ply = room.game?.moves.length ?? 0;
    app.connection.send({ type: 'play', room: room.code, ply, point }).catch((error) => {
      board.refused();
      app.showError(error);
      app.announce(errorText(error), true);
    });
  }

  /** @param {RoomCommand} command */
  #send(command) {
    this.app.connection.send({ ...command, room: this.room.code }).catch(this.app.showError);
  }

  #watch() {
    this.#watches = true;
    this.show();
    this.board.focus();
  }

  async #loadOpening() {
    if (this.#openingLoads) return;
    this.#openingLoads = true;
    try {
      const { createOpeningPanel } = await import('../game/opening-panel.js');
      const { app, board, room, summary } = this;
      this.#opening = createOpeningPanel(app, room, {
        changed: () => this.show(),
        focus: () => board.focus(),
        refused: () => board.refused(),
      });
      this.#openingPlace.append(this.#opening.element);
      summary.about.parentElement?.append(this.#opening.lines);
      if (!this.#left) this.show();
    } catch (error) {
      // The next event tries again.
      this.#openingLoads = false;
      this.app.showError(error);
    }
  }

  show() {
    const { above, actions, app, assist, below, chat, invitation, list, navigation, room, side, summary, table } = this;
    const { game } = room;
    const outcome = game?.outcome;
    const seat = this.#seat;
    if (game && game.number !== this.#game) {
      this.#game = game.number;
      navigation.reset();
    }
    const moves = game?.moves ?? [];
    navigation.show(moves.length);
    const looksBack = navigation.at !== undefined;
    const shown = looksBack ? moves.slice(0, navigation.at) : moves;
    this.#showBoard(seat, shown, !looksBack);
    table.classList.toggle('is-over', !!outcome);
    table.classList.toggle('is-won', !!seat && outcome?.winner === seat);
    table.classList.toggle('timed', room.time.type !== 'none');
    list.set(moves, room.rules.size);
    if (!this.#closed) assist.update();
    const bottom = app.connection.local ? 'first' : (seat ?? room.black);
    below.show(bottom);
    above.show(opponent(bottom));
    const open = seat || this.#closed ? undefined : room.openSeat;
    const asked = open && !this.#watches && !outcome && room.host !== app.connection.you ? open : undefined;
    actions.show(!!open && !asked && sitButton(room, open, (command) => this.#send(command)));
    chat.show();
    // A closed room keeps its last message.
    if (!this.#closed) summary.show({ seat, open, looksBack });
    invitation.show(seat, asked);
    table.classList.toggle('inviting', !invitation.element.hidden);
    // The list is as high as the voice leaves it.
    list.show(shown.length);
    if (outcome) this.#keepResult(outcome, seat);
    if (seat && isDaily(room.time))
      import('./daily/daily-game.js').then(
        ({ showDaily }) => showDaily(app, room, actions.again, side.element),
        app.showError,
      );
  }

  /** @param {Seat | undefined} seat @param {Point[]} moves the shown ones @param {boolean} live whether these are all */
  #showBoard(seat, moves, live) {
    const { assist, board, judge, room, table } = this;
    const { game, rules } = room;
    const outcome = game?.outcome;
    const runs = live && !this.#closed;
    const inOpening = runs && !!room.opening;
    const plays = runs && !inOpening;
    if (game?.opening) void this.#loadOpening();
    const opening = this.#opening;
    // Spectators do not ask: there may be thousands.
    const asks = game && !room.opening && (outcome ? !live : seat) && mayForbid(rules, moves);
    const stone = seat && stoneOf(seat, room.black);
    // The board of an opening takes stones once its panel is there.
    set(this.#boardPlace, { 'aria-busy': room.seq === 0 || (inOpening && !opening) });
    this.#boardPlace.classList.toggle('over', !!outcome);
    board.show({
      size: rules.size,
      moves,
      forbidden: asks ? judge.of(rules, moves)?.forbidden : undefined,
      winning: live ? outcome?.points : undefined,
      turn: plays && room.toAct === seat ? stone : undefined,
      waiting: plays && room.toAct && room.toAct !== seat ? stone : undefined,
      ...assist.shown(),
      ...(inOpening && opening?.shown()),
    });
    opening?.update();
    this.#openingPlace.hidden = !game?.opening || this.#closed;
    table.classList.toggle('opening-runs', inOpening && !!opening);
  }

  /** @param {Outcome} outcome @param {Seat | undefined} seat */
  #keepResult(outcome, seat) {
    const { app, room } = this;
    // The search for an opponent goes on if they aborted the game.
    if (outcome.reason === 'aborted' && seat && outcome.by && outcome.by !== seat)
      void app.seeks().then((seeks) => seeks.aborted(room.code));
    const id = room.keptGame;
    if (!id || this.#closed) return;
    saveEndedGame(room.code, id);
    const { winner } = outcome;
    const loser = winner && winner === room.playedBy(app.connection.you) && room.game?.players[opponent(winner)];
    if (loser && 'bot' in loser && loser.bot.kind === 'engine') saveBeaten(loser.bot.level ?? 0);
  }

  /** Gives the board the keyboard, unless the player is writing something. */
  #focusBoard() {
    if (!document.activeElement?.closest('input, textarea, select, dialog')) this.board.focus();
  }

  seq() {
    return this.room.after;
  }

  playing() {
    return this.room.phase === 'running';
  }

  /** @param {Parameters<Room['joined']>[0]} joined */
  joined(joined) {
    const { app, assist, chat, room, summary } = this;
    for (const news of room.joined(joined)) this.#tell(news);
    if (room.contradicted) return;
    this.#tellGone();
    const enters = !this.#entered;
    this.#entered = true;
    // The creator of a new room plays. To sit down after a game would begin another one, and programs that look at
    // links open rooms, too: these wait for a press.
    if (enters && !room.game && room.vacant && !this.#seat && room.host === app.connection.you)
      this.#send({ type: 'sit' });
    // The rules of a room never change.
    if (enters) summary.about.after(rulesHint(room));
    void chat.load();
    assist.reset();
    this.show();
    if (enters && this.playing() && this.#seat) this.#focusBoard();
  }

  /** @param {RoomNews} news */
  receive(news) {
    if (!this.#entered) return;
    this.chat.receive(news);
    if (!this.room.receive(news)) return;
    this.#tellGone();
    if (news.type === 'event') this.#tell(news);
    this.show();
  }

  /** @param {import('../ui/protocol-types').NumberedEvent} news */
  #tell({ event }) {
    tellNews(this.app, this.room, event);
    if (event.type === 'started' && this.#seat) this.#focusBoard();
    if (event.type !== 'swapped') return;
    this.above.swap();
    this.below.swap();
  }

  /** Tells how many moves a restored server has lost. */
  #tellGone() {
    const gone = this.room.takeGone();
    if (gone !== undefined) this.app.restored(gone);
  }

  /** The room is closed, or does not let us in. @param {Refused | Closed} refusal */
  lost(refusal) {
    const { actions, app, assist, chat, invitation, place, room, summary, table } = this;
    const { title, how, ways } = closedRoom(room, refusal);
    app.announce(how, true);
    if (room.seq === 0) {
      app.tab('Fivefold');
      document.body.classList.remove('gaming');
      return void import('../board/not-found.js').then(({ showNotFound }) => {
        if (!this.#left) this.#clearPlace = showNotFound(place, title, how, ...ways);
      });
    }
    // The board stays visible.
    this.#closed = true;
    if (room.game?.clock) room.game.clock.running = undefined;
    this.show();
    summary.close(how);
    actions.close(...ways);
    invitation.element.hidden = assist.element.hidden = true;
    table.classList.remove('inviting');
    chat.element.inert = true;
  }

  tick() {
    this.above.showClock();
    this.below.showClock();
    this.actions.tick();
  }

  remove() {
    this.#left = true;
    for (const part of [this.assist, this.actions, this.chat, this.judge, this.board, this.summary.line, this.more])
      part.remove();
    this.#clearPlace();
    document.querySelector('.strip')?.prepend(this.app.lost);
    document.body.classList.remove('gaming');
  }
}

/** What stands at the side, on small screens over everything.
 * @param {() => void} onclose @param {...HTMLElement} cards */
function createSide(onclose, ...cards) {
  const close = () => {
    element.classList.remove('open');
    onclose();
  };
  const element = el(
    'aside',
    {
      class: 'side',
      'aria-label': t('more_here'),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Escape' && close(),
    },
    button(icon('close'), close, { class: 'quiet side-close', 'aria-label': t('close') }),
    ...cards,
  );
  return {
    element,
    /** Brings a part of it into sight. @param {string} part */
    open(part) {
      element.classList.add('open');
      const found = element.querySelector(part);
      if (found instanceof HTMLDetailsElement) found.open = true;
      found?.scrollIntoView({ block: 'nearest' });
      const focus = found?.querySelector('input') ?? element.querySelector('button');
      focus?.focus({ preventScroll: true });
    },
  };
}
