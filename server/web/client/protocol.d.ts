// The protocol's types and limits, as docs/protocol describes them.
// Generated from the Rust types by shared/src/typescript.rs; do not edit.

type KeysOfAny<Union> = Union extends unknown ? keyof Union : never;
/** Variants in which the fields of the others are absent, not unknown. */
type AnyField<Union, Keys extends PropertyKey = KeysOfAny<Union>> =
  Union extends unknown ? Union & { [Key in Exclude<Keys, keyof Union>]?: undefined } : never;

/** One message from a client: a request and the id that its answer carries. */
export type Command = { id: CommandId } & (LobbyRequest | ({ room: RoomCode } & RoomRequest));

/** The players who are away: seated members without any session in the room. Bots are always present. */
export type Absent = {
    /** The player in the first seat, if they are away. */
    first?: Away,
    /** The player in the second seat, if they are away. */
    second?: Away, };

/** What has changed in an account: its keys and its friends. */
export type AccountNews = "passkey_added" | "passkey_removed" | "token_added" | "device_added" | "guest_added" | "oidc_added" | "oidc_removed" | "friend_asks" | "friend_added" | "friend_challenges" | "challenge_accepted";

/** One act of a seat in an opening. On the wire, one of `{"put": [[7, 7], [8, 8]]}` (with `"declare": 3` where the opening asks for a number), `{"take": "black"}`, `{"offer": [[6, 7], [6, 6]]}` and `{"select": [6, 7]}`. */
export type Act = { put?: Array<Point>, declare?: number, take?: Stone, offer?: Array<Point>, select?: Point, };

/** Why an analysis has ended. */
export type AnalysisEnd = "finished" | "stopped" | "moot" | "busy" | "too_many";

/** A token: `ff_`, 43 random letters and digits, and 6 more that follow from them, so that a program finds leaked ones without asking a server. It is a secret. */
export type ApiToken = string;

/** What an opening asks of a seat: one of several acts may be open at once. */
export type Ask = {
    /** The seat that must act. */
    seat: Seat,
    /** The stones that the seat may put, all in one act: the zone of each. */
    put?: Array<Zone>,
    /** The largest number of fifth stones that the seat may declare, from 1, which it does with these stones. */
    declare?: number,
    /** Whether the seat may take a colour, either of them. */
    take?: boolean,
    /** How many fifth stones the seat may offer. */
    offer?: number,
    /** The points that count as one offer, because turning, mirroring and moving one of the shapes gives the other: groups of two or more. Only one of each group may be offered. */
    same?: Array<Array<Point>>,
    /** The offered stones. The seat selects one. */
    select?: Array<Point>, };

/** A player who is away. */
export type Away = {
    /** Since when, in milliseconds since the Unix epoch. */
    since: number,
    /** When the opponent may claim the win or a draw: only while it is the absent player's turn. */
    claim_at?: number, };

/** Which bot. On the wire and in text: `minimax`, `attack`, `pattern` or `engine`. */
export type BotKind = "minimax" | "attack" | "pattern" | "engine";

/** A bot as a player requests it. In text `attack` or `attack:3`; on the wire `{"kind": "attack"}` or `{"kind": "attack", "level": 3}`. */
export type BotSpec = {
    /** The kind. */
    kind: BotKind,
    /** The level of play, for kinds that have levels. */
    level?: number, };

/** One value for each seat. On the wire: `{"first": ..., "second": ...}`. */
export type BySeat<T> = {
    /** For the first seat. */
    first: T,
    /** For the second seat. */
    second: T, };

/** A line of chat. */
export type ChatLine = {
    /** Counts the lines of a room, those of both channels together. A room that was restored after a restart begins again at 1. */
    number: number,
    /** When it was sent, in milliseconds since the Unix epoch, by the server's clock. */
    at: number,
    /** The speaker. */
    member: MemberId,
    /** The speaker's name then. */
    name: Name,
    /** Whether the speaker is a bot. */
    bot?: boolean,
    /** The text. */
    text: ChatText, };

/** A line of text: 1 to `CHAT_TEXT_MAX` characters. Unsuitable characters are removed, not refused: see `clean_line`. */
export type ChatText = string;

/** The clock of one game: each side's time, and whose time runs since when. On the wire: `{"control": {"type": "sudden_death", "main_ms": 60000}, "first": {"left_ms": 60000}, "second": {"left_ms": 60000}, "running": {"seat": "second", "since": 1795230000000}}`. In a daily game `off` has the time off of a player, in which their time stands still: `{"first": {"from": ..., "until": ...}, "second": null}`. */
export type Clock = { control: TimeControl, running?: Running, off?: BySeat<TimeOff | null>,
    /** For the first seat. */
    first: SideTime,
    /** For the second seat. */
    second: SideTime, };

/** A colour, or a random one. */
export type Colour = "black" | "white" | "random";

/** A command's id, chosen by the client: from 1 to `COMMAND_ID_MAX` printable ASCII characters. One identity must never use it for two different commands. */
export type CommandId = string;

/** The kind of room to make. */
export type Create = {
    /** The variant and the board. */
    rules: Rules,
    /** Whether the room is listed. */
    visibility?: Visibility,
    /** Whether players may get help from a bot against people. */
    assistance?: boolean,
    /** The requests for the first seat and the second. */
    seats?: [SeatRequest, SeatRequest],
    /** The colour with which the first seat starts. */
    colour?: Colour,
    /** How much time the players have in each game. */
    time?: TimeControl,
    /** How each game opens. */
    opening?: OpeningKind,
    /** Whether people may chat in it. */
    chat?: boolean, };

