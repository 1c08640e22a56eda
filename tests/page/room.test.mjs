// A room as the page folds it, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { face, spell } from '../../server/web/clock.js';
import { Room } from '../../server/web/room.js';

/** @import { Event, TimeControl } from '../../server/web/types' */

/** A game under a control, with some moves and an end. @param {TimeControl} time @param {Event[]} events */
function played(time, ...events) {
  const room = new Room('1');
  /** @type {any} */
  const created = { type: 'created', rules: { variant: 'freestyle', size: [15, 15] }, time, host: 'a', assistance: false, visibility: 'private' };
  /** @type {any} */
  const started = { type: 'started', game: 1, id: 'g', black: { member: 'a', name: 'Ann' }, white: { member: 'b', name: 'Bob' } };
  [created, started, ...events].forEach((event, index) => room.apply({ seq: index + 1, at: 1_000 * index, event }));
  return room;
}

/** @type {[string, TimeControl][]} */
const CONTROLS = [
  ['minutes', { type: 'fischer', main_ms: 180_000, increment_ms: 2_000 }],
  ['one time for all', { type: 'sudden_death', main_ms: 180_000 }],
  ['periods', { type: 'byo_yomi', main_ms: 60_000, period_ms: 30_000, periods: 3 }],
  ['a time for each move', { type: 'per_move', move_ms: 180_000 }],
];

for (const [name, time] of CONTROLS) {
  test(`nothing is left to who lost on time, with ${name}`, () => {
    const room = played(time,
      { type: 'played', ply: 0, point: [7, 7], time: { left_ms: 150_000 } },
      { type: 'ended', outcome: { reason: 'time', winner: 'black' } });
    const clock = room.game?.clock;
    assert.ok(clock);
    const [late, other] = [face(clock, 'white', 9e9), face(clock, 'black', 9e9)];
    assert.deepEqual([spell(late.left_ms), late.periods, late.low], ['0:00', 0, false]);
    assert.equal(other.left_ms, 150_000);
  });
}

test('who resigns keeps the time that is left', () => {
  const room = played({ type: 'sudden_death', main_ms: 180_000 }, { type: 'ended', outcome: { reason: 'resignation', winner: 'black' } });
  const clock = room.game?.clock;
  assert.ok(clock);
  assert.equal(face(clock, 'white', 9e9).left_ms, 180_000);
});

test('a time is spelled so that it can be read', () => {
  assert.deepEqual([0, 40, 9_940, 10_000, 61_000, 3_661_000].map(spell), ['0:00', '0.0', '9.9', '0:10', '1:01', '1:01:01']);
});
