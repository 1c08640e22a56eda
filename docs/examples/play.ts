// Plays one game on a Fivefold server and prints the result: node play.ts http://localhost:8080 [ROOM]
// Without ROOM it creates a room against the lowest level of the engine. With FIVEFOLD_TOKEN it signs in.

import { connect, RefusedError } from '@fivefold/client';
import type { Point } from '@fivefold/client/protocol';

const [address = 'http://localhost:8080', code] = process.argv.slice(2);
const token = process.env.FIVEFOLD_TOKEN;
const client = await connect(address, token ? { token } : { name: 'TypeScript' });

let wake = () => {};
/** Called after each change of the room, and after reconnecting if something has changed meanwhile. */
const changed = () => wake();
const change = () => new Promise<void>((resolve) => (wake = resolve));

const room = code
  ? await client.join(code, changed)
  : await client.create(
      { rules: { variant: 'freestyle', size: [15, 15] }, seats: ['open', { bot: { kind: 'engine', level: 1 } }] },
      changed,
    );
console.log(`${client.address}/r/${room.code}`);
await client.send({ type: 'sit_as_engine', room: room.code });

/** Plays a random free point. */
async function play(): Promise<void> {
  if (room.rules.size === 'unbounded') throw new Error('this example plays on bounded boards');
  const [width, height] = room.rules.size;
  const moves = room.game?.moves ?? [];
  const all = Array.from({ length: width * height }, (_, at): Point => [at % width, Math.floor(at / width)]);
  const free = all.filter(([x, y]) => !moves.some((move) => move[0] === x && move[1] === y));
  const point = free[Math.floor(Math.random() * free.length)] ?? [0, 0];
  try {
    await client.send({ type: 'play', room: room.code, ply: moves.length, point });
  } catch (error) {
    // Renju forbids some points to Black, and the game may have just ended: the loop below checks again.
    if (!(error instanceof RefusedError && /^(double_|overline|no_game)/.test(error.refusal.reason))) throw error;
  }
}

while (!room.game?.outcome) {
  if (room.toAct && room.toAct === room.seatOf(client.you)) await play();
  else await change();
}
const { reason, winner } = room.game.outcome;
console.log(winner === room.playedBy(client.you) ? 'won' : winner ? 'lost' : 'no winner', reason);
client.stop();