/** Something that happened in a room. */
export type Event = { "type": "created",
    /** The variant and the board of all its games. */
    rules: Rules,
    /** Whether it is listed. */
    visibility: Visibility,
    /** Whether players may get help from a bot against people. */
    assistance: boolean,
    /** The creator. */
    host: MemberId,
    /** How much time the players have in each game. */
    time?: TimeControl,
    /** How each game opens. */
    opening?: OpeningKind,
    /** Whether people may chat in it. */
    chat?: boolean,
    /** Whether the server has paired the players: they did not know each other before. */
    paired?: boolean,
    /** The seat that begins with Black in the first game. Later games alternate. */
    black: Seat, }
  | { "type": "sat",
    /** The seat. */
    seat: Seat,
    /** The player who sits there now. */
    player: Player, }
  | { "type": "stood",
    /** The seat. */
    seat: Seat, }
  | { "type": "renamed",
    /** Their seat. */
    seat: Seat,
    /** The new name. */
    name: Name, }
  | { "type": "started",
    /** 1 for the first game in this room, and one more for each that follows. */
    game: number,
    /** The seat that begins, and plays Black unless the opening swaps the colours. */
    black: Seat,
    /** The id under which the ended game is found. */
    id: GameId,
    /** Whether it counts for the players' ratings, unless it ends too early. */
    rated?: boolean,
    /** Why it is not, though both players may play rated games. */
    casual?: WhyCasual,
    /** A rated game that is not the first of these two on this day counts a half, a third and so on. This is the divisor; absent if it counts whole. */
    part?: number, }
  | { "type": "asked",
    /** The seat, and what it may do. */
    ask: Ask, }
  | { "type": "played",
    /** The number of moves before this one. */
    ply: number,
    /** The point. */
    point: Point,
    /** Whether a bot chose it on behalf of a person. */
    assisted?: boolean,
    /** The mover's remaining time, if their clock ran. The opponent's time runs from here. In an act of an opening that consists of several events, the last of them has it. */
    time?: SideTime, }
  | { "type": "stayed",
    /** The seat. */
    by: Seat,
    /** As in `played`. */
    time?: SideTime, }
  | { "type": "swapped",
    /** The seat that decided it. */
    by: Seat,
    /** As in `played`. */
    time?: SideTime, }
  | { "type": "declared",
    /** The seat. */
    by: Seat,
    /** The number. */
    count: number,
    /** As in `played`. */
    time?: SideTime, }
  | { "type": "offered",
    /** The seat. */
    by: Seat,
    /** The points. */
    points: Array<Point>,
    /** As in `played`. */
    time?: SideTime, }
  | { "type": "opening_over", }
  | { "type": "draw_offered",
    /** Their seat. */
    by: Seat, }
  | { "type": "draw_declined",
    /** Their seat. */
    by: Seat, }
  | { "type": "takeback_asked",
    /** Their seat. */
    by: Seat, }
  | { "type": "takeback_refused",
    /** Their seat. */
    by: Seat, }
  | { "type": "taken_back",
    /** How many moves are left on the board. */
    ply: number, }
  | { "type": "resumed",
    /** When their time starts to run, in milliseconds since the Unix epoch: a little later than this event, so that they can come back. */
    from: number, }
  | { "type": "first_act_due",
    /** Their seat. */
    seat: Seat,
    /** When the game is aborted, in milliseconds since the Unix epoch. */
    until: number, }
  | { "type": "time_off",
    /** Their seat. */
    seat: Seat,
    /** When it begins. */
    from: number,
    /** When it ends. */
    until: number, }
  | { "type": "nudged",
    /** The seat of the player who asked. */
    by: Seat,
    /** In milliseconds since the Unix epoch. */
    until: number, }
  | { "type": "ended",
    /** How it ended, and for which seat. */
    outcome: Outcome<Seat>,
    /** Whether it counts for the players' ratings. */
    rated?: boolean, }
  | { "type": "rematch_asked",
    /** Their seat. */
    by: Seat, }
  | { "type": "rematch_declined",
    /** Their seat. */
    by: Seat, }
  | { "type": "chat_set",
    /** Whether people may chat. */
    on: boolean, };

/** A finished game with its id, as the server sends it. */
export type FinishedGame = {
    /** The id. Anyone who knows it may see the game, listed or not. */
    id: GameId,
    /** The moves that were on the board at the end, in order; those taken back are left out. */
    moves: Array<RecordedMove>,
    /** The variant and the board. */
    rules: Rules,
    /** Whether the game is listed, as its room was. */
    visibility: Visibility,
    /** The seat that had Black at the end. */
    black: Seat,
    /** When it began, in milliseconds since the Unix epoch. */
    started_at: number,
    /** When it ended, in milliseconds since the Unix epoch. */
    ended_at: number,
    /** How much time the players had; none also in records of servers that did not keep it. */
    time?: TimeControl,
    /** The choices of the opening, unless it was free. */
    opening?: RecordedOpening,
    /** Whether it counts for the players' ratings. */
    rated?: boolean,
    /** The divisor of a rated game that does not count whole, as in `started`. */
    part?: number,
    /** The number of moves. */
    plies: number,
    /** How it ended. */
    outcome: Outcome<Seat>,
    /** For the first seat. */
    first: Player,
    /** For the second seat. */
    second: Player, };

/** A player of a daily game or a paired room must act for the first time. Until both have acted, either of them may abort the game. */
export type FirstAct = {
    /** Their seat. */
    seat: Seat,
    /** When the game is aborted, in milliseconds since the Unix epoch. */
    until: number, };

/** The kinds of moves that renju forbids to Black. */
export type Forbidden = "double_three" | "double_four" | "overline";

/** A finished game's id: `GAME_ID_LENGTH` characters of `ROOM_CODE_ALPHABET`. Anyone who knows it may see the game. */
export type GameId = string;

/** Part of the list of finished games, newest first. */
export type GameList = {
    /** The games. */
    games: Array<ListedGame>,
    /** The value of `before` for the next page; absent at the end of the list. */
    next?: number, };

/** How strong the players of a rated game are in its pool. */
export type GameRatings = {
    /** The number of the game in its room. */
    game: number,
    /** For the first seat. */
    first: PlayerRating,
    /** For the second seat. */
    second: PlayerRating, };

/** A review as the server sends it. */
export type GameReview = {
    /** The game. */
    id: GameId,
    /** The moves in order. */
    moves: Array<ReviewedMove>,
    /** The ply of the first move after which the winner's chance never fell below `DECIDED_CHANCE` again; absent where nobody has won, or not from the board. */
    decided?: number, };

/** How a game between people who find each other is played. */
export type GameSettings = {
    /** The variant and the board. */
    rules: Rules,
    /** How much time the players have. */
    time?: TimeControl,
    /** How the game opens. */
    opening?: OpeningKind,
    /** Whether the game counts for ratings if both players have accounts. It needs a clock, a board of 15x15, 19x19, 20x20 or without borders, and an opening that is not free. */
    rated?: boolean, };

/** A game in a snapshot. */
export type GameSnapshot = {
    /** 1 for the first game in this room. */
    number: number,
    /** The id under which the ended game is found. */
    id: GameId,
    /** Its players: those in the seats while it runs. After its end, others may take the seats. */
    players: BySeat<Player>,
    /** The seat that plays Black at this moment. */
    black: Seat,
    /** Whether it is rated, as in `started`. */
    rated?: boolean,
    /** Why it is not, as in `started`. */
    casual?: WhyCasual,
    /** What a rated game counts, as in `started`. */
    part?: number,
    /** The game's opening, unless it is free. */
    opening?: OpeningSnapshot,
    /** The moves, Black's first. */
    moves: Array<Point>,
    /** The seat that offers a draw, if any. */
    draw_offer?: Seat,
    /** The seat that asks for a takeback, if any. */
    takeback_ask?: Seat,
    /** The seat that wants another game, if any. */
    rematch_ask?: Seat,
    /** The game's clock, if there is a time control. */
    clock?: Clock,
    /** The first act for which the game waits; only in daily games and the first game of a paired room. */
    first_act?: FirstAct,
    /** The nudge that the seat to act has not answered. */
    nudge?: Nudge,
    /** How the game ended; absent while it runs. */
    outcome?: Outcome<Seat>, };

/** A finished game without its moves, for lists. */
export type GameSummary = {
    /** The variant and the board. */
    rules: Rules,
    /** Whether the game is listed, as its room was. */
    visibility: Visibility,
    /** The seat that had Black at the end. */
    black: Seat,
    /** When it began, in milliseconds since the Unix epoch. */
    started_at: number,
    /** When it ended, in milliseconds since the Unix epoch. */
    ended_at: number,
    /** How much time the players had; none also in records of servers that did not keep it. */
    time?: TimeControl,
    /** The choices of the opening, unless it was free. */
    opening?: RecordedOpening,
    /** Whether it counts for the players' ratings. */
    rated?: boolean,
    /** The divisor of a rated game that does not count whole, as in `started`. */
    part?: number,
    /** The number of moves. */
    plies: number,
    /** How it ended. */
    outcome: Outcome<Seat>,
    /** For the first seat. */
    first: Player,
    /** For the second seat. */
    second: Player, };

