// Measures a first visit: requests, bytes on the wire, and the time until a player can press
// something, on a phone with slow 4G. `node tests/page/measure-first-visit.mjs`, best with FIVEFOLD_SERVER
// naming a release build.

import { PHONE, Server, openBrowser, visitor } from './harness.mjs';

/** Slow 4G as Lighthouse means it, and a processor four times slower than this one. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const CPU_SLOWER = 4;
const RUNS = 5;

const server = await Server.start('--no-demo');
const browser = await openBrowser();
try {
  for (const kind of ['first visit', 'next visit']) {
    const times = [];
    let [requests, bytes] = [0, 0];
    for (let run = 0; run < RUNS; run += 1) {
      const { page, context } = await visitor(browser, server, PHONE);
      if (kind === 'next visit') {
        await page.goto('/');
        await page.locator('.opponents').waitFor();
      }
      const cdp = await context.newCDPSession(page);
      await cdp.send('Network.enable');
      await cdp.send('Network.emulateNetworkConditions', NETWORK);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER });
      [requests, bytes] = [0, 0];
      cdp.on('Network.requestWillBeSent', () => { requests += 1; });
      cdp.on('Network.loadingFinished', (event) => { bytes += event.encodedDataLength; });
      // The page itself says when its ways in are there, so that no polling is measured.
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector('.opponents')) return;
          observer.disconnect();
          requestAnimationFrame(() => Object.assign(window, { interactive: performance.now() }));
        }).observe(document, { childList: true, subtree: true });
      });
      await page.goto('/');
      await page.waitForFunction(() => 'interactive' in window);
      times.push(await page.evaluate(() => Math.round(Number(Reflect.get(window, 'interactive')))));
      await page.waitForLoadState('networkidle');
      await context.close();
    }
    times.sort((a, b) => a - b);
    console.log(`${kind}: ${requests} requests, ${bytes} bytes, ${times[RUNS >> 1]} ms (${times.join(', ')})`);
  }
} finally {
  await browser.close();
  await server.stop();
}
