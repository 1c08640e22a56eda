// Measures a first visit: requests, bytes on the wire, the time until a player can press something, and Web
// Vitals, on a phone with slow 4G. `node tests/page/measure-first-visit.mjs`, best with FIVEFOLD_SERVER naming a
// release build. For builds with another home page, READY selects what a player can press first.

import { openBrowser, PHONE, Server, visitor } from './harness.mjs';

/** Slow 4G as Lighthouse means it, and a processor four times slower than this one. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const CPU_SLOWER = 4;
const RUNS = Number(process.env.RUNS ?? 5);
const READY = process.env.READY ?? '.opponents label';

/** @typedef {{ ready: number, paint: number, shift: number, press: number }} Vitals */

const server = await Server.start();
const browser = await openBrowser();
try {
  for (const kind of ['first visit', 'next visit']) {
    /** @type {Vitals[]} */
    const all = [];
    let [requests, bytes] = [0, 0];
    for (let run = 0; run < RUNS; run += 1) {
      const { page, context } = await visitor(browser, server, PHONE);
      if (kind === 'next visit') {
        await page.goto('/');
        await page.locator(READY).first().waitFor();
      }
      const cdp = await context.newCDPSession(page);
      await cdp.send('Network.enable');
      await cdp.send('Network.emulateNetworkConditions', NETWORK);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER });
      [requests, bytes] = [0, 0];
      cdp.on('Network.requestWillBeSent', () => {
        requests += 1;
      });
      cdp.on('Network.loadingFinished', (event) => {
        bytes += event.encodedDataLength;
      });
      await page.addInitScript(observe, READY);
      await page.goto('/');
      await page.waitForFunction(() => Reflect.get(window, 'vitals').ready > 0);
      await page.waitForLoadState('networkidle');
      await page.locator(READY).last().click();
      await page.waitForTimeout(1_000);
      all.push(await page.evaluate(() => Reflect.get(window, 'vitals')));
      await context.close();
    }
    const spread = (/** @type {keyof Vitals} */ of) => {
      const sorted = all.map((vitals) => Math.round(vitals[of])).sort((a, b) => a - b);
      return `${sorted[RUNS >> 1]} ms (${sorted.join(', ')})`;
    };
    const shift = Math.max(...all.map((vitals) => vitals.shift)).toFixed(3);
    console.log(
      `${kind}: ${requests} requests, ${bytes} bytes; ready in ${spread('ready')}; largest paint ${spread('paint')}, longest press ${spread('press')}, layout shift at most ${shift}`,
    );
  }
} finally {
  await browser.close();
  await server.stop();
}

/** In the page, which itself says when its ways in are there, so that no polling is measured. @param {string} ready */
function observe(ready) {
  /** @type {Vitals} */
  const vitals = { ready: 0, paint: 0, shift: 0, press: 0 };
  Object.assign(window, { vitals });
  new MutationObserver((_, observer) => {
    if (!document.querySelector(ready)) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      vitals.ready = performance.now();
    });
  }).observe(document, { childList: true, subtree: true });
  const watch = (/** @type {string} */ type, /** @type {(entry: any) => void} */ note, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  watch('largest-contentful-paint', (entry) => {
    vitals.paint = entry.startTime;
  });
  watch('layout-shift', (entry) => {
    if (!entry.hadRecentInput) vitals.shift += entry.value;
  });
  watch(
    'event',
    (entry) => {
      if (entry.interactionId) vitals.press = Math.max(vitals.press, entry.duration);
    },
    { durationThreshold: 16 },
  );
}
