// A room's state as its events build it, like the fold in shared/src/room.rs. The server decides what
// is allowed.

/** @import { Absent, Act, Ask, Clock, Event, Game, GameRatings, NumberedEvent, OpeningKind, Outcome, Phase, Player, RoomNews, Rules, Seat, Seats,
 *   Point, SideTime, Snapshot, Spectators, Stone, TimeControl, Joined } from './protocol-types.js' */

import { isDaily, newClock, setOff } from './clock.js';

/** The events after which nobody waits any more for the act that was due.
 * @type {readonly Event['type'][]} */
const TURNS = ['started', 'played', 'stayed', 'swapped', 'declared', 'offered', 'taken_back', 'ended'];

/** @type {readonly Stone[]} */
export const STONES = ['black', 'white'];
/** @param {Stone} stone @returns {Stone} */
function otherStone(stone) {
  return stone === 'black' ? 'white' : 'black';
}

/** @type {readonly Seat[]} */
export const SEATS = ['first', 'second'];

/**
 * The opponent's seat.
 * @param {Seat} seat
 * @returns {Seat}
 */
export function opponent(seat) {
  return seat === 'first' ? 'second' : 'first';
}

/**
 * The stone of a seat where `black` plays Black.
 * @param {Seat} seat
 * @param {Seat} black
 * @returns {Stone}
 */
export function stoneOf(seat, black) {
  return seat === black ? 'black' : 'white';
}

/**
 * The seat that has a stone where `black` plays Black.
 * @param {Stone} stone
 * @param {Seat} black
 * @returns {Seat}
 */
export function seatWith(stone, black) {
  return stone === 'black' ? black : opponent(black);
}

/**
 * The stone of the move at this ply.
 * @param {number} ply
 * @returns {Stone}
 */
export function stoneAt(ply) {
  return ply % 2 === 0 ? 'black' : 'white';
}

/**
 * The seat that must act; none when the game is over. Nothing else says whose turn it is.
 * @param {Game | undefined} game
 * @returns {Seat | undefined}
 */
export function toAct(game) {
  if (!game || game.outcome) return undefined;
  return game.opening?.ask?.seat ?? seatWith(stoneAt(game.moves.length), game.black);
}

/**
 * The seat that made the move at this ply: in an opening, the one that put the stone, whoever has its color by now.
 * @param {Game} game
 * @param {number} ply
 */
export function moverOf({ black, opening }, ply) {
  let plies = 0;
  for (const { by, act } of opening?.acts ?? []) {
    plies += act.put?.length ?? Number(!!act.select);
    if (plies > ply) return by;
  }
  return seatWith(stoneAt(ply), black);
}

export class Room {
  seq = 0;
  /** @type {Rules} */
  rules = { variant: 'freestyle', size: [15, 15] };
  assistance = false;
  chat = true;
  /** Whether the server has paired the players. */
  paired = false;
  host = '';
  /** @type {TimeControl} */
  time = { type: 'none' };
  /** How each game opens.
   * @type {OpeningKind} */
  openingKind = 'free';
  /** Since when the seat to act has had its turn, as far as is known. */
  turnSince = 0;
  /** The seat that plays Black in the first game.
   * @type {Seat} */
  firstBlack = 'first';
  /** @type {Seats} */
  seats = { first: null, second: null };
  /** @type {Game | undefined} */
  game;
  /** @type {Spectators} */
  spectators = { count: 0, names: [] };
  /** @type {Absent} */
  away = {};
  /** How strong the players of a rated game are.
   * @type {GameRatings | undefined} */
  ratings;

  /** The last event, unless it was in a snapshot. @type {NumberedEvent | undefined} */
  #last;
  /** Whether the server's log contradicts the last event: it was restored from a backup. */
  contradicted = false;
  /** @type {number | undefined} */
  #gone;

  /** @param {string} code */
  constructor(code) {
    this.code = code;
  }

  /** How far the room has come.
   * @returns {Phase} */
  get phase() {
    if (this.game && !this.game.outcome) return 'running';
    return this.game && !this.vacant ? 'finished' : 'waiting';
  }

  /** The seat that must act, while a game is running. */
  get toAct() {
    return toAct(this.game);
  }

