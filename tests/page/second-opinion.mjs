// Asks another engine, one that speaks Gomocup's protocol, about puzzles: those that are shipped, or files of them.
//
// `node tests/page/second-opinion.mjs PROGRAM [--count 200] [--nodes 500000] [FILE...]`
// `node tests/page/second-opinion.mjs PROGRAM --keep TO [--nodes 500000] FILE`
//
// First for the best move. Then for the best other move, by the command YXBLOCK of Yixin and Rapfi: no other
// move may win. A win is claimed by `Eval +M` in a message. Each other move that the engine prefers, or claims
// to win, is judged by our solver and played out: the engine attacks, and our defence must hold. With `--keep`
// the puzzles of a file without such a move are written to another file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { loadModule } from '../../server/web/engine/module.js';

/** @import { Point, Rules } from '../../server/web/ui/protocol-types' */
/** @typedef {{ point: Point, isWin: boolean, text: string }} Opinion */
/** @typedef {{ moves: Point[], first: Point }} Puzzle */

const SHIPPED = ['freestyle', 'renju'].map((name) =>
  fileURLToPath(new URL(`../../server/web/puzzles/${name}.txt`, import.meta.url)),
);
/** Their numbers in Gomocup's protocol. @type {Record<string, number>} */
const RULES = { freestyle: 0, standard: 1, renju: 4 };
/** Lines before the puzzles in a file. */
const HEAD = 3;
/** Moves of the attacker when a claim is played out. */
const PLAYED_OUT = 15;
const PROVEN = 'our solver proves it';
const WON = 'the engine wins';
/** The longest wait for an answer. */
const PATIENCE_MS = 120_000;

const {
  values: { count, nodes, keep },
  positionals: [program, ...files],
} = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    nodes: { type: 'string', default: '500000' },
    keep: { type: 'string' },
  },
});
if (!program) throw new Error('name the program of an engine');

const bytes = await readFile(new URL('../../server/web/engine/engine.wasm', import.meta.url));
const ask = await loadModule(async (imports) =>
  WebAssembly.instantiate(await WebAssembly.compile(new Uint8Array(bytes)), imports),
);
const engine = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();
const name = (/** @type {Point} */ [x, y]) => `${String.fromCharCode(97 + x)}${15 - y}`;
const same = (/** @type {Point} */ a, /** @type {Point} */ b) => a[0] === b[0] && a[1] === b[1];

try {
  for (const file of files.length > 0 ? files : SHIPPED) {
    const text = (await readFile(file, 'utf8')).trim().split('\n');
    const [head, all] = [text.slice(0, HEAD), text.slice(HEAD)];
    const variant = /** @type {Rules['variant']} */ (head[1]?.split(' ')[0] ?? '');
    const rules = /** @type {Rules} */ ({ variant, size: [15, 15] });
    if (keep) await filter(rules, head, all, keep);
    else await compare(rules, spread(all, Number(count)));
  }
  tell('END');
  await Promise.race([once(engine, 'exit'), new Promise((resolve) => setTimeout(resolve, 1_000))]);
} finally {
  engine.kill();
}

/** So many of a list, evenly. @param {string[]} all @param {number} wanted */
function spread(all, wanted) {
  return all.filter((_, at) => Math.floor((at * wanted) / all.length) !== Math.floor(((at - 1) * wanted) / all.length));
}

/** @param {Rules} rules @param {string[]} puzzles */
async function compare(rules, puzzles) {
  let [agreed, wins, silent, claims, proven, won] = [0, 0, 0, 0, 0, 0];
  for (const line of puzzles) {
    const { moves, first } = read(line);
    const best = await opinion(rules, moves);
    const other = await opinion(rules, moves, first);
    agreed += Number(same(best.point, first));
    wins += Number(same(best.point, first) && best.isWin);
    silent += Number(same(other.point, first));
    claims += Number(other.isWin && !same(other.point, first));
    const doubted = [best, ...(other.isWin ? [other] : [])].filter(
      ({ point }, at) => !same(point, first) && !(at > 0 && same(point, best.point)),
    );
    for (const { point, text: words } of doubted) {
      const end = await playOut(rules, moves, point);
      proven += Number(end === PROVEN);
      won += Number(end === WON);
      console.log(
        `${rules.variant} ${line}\n  ${name(first)} is the answer; the engine plays ${name(point)} (${words}): ${end}`,
      );
    }
  }
  console.log(
    `${rules.variant}: ${puzzles.length} puzzles; the engine plays the answer in ${agreed}, and claims the win in ${wins} of them; ` +
      `it claims another win in ${claims}${silent ? ` (it did not leave out the answer in ${silent})` : ''}; ` +
      `of all other moves our solver proves ${proven}, and ${won} win when they are played out`,
  );
}