/** The secret that identifies a person to the server: 32 random bytes, in hexadecimal. It is the key to their seats: keep it private and never put it into an address. */
export type Identity = string;

/** A position judged by the rules. On the wire: `{"rules": {...}, "moves": [[7, 7]]}`, with `openings`, `forbidden`, `outcome` and `unplayed` where they apply. */
export type Judged = {
    /** The variant and the board. */
    rules: Rules,
    /** The moves that can be played, Black's first. */
    moves: Array<Point>,
    /** The openings that these rules offer; only before the first move. */
    openings?: Array<OpeningKind>,
    /** The points that renju forbids to the side to move, sorted. */
    forbidden?: Array<Point>,
    /** How the game has ended, if it has. */
    outcome?: Outcome<Stone>,
    /** Why the move after `moves` cannot be played, where there are more. */
    unplayed?: Refusal, };

/** The best players of a pool. */
export type Leaders = {
    /** The pool. */
    pool: string,
    /** The first places, the best first. */
    places: Array<Place>,
    /** The caller's place, if they are signed in and have one, in the list or below. */
    own?: Place, };

/** A move with its continuation. On the wire: `{"value": {"chance": 0.61}, "moves": [[7, 7], [8, 8]]}`. */
export type Line = {
    /** The value of the first move. */
    value: Value,
    /** The best moves of both sides, as far as they are known; at least one. */
    moves: Array<Point>, };

/** How many moves an analysis reports: from 1 to `ANALYSIS_LINES_MAX`, 3 by default. */
export type LineCount = number;

/** A finished game in a list. */
export type ListedGame = {
    /** The id under which the moves are found. */
    id: GameId,
    /** The variant and the board. */
    rules: Rules,
    /** Whether the game is listed, as its room was. */
    visibility: Visibility,
    /** The seat that had Black at the end. */
    black: Seat,
    /** When it began, in milliseconds since the Unix epoch. */
    started_at: number,
    /** When it ended, in milliseconds since the Unix epoch. */
    ended_at: number,
    /** How much time the players had; none also in records of servers that did not keep it. */
    time?: TimeControl,
    /** The choices of the opening, unless it was free. */
    opening?: RecordedOpening,
    /** Whether it counts for the players' ratings. */
    rated?: boolean,
    /** The divisor of a rated game that does not count whole, as in `started`. */
    part?: number,
    /** The number of moves. */
    plies: number,
    /** How it ended. */
    outcome: Outcome<Seat>,
    /** For the first seat. */
    first: Player,
    /** For the second seat. */
    second: Player, };

/** Requests that the lobby or the session answers. */
export type LobbyRequest = { "type": "hello",
    /** The protocol version that the client speaks. */
    protocol: number,
    /** The client's identity; without it the server makes a new one. */
    identity?: Identity,
    /** The member's name; without it they are a guest. */
    name?: Name,
    /** A token of an account, which speaks instead of an identity. */
    token?: ApiToken, }
  | { "type": "set_name",
    /** The new name. */
    name: Name, }
  | { "type": "replace_identity",
    /** The new secret, which the client makes: 32 random bytes. */
    identity: Identity, }
  | { "type": "create" } & Create | { "type": "rooms" }
  | { "type": "own_rooms" }
  | { "type": "join",
    /** The room. */
    room: RoomCode,
    /** The last event that the client has; without it the reply is a snapshot. */
    after?: number, }
  | { "type": "leave",
    /** The room. */
    room: RoomCode, }
  | { "type": "close",
    /** The room. */
    room: RoomCode, }
  | { "type": "seek",
    /** Whether a program plays. */
    engine?: boolean, } &
  ({ "pool": PoolName }
  | { "settings": GameSettings }) | { "type": "challenge",
    /** The game. */
    settings: GameSettings,
    /** Whether a program plays. */
    engine?: boolean, } &
  ({ "member": MemberId }
  | { "name": Name }) | { "type": "accept_seek",
    /** The seek or the challenge. */
    seek: SeekId,
    /** Whether a program plays. */
    engine?: boolean, }
  | { "type": "decline_challenge",
    /** The challenge. */
    seek: SeekId, }
  | { "type": "cancel_seek",
    /** The seek or the challenge. */
    seek: SeekId, }
  | { "type": "watch_lobby" }
  | { "type": "unwatch_lobby" }
  | { "type": "ping" };

/** An act and the seat that made it. On the wire: `{"by": "second", "act": {"take": "black"}}`. */
export type MadeAct = {
    /** The seat. */
    by: Seat,
    /** The act. */
    act: Act, };

/** A person's public id: derived from the `Identity`, which cannot be computed from it. */
export type MemberId = string;

