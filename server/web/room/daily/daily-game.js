// What only the room of a daily game has, for its players: who has time off, the way to the next game that waits for
// them, by a button after a move or by the key `X`, planned replies, a note, and pushes.

/** @import { Room } from '../../client/room-state.js' */
/** @import { OwnRoom } from '../../ui/protocol-types' */
/** @import { App } from '../../ui/view-types' */

import { isMember, SEATS } from '../../client/room-state.js';
import { nameOrYou } from '../../game/display-names.js';
import { formatMoment } from '../../language/texts.js';
import { button, el, loadStyle, write } from '../../ui/dom.js';
import { followers, updateOwnRooms } from '../own-rooms.js';
import { td } from './texts.js';

await loadStyle('room/daily/daily.css').catch(() => {});

/** How often the page looks whether time off has begun or is over. */
const OFF_SHOWN_EVERY_MS = 60_000;

/** What shows the state of each room. @type {WeakMap<Room, () => void>} */
const shown = new WeakMap();

/**
 * Shows it, at first and after each event.
 * @param {App} app @param {Room} room
 * @param {HTMLElement} again what the button stands behind @param {HTMLElement} side where the note stands
 */
export function showDaily(app, room, again, side) {
  const show = shown.get(room) ?? createDaily(app, room, again, side);
  shown.set(room, show);
  show();
}

/** @param {App} app @param {Room} room @param {HTMLElement} again @param {HTMLElement} side */
function createDaily(app, room, again, side) {
  const next = button(td('next_game'), () => void go(), {
    class: 'next-game',
    hidden: true,
    title: td('next_game_how'),
    'aria-keyshortcuts': 'Shift+X',
  });
  /** The next game that waits. @type {string | undefined} */
  let waiting;
  /** The last event after which the page asked for the player's games. */
  let asked = -1;

  /** @param {OwnRoom[]} rooms the most urgent ones first; only daily games have `due` */
  function receive(rooms) {
    if (isGone()) return;
    const here = rooms.findIndex((own) => own.room === room.code) + 1;
    // Those after this one first: otherwise the key would only switch between the two most urgent ones.
    const others = [...rooms.slice(here), ...rooms.slice(0, here)];
    waiting = others.find((own) => own.your_turn && own.due && own.room !== room.code)?.room;
    show();
  }

  const off = el('p', { class: 'hint time-off', role: 'status' });
  const timer = setInterval(() => isGone() || showOff(), OFF_SHOWN_EVERY_MS);

  /** Shows who has time off now, and until when. */
  function showOff() {
    const now = app.connection.now();
    const { clock, outcome, players } = room.game ?? {};
    const lines = SEATS.map((seat) => {
      const { from = 0, until = 0 } = clock?.off?.[seat] ?? {};
      if (!players || outcome || now < from || until <= now) return '';
      const date = formatMoment(until);
      const own = isMember(players[seat], app.connection.you);
      return td(own ? 'off_you' : 'off', { name: nameOrYou(app, players[seat]), date });
    });
    write(off, lines.filter(Boolean).join(' '));
  }

  let showPlan = () => {};

  function show() {
    showOff();
    showPlan();
    const { game, seq, toAct } = room;
    const seat = room.seatOf(app.connection.you);
    const hasMoved = game && seat && toAct !== seat;
    next.hidden = !hasMoved || !waiting;
    next.classList.toggle('primary', !game?.outcome);
    if (!hasMoved || seq === asked) return;
    asked = seq;
    // If it fails, a later answer shows it.
    updateOwnRooms(app).catch(() => {});
  }

  async function go() {
    try {
      await updateOwnRooms(app);
      if (isGone() || !room.seatOf(app.connection.you)) return;
      if (waiting) app.go(`/r/${waiting}`);
      else app.toast(td('no_next_game'));
    } catch (error) {
      app.showError(error);
    }
  }

  /** @param {KeyboardEvent} event */
  function press({ key, ctrlKey, altKey, metaKey, repeat, target }) {
    if (isGone() || key !== 'X' || ctrlKey || altKey || metaKey || repeat) return;
    if (!(target instanceof Element && target.closest('input, textarea, select, dialog'))) void go();
  }

  /** Whether the player has gone elsewhere, and with them the button. */
  function isGone() {
    if (next.isConnected) return false;
    clearInterval(timer);
    removeEventListener('keydown', press);
    followers.delete(receive);
    return true;
  }

  again.after(next);
  side.prepend(off);
  addEventListener('keydown', press);
  followers.add(receive);
  if (app.connection.account) {
    import('./plan-fold.js').then(({ addPlan }) => {
      showPlan = addPlan(app, room, side);
      showPlan();
    }, app.showError);
    import('../../account/daily-side.js').then(({ addDaily }) => addDaily(app, room, side)).catch(app.showError);
  }
  return show;
}
