// A real server on a free port, and real browsers that visit it.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium, devices } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where cargo puts a program of this workspace. */
export const built = (/** @type {string} */ name) =>
  join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug', name);

/** The guide to the protocol: all of its files in one text. */
export async function protocolGuide() {
  const folder = join(root, 'docs/protocol');
  const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/** The server program. */
const SERVER = process.env.FIVEFOLD_SERVER ?? built('fivefold-server');

/** The browser talks to nobody but the server. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-swiftshader',
];

/** @import { Browser, BrowserContextOptions } from 'playwright-core' */

export const PHONE = devices['Pixel 7'];
export const TABLET = devices['iPad (gen 7)'];

/** The server's settings by their keys. @typedef {Record<string, string | number | boolean>} Settings */

export class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  url = '';
  /** The folder with what it stores. */
  data = '';
  /** What it has printed since its last start. */
  said = '';

  /** @param {Settings} settings @param {string} [program] another program that takes them */
  constructor(settings, program = SERVER) {
    this.settings = settings;
    this.program = program;
  }

  /**
   * Starts a server with these settings, and waits until it listens. It shows no demo game if nothing else is said.
   * @param {Settings} settings @param {string} [program] another program that takes them
   */
  static async start(settings = {}, program = SERVER) {
    const data = await mkdtemp(join(tmpdir(), 'fivefold-page-'));
    const server = new Server(
      {
        data,
        log: 'warn',
        'no-demo': true,
        'command-rate': 1000,
        'connection-rate': 10000,
        'room-rate': 10000,
        'rooms-per-address': 1000,
        'bot-answer-min': 50,
        'shared-address': '127.0.0.0/8',
        ...settings,
      },
      program,
    );
    server.data = data;
    await server.run(String(settings.listen ?? '127.0.0.1:0'));
    return server;
  }

  /** @param {string} listen */
  async run(listen) {
    const variables = Object.entries({ ...this.settings, listen }).map(([key, value]) => [
      `FIVEFOLD_${key.toUpperCase().replaceAll('-', '_')}`,
      String(value),
    ]);
    const env = { ...process.env, ...Object.fromEntries(variables) };
    const child = spawn(this.program, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.url = await new Promise((resolve, reject) => {
      this.said = '';
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
      child.stdout.on('data', (text) => {
        this.said += text;
        const found = /at (https?:\S+?)\/?\n/.exec(this.said);
        if (found?.[1]) resolve(found[1]);
      });
    });
  }

  /** Writes a line to the program, and waits for what it answers. @param {string | number} line @returns {Promise<string>} */
  say(line) {
    const { stdin, stdout } = this.#child ?? {};
    if (!stdin || !stdout) throw new Error('it does not run');
    return new Promise((resolve) => {
      stdout.once('data', (text) => resolve(String(text).trim()));
      stdin.write(`${line}\n`);
    });
  }

  /** Kills the server. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Stops the server as a service manager does: it closes its sockets with 1012. */
  async terminate() {
    await this.#end('SIGTERM');
  }

  /** Freezes the server: it takes sockets, as its system does, and answers nothing. */
  freeze() {
    this.#child?.kill('SIGSTOP');
  }

  /** Ends a freeze. */
  thaw() {
    this.#child?.kill('SIGCONT');
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Starts it again at the same address, with what it had stored. */
  async again() {
    await this.run(`127.0.0.1:${new URL(this.url).port}`);
  }

  async stop() {
    await this.kill();
    if (this.data) await rm(this.data, { recursive: true, force: true });
  }
}

/** Presses a point of the board in a dialog or a frame. @param {import('playwright-core').Page} page @param {import('playwright-core').Locator | import('playwright-core').FrameLocator} place @param {string} name */
export async function putIn(page, place, name) {
  const cell = place.getByRole('gridcell', { name: new RegExp(`^${name},`) });
  await cell.waitFor({ state: 'attached' });
  const box = await cell.boundingBox();
  if (!box) throw new Error(`${name} is not shown`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** @param {...string} flags more of them @returns {Promise<Browser>} */
export function openBrowser(...flags) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...FLAGS, ...flags] });
}

