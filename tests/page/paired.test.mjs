// Games of players whom the server has paired: the first moves, aborting, and asking a silent opponent.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { put, sees, stage, visitor } from './harness.mjs';

const at = stage();

/**
 * Seeks a game without a clock over a separate socket, with the page's identity.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 * @returns {Promise<{ room: string, seat: 'first' | 'second' }>}
 */
function seek(page, name) {
  return page.evaluate(
    (name) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        const identity = localStorage.getItem('fivefold.identity');
        socket.onopen = () => {
          socket.send(JSON.stringify({ type: 'hello', id: '1', protocol: 1, identity, name }));
          socket.send(JSON.stringify({ type: 'seek', id: crypto.randomUUID(), pool: 'free' }));
        };
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type === 'refused') reject(new Error(data));
          if (message.type !== 'paired') return;
          socket.close();
          resolve(message);
        };
        socket.onclose = () => reject(new Error('the socket is closed'));
      }),
    name,
  );
}

/** Two people whom the server has paired, in their room. The first puts the first stone. */
async function pair() {
  const names = ['Ann', 'Bob'];
  const people = await Promise.all(
    names.map(async (name) => {
      const person = await visitor(at.browser, at.server, {}, name);
      /** Sends the page a message that the server did not send, over its last socket. */
      let inject = (/** @type {object} */ _) => {};
      /** By how much the server's clock is ahead for the page. */
      let ahead = 0;
      await person.page.routeWebSocket('**/ws', (socket) => {
        socket.connectToServer().onMessage((text) => {
          const message = JSON.parse(String(text));
          socket.send(message.now ? JSON.stringify({ ...message, now: message.now + ahead }) : text);
        });
        inject = (message) => socket.send(JSON.stringify(message));
      });
      await person.page.goto('/');
      await person.page.waitForFunction(() => localStorage.getItem('fivefold.identity'));
      return {
        ...person,
        name,
        inject: (/** @type {object} */ message) => inject(message),
        /** Both clocks are so much later, the page's and what it hears of the server's. */ later: async (
          /** @type {number} */ ms,
        ) => {
          ahead += ms;
          await person.page.evaluate((by) => {
            const now = performance.now.bind(performance);
            performance.now = () => now() + by;
          }, ms);
        },
      };
    }),
  );
  const found = await Promise.all(people.map(({ page, name }) => seek(page, name)));
  const [one, other] = found.map(({ seat }) => people[seat === found[0]?.seat ? 0 : 1]);
  const [first, second] = found[0]?.seat === 'first' ? [one, other] : [other, one];
  const room = found[0]?.room ?? '';
  assert.ok(first && second && found[1]?.room === room);
  for (const { page } of people) await page.goto(`/r/${room}`);
  await first.page.getByRole('heading', { name: 'Your move' }).waitFor();
  return { first, second, room };
}

test('each player has a limit for the first move, and then resigns instead of aborting', async () => {
  const { first, second } = await pair();
  const [abort, resign] = ['Abort', 'Resign'].map((name) =>
    [first, second].map(({ page }) => page.getByRole('button', { name, exact: true })),
  );
  assert.ok(abort?.[0] && abort[1] && resign?.[0] && resign[1]);
  await first.page.getByText(/^Your first move: \d+ secs, or the game is aborted$/).waitFor();
  await second.page.getByText(new RegExp(`^${first.name} has \\d+ secs for the first move$`)).waitFor();
  await put(first.page, 'h8');
  await second.page.getByText(/^Your first move: \d+ secs/).waitFor();
  for (const button of abort) await button.waitFor();
  for (const button of resign) assert.equal(await button.count(), 0);
  await put(second.page, 'h9');
  for (const button of resign) await button.waitFor();
  for (const button of abort) assert.equal(await button.count(), 0);
  assert.equal(
    await first.page
      .getByText(/first move/)
      .filter({ visible: true })
      .count(),
    0,
  );
  assert.deepEqual([...first.complaints, ...second.complaints], []);
});

test('an aborted game is neither won nor drawn, and has no replay', async () => {
  const { first, second } = await pair();
  await second.page.getByRole('button', { name: 'Abort' }).click();
  await second.page.getByText('Aborting…').waitFor();
  for (const { page, complaints } of [first, second]) {
    await page.getByRole('heading', { name: 'Game aborted' }).waitFor();
    await page.locator('.summary').getByText('Aborted by White').waitFor();
    await page.getByRole('button', { name: 'New opponent' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Review game' }).count(), 0);
    assert.deepEqual(complaints, []);
  }
});

test('a player who waits for long asks whether the opponent is there, and may then claim', async () => {
  const { first, second, room } = await pair();
  await put(first.page, 'h8');
  await sees(second.page, 'h8', 'Black');
  await put(second.page, 'h9');
  await sees(first.page, 'h9', 'White');
  const nudge = second.page.getByRole('button', { name: 'Still there?' });
  assert.equal(await nudge.count(), 0);
  // Three minutes later by the page's clock; the server disagrees.
  await second.later(180_000);
  await nudge.click();
  await second.page.locator('.toast').getByText('It is too early for that.').waitFor();
  await second.later(-180_000);
  // The room has eight events, and the next one of the server is the ninth.
  const nudged = (/** @type {number} */ until) => ({
    type: 'event',
    room,
    seq: 8.5,
    at: Date.now(),
    event: { type: 'nudged', by: 'second', until },
  });
  first.inject(nudged(Date.now() + 60_000));
  const question = first.page.getByText(
    new RegExp(`^${second.name} asks: are you still there\\? Move within \\d+ s\\.$`),
  );
  await question.waitFor();
  second.inject(nudged(Date.now() + 2_000));
  await second.page.getByText(new RegExp(`^${first.name} has \\d s to answer$`)).waitFor();
  await second.page.getByText(`${first.name} does not answer.`).waitFor();
  await second.page.getByRole('button', { name: 'Claim the win' }).waitFor();
  await put(first.page, 'i8');
  await question.waitFor({ state: 'detached' });
  await second.page.getByRole('button', { name: 'Claim the win' }).waitFor({ state: 'detached' });
  assert.deepEqual([...first.complaints, ...second.complaints], []);
});
