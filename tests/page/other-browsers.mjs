// Firefox and WebKit, driven by the standards that they speak: WebDriver BiDi and W3C WebDriver.
//
// Both offer the same few actions, so that one walk visits both. Playwright drives neither as Debian ships it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import puppeteer from 'puppeteer-core';

import { freePort } from './harness.mjs';

/** @import { ChildProcess } from 'node:child_process' */

const WIDTH = 1280;
const HEIGHT = 860;
/** How long something may take that is awaited. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** A browser that starts for the first time, on a machine that builds, takes long. */
const START_WITHIN_MS = 90_000;
/** Where Debian keeps WebKit's small browser. */
const MINI_BROWSER =
  process.env.MINI_BROWSER ??
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** Why a walk is not possible here, if it is not. */
export const missing = [FIREFOX, MINI_BROWSER, '/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb']
  .filter((program) => !existsSync(program))
  .map((program) => `SKIPPED: there is no ${program}`)
  .join(', ');

/**
 * A browser with one tab.
 * @typedef {object} Visitor
 * @property {string} kind
 * @property {(path: string) => Promise<void>} goto
 * @property {<T, A extends unknown[]>(work: (...args: A) => T, ...args: A) => Promise<Awaited<T>>} evaluate runs a function in the page
 * @property {(x: number, y: number) => Promise<void>} click
 * @property {(text: string) => Promise<void>} type writes into the focused field
 * @property {(key: 'Enter' | 'Escape') => Promise<void>} key
 * @property {() => Promise<void>} close
 */

/** Starts Firefox. @param {string} url of the server @returns {Promise<Visitor>} */
export async function openFirefox(url) {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    timeout: START_WITHIN_MS,
    defaultViewport: { width: WIDTH, height: HEIGHT },
    extraPrefsFirefox: { 'intl.accept_languages': 'en-GB' },
  });
  const [page = await browser.newPage()] = await browser.pages();
  return {
    kind: 'Firefox',
    goto: async (path) => void (await page.goto(url + path)),
    evaluate: (work, ...args) => page.evaluate(/** @type {any} */ (work), ...args),
    click: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    key: (key) => page.keyboard.press(key),
    close: () => browser.close(),
  };
}

/** Keys by their code points in WebDriver. */
const KEYS = { Enter: '\uE007', Escape: '\uE00C' };

/** Calls of WebKit's driver. @param {number} port */
function driver(port) {
  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body: body && JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`WebKit: ${value.error}: ${value.message}`);
    return value;
  };
}

