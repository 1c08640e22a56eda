// Names that the page gives to parts of the protocol, and to requests to the WebAssembly module. For the type
// checker only: this file is not served.

import type * as protocol from '../client/protocol.js';
import type { Answer, Refusal, Refused, RoomNews } from '../client/protocol-types.js';

export type * from '../client/protocol-types.js';

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
