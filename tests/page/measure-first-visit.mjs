// Measures visits of the home page on a fast computer, and on a phone with slow 4G and a slow processor: requests,
// bytes on the wire, when a player can press the first button, when the board is drawn, how long the page was
// blocked until then, and Web Vitals. `node tests/page/measure-first-visit.mjs`, best with FIVEFOLD_SERVER naming a
// release build. For builds with another home page, READY selects what a player can press first, and BOARD the
// board.

import { openBrowser, PHONE, Server, visitor } from './harness.mjs';

const RUNS = Number(process.env.RUNS ?? 5);
const READY = process.env.READY ?? '.opponents label';
const BOARD = process.env.BOARD ?? '.hero-board canvas';

/** The phone has slow 4G as Lighthouse means it, and a processor four times slower than this one. */
const PROFILES = [
  { name: 'fast computer', screen: { viewport: { width: 1280, height: 800 } }, slower: 1, network: undefined },
  {
    name: 'phone on slow 4G',
    screen: PHONE,
    slower: 4,
    network: { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 },
  },
];

/** @typedef {{ ready: number, board: number, blocked: number, paint: number, shift: number, press: number }} Vitals */

const server = await Server.start();
const browser = await openBrowser();
try {
  for (const profile of PROFILES) {
    for (const kind of ['first visit', 'next visit']) {
      /** @type {Awaited<ReturnType<typeof visit>>[]} */
      const all = [];
      for (let run = 0; run < RUNS; run += 1) all.push(await visit(profile, kind === 'next visit'));
      const spread = (/** @type {keyof Vitals} */ of) => {
        const sorted = all.map(({ vitals }) => Math.round(vitals[of])).sort((a, b) => a - b);
        return `${sorted[RUNS >> 1]} ms (${sorted.join(', ')})`;
      };
      const shift = Math.max(...all.map(({ vitals }) => vitals.shift)).toFixed(3);
      console.log(
        `${profile.name}, ${kind}: ${all.at(-1)?.requests} requests, ${all.at(-1)?.bytes} bytes; button ${spread('ready')}, board ${spread('board')}, blocked ${spread('blocked')}; largest paint ${spread('paint')}, longest press ${spread('press')}, layout shift at most ${shift}`,
      );
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

/** @param {typeof PROFILES[number]} profile @param {boolean} again whether the visitor was here before */
async function visit({ screen, slower, network }, again) {
  const { page, context } = await visitor(browser, server, screen);
  if (again) {
    await page.goto('/');
    await page.locator(READY).first().waitFor();
  }
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  if (network) await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });
  let [requests, bytes] = [0, 0];
  cdp.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  cdp.on('Network.loadingFinished', (event) => {
    bytes += event.encodedDataLength;
  });
  await page.addInitScript(observe, { ready: READY, board: BOARD });
  await page.goto('/');
  await page.waitForFunction(() => ['ready', 'board'].every((of) => Reflect.get(window, 'vitals')[of] > 0));
  await page.waitForLoadState('networkidle');
  await page.locator(READY).last().click();
  await page.waitForTimeout(1_000);
  const vitals = await page.evaluate(() => /** @type {Vitals} */ (Reflect.get(window, 'vitals')));
  await context.close();
  return { requests, bytes, vitals };
}

/**
 * In the page, which itself says when its parts are there, so that no polling is measured.
 * @param {{ ready: string, board: string }} parts
 */
function observe(parts) {
  /** @type {Vitals} */
  const vitals = { ready: 0, board: 0, blocked: 0, paint: 0, shift: 0, press: 0 };
  Object.assign(window, { vitals });
  new MutationObserver((_, observer) => {
    for (const part of /** @type {const} */ (['ready', 'board'])) {
      if (vitals[part] || !document.querySelector(parts[part])) continue;
      vitals[part] = performance.now();
      // The first task after the frame that shows it, before the timers of the page.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          vitals[part] = performance.now();
        };
        port2.postMessage(undefined);
      });
    }
    if (vitals.ready && vitals.board) observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
  const watch = (/** @type {string} */ type, /** @type {(entry: any) => void} */ note, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  // As in Total Blocking Time: what a task takes beyond 50 ms.
  watch('longtask', (entry) => {
    vitals.blocked += entry.duration - 50;
  });
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