/** A port for the server, which must know its public address when it starts. @returns {Promise<number>} */
export async function freePort() {
  const taken = createServer();
  await new Promise((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = taken.address();
  await new Promise((resolve) => {
    taken.close(resolve);
  });
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/**
 * A server and a browser for the tests of one file. When a test ends, its visitors leave: open pages cost processor
 * time.
 * @param {Settings} [settings] of the server
 */
export function stage(settings) {
  const made = /** @type {{ server: Server, browser: Browser }} */ ({});
  before(async () => {
    [made.server, made.browser] = await Promise.all([Server.start(settings), openBrowser()]);
  });
  /** @type {import('playwright-core').BrowserContext[]} */
  let kept = [];
  beforeEach(() => {
    kept = made.browser.contexts();
  });
  afterEach(async () => {
    const gone = made.browser.contexts().filter((context) => !kept.includes(context));
    await Promise.all(gone.map((context) => context.close()));
  });
  after(async () => {
    await made.browser?.close();
    await made.server?.stop();
  });
  return made;
}

/** Cases that run at once, at most: they wait for timers more than for a processor. */
const CASES_AT_ONCE = 4;

/**
 * Runs cases, several at once. Fails with the first one that fails.
 * @template Case
 * @param {readonly Case[]} cases @param {(one: Case) => Promise<void>} check
 */
export async function atOnce(cases, check) {
  const left = [...cases];
  await Promise.all(
    Array.from({ length: CASES_AT_ONCE }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await check(one);
    }),
  );
}

/**
 * Two people at one table, in a game that has begun: the first plays Black.
 * @param {{ server: { url: string }, browser: Browser }} stage
 * @param {BrowserContextOptions} [options] of the first player's browser
 * @param {string[]} [names]
 * @param {BrowserContextOptions} [others] of the other player's browser
 */
export async function twoPlay({ server, browser }, options = {}, [one, other] = ['Ann', 'Bob'], others = {}) {
  const ann = await visitor(browser, server, options, one);
  const bob = await visitor(browser, server, others, other);
  await ann.page.goto('/');
  await choose(ann.page, 'friend');
  await unfold(ann.page);
  await ann.page.getByLabel('Your color').selectOption('black');
  await begin(ann.page, 'friend');
  const link = await ann.page.getByLabel('Link to this room').inputValue();
  await accept(bob.page, link);
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  await bob.page.getByRole('heading', { name: / is thinking$/ }).waitFor();
  return { ann, bob, link };
}

/**
 * Opens an invitation, and takes the seat.
 * @param {import('playwright-core').Page} page @param {string} link
 */
export async function accept(page, link) {
  await page.goto(link);
  await page.locator('.invitation .big').click();
}

/**
 * Presses what begins a game against a friend or a bot, on the home page.
 * @param {import('playwright-core').Page} page @param {'friend' | 'bot'} opponent
 */
export async function begin(page, opponent) {
  await choose(page, opponent);
  await page.locator('.start').click();
}

/**
 * Chooses the opponent of a new game, so that its options are shown.
 * @param {import('playwright-core').Page} page @param {'anyone' | 'friend' | 'bot'} opponent
 */
export async function choose(page, opponent) {
  await page.locator(`.opponents label:has([value=${opponent}])`).click();
}

/**
 * Unfolds the options of a new game that few people change.
 * @param {import('playwright-core').Page} page
 */
export async function unfold(page) {
  await page.locator('.home .options summary').click();
}

/**
 * A person with their own browser. Errors of their page are kept in `complaints`. Tests see all requests, because
 * no service worker answers them, unless the options allow one.
 * @param {Browser} browser
 * @param {{ url: string }} server
 * @param {BrowserContextOptions} [options]
 * @param {string} [name] their name
 */
export async function visitor(browser, server, options = {}, name) {
  const context = await browser.newContext({
    locale: 'en-GB',
    baseURL: server.url,
    serviceWorkers: 'block',
    ...options,
  });
  if (name) await context.addInitScript((said) => localStorage.setItem('fivefold.name', said), name);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A lost network is not an error of the page.
    if (message.type() === 'error' && !/ERR_|WebSocket connection/.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.setDefaultTimeout(15_000);
  // Some visitors are slower than others.
  const rate = Number(process.env.CPU_SLOWDOWN ?? 1);
  if (rate > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate });
  if (process.env.DELAY_MS)
    await context.addInitScript(delayMessages, Math.round(Math.random()) * Number(process.env.DELAY_MS));
  return { context, page, complaints };
}

/**
 * In the page: what the server sends arrives so much later. `DELAY_MS=700` finds tests that do not wait, as does
 * `CPU_SLOWDOWN=6`.
 * @param {number} ms
 */
function delayMessages(ms) {
  globalThis.WebSocket = class extends WebSocket {
    /** @param {(event: MessageEvent) => void} receive */
    set onmessage(receive) {
      super.onmessage = (event) => setTimeout(() => receive(event), ms);
    }
  };
}

/**
 * Two people play a game to its end.
 * @param {{ server: Server, browser: Browser }} stage
 * @param {string[]} moves Black's first
 * @returns the address of its replay
 */
export async function playedGame(stage, moves) {
  const { ann, bob } = await twoPlay(stage);
  for (const [ply, name] of moves.entries()) {
    const { page } = ply % 2 === 0 ? ann : bob;
    // The page of a player whose own stone is still on its way also says that it is their move.
    const before = moves[ply - 1];
    if (before) await sees(page, before, ply % 2 === 0 ? 'White' : 'Black');
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    await put(page, name);
  }
  const path = await ann.page.getByRole('link', { name: 'Review game' }).getAttribute('href');
  await Promise.all([ann.context.close(), bob.context.close()]);
  return path ?? '';
}

/**
 * A new player on the home page, and the link that moves their identity to another device.
 * @param {{ server: Server, browser: Browser }} stage
 * @param {string} name
 */
export async function identityLink({ server, browser }, name) {
  const here = await visitor(browser, server, {}, name);
  await here.page.goto('/');
  await here.page.getByRole('button', { name }).click();
  await here.page.getByRole('button', { name: 'Show the link' }).click();
  const link = await here.page.getByLabel('Play on another device').inputValue();
  return { here, link };
}

/**
 * Puts a stone on a point of the board by the mouse.
 * @param {import('playwright-core').Page} page
 * @param {string} name such as h8
 */
export async function put(page, name) {
  const cell = page.getByRole('gridcell', { name: new RegExp(`^${name},`) });
  // The bare board is there before the room's state, and takes no stone.
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  // Points are laid over a new board a moment later, and may be built again.
  while (!(await cell.evaluate(standsStill)));
  const box = await cell.boundingBox();
  if (!box) throw new Error(`${name} is not on the board`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/**
 * The page acts as when its player comes back to it: it asks for the player's games at once.
 * @param {import('playwright-core').Page} page
 */
export const comeBack = (page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

/**
 * In the page: waits until an element has been at one place for a frame. Whether it is still in the page.
 * @param {Element} element
 * @returns {Promise<boolean>}
 */
function standsStill(element) {
  return new Promise((resolve) => {
    let before = '';
    const look = () => {
      const { x, y, width } = element.getBoundingClientRect();
      const now = `${x} ${y} ${width}`;
      if (!element.isConnected || (width > 0 && now === before)) return resolve(element.isConnected);
      before = now;
      return requestAnimationFrame(look);
    };
    look();
  });
}

/**
 * Waits until a point shows this, such as `Black`.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} place
 * @param {string} name
 * @param {string} what
 */
export async function sees(place, name, what) {
  await place.getByRole('gridcell', { name: new RegExp(`^${name}, ${what}`) }).waitFor({ state: 'attached' });
}

/** Takes a picture, if the variable PICTURES names a folder for it. @param {import('playwright-core').Page} page @param {string} name @param {boolean} [fullPage] */
export async function shoot(page, name, fullPage = false) {
  const folder = process.env.PICTURES;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

/**
 * Waits until the server knows the visitor, so that others can reach them.
 * @param {import('playwright-core').Page} page
 */
export async function online(page) {
  await page.waitForFunction(() => localStorage.getItem('fivefold.identity'));
}

/**
 * Sends commands over a separate socket with the page's identity, and returns the last answer.
 * @param {import('playwright-core').Page} page
 * @param {...{ type: string, [field: string]: unknown }} commands
 * @returns {Promise<any>}
 */
export async function ask(page, ...commands) {
  await online(page);
  return page.evaluate(
    (all) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        const identity = localStorage.getItem('fivefold.identity');
        const left = [{ type: 'hello', protocol: 1, identity }, ...all].map((one) => ({
          ...one,
          id: crypto.randomUUID(),
        }));
        let id = '';
        const next = () => {
          const command = left.shift();
          id = command?.id ?? '';
          if (command) socket.send(JSON.stringify(command));
          return !!command;
        };
        socket.onopen = next;
        socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
        socket.onmessage = ({ data }) => {
          const answer = JSON.parse(data);
          if (answer.id !== id || next()) return;
          resolve(answer);
          socket.close();
        };
      }),
    commands,
  );
}
