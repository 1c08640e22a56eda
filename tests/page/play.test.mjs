// Two people play by a link, to a five.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Server, openBrowser, visitor } from './harness.mjs';

/** @type {Server} */
let server;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
});

after(async () => {
  await browser.close();
  await server.stop();
});

test('the start loads without a complaint', async () => {
  const { page, complaints } = await visitor(browser, server);
  await page.goto('/');
  await page.getByRole('button', { name: 'Play a friend' }).click();
  await page.waitForURL('**/r/*');
  await page.locator('canvas').waitFor();
  assert.deepEqual(complaints, []);
});