/** One message from the server. */
export type Message = { "type": "welcome",
    /** The command's id. */
    id: CommandId,
    /** The protocol version of this session. */
    protocol: number,
    /** The server's name and version. */
    server: string,
    /** The client's public id. */
    you: MemberId,
    /** The client's name: as requested, or a guest's name. */
    name: Name,
    /** The new identity, if `hello` sent none. Keep it, and keep it secret. */
    identity?: Identity,
    /** Whether the client is signed in to an account, by the cookie of the handshake. */
    account?: boolean,
    /** Whether that is the account of a bot. */
    bot?: boolean,
    /** Whether people may chat on this server. */
    chat?: boolean, }
  | { "type": "done",
    /** The command's id. */
    id: CommandId,
    /** The number of the last event that it caused in its room, if it caused one. */
    seq?: number, }
  | { "type": "refused",
    /** The command's id, if one could be read. */
    id?: CommandId,
    /** The code. */
    reason: Reason,
    /** The sentence in English. */
    text: string,
    /** `Reason::StalePly`, `Reason::NoSuchPly`: the command's ply. In a reply over HTTP: the ply of the move that cannot be played. */
    ply?: number,
    /** `Reason::StalePly`: the ply to play. */
    due?: number,
    /** `Reason::Version`: the server's protocol version. */
    version?: number,
    /** `Reason::TooManyRooms`: some of the member's rooms. */
    rooms?: Array<RoomCode>,
    /** `Reason::UnreadableGame`: the line of the text, counted from 1. */
    line?: number,
    /** `Reason::NotInZone`, `Reason::SameAsOffered`: the refused point. */
    point?: Point,
    /** `Reason::SameAsOffered`: the earlier offer, counted from 1. */
    number?: number,
    /** `Reason::WrongCount`: the least number that the opening asks for. `Reason::PasswordLength`: the least number of characters. */
    least?: number,
    /** `Reason::WrongCount`, `Reason::PasswordLength`: the largest one. `Reason::TooManyBots`, `Reason::TooManyFriends`, `Reason::TooManyFriendRequests`, `Reason::TooManyDailyGames`, `Reason::TooManyCollections`, `Reason::CollectionFull`: how many. */
    most?: number,
    /** `Reason::TooManyAborts`, `Reason::TooManyTries`, `Reason::NameChangedLately`, `Reason::DeclinedLately`, `Reason::FriendDeclined`: how long to wait, in milliseconds. Over HTTP also `Reason::Busy`. */
    wait_ms?: number,
    /** `Reason::Muted`, `Reason::NoRatedGames`, `Reason::AccountClosed`: until when, in milliseconds since the Unix epoch; absent if there is no end. */
    until?: number,
    /** `Reason::Muted`, `Reason::NoRatedGames`, `Reason::AccountClosed`: what the operator says about it. */
    why?: string,
    /** `Reason::TokenScope`: the scope that the token lacks. */
    scope?: Scope,
    /** `Reason::Malformed`, `Reason::BotNotOffered`, `Reason::OpeningNotOffered`, `Reason::NotRateable`, `Reason::UnreadableGame`, `Reason::NotInFormat`: what is wrong, in English, for the client's author. */
    detail?: string, }
  | { "type": "rooms",
    /** The command's id. */
    id: CommandId,
    /** The public rooms, those with an open seat first; at most 100. */
    rooms: Array<RoomSummary>,
    /** How many public rooms there are. */
    total: number, }
  | { "type": "own_rooms",
    /** The command's id. */
    id: CommandId,
    /** The rooms: first those where it is the member's turn, then those with another running game, then those that wait for a player, then the rest; the newest first among equals. At most 100. */
    rooms: Array<OwnRoom>, }
  | { "type": "joined",
    /** The command's id. */
    id: CommandId,
    /** The room. */
    room: RoomCode,
    /** The server's time, in milliseconds since the Unix epoch. */
    now: number,
    /** The spectators. */
    spectators: Spectators,
    /** The players who are away. */
    away?: Absent,
    /** How long a player may be away on their turn before the opponent may claim the win, in milliseconds; absent for a minute. */
    claim_after_ms?: number,
    /** The ratings of the players, if the game is rated and they are known; `ratings` follows if they are not yet. */
    ratings?: GameRatings, } &
  ({ "snapshot": Snapshot }
  | { "events": Array<NumberedEvent> }) | { "type": "weights",
    /** The command's id. */
    id: CommandId,
    /** The room. */
    room: RoomCode,
    /** The number of moves on the board that was weighed. */
    ply: number,
    /** The bot that weighed. */
    bot: BotSpec,
    /** The candidates, the best first; at most 400. */
    weights: Array<Weight>, }
  | { "type": "chat",
    /** The command's id. */
    id: CommandId,
    /** The room. */
    room: RoomCode,
    /** The players' lines. */
    players: Array<ChatLine>,
    /** The spectators' lines; absent for players during a game. */
    spectators?: Array<ChatLine>, }
  | { "type": "pong",
    /** The command's id. */
    id: CommandId,
    /** The server's time, in milliseconds since the Unix epoch. */
    now: number, }
  | { "type": "event",
    /** The room. */
    room: RoomCode,
    /** Its number: 1 for the first event of a room, and one more for each that follows. */
    seq: number,
    /** When it happened, in milliseconds since the Unix epoch, by the server's clock. */
    at: number,
    /** The event itself. */
    event: Event, }
  | { "type": "snapshot",
    /** The room. */
    room: RoomCode,
    /** The room's state. */
    snapshot: Snapshot, }
  | { "type": "spectators",
    /** The room. */
    room: RoomCode,
    /** The spectators now. */
    spectators: Spectators, }
  | { "type": "presence",
    /** The room. */
    room: RoomCode,
    /** The players who are away now. */
    away: Absent, }
  | { "type": "ratings",
    /** The room. */
    room: RoomCode,
    /** The number of the game in its room. */
    game: number,
    /** For the first seat. */
    first: PlayerRating,
    /** For the second seat. */
    second: PlayerRating, }
  | { "type": "player_said",
    /** The room. */
    room: RoomCode,
    /** The line, with its speaker. */
    line: ChatLine, }
  | { "type": "spectator_said",
    /** The room. */
    room: RoomCode,
    /** The line, with its speaker. */
    line: ChatLine, }
  | { "type": "analysis",
    /** The room. */
    room: RoomCode,
    /** The id of the command that asked. */
    of: CommandId,
    /** The number of moves on the analysed board. */
    ply: number,
    /** How many plies deep the search was. */
    depth: number,
    /** How many positions were searched. */
    nodes: number,
    /** How many positions were searched per second. */
    nodes_per_second: number,
    /** The best moves with their continuations, the best first. */
    lines: Array<Line>, }
  | { "type": "analysis_over",
    /** The room. */
    room: RoomCode,
    /** The id of the command that asked. */
    of: CommandId,
    /** The reason. */
    why: AnalysisEnd, }
  | { "type": "closed",
    /** The room. */
    room: RoomCode,
    /** The reason. */
    text: string,
    /** What an operator says, if an operator has closed it. */
    why?: ChatText, }
  | { "type": "seeking",
    /** The command's id. */
    id: CommandId,
    /** Names it in commands. */
    seek: SeekId,
    /** How long it has waited, in milliseconds. */
    waited_ms: number, }
  | { "type": "paired",
    /** The seek or the challenge. Absent if the game was found by another session, or before a restart of the server. */
    seek?: SeekId,
    /** The room to join. */
    room: RoomCode,
    /** The member's seat there. */
    seat: Seat,
    /** Whether the game is rated. Absent if it was found before: the room says it then. */
    rated?: boolean, }
  | { "type": "seek_over",
    /** The seek or the challenge. */
    seek: SeekId,
    /** The reason. */
    why: SeekEnd, }
  | { "type": "challenged",
    /** How long it stands from now, in milliseconds. */
    for_ms: number,
    /** Names it in commands. */
    seek: SeekId,
    /** Who seeks. */
    member: MemberId,
    /** Their name. */
    name: Name,
    /** Whether a program plays, by its own declaration. */
    engine?: boolean,
    /** The variant and the board. */
    rules: Rules,
    /** How much time the players have. */
    time?: TimeControl,
    /** How the game opens. */
    opening?: OpeningKind,
    /** Whether the game counts for ratings if both players have accounts. It needs a clock, a board of 15x15, 19x19, 20x20 or without borders, and an opening that is not free. */
    rated?: boolean, }
  | { "type": "account_changed",
    /** What has changed. */
    change: AccountNews,
    /** The name of the key, the device or the other person. */
    label: string,
    /** With `friend_challenges`: when the friend made the challenge, in milliseconds since the Unix epoch. The same name and time is the same challenge. */
    at?: number, }
  | { "type": "lobby",
    /** The command's id. */
    id: CommandId,
    /** All pools. */
    pools: Array<Pool>,
    /** The open seeks outside of pools, the oldest first; at most 100. */
    seeks: Array<OpenSeek>, }
  | { "type": "lobby_changed",
    /** The pools that have changed. */
    pools?: Array<Pool>,
    /** The new open seeks. */
    added?: Array<OpenSeek>,
    /** The seeks that are no longer open. */
    removed?: Array<SeekId>, }
  | { "type": "sanction",
    /** Names it in an appeal, `POST /api/appeals`. */
    sanction: string,
    /** What. */
    kind: SanctionKind,
    /** Until when, in milliseconds since the Unix epoch; absent if there is no end. */
    until?: number,
    /** Why, as the operator says. */
    reason: string,
    /** Whether the member has appealed. */
    appealed?: boolean, }
  | { "type": "announcement",
    /** One line; absent when the operator has taken it back. */
    text?: ChatText,
    /** When it ends, in milliseconds since the Unix epoch; absent without a text. */
    until?: number, };

