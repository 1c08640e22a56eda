// Prints what a page costs at which nobody does anything: `node measure-rest.mjs`, on a quiet Linux machine.
// Processor seconds of all processes of Chromium, without a graphics card.

import { readdir, readFile } from 'node:fs/promises';

import { begin, choose, openBrowser, put, Server, visitor } from './harness.mjs';

const SECONDS = 10;
/** Processor time is counted in hundredths of a second. */
const TICKS = 100;

const server = await Server.start();
const browser = await openBrowser();
const { page } = await visitor(browser, server, {}, 'Ann');
await page.goto('/');
await rest('home page');
await choose(page, 'friend');
await begin(page, 'friend');
await rest('room that waits for a friend');
await page.goto('/');
await choose(page, 'bot');
await begin(page, 'bot');
await page.getByRole('heading', { name: 'Your move' }).waitFor();
await put(page, 'h8');
await page.getByRole('heading', { name: 'Your move' }).waitFor();
await rest('game in which it is your move');
await browser.close();
await server.stop();

/** @param {string} what */
async function rest(what) {
  // What has just happened is over.
  await page.waitForTimeout(3_000);
  const before = await used();
  await page.waitForTimeout(SECONDS * 1_000);
  console.log(`${what}: ${((await used()) - before).toFixed(2)} processor seconds in ${SECONDS} s`);
}

/** Processor seconds of all processes of Chromium so far. */
async function used() {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const times = await Promise.all(ids.map((id) => ofProcess(id).catch(() => 0)));
  return times.reduce((sum, one) => sum + one, 0) / TICKS;
}

/** @param {string} id @returns {Promise<number>} */
async function ofProcess(id) {
  const [name = '', rest = ''] = (await readFile(`/proc/${id}/stat`, 'utf8')).split(') ');
  if (!/chrom/.test(name)) return 0;
  const fields = rest.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
