// Links to rooms, closed rooms, the player's own rooms, identities, and closed sockets.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ask,
  atOnce,
  begin,
  choose,
  identityLink,
  protocolGuide,
  put,
  sees,
  stage,
  twoPlay,
  unfold,
  visitor,
} from './harness.mjs';

const at = stage();

/** All bots. */
const BOTS = ['engine', 'attack', 'pattern', 'minimax'];

test('the assist panel offers exactly the bots that the server accepts', async () => {
  await atOnce(
    [
      { variant: 'mnk', k: 3, size: [3, 3] },
      { variant: 'mnk', k: 4, size: [5, 4] },
      { variant: 'mnk', k: 3, size: [7, 3] },
      { variant: 'freestyle', size: [5, 4] },
      { variant: 'standard', size: [5, 4] },
      { variant: 'caro_overline', size: [5, 4] },
      { variant: 'freestyle', size: 'unbounded' },
      { variant: 'mnk', k: 7, size: [9, 9] },
      { variant: 'renju', size: [15, 15] },
    ],
    async (rules) => {
      const { page, complaints, context } = await visitor(at.browser, at.server);
      await page.goto('/');
      await page.locator('.opponents').waitFor();
      const room = await ask(page, {
        type: 'create',
        rules,
        colour: 'black',
        seats: ['me', { bot: { kind: 'attack' } }],
      });
      assert.equal(room.type, 'joined', JSON.stringify(room));
      const join = { type: 'join', room: room.room };
      const taken = [];
      for (const bot of BOTS) {
        const { type } = await ask(page, join, { type: 'weights', room: room.room, bot });
        if (type === 'weights') taken.push(bot);
      }
      const { type } = await ask(page, join, { type: 'analyse', room: room.room });
      await page.goto(`/r/${room.room}`);
      await page.getByRole('heading', { name: 'Your move' }).waitFor();
      await page.locator('.assist > summary').click();
      const offered = await page
        .getByLabel('Which bot helps')
        .locator('option')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
      assert.deepEqual(offered, taken, JSON.stringify(rules));
      assert.equal(
        await page.getByRole('button', { name: 'Live analysis' }).isVisible(),
        type === 'done',
        JSON.stringify(rules),
      );
      assert.deepEqual(complaints, []);
      await context.close();
    },
  );
});

test('the page reconnects after exactly the close codes that the protocol lists', async () => {
  const guide = await protocolGuide();
  const rows = [...guide.matchAll(/^\| ([\d, ]+) \|.*\| (yes|no)\b.*\|$/gm)];
  const codes = rows.flatMap(([, list, back]) =>
    (list ?? '').split(', ').map((code) => ({ code: Number(code), back: back === 'yes' })),
  );
  assert.ok(codes.length > 10, 'the table is found');
  // Most of this is waiting for the next try, so several pages wait at once.
  await atOnce([...codes, { code: 1001, back: true }, { code: 1006, back: true }], async ({ code, back }) => {
    const { page, context } = await visitor(at.browser, at.server);
    let sockets = 0;
    await page.routeWebSocket('**/ws', (socket) => {
      sockets += 1;
      if (sockets === 1) return void socket.close({ code });
      socket.connectToServer();
    });
    await page.goto('/');
    if (back) await page.getByRole('button', { name: /^Guest/ }).waitFor({ timeout: 20_000 });
    else
      await page
        .getByText(
          code === 4004
            ? 'Your link was replaced on another device.'
            : 'The connection is closed. Reload the page to continue.',
        )
        .waitFor();
    assert.equal(sockets, back ? 2 : 1, String(code));
    await context.close();
  });
});

