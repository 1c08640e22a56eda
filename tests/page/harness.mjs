// A real server on a free port, and real browsers that visit it.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium, devices } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The server program: FIVEFOLD_SERVER, or where cargo puts it. */
const program = process.env.FIVEFOLD_SERVER
  ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug', 'fivefold-server');

/** Nothing here may speak to anybody but the server. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--enable-unsafe-swiftshader'];

/** @import { Browser, BrowserContextOptions } from 'playwright-core' */

export const PHONE = devices['Pixel 7'];
export const TABLET = devices['iPad (gen 7)'];

export class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  url = '';
  /** @type {string | undefined} */
  #data;

  /** @param {string[]} flags */
  constructor(flags) {
    this.flags = flags;
  }

  /**
   * Starts a server with these flags, and waits until it listens.
   * @param {...string} flags
   */
  static async start(...flags) {
    const data = await mkdtemp(join(tmpdir(), 'fivefold-page-'));
    const server = new Server(['--data', data, '--log', 'warn', '--command-rate', '1000', '--bot-answer-min', '50', ...flags]);
    server.#data = data;
    await server.run('127.0.0.1:0');
    return server;
  }

  /** @param {string} listen */
  async run(listen) {
    const child = spawn(program, ['--listen', listen, ...this.flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
      child.stdout.on('data', (text) => {
        said += text;
        const found = /at (http:\S+?)\/?\n/.exec(said);
        if (found?.[1]) resolve(found[1]);
      });
    });
  }

  /** Kills the server without a word. */
  async kill() {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** Starts it again at the same address, with what it had stored. */
  async again() {
    await this.run(new URL(this.url).host);
  }

  async stop() {
    await this.kill();
    if (this.#data) await rm(this.#data, { recursive: true, force: true });
  }
}

/** @returns {Promise<Browser>} */
export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
}

/**
 * Somebody with a browser of his own. What his page complains of is kept in `complaints`.
 * @param {Browser} browser
 * @param {Server} server
 * @param {BrowserContextOptions} [options]
 */
export async function visitor(browser, server, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', baseURL: server.url, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // That the network was gone is no fault of the page's.
    if (message.type() === 'error' && !/ERR_|WebSocket connection/.test(message.text())) complaints.push(message.text());
  });
  page.setDefaultTimeout(15_000);
  return { context, page, complaints };
}
