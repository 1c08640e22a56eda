// What a player of a daily game replies if the opponent plays what they expect: its list at the side of the room, and
// the dialog with a board in which they put the moves. Only they see it.

/** @import { Room } from '../../client/room-state.js' */
/** @import { Point, Seat } from '../../ui/protocol-types' */
/** @import { App } from '../../ui/view-types' */

import { faultLine } from '../../account/account-form.js';
import { attempt } from '../../account/account-requests.js';
import { createBoard } from '../../board/board.js';
import { boundsOf, pointName } from '../../board/board-geometry.js';
import { opponent, stoneOf } from '../../client/room-state.js';
import { t } from '../../language/texts.js';
import { openDialog } from '../../ui/dialog.js';
import { button, el, fill, write } from '../../ui/dom.js';
import { request } from '../../ui/http-request.js';
import { td } from './texts.js';

/** @typedef {{ ply: number, lines: Point[][] }} Plan */

/**
 * Adds the list. Returns what shows it again after an event.
 * @param {App} app @param {Room} room @param {HTMLElement} side
 */
export function addPlan(app, room, side) {
  const path = `conditional-moves/${room.code}`;
  /** What the server has answered last. @type {Plan | undefined} */
  let plan;
  /** The game and how many moves it had when it was shown last. */
  let seen = { game: 0, moves: 0 };
  /** The change that is under way: one follows another. @type {Promise<void>} */
  let changing = Promise.resolve();
  const list = el('ul', { class: 'plan-lines' });
  const line = faultLine();
  const add = button(td('plan_add'), () => {
    const theirs = awaited(app, room);
    if (theirs) openLine(app, room, theirs, keep);
  });
  const wait = el('p', { class: 'hint' }, td('plan_wait'));
  const fold = el(
    'details',
    { class: 'card plan', ontoggle: () => void (fold.open && load()) },
    el('summary', null, td('plan')),
    el('p', { class: 'hint' }, td('plan_how')),
    list,
    add,
    wait,
    line,
  );
  side.append(fold);

  const load = () =>
    attempt(line, async () => {
      plan = await request('GET', path);
      show();
    });

  /**
   * Stores other lines in place of those that the server has: they may come from another device.
   * @param {(lines: Point[][]) => Point[][]} edit @param {number} [ply] for which the lines are
   */
  function change(edit, ply) {
    const next = async () => {
      const stored = await request('GET', path);
      plan = await request('PUT', path, { ply: ply ?? stored.ply, lines: edit(stored.lines) });
      show();
    };
    changing = changing.catch(() => {}).then(next);
    return changing;
  }

  /** @param {Point[]} moves */
  async function remove(moves) {
    const name = nameOf(room, moves);
    await attempt(line, async () => {
      await change((lines) => lines.filter((one) => nameOf(room, one) !== name));
      app.announce(td('plan_removed', { line: name }));
      (list.querySelector('button') ?? add).focus();
    });
  }

  /** Adds a line in place of those that reply otherwise to the same moves, or that it goes on from. @param {number} ply @param {Point[]} moves */
  const keep = (ply, moves) =>
    change((lines) => {
      const others = lines.filter((other) => {
        const parts = other.findIndex((point, at) => !isSame(point, moves[at]));
        return parts >= 0 && parts % 2 === 0;
      });
      return [...others, moves];
    }, ply);

  function show() {
    const made = room.game?.moves ?? [];
    const now = { game: room.game?.number ?? 0, moves: made.length };
    // A takeback or another game ends what was planned.
    const isOver = now.game !== seen.game || now.moves < seen.moves;
    seen = now;
    if (isOver) {
      plan = undefined;
      if (fold.open) void load();
    }
    const lines = plan ? left(plan, made) : [];
    const shown = lines.map((moves) => nameOf(room, moves)).join();
    if (list.dataset.shown !== shown) {
      list.dataset.shown = shown;
      fill(list, ...lines.map((moves) => item(nameOf(room, moves), () => void remove(moves))));
    }
    const canPlan = !!plan && room.phase === 'running' && !room.opening && room.toAct === awaited(app, room);
    fold.hidden = room.phase !== 'running';
    add.hidden = !canPlan;
    wait.hidden = canPlan || !plan || !!room.opening;
  }

  return show;
}

/** A line of the list, with the button that takes it out. @param {string} name @param {() => void} onremove */
function item(name, onremove) {
  const cross = button('×', onremove, { class: 'quiet', 'aria-label': td('plan_remove', { line: name }) });
  return el('li', null, el('span', null, name), cross);
}

/** What is left of the lines after these moves of the game. @param {Plan} plan @param {Point[]} made */
function left({ ply, lines }, made) {
  // The answer may be ahead of what the room has told.
  if (made.length < ply) return [];
  const since = made.slice(ply);
  const rest = lines.filter((moves) => since.every((point, at) => isSame(point, moves[at])));
  return rest.map((moves) => moves.slice(since.length)).filter((moves) => moves.length);
}

/** The opponent's seat. @param {App} app @param {Room} room */
function awaited(app, room) {
  const seat = room.seatOf(app.connection.you);
  return seat && opponent(seat);
}

/** @param {Point} one @param {Point | undefined} other */
const isSame = (one, other) => one[0] === other?.[0] && one[1] === other[1];

/** @param {Room} room @param {Point[]} moves */
function nameOf(room, moves) {
  const names = moves.map((point) => pointName(point, boundsOf(room.rules.size)));
  return names.map((name, at) => (at % 2 ? ` ${name}` : `${at ? ', ' : ''}${name}`)).join('');
}

/**
 * Asks for a line, from the position as it is now.
 * @param {App} app @param {Room} room @param {Seat} theirs the opponent's seat @param {(ply: number, moves: Point[]) => Promise<void>} keep
 */
function openLine(app, room, theirs, keep) {
  const before = room.game?.moves ?? [];
  /** @type {Point[]} */
  const moves = [];
  const place = el('div', { class: 'board plan-board' });
  const asked = el('p', { role: 'status' });
  const names = el('p', { class: 'plan-names' });
  const line = faultLine();
  const undo = button(t('undo'), () => {
    moves.pop();
    show();
  });
  const done = button(
    td('plan_keep'),
    () =>
      attempt(line, async () => {
        await keep(before.length, [...moves]);
        dialog.close();
      }),
    { class: 'primary' },
  );
  const row = el('div', { class: 'row' }, undo, done);
  const dialog = openDialog(td('plan'), asked, place, names, line, row);
  dialog.classList.add('plan-dialog');
  const board = createBoard(place, {
    onplay: (point) => {
      moves.push(point);
      show();
    },
    announce: (text) => app.announce(text, true),
  });
  dialog.addEventListener('close', () => board.remove());

  function show() {
    const isReply = moves.length % 2 === 1;
    const seat = isReply ? opponent(theirs) : theirs;
    write(asked, td(isReply ? 'plan_mine' : moves.length ? 'plan_more' : 'plan_theirs'));
    write(names, nameOf(room, moves));
    write(line, '');
    undo.disabled = !moves.length;
    done.disabled = isReply || !moves.length;
    board.show({ size: room.rules.size, moves: [...before, ...moves], turn: stoneOf(seat, room.black) });
  }
  show();
}