test('an unknown room shows a message with links', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  for (const code of ['k7m2qpxw9abc', 'zz']) {
    await page.goto(`/r/${code}`);
    await page.getByRole('heading', { name: 'Room not found' }).waitFor();
    await page.locator('main').getByText('rooms close a while after the last player leaves').waitFor();
    await page.locator('main').getByRole('link', { name: 'Your games' }).waitFor();
    assert.equal(await page.getByRole('gridcell').count(), 0, 'no board to play on without a game');
    await page.locator('main').getByRole('link', { name: 'Find an opponent' }).click();
    await page.locator('.opponents').waitFor();
  }
  assert.deepEqual(
    complaints.filter((text) => !text.includes('404')),
    [],
  );
});

test('a closed room leads to its game, now and from its link later', async () => {
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
      if (closed)
        return socket.send(JSON.stringify({ type: 'refused', id: message.id, reason: 'no_such_room', text: '…' }));
      socket.send(text);
      setTimeout(
        () => socket.send(JSON.stringify({ type: 'closed', room: code, text: 'Nobody was here for an hour.' })),
        200,
      );
      closed = true;
    });
  });
  await ann.page.reload();
  await ann.page.locator('main').getByText('This room is closed. Its games are kept.').waitFor();
  await sees(ann.page, 'h8', 'Black');
  for (const name of ['Review game', 'Find an opponent'])
    await ann.page.locator('main').getByRole('link', { name }).waitFor();
  assert.equal(await ann.page.getByRole('button', { name: 'Rematch' }).count(), 0);
  // The link once more, later.
  await ann.page.reload();
  await ann.page.getByRole('heading', { name: 'This room is closed' }).waitFor();
  await ann.page.locator('main').getByRole('link', { name: 'Review game' }).click();
  await ann.page.waitForURL('**/game/*');
  await sees(ann.page, 'h8', 'Black');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a full room says what to do', async () => {
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
  await page.getByRole('heading', { name: 'You cannot enter this room right now' }).waitFor();
  await page.locator('main').getByText('The room is full. Try again later.').waitFor();
  full = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Room not found' }).waitFor();
});

