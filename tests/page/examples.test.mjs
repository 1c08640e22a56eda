// The package for programs as it is packed, and the examples in TypeScript and Python. The one in Rust is tested in
// tests/e2e.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { Server } from './harness.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'tests/page/node_modules');
const example = (/** @type {string} */ name) => join(root, 'docs/examples', name);
/** Node.js before version 22 has no WebSocket. */
const sockets = 'WebSocket' in globalThis ? [] : ['--experimental-websocket'];
const ENDINGS = ['won five', 'lost five', 'no winner full_board'];

let folder = '';
/** The path of the package. */
let packed = '';
/** @type {Server} */
let server;

/** Runs a program in the folder where the package is installed. @param {string} program @param {...string} parameters */
async function run(program, ...parameters) {
  try {
    return (await promisify(execFile)(program, parameters, { cwd: folder })).stdout.trim();
  } catch (error) {
    throw new Error(`${program} ${parameters.join(' ')} has failed: ${JSON.stringify(error)}`);
  }
}

/** Checks the types of a program as its author would, and compiles it. @param {string} file @param {...string} options */
const compile = (file, ...options) =>
  run(
    join(modules, '.bin/tsc'),
    ...['--strict', '--target', 'es2023', '--lib', 'es2023,dom', '--module', 'nodenext'],
    ...['--types', 'node', '--typeRoots', join(modules, '@types'), ...options, file],
  );

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fivefold-package-'));
  packed = await run(join(root, 'server/deploy/pack-client'), folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', 'install', '--offline', '--no-audit', '--no-fund', packed);
  server = await Server.start();
});
after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the package is whole, and has the version of the server', async () => {
  const installed = join(folder, 'node_modules/@fivefold/client');
  const { version, dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const workspace = await readFile(join(root, 'Cargo.toml'), 'utf8');
  assert.equal(version, /^version = "(.*)"$/m.exec(workspace)?.[1]);
  assert.equal(dependencies, undefined);
  for (const name of ['README.md', 'LICENSE-APACHE', 'LICENSE-MIT']) assert.ok(await readFile(join(installed, name)));
});

test('the bytes of the package do not depend on who packs it', async () => {
  const script = join(root, 'server/deploy/pack-client');
  const again = await run('sh', '-c', 'umask 077 && mkdir again && exec "$0" "$PWD/again"', script);
  assert.deepEqual(await readFile(again), await readFile(packed));
});