/** A person's name: 1 to `NAME_MAX` characters in Unicode's form NFKC, without control characters and without the invisible ones that reorder or join text. Spaces are trimmed at both ends and single in between; combining marks belong to a letter, at most `NAME_MARKS_MAX` of them. */
export type Name = string;

/** A player asks whether their opponent is still there. */
export type Nudge = {
    /** The seat of the player who asks. */
    by: Seat,
    /** When they may claim the game, in milliseconds since the Unix epoch. */
    until: number, };

/** An event with its place in the room's log. */
export type NumberedEvent = {
    /** Its number: 1 for the first event of a room, and one more for each that follows. */
    seq: number,
    /** When it happened, in milliseconds since the Unix epoch, by the server's clock. */
    at: number,
    /** The event itself. */
    event: Event, };

/** A seek that others may accept, or a challenge. */
export type OpenSeek = {
    /** Names it in commands. */
    seek: SeekId,
    /** Who seeks. */
    member: MemberId,
    /** Their name. */
    name: Name,
    /** Whether a program plays, by its own declaration. */
    engine?: boolean,
    /** The variant and the board. */
    rules: Rules,
    /** How much time the players have. */
    time?: TimeControl,
    /** How the game opens. */
    opening?: OpeningKind,
    /** Whether the game counts for ratings if both players have accounts. It needs a clock, a board of 15x15, 19x19, 20x20 or without borders, and an opening that is not free. */
    rated?: boolean, };

/** An opening protocol. On the wire: `swap2`, `long_pro`, `taraguchi10`. */
export type OpeningKind = "free" | "swap1" | "swap" | "swap2" | "pro" | "long_pro" | "rif" | "yamaguchi" | "soosyrv8" | "taraguchi10";

/** An opening in a snapshot. */
export type OpeningSnapshot = {
    /** The protocol. */
    kind: OpeningKind,
    /** The seat that began to put stones. */
    first: Seat,
    /** What the seat to act may do; absent once the opening or the game is over. */
    ask?: Ask,
    /** How many fifth stones are to be offered, once that is declared. */
    declared?: number,
    /** The offered fifth stones, until one is selected. */
    offered?: Array<Point>,
    /** All acts so far. Their stones are among the moves, too. */
    acts: Array<MadeAct>, };

/** Somebody whom a player has met. */
export type Opponent = {
    /** The member. */
    member: MemberId,
    /** Their name in the last game. */
    name: Name,
    /** Whether one of the games was rated. Then they have a profile, too. */
    rated?: boolean,
    /** All games. */
    games: number,
    /** How many of them they won. */
    won: number,
    /** How many of them were drawn. */
    drawn: number,
    /** How many of them they lost. */
    lost: number, };

/** How a game ended, and which side won: a stone on the board, a seat in rooms and records. On the wire: `{"reason": "five", "winner": "first", ...}`. */
export type Outcome<Side = Stone> = AnyField<{ "reason": "five",
    /** The winner. */
    winner: Side,
    /** Every point of the winning runs, sorted, each once. */
    points: Array<Point>, }
  | { "reason": "forbidden",
    /** The winner: White. */
    winner: Side,
    /** The first of the forbidden points, by `Point`'s order. */
    point: Point,
    /** Why that point is forbidden. */
    kind: Forbidden, }
  | { "reason": "resignation",
    /** The winner. */
    winner: Side, }
  | { "reason": "agreement" }
  | { "reason": "time",
    /** The winner. */
    winner: Side, }
  | { "reason": "abandonment",
    /** The winner; nobody in a draw, and where both players were gone. */
    winner: Side | null, }
  | { "reason": "aborted",
    /** The player who aborted it, or did not begin in time; nobody if an operator closed the room. */
    by: Side | null, }
  | { "reason": "full_board" }
  | { "reason": "length_limit" }>;

/** A room that the receiver has made or has a seat in. */
export type OwnRoom = {
    /** Whether the room is listed. */
    visibility: Visibility,
    /** The receiver's seat, if they have one. */
    seat: Seat | null,
    /** Whether it is the receiver's turn in a running game. */
    your_turn: boolean,
    /** Whether the receiver has made the room, and so may close it. */
    host: boolean,
    /** Its code. */
    room: RoomCode,
    /** The variant and the board. */
    rules: Rules,
    /** Whether players may get help from a bot against people. */
    assistance: boolean,
    /** How much time the players have in each game. */
    time?: TimeControl,
    /** How each game opens. */
    opening?: OpeningKind,
    /** The players by seat. */
    seats: BySeat<Player | null>,
    /** Who played the last game, if it has ended and they are not those in the seats. */
    players?: BySeat<Player>,
    /** The seat that plays Black: in the game, or in the first one before it begins. */
    black: Seat,
    /** The seat that must act, while a game is running. */
    to_act?: Seat,
    /** In a running daily game: when the time of that seat is over if it does not act, in milliseconds since the Unix epoch. */
    due?: number,
    /** In a running daily game: a number that no other turn in the room has. Absent for a room that has slept since an earlier version of the server. */
    turn?: number,
    /** How far it has come. */
    phase: Phase,
    /** Moves made in the game. */
    ply: number,
    /** How many spectators there are. */
    spectators: number, };

/** How far a room has come. */
export type Phase = "waiting" | "running" | "finished";

/** A place in a leaderboard. */
export type Place = {
    /** The place, from 1. Equal points have the same place. */
    place: number,
    /** The player. */
    member: MemberId,
    /** Their name. */
    name: Name,
    /** The points. */
    rating: number,
    /** Their standard deviation. */
    deviation: number,
    /** The games that count. */
    games: number, };

/** Games against the server's bots that give a first rating in a pool. */
export type Placement = {
    /** The pool of the first rating. */
    pool: string,
    /** How many of them were played. */
    games: number,
    /** How many there are. */
    of: number,
    /** The points so far. */
    rating: number, };

/** The occupant of a seat. */
export type Player = {
    /** The member's id. */
    member: MemberId,
    /** Their name. */
    name: Name,
    /** Whether it is a program that plays, by its own declaration. */
    engine?: boolean, }
  | {
    /** The bot. */
    bot: BotSpec, };

/** A player's rating in a game. */
export type PlayerRating = {
    /** In points, from 400; 1500 for a newcomer. After a game that counts it includes the change. */
    rating: number,
    /** Whether too little is known about the player. */
    provisional?: boolean,
    /** The points that the game has changed; absent while it runs, and if it does not count. */
    change?: number, };

/** An intersection of the board. On the wire: `[x, y]`. */
export type Point = [number, number];

/** A pool: people who seek in it play each other. */
export type Pool = {
    /** Its name in commands. */
    name: PoolName,
    /** How many people seek in it now. */
    waiting: number,
    /** How many games of paired players are running that are played in this way. */
    games: number,
    /** How long its players of the last hour waited: the median, in milliseconds. Absent if there were none. */
    wait_ms?: number,
    /** The variant and the board. */
    rules: Rules,
    /** How much time the players have. */
    time?: TimeControl,
    /** How the game opens. */
    opening?: OpeningKind,
    /** Whether the game counts for ratings if both players have accounts. It needs a clock, a board of 15x15, 19x19, 20x20 or without borders, and an opening that is not free. */
    rated?: boolean, };

