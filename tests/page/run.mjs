// Runs the tests of the page. A file in which a test fails runs once more, alone: real browsers on a
// loaded machine miss a moment now and then. Such tests are listed as unstable, and have to be repaired.
//
// `node tests/page/run.mjs [slow | FILE...]`: all but the slow files, only those, or the named ones.

import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

/** Browsers wait as much as they work. Four keep two processors busy. */
const FILES_AT_ONCE = 4;
/** Files that look at every screen in many sizes and colours, or play every opening and tree of moves. */
const SLOW = [
  'analysis-files.test.mjs',
  'analysis-tree.test.mjs',
  'analysis-use.test.mjs',
  'appearance.test.mjs',
  'board-tiles.test.mjs',
  'fits.test.mjs',
  'layout.test.mjs',
  'openings.test.mjs',
  'own-analyses.test.mjs',
  'qr-code.test.mjs',
  'replay.test.mjs',
];
/** How many of the longest files and tests are listed. */
const LONGEST = 40;

/**
 * @param {string[]} files
 * @param {number} concurrency
 * @returns {Promise<{ passed: number, failed: Map<string, string[]> }>} how many tests have passed, and by file which have failed
 */
async function test(files, concurrency) {
  let passed = 0;
  /** @type {Map<string, string[]>} */
  const failed = new Map();
  /** Seconds of each file, and of its longest tests. @type {[number, string][]} */
  const took = [];
  const stream = run({ files, concurrency });
  stream.on('test:pass', ({ skip }) => {
    if (skip === undefined) passed += 1;
  });
  stream.on('test:complete', ({ name, nesting, details }) => {
    if (nesting === 0) took.push([Math.round((details.duration_ms ?? 0) / 1000), basename(name)]);
  });
  stream.on('test:fail', ({ name, file = name }) => failed.set(file, [...(failed.get(file) ?? []), name]));
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  console.log('the longest, in seconds:');
  for (const [seconds, name] of took.sort((a, b) => b[0] - a[0]).slice(0, LONGEST)) console.log(`${seconds}\t${name}`);
  return { passed, failed };
}

const folder = new URL('.', import.meta.url);
const wanted = process.argv.slice(2);
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.test.mjs'))
  .sort();
const isSlow = wanted[0] === 'slow';
const names = wanted.length > 0 && !isSlow ? wanted : all.filter((name) => SLOW.includes(name) === isSlow);
const first = await test(
  names.map((name) => fileURLToPath(new URL(name, folder))),
  FILES_AT_ONCE,
);
const again = first.failed.size > 0 ? await test([...first.failed.keys()], 1) : { passed: 0, failed: new Map() };
const named = (/** @type {Map<string, string[]>} */ failed) => [...failed.values()].flat();
const unstable = named(first.failed).filter((name) => !named(again.failed).includes(name));
console.log(
  `page: ${first.passed} tests passed at the first try, ${unstable.length} at the second, ${named(again.failed).length} failed`,
);
for (const name of unstable) console.log(`UNSTABLE: ${name}`);
for (const name of named(again.failed)) console.log(`FAILED: ${name}`);
process.exitCode = again.failed.size > 0 ? 1 : 0;
