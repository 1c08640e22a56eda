// The fold of a room's events on the page: seats stay, colours change.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clockFace } from '../../server/web/client/clock.js';
import { moverOf, Room, SEATS, stoneOf } from '../../server/web/client/room-state.js';

/** @import { Event } from '../../server/web/ui/protocol-types' */

/** A room in which Ann (first) and a bot (second) have begun the first game, with ten seconds each. */
function begun() {
  const room = new Room('k7m2qpxw9abc');
  const fold = (/** @type {number} */ at, /** @type {Event} */ event) => room.apply({ seq: room.seq + 1, at, event });
  fold(0, {
    type: 'created',
    rules: { variant: 'freestyle', size: [15, 15] },
    visibility: 'private',
    assistance: false,
    host: '0',
    time: { type: 'sudden_death', main_ms: 10_000 },
    black: 'second',
  });
  fold(0, { type: 'sat', seat: 'first', player: { member: '0', name: 'Ann' } });
  assert.deepEqual([room.vacant, room.black, room.toAct], ['second', 'second', undefined]);
  fold(0, { type: 'sat', seat: 'second', player: { bot: { kind: 'attack' } } });
  fold(0, { type: 'started', game: 1, id: 'k7m2qpxw9abcdefg', black: 'second' });
  return { room, fold };
}

test('a rematch swaps the colours, and everybody keeps their seat', () => {
  const { room, fold } = begun();
  const { seats } = room;
  assert.deepEqual([room.toAct, stoneOf('first', room.black)], ['second', 'white']);
  fold(1, { type: 'ended', outcome: { reason: 'resignation', winner: 'first' } });
  assert.deepEqual([room.toAct, room.phase], [undefined, 'finished']);
  fold(2, { type: 'started', game: 2, id: 'k7m2qpxw9abcdefg', black: 'first' });
  assert.deepEqual([room.toAct, stoneOf('first', room.black)], ['first', 'black']);
  assert.deepEqual(room.seats, seats);
});

test('a result belongs to those who played, whoever sits there now', () => {
  const { room, fold } = begun();
  fold(1, { type: 'ended', outcome: { reason: 'resignation', winner: 'first' } });
  fold(2, { type: 'stood', seat: 'first' });
  fold(3, { type: 'sat', seat: 'first', player: { member: '1', name: 'Eve' } });
  assert.deepEqual([room.seatOf('1'), room.playedBy('1'), room.playedBy('0')], ['first', undefined, 'first']);
});

test('a move belongs to the seat that made it, whoever has its color by now', () => {
  const { room, fold } = begun();
  assert.ok(room.game);
  room.openingKind = 'swap2';
  room.game.opening = {
    kind: 'swap2',
    first: 'second',
    acts: [],
    ask: { seat: 'second', put: ['anywhere', 'anywhere', 'anywhere'] },
  };
  for (const ply of [0, 1, 2]) fold(ply, { type: 'played', ply, point: [7, ply] });
  assert.equal(room.hasColours, false);
  fold(3, { type: 'asked', ask: { seat: 'first', take: true } });
  fold(4, { type: 'swapped', by: 'first' });
  fold(4, { type: 'opening_over' });
  fold(5, { type: 'played', ply: 3, point: [7, 3] });
  fold(6, { type: 'played', ply: 4, point: [7, 4] });
  const { game } = room;
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((ply) => moverOf(game, ply)),
    ['second', 'second', 'second', 'second', 'first'],
  );
  assert.equal(room.hasColours, true);
});

test('turns, clocks and offers keep to their seats when colours are exchanged', () => {
  const { room, fold } = begun();
  fold(0, { type: 'played', ply: 0, point: [7, 7] });
  fold(1_000, { type: 'played', ply: 1, point: [8, 8], time: { left_ms: 9_000 } });
  fold(1_000, { type: 'draw_offered', by: 'second' });
  const game = room.game;
  assert.ok(game?.clock);
  assert.deepEqual([room.toAct, game.clock.running?.seat], ['second', 'second']);
  game.black = 'first';
  assert.equal(room.toAct, 'first');
  fold(2_000, { type: 'played', ply: 2, point: [9, 9], time: { left_ms: 8_000 } });
  assert.deepEqual(
    SEATS.map((seat) => game.clock?.[seat].left_ms),
    [8_000, 10_000],
  );
  assert.deepEqual([room.toAct, game.clock.running?.seat], ['second', 'second']);
  assert.equal(game.draw_offer, undefined, 'First has moved instead of answering');
});