/** The name of a pool in commands: 1 to `POOL_NAME_MAX` letters in lower case, digits and hyphens. */
export type PoolName = string;

/** The profile of an account. */
export type Profile = {
    /** The member. */
    member: MemberId,
    /** Their name. */
    name: Name,
    /** When they signed up, in milliseconds since the Unix epoch. */
    made_at: number,
    /** The name of its owner, if it is a bot. */
    bot_of?: Name,
    /** Their ratings, the pool with the most games first. */
    ratings: Array<ProfileRating>,
    /** How far they have come in placements, for themselves alone. */
    placements?: Array<Placement>,
    /** Their rating in puzzles; absent before the first try that counts. */
    puzzles?: PuzzleScore,
    /** Their last public games, the newest first. */
    games: Array<ProfileGame>,
    /** How their last public games ended, at most 500, by the stone that they had at the end. */
    by_stone: ResultsByStone,
    /** The people whom they met most often in these games, the most frequent first. */
    opponents: Array<Opponent>,
    /** The results against the caller who is signed in; absent for others, and for oneself. */
    against_you?: Results, };

/** A game in a profile. */
export type ProfileGame = {
    /** The player's seat. */
    seat: Seat,
    /** The points of both before it, if it is rated. */
    ratings?: BySeat<number>,
    /** The moves, if there are at most 225. */
    moves?: Array<Point>,
    /** The id under which the moves are found. */
    id: GameId,
    /** The variant and the board. */
    rules: Rules,
    /** Whether the game is listed, as its room was. */
    visibility: Visibility,
    /** The seat that had Black at the end. */
    black: Seat,
    /** When it began, in milliseconds since the Unix epoch. */
    started_at: number,
    /** When it ended, in milliseconds since the Unix epoch. */
    ended_at: number,
    /** How much time the players had; none also in records of servers that did not keep it. */
    time?: TimeControl,
    /** The choices of the opening, unless it was free. */
    opening?: RecordedOpening,
    /** Whether it counts for the players' ratings. */
    rated?: boolean,
    /** The divisor of a rated game that does not count whole, as in `started`. */
    part?: number,
    /** The number of moves. */
    plies: number,
    /** How it ended. */
    outcome: Outcome<Seat>,
    /** For the first seat. */
    first: Player,
    /** For the second seat. */
    second: Player, };

/** A rating in one pool, in whole points. */
export type ProfileRating = {
    /** The pool. */
    pool: string,
    /** The points, from 400. */
    rating: number,
    /** The standard deviation of the points now, from 45 (sure) to 350 (unknown). */
    deviation: number,
    /** Whether too little is known to rely on it. */
    provisional?: boolean,
    /** When the last of them ended, in milliseconds since the Unix epoch. */
    last_at?: number,
    /** All games. */
    games: number,
    /** How many of them they won. */
    won: number,
    /** How many of them were drawn. */
    drawn: number,
    /** How many of them they lost. */
    lost: number, };

/** How somebody's rating in puzzles has changed: at most one point for each day (UTC), the oldest first. */
export type PuzzleHistory = {
    /** The last rating of each day with a try. */
    points: Array<RatingPoint>, };

/** How somebody solves puzzles, in whole points. Each puzzle has a rating of its own, and is an opponent. */
export type PuzzleScore = {
    /** The points, from 400. */
    rating: number,
    /** The standard deviation of the points now, from 45 (sure) to 350 (unknown). */
    deviation: number,
    /** Whether too little is known to rely on it. */
    provisional?: boolean,
    /** How many puzzles they have tried: the first try counts. */
    tries: number,
    /** How many of them they solved. */
    solved: number,
    /** When they tried the last one, in milliseconds since the Unix epoch. */
    last_at?: number, };

/** How a rating has changed: at most one point for each day (UTC), the oldest first. */
export type RatingHistory = {
    /** The pool. */
    pool: string,
    /** The last rating of each day with a game. */
    points: Array<RatingPoint>, };

/** A rating at a time. */
export type RatingPoint = {
    /** The time, in milliseconds since the Unix epoch. */
    at: number,
    /** The points. */
    rating: number,
    /** Their standard deviation. */
    deviation: number, };

/** The code of a refusal. */
export type Reason = "malformed" | "unknown_command" | "hello_first" | "already_greeted" | "version" | "too_long" | "too_slow" | "too_fast" | "foreign_page" | "identity_replaced" | "nothing_to_keep" | "seat_first" | "signed_out" | "two_identities" | "account_setting" | "name_looks_like_bot" | "name_taken" | "account_name" | "name_reserved" | "name_changed_lately" | "password_length" | "common_password" | "wrong_password" | "wrong_code" | "wrong_passkey" | "no_passkeys" | "wrong_oidc" | "no_oidc" | "oidc_unavailable" | "oidc_misconfigured" | "wrong_device_code" | "device_denied" | "confirm_first" | "last_key" | "too_many_keys" | "time_off_open" | "too_few_days_off" | "too_many_bots" | "too_many_collections" | "collection_full" | "too_many_tries" | "wrong_token" | "token_scope" | "no_such_room" | "room_damaged" | "not_a_member" | "host_only" | "not_allowed" | "too_many_rooms" | "too_many_daily_games" | "opponent_too_many_games" | "too_many_rooms_from_address" | "too_many_rooms_made" | "too_many_bot_rooms" | "too_many_joined" | "too_many_sessions" | "too_many_unknown_codes" | "room_full" | "room_worn_out" | "not_seated" | "already_seated" | "seat_taken" | "no_open_seat" | "no_bot" | "bot_not_offered" | "opening_not_offered" | "not_rateable" | "account_needed" | "bot_account_needed" | "own_bot" | "game_running" | "no_game" | "not_your_turn" | "stale_ply" | "game_over" | "outside" | "too_far" | "occupied" | "double_three" | "double_four" | "overline" | "opening_running" | "not_now" | "wrong_count" | "not_in_zone" | "same_as_offered" | "no_offer" | "already_asked" | "answer_first" | "nothing_to_take_back" | "opponent_here" | "opponent_away" | "your_turn" | "too_early" | "no_claim" | "not_abortable" | "no_nudge" | "no_assistance" | "players_only" | "no_such_ply" | "no_engine" | "rated_game" | "too_many_analyses" | "no_such_pool" | "no_such_seek" | "own_seek" | "too_many_seeks" | "too_many_challenges" | "already_challenged" | "challenges_full" | "accounts_only" | "no_challenges" | "declined_lately" | "too_many_aborts" | "nobody_online" | "several_online" | "too_many_friends" | "too_many_friend_requests" | "no_friend_requests" | "friend_declined" | "chat_off" | "too_many_talking" | "too_many_blocks" | "blocked" | "too_many_reports" | "already_reported" | "reports_full" | "muted" | "no_rated_games" | "opponent_not_rated" | "account_closed" | "operators_only" | "wrong_operator_link" | "no_such_case" | "no_such_game" | "no_such_player" | "no_such_collection" | "unreadable_game" | "not_in_format" | "server_full" | "disk_full" | "busy" | "unavailable" | "stopping" | "paused" | "too_many_connections" | "too_many_new_connections" | "broken";