  /** The id of the ended game; none if it was aborted, as the server does not keep it. */
  get keptGame() {
    const { outcome, id } = this.game ?? {};
    return outcome && outcome.reason !== 'aborted' ? id : undefined;
  }

  /** The opening, while it asks for something. */
  get opening() {
    const opening = this.game?.outcome ? undefined : this.game?.opening;
    return opening?.ask && opening;
  }

  /** Whether players have colors: where they pick sides in the opening, nobody has one before. */
  get hasColours() {
    const { game, opening, openingKind } = this;
    if (['free', 'pro', 'long_pro'].includes(openingKind) || (game && !opening)) return true;
    // In these, everything before the pick is done without a side.
    if (!opening || ['swap1', 'swap', 'swap2'].includes(openingKind)) return false;
    return opening.acts.some(({ by }) => by !== opening.first);
  }

  /** The event after which the server is asked for what is missing: the one before the last, so that the server
   * repeats the last one. Without any, it sends a snapshot.
   * @returns {number | undefined} */
  get after() {
    if (this.contradicted) return undefined;
    return this.#last ? this.seq - 1 : this.seq || undefined;
  }

  /** The seat that plays Black: in the game, or in the first one before it begins. */
  get black() {
    return this.game?.black ?? this.firstBlack;
  }

  /**
   * The seat of a member.
   * @param {string} member
   */
  seatOf(member) {
    return SEATS.find((seat) => isMember(this.seats[seat], member));
  }

  /**
   * The seat that a member has in the game, or had when it ended: others may sit there now.
   * @param {string} member
   */
  playedBy(member) {
    return SEATS.find((seat) => isMember(this.game?.players[seat], member));
  }

  /** The rating of a seat as it is shown: `1532? +8`.
   * @param {Seat} seat */
  ratingText(seat) {
    const rating = this.ratings?.game === this.game?.number ? this.ratings?.[seat] : undefined;
    if (!rating) return '';
    const change = rating.change === undefined ? '' : ` ${rating.change < 0 ? '−' : '+'}${Math.abs(rating.change)}`;
    return `${rating.rating}${rating.provisional ? '?' : ''}${change}`;
  }

  /** A free seat. */
  get vacant() {
    return SEATS.find((seat) => !this.seats[seat]);
  }

  /** The seat that a visitor can take: a free one, or that of a guest who is away and has not acted yet
   * in a game that is neither paired nor daily.
   * The same as `open_seat` in shared/src/room/state.rs. */
  get openSeat() {
    const { game, paired, time, vacant } = this;
    if (vacant || paired || isDaily(time) || !game || game.outcome) return vacant;
    return SEATS.find((seat) => this.away[seat] && !isMember(this.seats[seat], this.host) && !hasActed(game, seat));
  }

  /** Applies the answer to `join` or `create`.
   * @param {Joined} joined
   * @returns {NumberedEvent[]} the new events
   */
  joined(joined) {
    this.spectators = joined.spectators;
    this.away = joined.away ?? {};
    this.ratings = joined.ratings;
    if (joined.snapshot) {
      this.#replace(joined.snapshot);
      this.turnSince = joined.now;
    }
    const events = joined.events ?? [];
    // The server repeats the last event.
    if (joined.events && this.#last && (events[0]?.seq !== this.#last.seq || events[0].at !== this.#last.at)) {
      this.contradicted = true;
      return [];
    }
    const news = events.filter((event) => event.seq > this.seq);
    for (const event of news) this.apply(event);
    return news;
  }

  /**
   * Applies a message. Whether anything changed.
   * @param {RoomNews} news
   */
  receive(news) {
    switch (news.type) {
      case 'event':
        if (news.seq <= this.seq) return false;
        this.apply(news);
        return true;
      case 'snapshot':
        this.#replace(news.snapshot);
        return true;
      case 'spectators':
        this.spectators = news.spectators;
        return true;
      case 'presence':
        this.away = news.away;
        return true;
      case 'ratings':
        this.ratings = news;
        return true;
      default:
        return false;
    }
  }

  /** How many of the last moves are gone, once after the server has gone back to an earlier state of the room. */
  takeGone() {
    const gone = this.#gone;
    this.#gone = undefined;
    return gone;
  }

