// The clocks on the page agree with the server's.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clockFace, DAY_MS, isDaily } from '../../server/web/client/clock.js';
import { Room } from '../../server/web/client/room-state.js';
import { durationText } from '../../server/web/game/clock-display.js';

/** @import { Event, TimeControl } from '../../server/web/ui/protocol-types' */

/** @type {TimeControl[]} */
const CONTROLS = [
  { type: 'sudden_death', main_ms: 60_000 },
  { type: 'fischer', main_ms: 60_000, increment_ms: 5_000 },
  { type: 'byo_yomi', main_ms: 0, period_ms: 10_000, periods: 3 },
  { type: 'per_move', move_ms: 30_000 },
];

test('a player who lost on time has none left, and the winner keeps theirs', () => {
  for (const time of CONTROLS) {
    const room = new Room('k7m2qpxw9abc');
    const player = { bot: { kind: /** @type {const} */ ('attack') } };
    /** @type {Event[]} */
    const events = [
      {
        type: 'created',
        rules: { variant: 'freestyle', size: [15, 15] },
        visibility: 'private',
        assistance: false,
        host: '0',
        time,
        black: 'second',
      },
      { type: 'sat', seat: 'first', player },
      { type: 'sat', seat: 'second', player },
      { type: 'started', game: 1, id: 'k7m2qpxw9abcdefg', black: 'second' },
      { type: 'played', ply: 0, point: [7, 7] },
      { type: 'ended', outcome: { reason: 'time', winner: 'second' } },
    ];
    for (const [index, event] of events.entries()) room.apply({ seq: index + 1, at: 0, event });
    const clock = room.game?.clock;
    assert.ok(clock);
    const loser = clockFace(clock, 'first', 99_000);
    assert.deepEqual([loser.left_ms, loser.periods, durationText(loser.left_ms)], [0, 0, '0:00']);
    const winner = clockFace(clock, 'second', 99_000);
    assert.ok(winner.left_ms > 0, JSON.stringify(winner));
  }
});

test('durations are readable', () => {
  const cases = /** @type {const} */ ([
    [0, '0:00'],
    [99, '0.0'],
    [9_800, '9.8'],
    [10_000, '0:10'],
    [245_000, '4:05'],
    [3_723_000, '1:02:03'],
  ]);
  for (const [ms, text] of cases) assert.equal(durationText(ms), text);
});

test('a game is daily from a day on', () => {
  const cases = /** @type {const} */ ([
    [{ type: 'none' }, false],
    [{ type: 'daily', move_ms: DAY_MS }, true],
    [{ type: 'fischer', main_ms: DAY_MS, increment_ms: 0 }, true],
    [{ type: 'fischer', main_ms: DAY_MS - 1, increment_ms: 3_600_000 }, false],
    [{ type: 'sudden_death', main_ms: DAY_MS }, true],
    ...CONTROLS.map((control) => /** @type {const} */ ([control, false])),
  ]);
  for (const [control, is] of cases) assert.equal(isDaily(control), is, JSON.stringify(control));
  assert.equal(isDaily(undefined), false);
});
