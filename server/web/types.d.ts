// The messages of the protocol, as shared/src/protocol.md describes them. For the type checker only: this
// file is not served.

export type Stone = 'black' | 'white';
/** A seat holds a player. Which stone it has is the game's business. */
export type Seat = 'first' | 'second';
export type Point = [number, number];
export type Size = [number, number] | 'unbounded';
export type VariantName = 'freestyle' | 'standard' | 'renju' | 'caro' | 'caro_overline' | 'mnk';
export type Rules = { variant: VariantName; k?: number; size: Size };
export type BotSpec = { kind: 'minimax' | 'attack' | 'pattern' | 'engine'; level?: number };
export type Player = { member: string; name: string; engine?: boolean } | { bot: BotSpec };
export type Seats = { first?: Player | null; second?: Player | null };
/** A position judged by the rules. */
export type Judged = { rules: Rules; moves: Point[]; forbidden?: Point[]; outcome?: Outcome<Stone>; unplayed?: string | Refusal };
export type Phase = 'waiting' | 'running' | 'finished';

export type TimeControl =
  | { type: 'none' }
  | { type: 'sudden_death'; main_ms: number }
  | { type: 'fischer'; main_ms: number; increment_ms: number }
  | { type: 'byo_yomi'; main_ms: number; period_ms: number; periods: number }
  | { type: 'per_move'; move_ms: number };
export type SideTime = { left_ms: number; periods?: number; lag_used_ms?: number };
export type Clock = {
  control: TimeControl;
  first: SideTime;
  second: SideTime;
  running?: { seat: Seat; since: number };
};

/** `winner` is a seat in rooms and records, and a stone in a judged position. */
export type Outcome<Side = Seat> = {
  reason: 'five' | 'forbidden' | 'resignation' | 'agreement' | 'time' | 'abandonment'
    | 'full_board' | 'length_limit';
  winner?: Side;
  points?: Point[];
  kind?: string;
};

export type Game = {
  number: number;
  /** Where it will be found when it has ended. */
  id?: string;
  /** The seat that plays Black. */
  black: Seat;
  moves: Point[];
  draw_offer?: Seat;
  takeback_ask?: Seat;
  rematch_ask?: Seat;
  clock?: Clock;
  outcome?: Outcome;
};

export type Snapshot = {
  seq: number;
  rules: Rules;
  visibility: 'public' | 'private';
  assistance: boolean;
  host: string;
  time?: TimeControl;
  chat?: boolean;
  /** The seat that plays Black in the first game. */
  black: Seat;
  seats: Seats;
  game?: Game;
};

export type Event =
  | { type: 'created'; rules: Rules; visibility: 'public' | 'private'; assistance: boolean;
      host: string; time?: TimeControl; chat?: boolean; black: Seat }
  | { type: 'sat'; seat: Seat; player: Player }
  | { type: 'stood'; seat: Seat }
  | { type: 'renamed'; seat: Seat; name: string }
  | { type: 'started'; game: number; id?: string; black: Seat }
  | { type: 'played'; ply: number; point: Point; assisted?: boolean; time?: SideTime }
  | { type: 'draw_offered' | 'draw_declined' | 'takeback_asked' | 'takeback_refused'
      | 'rematch_asked'; by: Seat }
  | { type: 'taken_back'; ply: number }
  | { type: 'resumed'; from: number }
  | { type: 'chat_set'; on: boolean }
  | { type: 'ended'; outcome: Outcome };
export type NumberedEvent = { seq: number; at: number; event: Event };

export type Spectators = { count: number; names: string[] };
export type Away = { since: number; claim_at?: number };
export type Absent = { first?: Away; second?: Away };
export type Weight = { point: Point; weight: number; plies?: number };
export type RoomSummary = {
  room: string;
  rules: Rules;
  assistance: boolean;
  time?: TimeControl;
  seats: Seats;
  /** The seat that plays Black: in the game, or in the first one before it begins. */
  black: Seat;
  /** The seat that must act, while a game is running. */
  to_act?: Seat;
  phase: Phase;
  ply: number;
  spectators: number;
};

/** A room that this player created or has a seat in. */
export type OwnRoom = RoomSummary & { visibility: 'public' | 'private'; seat?: Seat | null;
  your_turn: boolean; host: boolean };

export type Welcome = { type: 'welcome'; id: string; protocol: number; server: string; you: string;
  name: string; identity?: string; chat?: boolean };
export type Done = { type: 'done'; id: string; seq?: number };
/** Why something was not done: a code with its parameters, and the server's English for codes that
 * the page does not know. */
export type Refusal = { reason: string; text: string; [parameter: string]: unknown };
export type Refused = Refusal & { type: 'refused'; id?: string };
export type Rooms = { type: 'rooms'; id: string; rooms: RoomSummary[]; total: number };
export type OwnRooms = { type: 'own_rooms'; id: string; rooms: OwnRoom[] };
export type Joined = { type: 'joined'; id: string; room: string; now: number;
  spectators: Spectators; away?: Absent; snapshot?: Snapshot; events?: NumberedEvent[] };
export type Weights = { type: 'weights'; id: string; room: string; ply: number; bot: BotSpec;
  weights: Weight[] };
export type ChatLine = { number: number; at: number; member: string; name: string; text: string };
export type Chat = { type: 'chat'; id: string; room: string; players: ChatLine[];
  spectators?: ChatLine[] };
export type Pong = { type: 'pong'; id: string };
export type Answer = Done | Rooms | OwnRooms | Joined | Weights | Chat | Pong;
/** Messages to a room's members that answer no command. */
export type RoomNews =
  | ({ type: 'event'; room: string } & NumberedEvent)
  | { type: 'snapshot'; room: string; snapshot: Snapshot }
  | { type: 'spectators'; room: string; spectators: Spectators }
  | { type: 'presence'; room: string; away: Absent }
  | { type: 'player_said' | 'spectator_said'; room: string; line: ChatLine }
  | Analysis | AnalysisOver
  | Closed;
export type Closed = { type: 'closed'; room: string; reason?: string; text: string };
export type Message = Welcome | Refused | Answer | RoomNews;

export type Command = { type: string; room?: string; [field: string]: unknown };

export type GameSummary = {
  id: string;
  rules: Rules;
  visibility: 'public' | 'private';
  first: Player;
  second: Player;
  /** The seat that had Black at the end. */
  black: Seat;
  started_at: number;
  ended_at: number;
  plies: number;
  outcome: Outcome;
};
export type FinishedGame = GameSummary & {
  moves: { point: Point; at: number; assisted?: boolean }[];
};

/** What a position is worth to the side to move. */
export type Value = { chance: number } | { win: { plies?: number } } | { loss: { plies?: number } };
/** Moves that the engine would play, and what they are worth. */
export type Line = { value: Value; moves: Point[] };
/** An analysis of a position. */
export type Found = { depth: number; nodes: number; nodes_per_second: number; lines: Line[] };
export type Analysis = Found & { type: 'analysis'; room: string; of: string; ply: number };
export type AnalysisOver = { type: 'analysis_over'; room: string; of: string;
  why: 'finished' | 'stopped' | 'moot' | 'busy' | 'too_many' };
/** What the engine thinks of each move of a finished game, and how far it has come with that. */
export type Review = { id: string; decided?: number;
  moves: { value: Value; loss: number; line: Point[] }[] };
export type Progress = { id: string; done: number; plies: number };
