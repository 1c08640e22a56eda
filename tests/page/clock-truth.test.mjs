// The clocks that the page shows: neither the device's clock nor a slow network moves them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** A game with a minute for each player, in which the first moves are made.
 * @param {(page: Page) => Promise<void>} [prepare] Bob's page */
async function withClock(prepare) {
  const ann = await visitor(at.browser, at.server, {}, 'Ann');
  const bob = await visitor(at.browser, at.server, {}, 'Bob');
  await prepare?.(bob.page);
  await Promise.all([ann.page.goto('/'), bob.page.goto('/')]);
  const { room } = await ask(ann.page, {
    type: 'create',
    rules: { variant: 'freestyle', size: [15, 15] },
    time: { type: 'sudden_death', main_ms: 60_000 },
    colour: 'black',
  });
  await ask(bob.page, { type: 'join', room }, { type: 'sit', room, seat: 'second' });
  await ask(ann.page, { type: 'join', room }, { type: 'play', room, ply: 0, point: [7, 7] });
  assert.equal(
    (await ask(bob.page, { type: 'join', room }, { type: 'play', room, ply: 1, point: [8, 6] })).type,
    'done',
  );
  await Promise.all([ann, bob].map(({ page }) => page.goto(`/r/${room}`)));
  await Promise.all([ann, bob].map(({ page }) => sees(page, 'i9', 'White')));
  return { ann, bob };
}

/** The running clock, in seconds. @param {Page} page */
async function left(page) {
  const text = (await page.locator('.to-move .clock').textContent()) ?? '';
  const [minutes = 0, seconds = 0] = text.split(':').map(Number);
  return 60 * minutes + seconds;
}

test('a step of the device’s clock moves no clock', async () => {
  const { ann, bob } = await withClock();
  for (const step of [120_000, -240_000]) {
    await bob.page.evaluate((by) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + by;
    }, step);
    await bob.page.evaluate(
      () =>
        new Promise((resolve) => {
          setTimeout(resolve, 1_200);
        }),
    );
    const [one, other] = await Promise.all([left(ann.page), left(bob.page)]);
    assert.ok(one > 20 && Math.abs(one - other) <= 1, `${one} and ${other}`);
  }
});

test('a join that is three seconds late leaves the clock right', async () => {
  const { ann, bob } = await withClock((page) =>
    page.routeWebSocket('**/ws', (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        if (JSON.parse(String(text)).type === 'joined') setTimeout(() => socket.send(text), 3_000);
        else socket.send(text);
      });
    }),
  );
  // The next answer tells the time.
  await assert.doesNotReject(async () => {
    for (let tries = 0; Math.abs((await left(ann.page)) - (await left(bob.page))) > 0.5; tries += 1) {
      assert.ok(tries < 60, `${await left(ann.page)} and ${await left(bob.page)}`);
      await bob.page.evaluate(
        () =>
          new Promise((resolve) => {
            setTimeout(resolve, 100);
          }),
      );
    }
  });
});
