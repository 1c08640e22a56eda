// Times a newcomer's first minute: from the start of the server to the first stone that two friends
// see. `node tests/page/measure-first-minute.mjs`, best with FIVEFOLD_SERVER naming a release build.

import { accept, begin, openBrowser, put, Server, sees, visitor } from './harness.mjs';

const browser = await openBrowser();
let steps = 0;
let total = 0;
let server = /** @type {Server | undefined} */ (undefined);

/**
 * Does something, and says how long it took.
 * @template T
 * @param {string} who
 * @param {string} what
 * @param {() => Promise<T>} act
 */
async function step(who, what, act) {
  const begin = performance.now();
  const result = await act();
  const took = performance.now() - begin;
  steps += 1;
  total += took;
  console.log(`${steps}. ${who} ${what}: ${(took / 1000).toFixed(2)} s`);
  return result;
}

try {
  const running = await step('Ann', 'starts the server, and it says its address', () =>
    Server.start({ 'no-demo': false }),
  );
  server = running;
  const [ann, bob] = [await visitor(browser, running), await visitor(browser, running)];
  await step('Ann', 'opens the address', async () => {
    await ann.page.goto('/');
    await ann.page.locator('.opponents').waitFor();
  });
  const link = await step(
    'Ann',
    'chooses a friend, presses "Create invite link" and has a link to pass on',
    async () => {
      await begin(ann.page, 'friend');
      return ann.page.getByLabel('Link to this room').inputValue();
    },
  );
  const first = await step('Bob', 'opens the link and sits; the game begins', async () => {
    await accept(bob.page, link);
    return Promise.any(
      [ann, bob].map(async (one) => {
        await one.page.getByRole('heading', { name: 'Your move' }).waitFor();
        return one;
      }),
    );
  });
  await step(first === ann ? 'Ann' : 'Bob', 'has Black by lot and puts a stone, which both see', async () => {
    await put(first.page, 'h8');
    await Promise.all([ann, bob].map((one) => sees(one.page, 'h8', 'Black')));
  });
  console.log(`${steps} steps, ${(total / 1000).toFixed(2)} s`);
} finally {
  await browser.close();
  await server?.stop();
}
