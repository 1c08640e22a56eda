// Tells the server that the player sees their turn in a daily game, so that they are not called, and offers pushes after
// a first move.

/** @import { Room } from '../client/room-state.js' */
/** @import { App } from '../ui/view-types' */

import { request } from '../ui/http-request.js';
import { offer } from './push-card.js';
import { fetchPushes, ownSubscription, renew } from './pushes.js';

/** A turn is seen when it was shown from one look to the next. The server waits for longer. */
const LOOK_MS = 2_000;

/** For as long as the side is on the page. @param {App} app @param {Room} room @param {HTMLElement} side */
export async function watchTurns(app, room, side) {
  let before = turn(app, room);
  let isSaid = false;
  const { key, subscriptions } = await fetchPushes();
  if (!key) return;
  const timer = setInterval(look, LOOK_MS);
  const { you = '' } = app.connection;
  const own = await ownSubscription(you);
  // It ended with the player's session before this one.
  if (own && !subscriptions.some(({ endpoint }) => endpoint === own.endpoint)) await renew(own);

  function look() {
    if (!side.isConnected) return clearInterval(timer);
    const now = turn(app, room);
    const stays = now.isOwn && before.isOwn && now.ply === before.ply;
    if (!stays) isSaid = false;
    else if (!isSaid && document.visibilityState === 'visible') {
      isSaid = true;
      request('POST', 'pushes/seen', { room: room.code }).catch(() => {
        isSaid = false;
      });
    }
    // The last move was the player's, or the one before it.
    const isMoved = now.ply - before.ply > (now.isOwn ? 1 : 0);
    if (isMoved && room.phase === 'running' && key) void offer(app, key);
    before = now;
  }
}

/** Whether it is the player's turn, and how far the game has come. @param {App} app @param {Room} room */
function turn(app, room) {
  const seat = room.seatOf(app.connection.you);
  const isOwn = room.phase === 'running' && !!seat && room.toAct === seat;
  return { isOwn, ply: room.game?.moves.length ?? 0 };
}