/** One move of a finished game. */
export type RecordedMove = {
    /** The point. */
    point: Point,
    /** The time, in milliseconds since the Unix epoch. */
    at: number,
    /** Whether a bot chose it on behalf of a person. */
    assisted?: boolean, };

/** The opening of a finished game. Its stones are among the moves, too. */
export type RecordedOpening = {
    /** The protocol. */
    kind: OpeningKind,
    /** The seat that began to put stones. */
    first: Seat,
    /** All acts in order, at most `ACTS_MAX`. */
    acts: Array<MadeAct>, };

/** The reason why a command was refused. */
export type Refusal = {
    /** The code. */
    reason: Reason,
    /** The sentence in English. */
    text: string,
    /** `Reason::StalePly`, `Reason::NoSuchPly`: the command's ply. In a reply over HTTP: the ply of the move that cannot be played. */
    ply?: number,
    /** `Reason::StalePly`: the ply to play. */
    due?: number,
    /** `Reason::Version`: the server's protocol version. */
    version?: number,
    /** `Reason::TooManyRooms`: some of the member's rooms. */
    rooms?: Array<RoomCode>,
    /** `Reason::UnreadableGame`: the line of the text, counted from 1. */
    line?: number,
    /** `Reason::NotInZone`, `Reason::SameAsOffered`: the refused point. */
    point?: Point,
    /** `Reason::SameAsOffered`: the earlier offer, counted from 1. */
    number?: number,
    /** `Reason::WrongCount`: the least number that the opening asks for. `Reason::PasswordLength`: the least number of characters. */
    least?: number,
    /** `Reason::WrongCount`, `Reason::PasswordLength`: the largest one. `Reason::TooManyBots`, `Reason::TooManyFriends`, `Reason::TooManyFriendRequests`, `Reason::TooManyDailyGames`, `Reason::TooManyCollections`, `Reason::CollectionFull`: how many. */
    most?: number,
    /** `Reason::TooManyAborts`, `Reason::TooManyTries`, `Reason::NameChangedLately`, `Reason::DeclinedLately`, `Reason::FriendDeclined`: how long to wait, in milliseconds. Over HTTP also `Reason::Busy`. */
    wait_ms?: number,
    /** `Reason::Muted`, `Reason::NoRatedGames`, `Reason::AccountClosed`: until when, in milliseconds since the Unix epoch; absent if there is no end. */
    until?: number,
    /** `Reason::Muted`, `Reason::NoRatedGames`, `Reason::AccountClosed`: what the operator says about it. */
    why?: string,
    /** `Reason::TokenScope`: the scope that the token lacks. */
    scope?: Scope,
    /** `Reason::Malformed`, `Reason::BotNotOffered`, `Reason::OpeningNotOffered`, `Reason::NotRateable`, `Reason::UnreadableGame`, `Reason::NotInFormat`: what is wrong, in English, for the client's author. */
    detail?: string, };

/** An update of a running analysis, as the protocol carries it. */
export type Report = {
    /** Search depth in plies. */
    depth: number,
    /** Positions searched. */
    nodes: number,
    /** Positions searched per second. */
    nodes_per_second: number,
    /** The best moves with their continuations, the best first. */
    lines: Array<Line>, };

/** How games ended for somebody. */
export type Results = {
    /** All games. */
    games: number,
    /** How many of them they won. */
    won: number,
    /** How many of them were drawn. */
    drawn: number,
    /** How many of them they lost. */
    lost: number, };

/** How games ended for somebody, by stone. */
export type ResultsByStone = {
    /** With Black. */
    black: Results,
    /** With White. */
    white: Results, };

/** Progress of an unfinished review. */
export type ReviewProgress = {
    /** The game. */
    id: GameId,
    /** The number of reviewed moves. */
    done: number,
    /** The number of moves. */
    plies: number, };

/** A move, and the best alternative. */
export type ReviewedMove = {
    /** The value of the position before it for the mover, with the best move. */
    value: Value,
    /** The chance of winning that it lost, from 0 to 1; 0 if it was the best. */
    loss: number,
    /** The best move with its continuation. */
    line: Array<Point>, };

/** A room's code: `ROOM_CODE_LENGTH` characters of `ROOM_CODE_ALPHABET`. Anyone who knows it may enter. */
export type RoomCode = string;

/** Requests that a room answers: by `done`, unless documented otherwise. */
export type RoomRequest = { "type": "sit",
    /** The seat; without it, any. */
    seat?: Seat, }
  | { "type": "sit_as_engine",
    /** The seat; without it, any. */
    seat?: Seat, }
  | { "type": "stand" }
  | { "type": "seat_bot",
    /** The seat. */
    seat: Seat,
    /** The bot. */
    bot: BotSpec, }
  | { "type": "remove_bot",
    /** The bot's seat. */
    seat: Seat, }
  | { "type": "play",
    /** The number of moves made before this one, so that a late command cannot count as another move. */
    ply: number,
    /** The point. */
    point: Point, }
  | { "type": "choose",
    /** As in `play`. */
    ply: number,
    /** The act. */
    act: Act, }
  | { "type": "resign" }
  | { "type": "abort" }
  | { "type": "nudge" }
  | { "type": "offer_draw" }
  | { "type": "accept_draw" }
  | { "type": "decline_draw" }
  | { "type": "ask_takeback" }
  | { "type": "grant_takeback" }
  | { "type": "refuse_takeback" }
  | { "type": "claim_win" }
  | { "type": "claim_draw" }
  | { "type": "rematch" }
  | { "type": "decline_rematch" }
  | { "type": "weights",
    /** The bot; without it, the opponent if that is a bot, else `attack`. */
    bot?: BotKind,
    /** The number of moves on the board to weigh; without it, all of them. */
    ply?: number, }
  | { "type": "bot_move",
    /** As in `play`. */
    ply: number,
    /** The bot; as in `weights`. */
    bot?: BotKind, }
  | { "type": "analyse",
    /** As in `weights`. */
    ply?: number,
    /** How many moves to report. */
    lines?: LineCount, }
  | { "type": "stop_analysis" }
  | { "type": "say",
    /** The line. */
    text: ChatText, }
  | { "type": "chat" }
  | { "type": "set_chat",
    /** Whether people may chat. */
    on: boolean, };

/** A public room in the list. */
export type RoomSummary = {
    /** Its code. */
    room: RoomCode,
    /** The variant and the board. */
    rules: Rules,
    /** Whether players may get help from a bot against people. */
    assistance: boolean,
    /** How much time the players have in each game. */
    time?: TimeControl,
    /** How each game opens. */
    opening?: OpeningKind,
    /** The players by seat. */
    seats: BySeat<Player | null>,
    /** Who played the last game, if it has ended and they are not those in the seats. */
    players?: BySeat<Player>,
    /** The seat that plays Black: in the game, or in the first one before it begins. */
    black: Seat,
    /** The seat that must act, while a game is running. */
    to_act?: Seat,
    /** In a running daily game: when the time of that seat is over if it does not act, in milliseconds since the Unix epoch. */
    due?: number,
    /** In a running daily game: a number that no other turn in the room has. Absent for a room that has slept since an earlier version of the server. */
    turn?: number,
    /** How far it has come. */
    phase: Phase,
    /** Moves made in the game. */
    ply: number,
    /** How many spectators there are. */
    spectators: number, };