test('a program plays a move, comes back after a lost connection, and is told what is wrong', async () => {
  await writeFile(
    join(folder, 'one-move.ts'),
    `import { Client, clockFace, connect, RefusedError, type Options } from '@fivefold/client';
import { NAME_MAX, type Point } from '@fivefold/client/protocol';

const [address = ''] = process.argv.slice(2);
// That of Node.js, or the one that the package ws has for versions without one.
const WebSocket = globalThis.WebSocket ?? (await import('ws' as string)).default;
const options: Options = { name: 'Ann', WebSocket };
const client = await connect(address, options);
const room = await client.create({
  rules: { variant: 'mnk', k: 3, size: [3, 3] },
  seats: ['me', { bot: { kind: 'minimax' } }],
  colour: 'black',
  time: { type: 'sudden_death', main_ms: 60_000 },
});
const point: Point = [1, 1];
await client.send({ type: 'play', room: room.code, ply: 0, point });
if (room.game?.moves[0]?.join() !== '1,1') throw new Error('the move is not in the room');
const { left_ms } = clockFace(room.game.clock!, 'first', client.now());
if (!(left_ms > 0 && left_ms <= 60_000)) throw new Error(String(left_ms));
const refusal = await client.send({ type: 'play', room: room.code, ply: 0, point }).catch((error: unknown) => error);
console.log(refusal instanceof RefusedError && refusal.refusal.reason, NAME_MAX);

// The same guest again, with all that has happened.
const again = await connect(address, { identity: client.identity!, WebSocket });
console.log(again.you === client.you, (await again.join(room.code)).seatOf(again.you));
again.stop();

console.log('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
// The server is another one by now. This is queued until the connection is back.
await client.send({ type: 'resign', room: room.code });
console.log(client.status, room.game?.outcome?.reason);

const why = (error: unknown) =>
  error instanceof RefusedError ? error.refusal.reason : error instanceof Error ? error.message : error;
const wrong: [string, Options][] = [
  [address, { token: 'ff_00000000000000000000000000000000000000000002CZclj', WebSocket }],
  [address, { name: 'bot Ann', WebSocket }],
  ['http://127.0.0.1:1', { WebSocket }],
];
for (const [server, options] of wrong) console.log(await connect(server, options).catch(why));
console.log(await client.join('zzzzzzzzzzzz').catch(why));
const open = client.send({ type: 'rooms' }).catch(why);
client.stop();
console.log(await open, await client.send({ type: 'rooms' }).catch(why));
console.log(await client.join(room.code).catch(why));
const away = new Client('http://127.0.0.1:1', { WebSocket });
away.connect();
const entering = away.join(room.code).catch(why);
away.stop();
console.log(await entering);
try {
  new Client('ftp://example.org', { WebSocket });
} catch (error) {
  console.log(why(error));
}
`,
  );
  await symlink(join(modules, 'ws'), join(folder, 'node_modules/ws'));
  await compile('one-move.ts');
  const program = execFile('node', ['one-move.js', server.url], { cwd: folder });
  let said = '';
  program.stdout?.on('data', (text) => {
    said += text;
  });
  program.stderr?.on('data', (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => program.once('exit', resolve));
  while (!said.includes('ready') && program.exitCode === null)
    await new Promise((resolve) => program.stdout?.once('data', resolve));
  await server.kill();
  await server.again();
  program.stdin?.end('\n');
  assert.equal(await ended, 0, said);
  assert.deepEqual(said.trim().split('\n'), [
    'stale_ply 24',
    'true first',
    'ready',
    'open resignation',
    'wrong_token',
    'name_looks_like_bot',
    'http://127.0.0.1:1 does not answer as a Fivefold server.',
    'no_such_room',
    'The connection has ended. The connection has ended.',
    'The connection has ended.',
    'The connection has ended.',
    'ftp://example.org is not an address of a server.',
  ]);
});

/** Runs two programs at once in a room for two, and checks that they agree on the result.
 * @param {(room: string) => Promise<string>} play */
async function playEachOther(play) {
  const file = 'room.js';
  await writeFile(
    join(folder, file),
    `import { connect } from '@fivefold/client';
const client = await connect(process.argv[2]);
const rules = { variant: 'mnk', k: 3, size: [3, 3] };
console.log((await client.create({ rules, seats: ['open', 'open'] })).code);
client.stop();`,
  );
  const room = await run('node', ...sockets, file, server.url);
  const results = await Promise.all([play(room), play(room)]);
  const endings = results.map((text) => text.split('\n')[1]).sort();
  const expected = [ENDINGS.slice(0, 2).sort(), [ENDINGS[2], ENDINGS[2]]];
  assert.ok(
    expected.some((one) => one.join() === endings.join()),
    results.join('\n'),
  );
}

/** Checks what an example prints that has played against the engine. @param {string} text */
function checkGame(text) {
  const [address = '', result = ''] = text.split('\n');
  assert.match(address, /\/r\/[0-9a-z]{12}$/);
  assert.ok(ENDINGS.includes(result), text);
}

test('the example in TypeScript plays games to their end', async () => {
  await copyFile(example('play.ts'), join(folder, 'play.ts'));
  await compile('play.ts');
  const play = (/** @type {string[]} */ ...room) => run('node', ...sockets, 'play.js', server.url, ...room);
  checkGame(await play());
  await playEachOther(play);
});

test('the example in Python plays games to their end', async (context) => {
  const python = await pythonWithWebSockets();
  if (!python) return context.skip('NOT CHECKED: the example in Python; its package websockets cannot be installed');
  const play = (/** @type {string[]} */ ...room) => run(python, example('play.py'), server.url, ...room);
  checkGame(await play());
  return playEachOther(play);
});

/** A Python that has the package, installed or in a folder of its own; none if it cannot be had. */
async function pythonWithWebSockets() {
  const check = ['-c', 'import websockets.sync.client'];
  const has = (/** @type {string} */ python) =>
    run(python, ...check).then(
      () => true,
      () => false,
    );
  if (await has('python3')) return 'python3';
  const environment = join(folder, 'python');
  const own = join(environment, 'bin/python');
  await run('python3', '-m', 'venv', environment).catch(() => {});
  await run(own, '-m', 'pip', 'install', '--quiet', 'websockets==17.4').catch(() => {});
  return (await has(own)) ? own : undefined;
}
