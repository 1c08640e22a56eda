// Measures positions searched per second, in WebAssembly and natively, in turns on the same positions. Run
// it on a quiet machine: `cargo build --release -p fivefold-wasm && node tests/page/measure-engine.mjs`.

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import { loadModule } from '../../server/web/engine/module.js';
import { FREESTYLE, searches } from './engine-vectors.mjs';

/** @import { EngineAnswer } from '../../server/web/ui/protocol-types' */

const ROUNDS = 5;
const NODES = 400_000;

const bytes = await readFile(new URL('../../server/web/engine/engine.wasm', import.meta.url));
const begun = performance.now();
const ask = await loadModule(async (imports) =>
  WebAssembly.instantiate(await WebAssembly.compile(new Uint8Array(bytes)), imports),
);
console.log(`${bytes.length} bytes, compiled in ${Math.round(performance.now() - begun)} ms`);

const requests = searches(NODES, [FREESTYLE]).map((request) => JSON.stringify(request));
const program = process.env.FIVEFOLD_ANSWERS ?? 'target/release/fivefold-answers';
const sides = {
  wasm: () => requests.map((request) => ask(request)),
  native: () =>
    String(spawnSync(program, { input: `${requests.join('\n')}\n` }).stdout)
      .trim()
      .split('\n'),
};
/** @type {Record<keyof typeof sides, number[]>} */
const speeds = { wasm: [], native: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  for (const side of /** @type {const} */ (['wasm', 'native'])) {
    let [nodes, seconds] = [0, 0];
    for (const line of sides[side]()) {
      /** @type {EngineAnswer} */
      const { analysis } = JSON.parse(line);
      nodes += analysis?.nodes ?? 0;
      seconds += (analysis?.nodes ?? 0) / (analysis?.nodes_per_second ?? 1);
    }
    speeds[side].push(nodes / seconds);
    console.log(`round ${round + 1}: ${side} ${Math.round(nodes / seconds / 1000)} thousand positions a second`);
  }
}
const [wasm = 0, native = 1] = [speeds.wasm, speeds.native].map((all) => all.sort((a, b) => a - b)[ROUNDS >> 1]);
console.log(
  `median: ${Math.round(wasm / 1000)} against ${Math.round(native / 1000)} thousand: ${((100 * wasm) / native).toFixed(0)} % of native`,
);