test('an invitation shows the rules, and its bot has the chosen level', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  await page.locator('.options').getByLabel('Rules').selectOption('renju');
  await page.locator('.options').getByText('5+3', { exact: true }).click();
  await page.getByLabel('Your color').selectOption('white');
  await choose(page, 'bot');
  await page.locator('.level').getByText('7', { exact: true }).click();
  await begin(page, 'friend');
  await page.locator('.invitation').getByText('Renju · 15×15 · 5+3 · You play White').waitFor();
  const bots = page.locator('.invitation').getByLabel('Bot', { exact: true });
  assert.equal(await bots.locator('option:checked').textContent(), 'Bot, level 7');
  await page.getByRole('button', { name: 'Play this bot instead' }).click();
  await page.locator('.plate', { hasText: 'Bot, level 7' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a third visitor sees that both seats are taken', async () => {
  const { ann, bob, link } = await twoPlay(at);
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(link);
  await eve.page.locator('.summary').getByText('Both seats are taken. You are watching.').waitFor();
  for (const { page, complaints } of [ann, bob]) {
    assert.equal(await page.getByText('You are watching').count(), 0);
    assert.deepEqual(complaints, []);
  }
});

test('switching to another identity keeps the former one', async () => {
  const { here, link } = await identityLink(at, 'Ann');

  const there = await visitor(at.browser, at.server);
  await there.page.goto('/');
  await there.page.getByRole('button', { name: /^Guest/ }).click();
  await there.page.getByLabel('Your name').fill('Zoe');
  await there.page.getByRole('button', { name: 'Save' }).click();
  await there.page.getByRole('button', { name: 'Zoe' }).waitFor();
  const own = await there.page.evaluate(() => localStorage.getItem('fivefold.identity'));
  await there.page.goto('about:blank');
  await there.page.goto(link);
  const dialog = there.page.getByRole('dialog');
  await dialog.getByText('Here you are Zoe.').waitFor();
  // The way back is offered before anything is done.
  assert.equal(
    await dialog.getByLabel('Link to switch back to Zoe').inputValue(),
    `${at.server.url}/#identity=${own}&name=Zoe`,
  );
  await dialog.getByRole('button', { name: 'Yes' }).click();
  await there.page.getByRole('button', { name: 'Ann' }).click();
  await there.page.getByRole('button', { name: 'Switch back to Zoe' }).click();
  await there.page.getByRole('button', { name: 'Zoe' }).waitFor();
  assert.equal(await there.page.evaluate(() => localStorage.getItem('fivefold.identity')), own);
  await there.page.getByRole('button', { name: 'Zoe' }).click();
  await there.page.getByRole('button', { name: 'Switch back to Ann' }).waitFor();
  assert.deepEqual([...here.complaints, ...there.complaints], []);
});

test('a running game is listed first, with whose turn it is', async () => {
  const { ann, bob, link } = await twoPlay(at);
  for (const path of ['/', '/games']) {
    for (const [{ page }, state, opponent] of /** @type {const} */ ([
      [ann, 'Your move', 'Bob'],
      [bob, 'Ann is thinking', 'Ann'],
    ])) {
      await page.goto(path);
      const row = page.locator('.own-room', { hasText: opponent }).filter({ hasText: state });
      await row.waitFor();
      const first = await page.locator('main h2, main h3').first().textContent();
      assert.equal(first, 'Your games');
      await row.getByRole('link').click();
      await page.waitForURL(link);
      await page.getByRole('gridcell', { name: /^h8,/ }).waitFor({ state: 'attached' });
    }
  }
  // What happens there is seen from the home page.
  await bob.page.goto('/');
  await bob.page.locator('.own-room', { hasText: 'Ann is thinking' }).waitFor();
  await put(ann.page, 'h8');
  await bob.page.locator('.own-room', { hasText: 'Your move' }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('the host can close a room in the list; whoever is in it leaves', async () => {
  const { ann, bob, link } = await twoPlay(at);
  /** @type {string[]} */
  const asked = [];
  let agrees = false;
  ann.page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (agrees ? dialog.accept() : dialog.dismiss());
  });
  assert.equal(await ann.page.getByRole('button', { name: 'Close the room' }).count(), 0, 'not while they play');
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  assert.equal(await bob.page.getByRole('button', { name: 'Close the room' }).count(), 0, 'not by a guest');
  // Leaving does not close it, and closing says what it does to Bob.
  assert.equal(await ann.page.getByRole('button', { name: 'Close the room' }).count(), 0, 'one way out');
  await ann.page.locator('.actions').getByRole('link', { name: 'Leave' }).waitFor();
  const close = ann.page.locator('.own-room').getByRole('button', { name: 'Close the room' });
  await ann.page.goto('/games');
  await close.click();
  await bob.page.getByRole('button', { name: 'Rematch' }).waitFor();
  agrees = true;
  await close.click();
  assert.deepEqual(asked, Array(2).fill('Close the room for everyone? Only finished games are kept.'));
  await bob.page.locator('.summary').getByText('This room is closed. Its games are kept.').waitFor();
  await bob.page.goto(link);
  await bob.page.getByRole('heading', { name: 'This room is closed' }).waitFor();

  await ann.page.goto('/');
  await begin(ann.page, 'friend');
  await ann.page.getByRole('link', { name: 'Leave' }).click();
  // Nobody else was there: one press.
  const row = ann.page.locator('.own-room', { hasText: 'Waiting for an opponent' });
  await row.getByRole('button', { name: 'Close the room' }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal(asked.length, 2);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('the list names the opponent of a finished game who has left', async () => {
  const { ann, bob } = await twoPlay(at);
  const ownRoom = async () => (await ask(ann.page, { type: 'own_rooms' })).rooms[0];
  const { seats } = await ownRoom();
  const ids = [seats.first.member, seats.second.member];
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  await bob.page.locator('.actions').getByRole('link', { name: 'Leave' }).click();
  await ann.page.goto('/games');
  const { players, seat } = await ownRoom();
  assert.deepEqual([players.first.member, players.second.member], ids);
  const { name } = players[seat === 'first' ? 'second' : 'first'];
  await ann.page.locator('.own-room', { hasText: `The game is over · ${name}` }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a running game with a bot is not closed by one press, and leaving a finished one closes its room', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  /** @type {string[]} */
  const asked = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  await page.getByLabel('Your color').selectOption('black');
  await begin(page, 'bot');
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await put(page, 'h8');
  await page.getByText('2 moves').waitFor();
  await page.goto('/');
  await page.locator('.own-room').getByRole('button', { name: 'Close the room' }).click();
  assert.deepEqual(asked, ['Close the room for everyone? Only finished games are kept.']);
  await page.locator('.own-room a').click();
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(`${at.server.url}/`);
  assert.deepEqual((await ask(page, { type: 'own_rooms' })).rooms, []);
  assert.equal(asked.length, 1);
  assert.deepEqual(complaints, []);
});

test('a new game reuses the finished room or closes it', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const rooms = async () =>
    (await ask(page, { type: 'own_rooms' })).rooms.map((/** @type {{ room: string }} */ { room }) => room);
  const resign = async () => {
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('heading', { name: 'You lost' }).waitFor();
    await page.getByRole('link', { name: 'Change rules' }).click();
  };
  await page.goto('/');
  await begin(page, 'bot');
  await page.waitForURL('**/r/*');
  const room = page.url();
  await resign();
  await begin(page, 'bot');
  await page.waitForURL('**/r/*');
  assert.equal(page.url(), room, 'the same settings');
  await resign();
  await choose(page, 'friend');
  await unfold(page);
  await page.locator('.options').getByLabel('Rules').selectOption('renju');
  await begin(page, 'bot');
  await page.waitForURL('**/r/*');
  assert.notEqual(page.url(), room, 'other settings');
  assert.deepEqual(await rooms(), [page.url().split('/').pop()]);
  assert.deepEqual(complaints, []);
});

test('a finished game is looked at without beginning another one, which takes a press', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const phase = async () => (await ask(page, { type: 'own_rooms' })).rooms[0].phase;
  await page.goto('/');
  await begin(page, 'bot');
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await page.getByRole('link', { name: 'Change rules' }).click();
  const row = page.locator('.own-room', { hasText: 'The game is over' });
  await row.getByText('View', { exact: true }).waitFor();
  assert.equal(await row.getByText('Continue').count(), 0);
  await row.getByRole('link').click();
  const again = page.getByRole('button', { name: /^Play against Bot/ });
  await again.waitFor();
  await page.getByRole('link', { name: 'Review game' }).waitFor();
  assert.match(await page.locator('.plate.vacant').innerText(), /You/, 'the players are still named');
  assert.equal(await phase(), 'waiting');
  await page.reload();
  await again.waitFor();
  assert.equal(await phase(), 'waiting', 'nor by its link');
  await again.click();
  await page.getByRole('heading', { name: /^(Your move|Bot, level \d+ is thinking)$/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a player with too many rooms is shown theirs to close', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await page.getByRole('button', { name: /^Guest/ }).waitFor();
  // Rooms in which nobody is make place: these are held open.
  const made = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        let rooms = 0;
        const create = () =>
          socket.send(
            JSON.stringify({
              type: 'create',
              id: crypto.randomUUID(),
              rules: { variant: 'freestyle', size: [15, 15] },
              colour: 'white',
            }),
          );
        socket.onopen = () =>
          socket.send(
            JSON.stringify({
              type: 'hello',
              id: 'hello',
              protocol: 1,
              identity: localStorage.getItem('fivefold.identity'),
            }),
          );
        socket.onmessage = ({ data }) => {
          const { type } = JSON.parse(data);
          if (type === 'refused') resolve(rooms);
          else if (type === 'joined' || type === 'welcome') create();
          rooms += Number(type === 'joined');
        };
      }),
  );
  await begin(page, 'friend');
  await page.locator('.toast').getByText('You have too many open rooms. Close one of yours, then try again.').waitFor();
  await page
    .locator('.own-room')
    .nth(made - 1)
    .waitFor();
  await page.locator('.own-room').first().getByRole('button', { name: 'Close the room' }).click();
  await page
    .locator('.own-room')
    .nth(made - 1)
    .waitFor({ state: 'detached' });
  await begin(page, 'friend');
  await page.locator('.qr').waitFor();
  assert.deepEqual(complaints, []);
});

test('replacing the identity invalidates only the old link', async () => {
  const { ann, bob, link } = await twoPlay(at);
  const leaked = await ann.page.evaluate(() => localStorage.getItem('fivefold.identity'));
  const tab = await ann.context.newPage();
  await tab.goto(link);
  const thief = await visitor(at.browser, at.server, {}, 'Thief');
  await thief.page.goto(`/#identity=${leaked}`);
  await thief.page.getByRole('button', { name: 'Yes' }).click();
  await thief.page.locator('.own-room').waitFor();
  await ann.page.getByRole('button', { name: 'Ann' }).click();
  await ann.page.getByRole('button', { name: 'Replace the link' }).click();
  await ann.page.locator('.toast').getByText('Replaced. The old link no longer works.').waitFor();
  const fresh = await ann.page.evaluate(() => localStorage.getItem('fivefold.identity'));
  assert.match(fresh ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(fresh, leaked);
  await thief.page.getByText('Your link was replaced on another device.').waitFor();
  // The seat stays, here and in the other tab.
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await put(bob.page, 'h9');
  await sees(tab, 'h9', 'White');
  await put(tab, 'i8');
  await sees(bob.page, 'i8', 'Black');
  await thief.page.reload();
  await thief.page.getByRole('button', { name: 'Start as a new player' }).click();
  await thief.page.getByText('Your link was replaced').waitFor({ state: 'detached' });
  await thief.page.getByRole('button', { name: /^Guest|^Thief/ }).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('who never took a seat becomes a new player by replacing the identity', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.goto('/');
  await page.getByRole('button', { name: /^Guest/ }).click();
  const former = await page.evaluate(() => localStorage.getItem('fivefold.identity'));
  assert.match(former ?? '', /^[0-9a-f]{64}$/);
  await page.getByRole('button', { name: 'Replace the link' }).click();
  await page.waitForFunction((former) => ![null, former].includes(localStorage.getItem('fivefold.identity')), former);
  await page.getByRole('button', { name: /^Guest/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a lost answer to a replacement does not lose the identity', async () => {
  const { ann } = await twoPlay(at);
  let cut = true;
  await ann.page.routeWebSocket('**/ws', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      // The socket breaks when the answer is on its way.
      const { type, id } = JSON.parse(String(text));
      if (cut && type === 'done' && id === asked) {
        cut = false;
        return void socket.close({ code: 1011 });
      }
      socket.send(text);
    });
    let asked = '';
    socket.onMessage((text) => {
      const { type, id } = JSON.parse(String(text));
      if (type === 'replace_identity') asked = id;
      server.send(text);
    });
  });
  await ann.page.reload();
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  await ann.page.getByRole('button', { name: 'Ann' }).click();
  await ann.page.getByRole('button', { name: 'Replace the link' }).click();
  await ann.page.locator('.toast').getByText('Replaced. The old link no longer works.').waitFor();
  assert.equal(cut, false);
  await put(ann.page, 'h8');
  await sees(ann.page, 'h8', 'Black');
  await ann.page.reload();
  await sees(ann.page, 'h8', 'Black');
  assert.deepEqual(ann.complaints, []);
});
