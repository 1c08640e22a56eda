// Ways in and out: links, rooms that are gone, one's own games, who one is, sockets that end.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { ask, put, sees, stage, twoPlay, visitor } from './harness.mjs';

const at = stage('--no-show');

/** Every bot there is. */
const BOTS = ['engine', 'attack', 'pattern', 'minimax'];

test('the bots offered as helpers are those that the server takes', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await page.getByRole('button', { name: 'Play a friend' }).waitFor();
  for (const rules of [
    { variant: 'mnk', k: 3, size: [3, 3] }, { variant: 'mnk', k: 4, size: [5, 4] }, { variant: 'mnk', k: 3, size: [7, 3] },
    { variant: 'freestyle', size: [5, 4] }, { variant: 'standard', size: [5, 4] }, { variant: 'caro_overline', size: [5, 4] },
    { variant: 'freestyle', size: 'unbounded' }, { variant: 'mnk', k: 7, size: [9, 9] }, { variant: 'renju', size: [15, 15] },
  ]) {
    const room = await ask(page, { type: 'create', rules, colour: 'black', seats: ['me', { bot: { kind: 'attack' } }] });
    assert.equal(room.type, 'joined', JSON.stringify(room));
    const join = { type: 'join', room: room.room };
    const taken = [];
    for (const bot of BOTS) {
      const { type } = await ask(page, join, { type: 'weights', room: room.room, bot });
      if (type === 'weights') taken.push(bot);
    }
    const { type } = await ask(page, join, { type: 'analyse', room: room.room });
    await page.goto(`/r/${room.room}`);
    await page.getByRole('heading', { name: 'Your turn' }).waitFor();
    const offered = await page.getByLabel('Which bot helps').locator('option').evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    assert.deepEqual(offered, taken, JSON.stringify(rules));
    assert.equal(await page.getByRole('button', { name: 'Think along' }).isVisible(), type === 'done', JSON.stringify(rules));
  }
  assert.deepEqual(complaints, []);
});

test('the page comes back after the codes of which the protocol says so, and after no other', async () => {
  const guide = await readFile(new URL('../../shared/src/protocol.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| ([\d, ]+) \|.*\| (yes|no)\b.*\|$/gm)];
  const codes = rows.flatMap(([, list, back]) => (list ?? '').split(', ').map((code) => ({ code: Number(code), back: back === 'yes' })));
  assert.ok(codes.length > 10, 'the table is found');
  for (const { code, back } of [...codes, { code: 1001, back: true }, { code: 1006, back: true }]) {
    const { page, context } = await visitor(at.browser, at.server);
    let sockets = 0;
    await page.routeWebSocket('**/ws', (socket) => {
      sockets += 1;
      if (sockets === 1) return void socket.close({ code });
      socket.connectToServer();
    });
    await page.goto('/');
    if (back) await page.getByRole('button', { name: /^Guest/ }).waitFor({ timeout: 20_000 });
    else await page.getByText('The connection is closed. Reload the page to play on.').waitFor();
    assert.equal(sockets, back ? 2 : 1, String(code));
    await context.close();
  }
});

test('a room that never was says so, and leads on', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  for (const code of ['k7m2qpxw9abc', 'zz']) {
    await page.goto(`/r/${code}`);
    await page.getByRole('heading', { name: 'There is no such room' }).waitFor();
    await page.getByText('It was closed, or the link is not complete.').waitFor();
    await page.locator('main').getByRole('link', { name: 'Games' }).waitFor();
    assert.equal(await page.locator('canvas').count(), 0, 'no board without a game');
    await page.locator('main').getByRole('link', { name: 'New game' }).click();
    await page.getByRole('button', { name: 'Play a friend' }).waitFor();
  }
  assert.deepEqual(complaints.filter((text) => !text.includes('404')), []);
});

test('a room that closes leaves its game to be seen, now and by its link later', async () => {
  const { ann, bob, link } = await twoPlay(at);
  const code = link.slice(link.lastIndexOf('/') + 1);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  // From here on the server says to Ann that the room is closed.
  let closed = false;
  await ann.page.routeWebSocket('**/ws', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text));
      if (message.type !== 'joined') return socket.send(text);
      if (closed) return socket.send(JSON.stringify({ type: 'refused', id: message.id, reason: 'no_such_room', text: '…' }));
      socket.send(text);
      setTimeout(() => socket.send(JSON.stringify({ type: 'closed', room: code, text: 'Nobody was here for an hour.' })), 200);
      closed = true;
    });
  });
  await ann.page.reload();
  await ann.page.getByText('This room is closed. Its games are kept.').waitFor();
  await sees(ann.page, 'h8', 'Black');
  for (const name of ['Replay', 'New game']) await ann.page.locator('main').getByRole('link', { name }).waitFor();
  assert.equal(await ann.page.getByRole('button', { name: 'Rematch' }).count(), 0);
  // The link once more, later.
  await ann.page.reload();
  await ann.page.getByRole('heading', { name: 'This room is closed' }).waitFor();
  await ann.page.locator('main').getByRole('link', { name: 'Replay' }).click();
  await ann.page.waitForURL('**/game/*');
  await sees(ann.page, 'h8', 'Black');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a room that cannot be entered just now says what to do', async () => {
  const { page } = await visitor(at.browser, at.server);
  let full = true;
  await page.routeWebSocket('**/ws', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { type, id } = JSON.parse(String(text));
      if (type === 'join' && full) socket.send(JSON.stringify({ type: 'refused', id, reason: 'room_full', text: '…' }));
      else server.send(text);
    });
  });
  await page.goto('/r/k7m2qpxw9abc');
  await page.getByRole('heading', { name: 'You cannot get in just now' }).waitFor();
  await page.getByText('The room is full. Try again later.').waitFor();
  full = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'There is no such room' }).waitFor();
});
