// What the player of a daily game has more if they have an account: a note, and pushes. Loaded with the first such game.

/** @import { Room } from '../client/room-state.js' */
/** @import { App } from '../ui/view-types' */

import { addNote } from './notes-fold.js';
import { watchTurns } from './push-watch.js';

/** @param {App} app @param {Room} room @param {HTMLElement} side */
export async function addDaily(app, room, side) {
  // Without it the player is called more often.
  watchTurns(app, room, side).catch(() => {});
  await addNote(room, side);
}