test('the server repeats the last event, and another one in its place means that it was restored', () => {
  const { room, fold } = begun();
  for (const [ply, at] of [
    [0, 1_000],
    [1, 2_000],
    [2, 3_000],
  ])
    fold(at ?? 0, { type: 'played', ply: ply ?? 0, point: [7, ply ?? 0] });
  assert.equal(room.after, 6);
  const last = { seq: 7, at: 3_000, event: /** @type {Event} */ ({ type: 'played', ply: 2, point: [7, 2] }) };
  const next = { seq: 8, at: 4_000, event: /** @type {Event} */ ({ type: 'played', ply: 3, point: [7, 3] }) };
  const joined = (/** @type {object} */ more) =>
    /** @type {import('../../server/web/ui/protocol-types').Joined} */ ({
      type: 'joined',
      id: '',
      room: room.code,
      now: 0,
      spectators: { count: 0, names: [] },
      ...more,
    });
  assert.deepEqual(room.joined(joined({ events: [last, next] })), [next]);
  assert.deepEqual([room.contradicted, room.seq, room.takeGone()], [false, 8, undefined]);
  // Others have played on from the backup, up to the same number.
  for (const events of [[], [{ ...next, at: 9_000 }]]) {
    assert.deepEqual(room.joined(joined({ events })), []);
    assert.deepEqual([room.contradicted, room.after, room.seq], [true, undefined, 8]);
  }
  const game = room.game;
  assert.ok(game);
  const { rules, host, time, firstBlack: black, seats } = room;
  const served = {
    seq: 8,
    rules,
    host,
    time,
    black,
    seats,
    visibility: 'private',
    assistance: false,
    game: {
      ...structuredClone(game),
      moves: [
        [7, 0],
        [7, 1],
        [0, 0],
        [0, 1],
      ],
    },
  };
  assert.deepEqual(room.joined(joined({ snapshot: served })), []);
  assert.deepEqual([room.contradicted, room.takeGone(), room.takeGone(), room.after], [false, 2, undefined, 8]);
});

test('what a game waits for ends with the act, a takeback and the end', () => {
  const { room, fold } = begun();
  const waits = () => [room.game?.first_act?.seat, room.game?.nudge?.by, room.turnSince];
  fold(1_000, { type: 'first_act_due', seat: 'second', until: 21_000 });
  assert.deepEqual(waits(), ['second', undefined, 0]);
  fold(2_000, { type: 'played', ply: 0, point: [7, 7] });
  assert.deepEqual(waits(), [undefined, undefined, 2_000]);
  fold(3_000, { type: 'nudged', by: 'second', until: 63_000 });
  fold(3_500, { type: 'draw_offered', by: 'first' });
  assert.deepEqual(waits(), [undefined, 'second', 2_000]);
  fold(4_000, { type: 'taken_back', ply: 0 });
  assert.deepEqual(waits(), [undefined, undefined, 4_000]);
  fold(4_000, { type: 'first_act_due', seat: 'second', until: 24_000 });
  assert.equal(room.keptGame, undefined);
  fold(5_000, { type: 'ended', outcome: { reason: 'aborted', by: 'second' } });
  assert.deepEqual([...waits(), room.keptGame, room.phase], [undefined, undefined, 5_000, undefined, 'finished']);
  fold(6_000, { type: 'started', game: 2, id: 'k7m2qpxw9abcdefg', black: 'first' });
  fold(7_000, { type: 'ended', outcome: { reason: 'agreement' } });
  assert.equal(room.keptGame, 'k7m2qpxw9abcdefg');
});

test('ratings belong to their game, and change with its end', () => {
  const { room, fold } = begun();
  assert.equal(room.ratingText('first'), '');
  room.receive({
    type: 'ratings',
    room: room.code,
    game: 1,
    first: { rating: 1524 },
    second: { rating: 1500, provisional: true },
  });
  assert.deepEqual(
    SEATS.map((seat) => room.ratingText(seat)),
    ['1524', '1500?'],
  );
  fold(1, { type: 'ended', outcome: { reason: 'resignation', winner: 'first' }, rated: true });
  room.receive({
    type: 'ratings',
    room: room.code,
    game: 1,
    first: { rating: 1532, change: 8 },
    second: { rating: 1421, provisional: true, change: -79 },
  });
  assert.deepEqual(
    SEATS.map((seat) => room.ratingText(seat)),
    ['1532 +8', '1421? −79'],
  );
  fold(2, { type: 'started', game: 2, id: 'k7m2qpxw9abcdefg', black: 'first' });
  assert.deepEqual(
    SEATS.map((seat) => room.ratingText(seat)),
    ['', ''],
  );
});

test('time off stops the clock of its player', () => {
  const { room, fold } = begun();
  const day = 86_400_000;
  room.time = { type: 'daily', move_ms: 3 * day };
  fold(0, { type: 'started', game: 2, id: 'k7m2qpxw9abcdefg', black: 'second' });
  fold(0, { type: 'played', ply: 0, point: [7, 7] });
  const left = (/** @type {number} */ at) =>
    room.game?.clock && clockFace(room.game.clock, 'first', at * day).left_ms / day;
  fold(0, { type: 'time_off', seat: 'second', from: day, until: 9 * day });
  assert.deepEqual([0, 1, 2, 3].map(left), [3, 2, 1, 0]);
  fold(0, { type: 'time_off', seat: 'first', from: 2 * day, until: 4 * day });
  assert.deepEqual([0, 2, 3, 4, 5].map(left), [3, 1, 1, 1, 0]);
  // It ends a day early, and then another one begins in the same turn.
  fold(3 * day, { type: 'time_off', seat: 'first', from: 2 * day, until: 3 * day });
  assert.deepEqual([3, 4].map(left), [1, 0]);
  fold(3 * day, { type: 'time_off', seat: 'first', from: 3.5 * day, until: 8 * day });
  assert.deepEqual([3, 3.5, 8, 8.5].map(left), [1, 0.5, 0.5, 0]);
});
