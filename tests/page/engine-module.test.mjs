// The WebAssembly module in the repository is current: it answers as the program built from these
// sources does. After a change of behaviour in `shared`, run tests/build-wasm.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { loadModule } from '../../server/web/engine/module.js';
import { others, renjuPoints, searches } from './engine-vectors.mjs';
import { built } from './harness.mjs';

/** @import { EngineAnswer, EngineRequest } from '../../server/web/ui/protocol-types' */

const bytes = await readFile(new URL('../../server/web/engine/engine.wasm', import.meta.url));
const ask = await loadModule(async (imports) =>
  WebAssembly.instantiate(await WebAssembly.compile(new Uint8Array(bytes)), imports),
);

/** @param {readonly EngineRequest[]} requests @returns {EngineAnswer[]} */
const inWasm = (requests) => requests.map((request) => comparable(ask(JSON.stringify(request))));

/** @param {readonly EngineRequest[]} requests @returns {EngineAnswer[]} */
function natively(requests) {
  const lines = requests.map((request) => `${JSON.stringify(request)}\n`);
  const { stdout, status, error } = spawnSync(built('fivefold-answers'), { input: lines.join(''), maxBuffer: 1 << 26 });
  assert.equal(status, 0, String(error));
  return String(stdout).trim().split('\n').map(comparable);
}

/** An answer without its speed, which is not the same twice. The last digits of a chance depend on the machine's
 * mathematics. @param {string} answer */
function comparable(answer) {
  return JSON.parse(answer, (key, value) =>
    key === 'nodes_per_second' ? undefined : typeof value === 'number' ? Number(value.toFixed(9)) : value,
  );
}

/** @param {readonly EngineRequest[]} requests */
function compare(requests) {
  const [own, native] = [inWasm(requests), natively(requests)];
  assert.equal(native.length, requests.length);
  for (const [index, request] of requests.entries()) {
    assert.deepEqual(
      own[index],
      native[index],
      `the module is not current: run tests/build-wasm\n${JSON.stringify(request)}`,
    );
  }
  return own;
}

test('the rules are the same, and forbid the same points', () => {
  const cases = renjuPoints();
  const answers = compare(cases.map(({ request }) => request));
  let checked = 0;
  for (const [index, { position }] of answers.entries()) {
    // The stones are in no order of play, so some cannot be played in this one.
    if (!position || position.unplayed || position.outcome) continue;
    checked += 1;
    const sorted = [...(cases[index]?.forbidden ?? [])].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    assert.deepEqual(
      [...(position.forbidden ?? [])].sort((a, b) => a[0] - b[0] || a[1] - b[1]),
      sorted,
    );
  }
  assert.ok(checked > cases.length / 2, `${checked} of ${cases.length}`);
});

test('the engine visits the same number of positions and finds the same moves', () => {
  const requests = searches();
  const searched = compare(requests).filter(({ analysis }) => analysis);
  // By other rules, one of the positions is over.
  assert.ok(searched.length >= requests.length - 1, `${searched.length} of ${requests.length}`);
});

test('bots, reviews, readers and refusals are the same', () => {
  const answers = compare(others());
  /** @type {(keyof EngineAnswer)[]} */
  const kinds = [
    'move',
    'act',
    'weights',
    'analysis',
    'review',
    'position',
    'tree',
    'file',
    'puzzle',
    'solution',
    'refused',
  ];
  for (const kind of kinds)
    assert.ok(
      answers.some((answer) => answer[kind]),
      kind,
    );
});

test('a search reports each better answer', () => {
  /** @type {EngineAnswer[]} */
  const reports = [];
  const request = {
    type: 'analyse',
    rules: { variant: 'freestyle', size: [15, 15] },
    moves: [
      [7, 7],
      [8, 8],
    ],
    lines: 3,
    nodes: 30_000,
  };
  const answer = JSON.parse(ask(JSON.stringify(request), (report) => reports.push(JSON.parse(report))));
  const depths = reports.map(({ analysis }) => analysis?.depth ?? 0);
  assert.ok(
    depths.length > 2 && depths.every((depth, index) => index === 0 || depth > (depths[index - 1] ?? 0)),
    String(depths),
  );
  assert.equal(answer.analysis.lines.length, 3);
  assert.equal(answer.analysis.depth, depths.at(-1));
  assert.ok(answer.analysis.nodes_per_second > 0);
});
