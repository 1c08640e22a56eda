// Every claim of the lessons is checked against the rules, and wins by force against the engine's search.
// The module in the repository answers, which engine-module.test.mjs compares with the program.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { loadModule } from '../../server/web/engine/module.js';
import { texts as en } from '../../server/web/learn/en.js';
import { texts as es } from '../../server/web/learn/es.js';
import { CHAPTERS, fromMiddle, LESSONS, movesOf, SEARCH_NODES } from '../../server/web/learn/lessons.js';
import { texts as ru } from '../../server/web/learn/ru.js';

/** @import { EngineAnswer, EngineRequest, Point, Rules } from '../../server/web/ui/protocol-types' */
/** @import { Lesson } from '../../server/web/learn/lessons.js' */

const bytes = await readFile(new URL('../../server/web/engine/engine.wasm', import.meta.url));
const module = await loadModule(async (imports) =>
  WebAssembly.instantiate(await WebAssembly.compile(new Uint8Array(bytes)), imports),
);

/** @param {EngineRequest} request @returns {EngineAnswer} */
const ask = (request) => JSON.parse(module(JSON.stringify(request)));

/** @param {Rules} rules @param {readonly Point[]} moves */
function judge(rules, moves) {
  const { position } = ask({ type: 'position', rules, moves });
  assert.ok(position);
  return position;
}

/** The points on which the side to move may play. @param {Lesson} lesson @param {readonly Point[]} moves @returns {Point[]} */
function legalPoints({ rules }, moves) {
  // Without borders, a window around the lesson.
  const [from, to] =
    rules.size === 'unbounded'
      ? [
          [-8, -8],
          [14, 14],
        ]
      : [[0, 0], rules.size];
  const all = [];
  for (let x = from[0] ?? 0; x < (to[0] ?? 0); x += 1) {
    for (let y = from[1] ?? 0; y < (to[1] ?? 0); y += 1) all.push(/** @type {Point} */ ([x, y]));
  }
  return all.filter((point) => !judge(rules, [...moves, point]).unplayed);
}

/** What the engine finds for the side that has just moved: `win`, `loss`, or neither.
 * @param {Rules} rules @param {readonly Point[]} moves @param {number} nodes */
function found(rules, moves, nodes) {
  const { analysis } = ask({ type: 'analyse', rules, moves, lines: 1, nodes });
  const value = analysis?.lines[0]?.value;
  assert.ok(value, JSON.stringify(moves));
  return 'loss' in value ? 'win' : 'win' in value ? 'loss' : 'open';
}

const sorted = (/** @type {readonly Point[]} */ points) => points.map(String).sort();
const mover = (/** @type {readonly Point[]} */ moves) => (moves.length % 2 ? 'white' : 'black');

/** Checks what a lesson claims. @param {Lesson} lesson */
function check(lesson) {
  const { rules, goal, right, only } = lesson;
  const moves = movesOf(lesson);
  const judged = judge(rules, moves);
  assert.equal(moves.length, lesson.picture?.join('').match(/[XO]/g)?.length ?? 0, 'every stone is a move of its side');
  assert.equal(judged.unplayed, undefined, 'all stones can be played');
  assert.equal(judged.outcome, undefined, 'the game goes on');
  const after = (/** @type {Point} */ point) => [...moves, point];
  const fives = () =>
    legalPoints(lesson, moves).filter((point) => judge(rules, after(point)).outcome?.winner === mover(moves));
  switch (goal) {
    case 'five':
      assert.deepEqual(sorted(fives()), sorted(right));
      break;
    case 'win': {
      assert.deepEqual(fives(), [], 'nothing wins at once');
      for (const point of right) assert.equal(found(rules, after(point), SEARCH_NODES), 'win', String(point));
      const others = legalPoints(lesson, moves).filter((point) => !sorted(right).includes(String(point)));
      for (const point of only ? others : [])
        assert.notEqual(found(rules, after(point), SEARCH_NODES), 'win', String(point));
      break;
    }
    case 'defend':
      for (const point of legalPoints(lesson, moves)) {
        const defends = sorted(right).includes(String(point));
        // A loss by force is found quickly; that there is none is looked for longer.
        assert.equal(
          found(rules, after(point), SEARCH_NODES * (defends ? 5 : 1)),
          defends ? 'open' : 'loss',
          String(point),
        );
      }
      break;
    case 'forbidden':
      assert.ok(right.length > 0);
      assert.deepEqual(sorted(judged.forbidden ?? []), sorted(right));
      break;
    case 'place':
      checkZones(lesson);
      break;
  }
}

