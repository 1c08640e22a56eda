// Names that the page gives to parts of the protocol. The types themselves are generated from the
// server's: see protocol.d.ts. For the type checker only: this file is not served.

import type * as protocol from '../client/protocol.js';

export type * from '../client/protocol.js';

/** The messages of these types. */
type Of<Type extends protocol.Message['type']> = Extract<protocol.Message, { type: Type }>;
type KeysOfAny<Union> = Union extends unknown ? keyof Union : never;
type FieldOfAny<Union, Key> = Union extends unknown ? Key extends keyof Union ? Union[Key] : never : never;
/** A union as one object, in which fields of single variants are optional. */
type Merged<Union> = Pick<Union, keyof Union>
  & { [Key in Exclude<KeysOfAny<Union>, keyof Union>]?: FieldOfAny<Union, Key> };

/** A command before the connection numbers it. */
export type Command = protocol.LobbyRequest | ({ room: string } & RoomCommand);
/** A command for a room, before it names the room. */
export type RoomCommand = protocol.RoomRequest;
/** The types of room commands that need nothing more. */
export type BareType = { [Type in RoomCommand['type']]:
  { type: Type } extends Extract<RoomCommand, { type: Type }> ? Type : never }[RoomCommand['type']];
export type CreateCommand = Extract<Command, { type: 'create' }>;

export type Seats = protocol.BySeat<protocol.Player | null>;
/** How a game ended: for a seat in rooms and records, for a stone on the board. */
export type Outcome<Side = protocol.Seat> = protocol.Outcome<Side>;
export type Game = protocol.GameSnapshot;
export type GameSummary = protocol.ListedGame;

export type Welcome = Of<'welcome'>;
export type Done = Of<'done'>;
/** Why something was not done: a code with its parameters, and the server's English for codes that
 * the page does not know. Over HTTP come codes that the protocol does not have. */
export type Refusal = { reason: string; text: string; [parameter: string]: unknown };
export type Refused = Refusal & { type: 'refused'; id?: string };
export type Rooms = Of<'rooms'>;
export type OwnRooms = Of<'own_rooms'>;
export type Joined = Merged<Of<'joined'>>;
export type Weights = Of<'weights'>;
export type Chat = Of<'chat'>;
export type Pong = Of<'pong'>;
export type Answer = Done | Rooms | OwnRooms | Joined | Weights | Chat | Pong | Of<'seeking' | 'lobby'>;
export type Closed = Of<'closed'> & { reason?: string };
export type Analysis = Of<'analysis'>;
export type AnalysisOver = Of<'analysis_over'>;
/** Messages to a room's members that answer no command. */
export type RoomNews = Of<'event' | 'snapshot' | 'spectators' | 'presence' | 'ratings' | 'player_said'
  | 'spectator_said' | 'analysis' | 'analysis_over' | 'closed'>;

/** Messages that answer no command and concern no room that was joined. */
export type SanctionNews = Of<'sanction'>;
export type AnnouncementNews = Of<'announcement'>;
export type LobbyNews = SanctionNews | AnnouncementNews | Of<'paired' | 'seek_over' | 'challenged' | 'lobby_changed' | 'account_changed'>;
/** A command that seeks a game with somebody. */
export type SeekCommand = Extract<Command, { type: 'seek' | 'challenge' }>;

/** What the engine thinks of each move of a finished game. */
export type Review = Omit<protocol.GameReview, 'id'>;