/** A variant on a board that it can be played on: what a game needs to know before its first move. */
export type Rules = { variant: VariantName, k?: number, size: Size, };

export type Running = { seat: Seat, since: number, };

/** What a sanction forbids. Signing in to a closed account shows why. */
export type SanctionKind = "warn" | "mute" | "unrated";

/** What a token allows. */
export type Scope = "play" | "watch" | "challenge" | "games:read" | "account:read";

/** A seat in a room. Players, clocks, offers and results belong to a seat. Its stone may change from game to game, and within one. */
export type Seat = "first" | "second";

/** A request for a seat of a new room. */
export type SeatRequest = "me" | "open" | { "bot": BotSpec };

/** Why a seek is over without a game. */
export type SeekEnd = "cancelled" | "declined" | "expired" | "gone" | "displaced" | "refused";

/** The id of a seek or a challenge: `SEEK_ID_LENGTH` characters of `ROOM_CODE_ALPHABET`. */
export type SeekId = string;

/** The time of one side. On the wire and in events: `{"left_ms": 61500, "periods": 3}`. */
export type SideTime = {
    /** Left of the main time, or for the move. */
    left_ms: number,
    /** Byo-yomi periods left. */
    periods?: number,
    /** Network lag given back so far in this game. */
    lag_used_ms?: number, };

/** How far the board reaches. On the wire: `[width, height]` or `"unbounded"`; a single number is read as a square board. */
export type Size = [number, number] | "unbounded";

/** The whole state of a room after its event number `seq`. */
export type Snapshot = {
    /** The number of the last event. */
    seq: number,
    /** The variant and the board. */
    rules: Rules,
    /** Whether the room is listed. */
    visibility: Visibility,
    /** Whether players may get help from a bot against people. */
    assistance: boolean,
    /** The creator. */
    host: MemberId,
    /** How much time the players have in each game. */
    time?: TimeControl,
    /** How each game opens. */
    opening?: OpeningKind,
    /** Whether people may chat in it. */
    chat?: boolean,
    /** Whether the server has paired the players. */
    paired?: boolean,
    /** The seat that begins with Black in the first game. */
    black: Seat,
    /** The players by seat. */
    seats: BySeat<Player | null>,
    /** The game, running or ended; absent before the first one. */
    game?: GameSnapshot, };

/** The spectators of a room. */
export type Spectators = {
    /** How many. */
    count: number,
    /** The names of some of them: at most 20. */
    names: Array<Name>,
    /** Which of these names belong to bots. */
    bots?: Array<Name>, };

/** A stone's colour, and with it a side of the game. Black moves first. */
export type Stone = "black" | "white";

/** How much time the players have. On the wire: `{"type": "fischer", "main_ms": 300000, "increment_ms": 3000}`; in text `none`, `10m`, `5+3` (minutes and seconds), `byo 10m+3x30s`, `move 30s`, `3d`, `7d+12h`. A parsed value is in range; check values built otherwise. */
export type TimeControl = { "type": "none" }
  | { "type": "sudden_death",
    /** For the whole game. */
    main_ms: number, }
  | { "type": "fischer",
    /** At the start. */
    main_ms: number,
    /** Added after each move. */
    increment_ms: number, }
  | { "type": "byo_yomi",
    /** At the start; may be 0. */
    main_ms: number,
    /** For each move after the main time. */
    period_ms: number,
    /** How many. */
    periods: number, }
  | { "type": "per_move",
    /** For each move. */
    move_ms: number, }
  | { "type": "daily",
    /** For each move: 1, 2, 3, 5, 7 or 14 days. */
    move_ms: number, };

/** A period of time off, in milliseconds since the Unix epoch. One that was taken back ends when it begins. */
export type TimeOff = {
    /** When it begins. */
    from: number,
    /** When it ends. */
    until: number, };

/** The value of a position or a move for the side to move. On the wire: `{"chance": 0.61}`, `{"win": {"plies": 7}}`, `{"win": {}}`, `{"loss": {"plies": 4}}`. */
export type Value = { "chance": number }
  | { "win": {
    /** Plies until the game is won, the next move included. */
    plies?: number, } }
  | { "loss": {
    /** Plies until the game is lost. */
    plies: number, } };

export type VariantName = "freestyle" | "standard" | "renju" | "caro" | "caro_overline" | "mnk";

/** The people who can find a room. */
export type Visibility = "public" | "private";

/** A bot's weight of a candidate, on that bot's own scale. On the wire: `{"point": [7, 7], "weight": 13.2}`, with `"plies"` where the end is proven. */
export type Weight = {
    /** The candidate. */
    point: Point,
    /** Its value on the bot's scale: more is better, for the side to move. */
    weight: number,
    /** Plies until the proven end of the game, this move included: 1 for a move that wins at once. */
    plies?: number, };

/** Why a game of two players who may play rated games is casual. */
export type WhyCasual = "one_place" | "short_game";

/** The points on which a stone of an opening may be put, by their [distance from the centre. On the wire: `"anywhere"`, `{"within": 2}` or `{"beyond": 3}`. */
export type Zone = "anywhere" | { "within": number }
  | { "beyond": number };

/** The version of the protocol. */
export declare const PROTOCOL_VERSION: number;
/** Longest id of a command, in characters. */
export declare const COMMAND_ID_MAX: number;
/** Longest name, in characters. */
export declare const NAME_MAX: number;
/** Digits of an identity. */
export declare const IDENTITY_LENGTH: number;
/** Characters of a room's code. */
export declare const ROOM_CODE_LENGTH: number;
/** Characters of a game's id. */
export declare const GAME_ID_LENGTH: number;
/** What codes and ids of games consist of. */
export declare const ROOM_CODE_ALPHABET: string;
/** Longest line of chat, in characters. */
export declare const CHAT_TEXT_MAX: number;
/** Most lines of a channel in `chat`. */
export declare const CHAT_LINES_MAX: number;
/** Most rooms in a list. */
export declare const ROOMS_MAX: number;
/** Most names of spectators. */
export declare const SPECTATOR_NAMES_MAX: number;
/** Most candidates in `weights`. */
export declare const WEIGHTS_MAX: number;
/** Most lines of an analysis. */
export declare const ANALYSIS_LINES_MAX: number;
/** How long an opponent has had their turn before `nudge` is accepted. */
export declare const NUDGE_AFTER_MS: number;
/** The engine's highest level. */
export declare const LEVEL_MAX: number;
/** The ratings of the engine's levels, the lowest first. */
export declare const LEVEL_RATINGS: readonly number[];
/** Shortest side of a board. */
export declare const SIDE_MIN: number;
/** Longest side of a board. */
export declare const SIDE_MAX: number;
/** Fewest stones in a row that win in mnk. */
export declare const K_MIN: number;
/** Most stones in a row that win in mnk. */
export declare const K_MAX: number;
/** Too many commands: reconnect, but slower. */
export declare const CLOSE_POLICY: number;
/** The session's identity was replaced. */
export declare const CLOSE_IDENTITY_REPLACED: number;
/** After these codes a client does not reconnect. */
export declare const CLOSE_FOR_GOOD: readonly number[];