/** The zones are those that a room asks for. @param {Lesson} lesson */
function checkZones({ rules, opening, zones = [] }) {
  assert.ok(opening && judge(rules, []).openings?.includes(opening), `${opening} is offered`);
  const asked = askedZones(rules, opening);
  assert.deepEqual(asked.slice(0, zones.length), zones);
  assert.equal(zones.length, 3);
  assert.deepEqual(
    [
      [7, 7],
      [7, 4],
      [9, 6],
    ].map((point) => fromMiddle(/** @type {Point} */ (point))),
    [0, 3, 2],
  );
}

/** Plays an opening in a room, and returns how far from the middle its stones may lie, at least and at most.
 * @param {Rules} rules @param {import('../../server/web/ui/protocol-types').OpeningKind} opening */
function askedZones(rules, opening) {
  const at = /** @type {const} */ ({ type: 'room', now: 0, seed: 1 });
  let { room } = ask({
    ...at,
    input: 'open',
    rules,
    opening,
    names: ['Ann', 'Bob'],
    colour: 'black',
    time: { type: 'none' },
  });
  /** @type {[number, number][]} */
  const zones = [];
  for (let id = 0; zones.length < 3; id += 1) {
    const { event } = room?.effects.findLast(({ event }) => event?.event.type === 'asked') ?? {};
    assert.ok(event?.event.type === 'asked', JSON.stringify(room));
    const { put = [], declare } = event.event.ask;
    const ply = zones.length;
    const own = put.map(
      (zone) =>
        /** @type {[number, number]} */ (
          zone === 'anywhere' ? [0, 7] : 'within' in zone ? [0, zone.within] : [zone.beyond, 7]
        ),
    );
    // The first stone in the middle, the second beside it, the third as near as it may be.
    const stones = own.map(([least], index) => [7 + Math.max(least, ply + index), 7]);
    const act =
      put.length > 0 && ply + put.length <= 3
        ? { put: stones, ...(declare !== undefined && { declare: 1 }) }
        : { take: 'black' };
    if ('put' in act) zones.push(...own);
    ({ room } = ask({ ...at, input: 'command', id: String(id), request: { type: 'choose', room: 'local', ply, act } }));
  }
  return zones;
}

for (const lesson of LESSONS) test(`the lesson ${lesson.id} is right`, () => check(lesson));

test('a wrong claim is found', () => {
  const named = (/** @type {string} */ id) => LESSONS.find((lesson) => lesson.id === id) ?? assert.fail(id);
  /** @type {Lesson[]} */
  const wrong = [
    { ...named('tic_tac_toe'), right: [[0, 2]] },
    { ...named('standard'), rules: named('freestyle').rules },
    { ...named('four_three'), right: [[9, 9]] },
    { ...named('open_four'), right: [[4, 7]], only: true },
    { ...named('stop_three'), right: [[4, 7]] },
    {
      ...named('stop_four'),
      right: [
        [8, 7],
        [9, 7],
      ],
    },
    { ...named('forbidden_overline'), right: [[6, 6]] },
    { ...named('pro'), zones: named('long_pro').zones },
    { ...named('trap'), picture: ['X'], corner: [7, 7] },
  ];
  for (const lesson of wrong) assert.throws(() => check(lesson), assert.AssertionError, lesson.id);
});

test('every lesson has its own name and texts in every language', () => {
  const ids = LESSONS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const texts of [en, es, ru]) {
    assert.deepEqual(Object.keys(texts.lessons), ids);
    assert.deepEqual(
      Object.keys(texts.chapters),
      CHAPTERS.map(({ id }) => id),
    );
    for (const [id, [title, text]] of Object.entries(texts.lessons)) assert.ok(title && text, id);
  }
  const parameters = (/** @type {object} */ texts) =>
    JSON.stringify(texts)
      .match(/\{\w+\}/g)
      ?.sort();
  assert.deepEqual(parameters(es), parameters(en));
  assert.deepEqual(parameters(ru), parameters(en));
});
