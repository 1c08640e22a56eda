// Networks break and servers restart: no move is lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { atOnce, begin, put, sees, stage, twoPlay, visitor } from './harness.mjs';

const at = stage();

test('a move made without a network arrives when it is back', async () => {
  const { ann, bob } = await twoPlay(at);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await bob.context.setOffline(true);
  // Chromium cuts no open socket: the page is to find out by itself that it is dead.
  await bob.page.evaluate(() => dispatchEvent(new Event('online')));
  await put(bob.page, 'h9');
  await bob.context.setOffline(false);
  await sees(ann.page, 'h9', 'White');
  await put(ann.page, 'i8');
  await sees(bob.page, 'i8', 'Black');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('killing the server loses no move', async () => {
  const { ann, bob } = await twoPlay(at);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await at.server.kill();
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor();
  await bob.page.getByText('Connection lost. Reconnecting…').waitFor();
  await put(bob.page, 'h9');
  await bob.page.getByLabel('Send a message').fill('still here');
  await bob.page.keyboard.press('Enter');
  await at.server.again();
  await sees(ann.page, 'h9', 'White');
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'hidden' });
  await put(ann.page, 'i8');
  await sees(bob.page, 'i8', 'Black');
  await ann.page.locator('.chat-lines').getByText('still here').waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a server that stops is left at once, and tried again until it is back', async () => {
  const { ann, bob } = await twoPlay(at);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  // The waits before the page asks whether there is a server.
  await bob.page.evaluate(() => {
    const waits = /** @type {number[]} */ ([]);
    Object.assign(window, { waits });
    const { setTimeout: wait, fetch: ask } = window;
    let last = 0;
    // The page also looks after its connection every ten seconds, which is not the matter here.
    for (let timer = wait(() => {}); timer > 0; timer -= 1) clearTimeout(timer);
    window.setTimeout = /** @type {typeof setTimeout} */ (
      (/** @type {() => void} */ then, /** @type {number} */ ms) => {
        return wait(() => {
          last = ms;
          then();
        }, ms);
      }
    );
    window.fetch = (address, options) => {
      if (String(address).endsWith('/healthz')) waits.push(last);
      return ask(address, options);
    };
  });
  const waits = () =>
    bob.page.evaluate(() => /** @type {{ waits: number[] }} */ (/** @type {unknown} */ (window)).waits);
  await at.server.terminate();
  await bob.page.waitForFunction(() => /** @type {any} */ (window).waits.length >= 3);
  const [first, second, third] = await waits();
  const within = (/** @type {number | undefined} */ wait, /** @type {number} */ most) => {
    assert.ok(wait !== undefined && wait >= most / 2 && wait <= most, `${wait} of ${most} ms`);
  };
  within(first, 250);
  within(second, 500);
  within(third, 1000);
  await at.server.again();
  await bob.page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'hidden' });
  await put(bob.page, 'h9');
  await sees(ann.page, 'h9', 'White');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('a reload and a second tab keep the seat', async () => {
  const { ann, bob, link } = await twoPlay(at);
  await put(ann.page, 'h8');
  await ann.page.reload();
  await sees(ann.page, 'h8', 'Black');
  const second = await ann.context.newPage();
  await second.goto(link);
  await put(bob.page, 'h9');
  await sees(second, 'h9', 'White');
  await put(second, 'i8');
  await sees(ann.page, 'i8', 'Black');
  await sees(bob.page, 'i8', 'Black');
});

test('two first tabs, opened at once, are one person', async () => {
  await atOnce([1, 2, 3, 4, 5], async () => {
    const { page, context, complaints } = await visitor(at.browser, at.server);
    const tabs = [page, await context.newPage()];
    await Promise.all(tabs.map((tab) => tab.goto('/')));
    // Each makes a room, in which its own name is shown.
    const names = await Promise.all(
      tabs.map(async (tab) => {
        await begin(tab, 'friend');
        await tab.getByRole('heading', { name: 'Waiting' }).waitFor();
        return tab.locator('.me').textContent();
      }),
    );
    assert.equal(names[0], names[1]);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
