// The protocol's types and limits, as docs/protocol describes them.
// Generated from the Rust types by shared/src/typescript.rs; do not edit.

/** The version of the protocol. */
export const PROTOCOL_VERSION = 1;
/** Longest id of a command, in characters. */
export const COMMAND_ID_MAX = 40;
/** Longest name, in characters. */
export const NAME_MAX = 24;
/** Digits of an identity. */
export const IDENTITY_LENGTH = 64;
/** Characters of a room's code. */
export const ROOM_CODE_LENGTH = 12;
/** Characters of a game's id. */
export const GAME_ID_LENGTH = 16;
/** What codes and ids of games consist of. */
export const ROOM_CODE_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** Longest line of chat, in characters. */
export const CHAT_TEXT_MAX = 280;
/** Most lines of a channel in `chat`. */
export const CHAT_LINES_MAX = 50;
/** Most rooms in a list. */
export const ROOMS_MAX = 100;
/** Most names of spectators. */
export const SPECTATOR_NAMES_MAX = 20;
/** Most candidates in `weights`. */
export const WEIGHTS_MAX = 400;
/** Most lines of an analysis. */
export const ANALYSIS_LINES_MAX = 10;
/** How long an opponent has had their turn before `nudge` is accepted. */
export const NUDGE_AFTER_MS = 180000;
/** The engine's highest level. */
export const LEVEL_MAX = 10;
/** The ratings of the engine's levels, the lowest first. */
export const LEVEL_RATINGS = [784, 885, 999, 1164, 1325, 1475, 1620, 1783, 1911, 2095];
/** Shortest side of a board. */
export const SIDE_MIN = 3;
/** Longest side of a board. */
export const SIDE_MAX = 64;
/** Fewest stones in a row that win in mnk. */
export const K_MIN = 3;
/** Most stones in a row that win in mnk. */
export const K_MAX = 10;
/** Too many commands: reconnect, but slower. */
export const CLOSE_POLICY = 1008;
/** The session's identity was replaced. */
export const CLOSE_IDENTITY_REPLACED = 4004;
/** After these codes a client does not reconnect. */
export const CLOSE_FOR_GOOD = [1000, 1002, 1007, 1009, 4003, 4004];
