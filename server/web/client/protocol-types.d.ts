// Names for parts of the protocol. The types themselves are generated from the server's: see protocol.d.ts.

import type * as protocol from './protocol.js';

export * from './protocol.js';

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
 * a client does not know. Over HTTP come codes that the protocol does not have. */
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
