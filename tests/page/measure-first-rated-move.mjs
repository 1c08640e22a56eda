// Measures a newcomer's way to a rated game: inputs and seconds from a fresh browser, by signing up and the pool
// that is chosen, to their first stone against somebody who waits. `node tests/page/measure-first-rated-move.mjs`,
// best with FIVEFOLD_SERVER naming a release build.

import { TRUST } from './accounts.mjs';
import { firstRatedMove, waitingOpponent } from './first-rated-move.mjs';
import { openBrowser, Server } from './harness.mjs';

const ROUNDS = Number(process.env.RUNS ?? 5);
const INPUTS_MAX = 4;
const SECONDS_MAX = 30;

const server = await Server.start(TRUST);
const browser = await openBrowser();
try {
  /** @type {{ inputs: number, seconds: number }[]} */
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const other = await waitingOpponent({ server, browser }, `Waits-${round}`);
    const { inputs, seconds, context } = await firstRatedMove({ server, browser }, other, `New-${round}`);
    rounds.push({ inputs, seconds });
    await Promise.all([other.context.close(), context.close()]);
  }
  const median = (/** @type {'inputs' | 'seconds'} */ of) =>
    rounds.map((round) => round[of]).sort((a, b) => a - b)[ROUNDS >> 1] ?? NaN;
  console.log(
    `first rated move: ${median('inputs')} inputs (at most ${INPUTS_MAX}), ${median('seconds').toFixed(1)} s (below ${SECONDS_MAX}); rounds ${rounds.map(({ seconds }) => seconds.toFixed(1)).join(', ')}`,
  );
  if (median('inputs') > INPUTS_MAX || median('seconds') >= SECONDS_MAX) process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop();
}