/** Starts WebKit, on a screen of its own. @param {string} url of the server @returns {Promise<Visitor>} */
export async function openWebKit(url) {
  /** @type {ChildProcess[]} */
  const children = [];
  const home = await mkdtemp(join(tmpdir(), 'fivefold-webkit-'));
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${WIDTH}x1024x24`, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  children.push(screen);
  const display = await new Promise((resolve, reject) => {
    screen.once('error', reject);
    screen.stdio[3]?.once('data', (number) => resolve(`:${String(number).trim()}`));
  });
  const port = await freePort();
  const { HOME: _, ...environment } = process.env;
  children.push(
    spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      env: {
        ...environment,
        HOME: home,
        DISPLAY: display,
        LANG: 'C.UTF-8',
        LANGUAGE: 'en_GB',
        LIBGL_ALWAYS_SOFTWARE: '1',
        WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      },
    }),
  );
  const call = driver(port);
  await soon(
    'WebKit’s driver',
    async () => (await call('GET', '/status').catch(() => undefined))?.ready,
    START_WITHIN_MS,
  );
  const { sessionId } = await call('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] } } },
  });
  const act = (/** @type {string} */ what, /** @type {object} */ body) =>
    call('POST', `/session/${sessionId}/${what}`, body);
  await act('window/rect', { width: WIDTH, height: HEIGHT });
  return {
    kind: 'WebKit',
    goto: (path) => act('url', { url: url + path }),
    evaluate: (work, ...args) =>
      act('execute/async', {
        script: `const args = [...arguments]; const done = args.pop(); Promise.resolve((${work})(...args)).then(done);`,
        args,
      }),
    click: (x, y) =>
      act('actions', {
        actions: [
          {
            type: 'pointer',
            id: 'mouse',
            actions: [
              { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
              { type: 'pointerDown', button: 0 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
      }),
    type: (text) =>
      act('actions', {
        actions: [
          {
            type: 'key',
            id: 'keyboard',
            actions: [...text].flatMap((value) => [
              { type: 'keyDown', value },
              { type: 'keyUp', value },
            ]),
          },
        ],
      }),
    key: (key) =>
      act('actions', {
        actions: [
          {
            type: 'key',
            id: 'keyboard',
            actions: [
              { type: 'keyDown', value: KEYS[key] },
              { type: 'keyUp', value: KEYS[key] },
            ],
          },
        ],
      }),
    async close() {
      await call('DELETE', `/session/${sessionId}`).catch(() => {});
      await Promise.all(
        children.map(
          (child) =>
            new Promise((resolve) => {
              child.once('exit', resolve);
              child.kill();
            }),
        ),
      );
      await rm(home, { recursive: true, force: true });
    },
  };
}

/**
 * Waits until something is so, and fails after a while.
 * @template T
 * @param {string} what @param {() => Promise<T>} look
 * @returns {Promise<NonNullable<T>>} what it is then
 */
export async function soon(what, look, patience = PATIENCE_MS) {
  const until = performance.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > until) throw new Error(`${what}: not within ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** In the page: the middle of the first visible element that matches and contains the text, once it stands still.
 * @param {string} selector @param {string} text @returns {Promise<[number, number] | null>} */
async function middleOf(selector, text) {
  const found = [...document.querySelectorAll(selector)].find(
    (one) => one.textContent?.includes(text) && one.getClientRects().length > 0,
  );
  if (!found) return null;
  found.scrollIntoView({ block: 'nearest' });
  const box = () => found.getBoundingClientRect();
  const before = box();
  await new Promise((resolve) => {
    setTimeout(resolve, 60);
  });
  const { x, y, width, height } = box();
  return found.isConnected && x === before.x && y === before.y ? [x + width / 2, y + height / 2] : null;
}

/** Waits for a visible element. @param {Visitor} visitor @param {string} selector @param {string} [text] in it */
export function appears(visitor, selector, text = '', patience = PATIENCE_MS) {
  return soon(`${visitor.kind}: ${selector} “${text}”`, () => visitor.evaluate(middleOf, selector, text), patience);
}

/** Presses a visible element by the mouse. @param {Visitor} visitor @param {string} selector @param {string} [text] in it */
export async function press(visitor, selector, text = '') {
  const [x, y] = await appears(visitor, selector, text);
  await visitor.click(x, y);
}

/** Waits until no such element is visible. @param {Visitor} visitor @param {string} selector @param {string} [text] in it */
export async function vanishes(visitor, selector, text = '', patience = PATIENCE_MS) {
  await soon(
    `${visitor.kind}: no ${selector} “${text}”`,
    () =>
      visitor.evaluate(
        (/** @type {string} */ what, /** @type {string} */ words) =>
          [...document.querySelectorAll(what)].every(
            (one) => !one.textContent?.includes(words) || one.getClientRects().length === 0,
          ),
        selector,
        text,
      ),
    patience,
  );
}

/** Puts a stone on a point such as h8, and waits until it lies there. @param {Visitor} visitor @param {string} name */
export async function putStone(visitor, name) {
  await vanishes(visitor, '[aria-busy=true]');
  await press(visitor, `[role=gridcell][aria-label^="${name},"]`);
  await seesStone(visitor, name);
}

/** Waits for a stone on a point. @param {Visitor} visitor @param {string} name */
export async function seesStone(visitor, name) {
  await soon(`${visitor.kind}: a stone on ${name}`, () =>
    visitor.evaluate(
      (/** @type {string} */ at) =>
        /Black|White/.test(
          document.querySelector(`[role=gridcell][aria-label^="${at},"]`)?.getAttribute('aria-label') ?? '',
        ),
      name,
    ),
  );
}