  /** @param {Snapshot} snapshot */
  #replace(snapshot) {
    if (this.contradicted || snapshot.seq < this.seq) this.#gone = movesGone(this.game, snapshot.game);
    this.contradicted = false;
    this.#last = undefined;
    this.restore(snapshot);
  }

  /** @param {Snapshot} snapshot */
  restore(snapshot) {
    this.seq = snapshot.seq;
    this.rules = snapshot.rules;
    this.assistance = snapshot.assistance;
    this.chat = snapshot.chat ?? true;
    this.paired = snapshot.paired ?? false;
    this.host = snapshot.host;
    this.time = snapshot.time ?? { type: 'none' };
    this.openingKind = snapshot.opening ?? 'free';
    this.firstBlack = snapshot.black;
    this.seats = snapshot.seats;
    this.game = snapshot.game && structuredClone(snapshot.game);
  }

  /** @param {NumberedEvent} next */
  apply(next) {
    this.seq = next.seq;
    this.#last = next;
    if (TURNS.includes(next.event.type)) this.turnSince = next.at;
    this.#change(next.at, next.event);
  }

  /**
   * @param {number} at
   * @param {Event} event
   */
  #change(at, event) {
    const game = this.game;
    switch (event.type) {
      case 'created':
        this.restore({ ...event, seq: this.seq, seats: { first: null, second: null } });
        break;
      case 'sat':
        this.seats = { ...this.seats, [event.seat]: event.player };
        if (game && !game.outcome) game.players[event.seat] = event.player;
        break;
      case 'stood':
        this.seats = { ...this.seats, [event.seat]: null };
        // The rematch offer of a player who left lapses.
        if (game?.rematch_ask === event.seat) game.rematch_ask = undefined;
        break;
      case 'chat_set':
        this.chat = event.on;
        break;
      case 'renamed':
        this.#rename(event.seat, event.name);
        break;
      case 'started':
        this.game = {
          number: event.game,
          id: event.id,
          players: /** @type {Game['players']} */ ({ ...this.seats }),
          black: event.black,
          rated: event.rated,
          casual: event.casual,
          part: event.part,
          moves: [],
          clock: newClock(this.time),
        };
        if (this.openingKind !== 'free') this.game.opening = { kind: this.openingKind, first: event.black, acts: [] };
        break;
      default:
        if (game) changeGame(game, at, event);
    }
  }

  /**
   * @param {Seat} seat
   * @param {string} name
   */
  #rename(seat, name) {
    const player = this.seats[seat];
    if (!player || !('member' in player)) return;
    const renamed = { ...player, name };
    this.seats = { ...this.seats, [seat]: renamed };
    if (this.game && isMember(this.game.players[seat], player.member)) this.game.players[seat] = renamed;
  }
}

/**
 * How many of the last moves of a game the server does not have.
 * @param {Game | undefined} known
 * @param {Game | null | undefined} served
 */
function movesGone(known, served) {
  const moves = known?.moves ?? [];
  const others = served?.id === known?.id ? (served?.moves ?? []) : [];
  const differs = moves.findIndex(([x, y], ply) => others[ply]?.[0] !== x || others[ply]?.[1] !== y);
  return differs < 0 ? 0 : moves.length - differs;
}

/** Whether a seat has put a stone, or done anything else in the opening. @param {Game} game @param {Seat} seat */
function hasActed({ black, moves, opening }, seat) {
  return opening ? !opening.ask || opening.acts.some(({ by }) => by === seat) : moves.length > (seat === black ? 0 : 1);
}

/**
 * @param {Player | null | undefined} player
 * @param {string} member
 */
export function isMember(player, member) {
  return !!player && 'member' in player && player.member === member;
}

/**
 * @param {Game} game
 * @param {number} at
 * @param {Event} event
 */
