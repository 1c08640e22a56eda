// The page as a screen reader has it: a whole game by the accessibility tree alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();
const WITHIN_MS = 20_000;
const OVER = /^(You won|You lost|Draw)$/;

/** What somebody knows and does who has nothing but the accessibility tree. @param {Page} page */
async function reader(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Accessibility.enable');
  /** Its roles and names now. */
  const tree = async () => {
    const { nodes } = await cdp.send('Accessibility.getFullAXTree');
    return nodes.flatMap(({ ignored, role, name, backendDOMNodeId }) =>
      ignored ? [] : [{ role: String(role?.value), name: String(name?.value ?? ''), id: backendDOMNodeId }],
    );
  };
  /** @typedef {Awaited<ReturnType<typeof tree>>} Tree */
  return {
    /** Waits until something is found in the tree. @template T @param {string} what @param {(tree: Tree) => T | undefined} find @returns {Promise<T>} */
    async until(what, find) {
      for (const end = Date.now() + WITHIN_MS; Date.now() < end; ) {
        const found = find(await tree());
        if (found !== undefined) return found;
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
      return assert.fail(what);
    },
    /** What a screen reader's press does. @param {Tree[number]} node */
    async press({ id }) {
      const { object } = await cdp.send('DOM.resolveNode', { backendNodeId: id });
      await cdp.send('Runtime.callFunctionOn', {
        objectId: object.objectId,
        functionDeclaration: 'function () { this.click(); }',
      });
    },
  };
}

test('a whole game by the accessibility tree alone', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.addInitScript(() =>
    localStorage.setItem('fivefold.options', JSON.stringify({ variant: 'mnk', size: '15', clock: 0, colour: 'black' })),
  );
  await page.goto('/');
  const { until, press } = await reader(page);
  /** @param {string} role @param {RegExp} name */
  const node = (role, name) =>
    until(`${role} ${name}`, (tree) => tree.find((one) => one.role === role && name.test(one.name)));
  await press(await node('radio', /^A bot/));
  await press(await node('button', /^Play the bot \(level \d+\)$/));
  let moves = 0;
  for (;;) {
    const next = await until('a turn, or the end', (tree) => {
      const heading = tree.find(
        ({ role, name }) => role === 'heading' && (name === 'Your move' || OVER.test(name)),
      )?.name;
      const points = tree.filter(({ role }) => role === 'gridcell');
      // An own stone is there before the server has answered.
      const stones = points.filter(({ name }) => /, (X|O)/.test(name)).length;
      if (heading && OVER.test(heading)) return { stones };
      return heading && stones % 2 === 0
        ? { stones, free: points.find(({ name }) => /^\w\d, empty/.test(name)) }
        : undefined;
    });
    moves = next.stones;
    if (!next.free) break;
    await press(next.free);
    const point = next.free.name.slice(0, 2);
    // The winning stone can be there a moment before the result: then it was nobody's turn.
    await until(`a stone on ${point}, or the end`, (tree) =>
      tree.find(
        ({ role, name }) =>
          (role === 'gridcell' && name.startsWith(`${point}, X`)) || (role === 'heading' && OVER.test(name)),
      ),
    );
  }
  assert.ok(moves >= 5, `it ended after ${moves} moves`);
  await node('button', /^Rematch$/);
  await node('link', /^Review game$/);
  assert.deepEqual(complaints, []);
});