/** Writes the puzzles in which the engine claims no other win. @param {Rules} rules @param {string[]} head @param {string[]} puzzles @param {string} to */
async function filter(rules, head, puzzles, to) {
  let kept = 0;
  await writeFile(to, head.map((line) => `${line}\n`).join(''));
  for (const line of puzzles) {
    const { moves, first } = read(line);
    if ((await opinion(rules, moves, first)).isWin) continue;
    await appendFile(to, `${line}\n`);
    kept += 1;
  }
  console.log(`${rules.variant}: ${kept} of ${puzzles.length} puzzles without another win`);
}

/** @param {string} line @returns {Puzzle} */
function read(line) {
  const points = (/** @type {string} */ text) =>
    (text.match(/../g) ?? []).map((two) => /** @type {Point} */ ([two.charCodeAt(0) - 97, two.charCodeAt(1) - 97]));
  const [, , first = '', moves = ''] = line.split(' ');
  return { first: /** @type {Point} */ (points(first)[0]), moves: points(moves) };
}

/** The engine's best move. @param {Rules} rules @param {Point[]} moves @param {Point} [without] @returns {Promise<Opinion>} */
async function opinion({ variant }, moves, without) {
  tell(
    'START 15',
    `INFO rule ${RULES[variant]}`,
    'INFO timeout_match 0',
    'INFO timeout_turn 60000',
    `INFO max_node ${nodes}`,
    'INFO thread_num 1',
    'YXBLOCKRESET',
  );
  if (without) tell('YXBLOCK', `${without[0]},${without[1]}`, 'DONE');
  const side = (/** @type {number} */ ply) => (ply % 2 === moves.length % 2 ? 1 : 2);
  tell('BOARD', ...moves.map(([x, y], ply) => `${x},${y},${side(ply)}`), 'DONE');
  let value = '';
  for (;;) {
    const line = await nextLine();
    value = /Eval (\S+)/.exec(line)?.[1] ?? value;
    const move = /^(\d+),(\d+)$/.exec(line.trim());
    if (move)
      return { point: [Number(move[1]), Number(move[2])], isWin: value.startsWith('+M'), text: value || 'no value' };
  }
}

/** @param {string[]} commands */
function tell(...commands) {
  engine.stdin.write(commands.map((command) => `${command}\n`).join(''));
}

async function nextLine() {
  let timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the engine does not answer')), PATIENCE_MS);
  });
  const next = /** @type {IteratorResult<string>} */ (await Promise.race([lines.next(), late]));
  clearTimeout(timer);
  if (next.done) throw new Error('the engine has ended');
  return next.value;
}

/** What becomes of an attack that begins with a move. @param {Rules} rules @param {Point[]} before @param {Point} move */
async function playOut(rules, before, move) {
  const moves = [...before];
  for (let played = 0; played < PLAYED_OUT; played += 1) {
    moves.push(played === 0 ? move : (await opinion(rules, moves)).point);
    const { puzzle: answer, refused } = JSON.parse(ask(JSON.stringify({ type: 'puzzle_answer', rules, moves })));
    if (refused) return `it is no answer: ${refused.text}`;
    if (!Array.isArray(answer?.fails)) {
      const isWon = answer === 'solved' || answer?.goes_on || answer?.trapped;
      if (!isWon) return 'a draw';
      return played === 0 ? PROVEN : WON;
    }
    moves.push(answer.fails);
  }
  return `our defence holds for ${PLAYED_OUT} moves`;
}