function changeGame(game, at, event) {
  if (TURNS.includes(event.type)) game.first_act = game.nudge = undefined;
  switch (event.type) {
    case 'played': {
      const mover = toAct(game);
      game.moves.push(event.point);
      // A draw offer lapses when the opponent moves instead of answering.
      if (game.draw_offer !== mover) game.draw_offer = undefined;
      game.takeback_ask = undefined;
      addStone(game, event.point);
      passClock(game, mover, event.time, at);
      break;
    }
    case 'asked':
      ask(game, event.ask, at);
      break;
    case 'opening_over':
      ask(game, undefined, at);
      break;
    case 'stayed':
    case 'swapped': {
      const stone = stoneOf(event.by, game.black);
      addAct(game, event.by, { take: event.type === 'stayed' ? stone : otherStone(stone) });
      if (event.type === 'swapped') game.black = opponent(game.black);
      passClock(game, event.by, event.time, at);
      break;
    }
    case 'declared': {
      const made = game.opening?.acts.at(-1);
      if (made) made.act.declare = event.count;
      if (game.opening) game.opening.declared = event.count;
      passClock(game, event.by, event.time, at);
      break;
    }
    case 'offered':
      addAct(game, event.by, { offer: event.points });
      if (game.opening) game.opening.offered = event.points;
      passClock(game, event.by, event.time, at);
      break;
    case 'taken_back':
      game.moves.length = event.ply;
      game.draw_offer = game.takeback_ask = undefined;
      runClock(game, at);
      break;
    case 'draw_offered':
      game.draw_offer = event.by;
      break;
    case 'draw_declined':
      game.draw_offer = undefined;
      break;
    case 'takeback_asked':
      game.takeback_ask = event.by;
      break;
    case 'takeback_refused':
      game.takeback_ask = undefined;
      break;
    case 'rematch_asked':
      game.rematch_ask = event.by;
      break;
    case 'rematch_declined':
      game.rematch_ask = undefined;
      break;
    case 'first_act_due':
      game.first_act = { seat: event.seat, until: event.until };
      break;
    case 'time_off':
      if (game.clock) setOff(game.clock, event.seat, { from: event.from, until: event.until }, at);
      break;
    case 'nudged':
      game.nudge = { by: event.by, until: event.until };
      break;
    case 'resumed':
      runClock(game, event.from);
      break;
    case 'ended':
      game.outcome = event.outcome;
      game.draw_offer = game.takeback_ask = undefined;
      if (game.clock) stopClock(game.clock, event.outcome);
      break;
  }
}

/**
 * Adds an act to those of the opening.
 * @param {Game} game @param {Seat} by @param {Act} act
 */
function addAct(game, by, act) {
  game.opening?.acts.push({ by, act });
}

/**
 * Adds a stone to the acts of the opening, if it runs. No seat puts stones by two acts in a row, so
 * several stones of one seat are one act.
 * @param {Game} game @param {Point} point
 */
function addStone(game, point) {
  const { opening } = game;
  if (!opening?.ask) return;
  const { seat, select } = opening.ask;
  const last = opening.acts.at(-1);
  if (select) {
    opening.offered = undefined;
    addAct(game, seat, { select: point });
  } else if (last?.act.put && last.by === seat) {
    last.act.put.push(point);
  } else {
    addAct(game, seat, { put: [point] });
  }
}

/**
 * Sets what the opening asks, and runs the time of the seat that must act, unless it runs on.
 * @param {Game} game @param {Ask | undefined} ask @param {number} at
 */
function ask(game, ask, at) {
  if (game.opening) game.opening.ask = ask;
  if (game.clock?.running?.seat !== toAct(game)) runClock(game, at);
}

/**
 * After an act, sets the time of its seat and runs that of the next one. After a part of an act, or a
 * selection, the time of the seat runs on.
 * @param {Game} game @param {Seat | undefined} by @param {SideTime | undefined} time @param {number} at
 */
function passClock(game, by, time, at) {
  if (by && game.clock && time) game.clock[by] = time;
  if (time || toAct(game) !== by) runClock(game, at);
}

/**
 * Stops the clock of an ended game. A player who lost on time has none left.
 * @param {Clock} clock
 * @param {Outcome} outcome
 */
function stopClock(clock, outcome) {
  clock.running = undefined;
  if (outcome.reason === 'time' && outcome.winner) {
    const loser = opponent(outcome.winner);
    clock[loser] = { ...clock[loser], left_ms: 0, periods: 0 };
  }
}

/**
 * Starts the clock of the seat that must act, but not before the first move.
 * @param {Game} game
 * @param {number} since
 */
function runClock(game, since) {
  if (!game.clock) return;
  const seat = toAct(game);
  game.clock.running = seat && game.moves.length > 0 ? { seat, since } : undefined;
}