/** A request to the WebAssembly module, as in shared/wasm/src/requests.rs. */
export type EngineRequest =
  | { type: 'position'; rules: protocol.Rules; moves?: readonly protocol.Point[]; text?: string }
  | { type: 'analyse'; rules: protocol.Rules; moves: readonly protocol.Point[]; lines: number; time_ms?: number; nodes?: number }
  | { type: 'bot'; task: 'turn' | 'weigh'; bot: protocol.BotSpec; rules: protocol.Rules; moves: readonly protocol.Point[];
    opening?: protocol.RecordedOpening; seed: number; time_ms?: number; nodes?: number }
  | { type: 'room'; now: number; input: 'open' | 'restore' | 'command' | 'bot_replied' | 'wake'; [field: string]: unknown }
  | { type: 'encoding'; bytes: readonly number[] | Uint8Array; is_part?: boolean }
  | { type: 'read_games'; file?: { name: string; rules: protocol.Rules }; text?: string; bytes?: readonly number[] | Uint8Array; is_last?: boolean }
  | { type: 'read_tree'; rules: protocol.Rules; text?: string; bytes?: readonly number[] | Uint8Array; game?: number; tree?: GameTree | TreeArrays }
  | { type: 'write_tree'; format: 'sgf' | 'psq'; tree: GameTree | TreeArrays }
  | { type: 'puzzle_answer' | 'puzzle_solution'; rules: protocol.Rules; moves: readonly protocol.Point[] }
  | { type: 'review'; rules: protocol.Rules; moves: readonly protocol.Point[]; winner?: protocol.Stone };
/** The module's answer: one of these. */
export type EngineAnswer = {
  position?: protocol.Judged; analysis?: protocol.Report; weights?: protocol.Weight[]; review?: Review;
  tree?: { tree: TreeArrays; notes?: ReadingNote[]; left_out?: number; ply?: number; why?: Refusal }; file?: string;
  encoding?: { name: string; likely: string; is_library: boolean };
  games?: ReadGames;
  puzzle?: 'solved' | { trapped?: protocol.Point; goes_on?: protocol.Point; fails?: protocol.Point | null }; solution?: protocol.Point[];
  move?: protocol.Point | null; act?: protocol.Act; reviewed?: number; refused?: Refusal; room?: RoomOutput;
};
/** The next games of a file with many, as in shared/wasm/src/game_files.rs: a batch for a collection, the line of each
 * game, and what could not be read. If there are `more`, ask with neither `text` nor `bytes` before the next part.
 * The notes come with the last answer. */
export type ReadGames = {
  games: CollectedGame[]; lines: number[]; faults: { line: number; text: string }[]; more: boolean;
  notes?: (Omit<ReadingNote, 'kind'> & { kind: ReadingNote['kind'] | 'variations' | 'after_end' })[];
};
/** A game as a collection keeps it, as in shared/src/collection.rs. */
export type CollectedGame = {
  rules: protocol.Rules; black?: string; white?: string; date?: string; event?: string;
  ending?: 'draw' | 'void' | Partial<Record<'win' | 'resignation' | 'time' | 'forfeit', protocol.Stone>>; moves: string;
};
/** What could not be kept of a file, as in shared/src/notation/notes.rs. */
export type ReadingNote = {
  kind: 'passes' | 'out_of_turn' | 'set_up' | 'bad_values' | 'unknown_rules' | 'other_games' | 'cut_off' | 'after_pass' | 'board_texts';
  count: number; line?: number; value?: string;
};
/** A tree of moves as files hold it, as in shared/src/notation/tree.rs. */
export type GameTree = import('../analysis/move-tree.js').ListedTree & { rules: protocol.Rules; black?: string; white?: string };
/** The same in arrays, as the page and its worker exchange it: the place of each move's parent, or -1; the points, two
 * numbers each; and the comments with their places, -1 for the one on the beginning. */
export type TreeArrays = Omit<GameTree, 'nodes' | 'comment'> & { parents: Int32Array; points: Int32Array; comments: (readonly [number, string])[] };
/** What follows from an input of a local room. */
export type RoomOutput = {
  awaited: string; deadline?: number; snapshot?: protocol.Snapshot;
  effects: {
    event?: protocol.NumberedEvent; message?: Answer | RoomNews | Refused; cancel_thinking?: number;
    think?: { ticket: number; question: Extract<EngineRequest, { type: 'bot' }>; time_ms?: number };
  }[];
};
