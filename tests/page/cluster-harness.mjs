// Three nodes on a real PostgreSQL and NATS, and a proxy in front of them.

import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

import { built, Server } from './harness.mjs';

/** @import { Socket } from 'node:net' */

const NODES = 3;

/** The services that nodes share, until `stop`. */
export class Services {
  /** @type {import('./harness.mjs').Settings} */
  settings = {};
  /** The sentence that says what is not installed. */
  missing = '';
  #child = spawn(built('cluster_services'), { stdio: ['pipe', 'pipe', 'inherit'] });

  static async start() {
    const services = new Services();
    const child = services.#child;
    let said = '';
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
      child.stdout.on('data', (text) => {
        said += text;
        if (said.endsWith('}\n')) resolve(undefined);
      });
    });
    if (said.startsWith('SKIPPED')) {
      services.missing = said.trim();
    } else {
      const { database, bus } = JSON.parse(said);
      services.settings = { database, bus, log: 'off', 'no-demo': true };
    }
    return services;
  }

  /** They end when their input does. */
  async stop() {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await gone;
  }
}

/** A cluster, as its players see it: one address. */
export class Cluster {
  url = '';
  /** @type {Server[]} */
  nodes = [];
  /** Called with a user agent and the number of the node that its socket is at now. */
  onsocket = (/** @type {string} */ _agent, /** @type {number} */ _node) => {};
  #services;
  #front = createServer((client) => this.#welcome(client));
  /** The node that gets the next socket. */
  turn = 0;

  /** @param {Services} services */
  constructor(services) {
    this.#services = services;
  }

  /** @param {Services} services */
  static async start(services) {
    const cluster = new Cluster(services);
    for (let node = 0; node < NODES; node += 1) {
      const server = new Server({ ...services.settings, 'command-rate': 1000, 'connection-rate': 10000 });
      await server.run('127.0.0.1:0');
      cluster.nodes.push(server);
    }
    await new Promise((resolve) => cluster.#front.listen(0, '127.0.0.1', () => resolve(undefined)));
    const address = cluster.#front.address();
    if (address && typeof address === 'object') cluster.url = `http://127.0.0.1:${address.port}`;
    return cluster;
  }

  async stop() {
    this.#front.close();
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.#services.stop();
  }

  /** Sends a WebSocket to the next node by turns, and everything else to any that lives.
   * @param {Socket} client */
  #welcome(client) {
    client.on('error', () => client.destroy());
    client.once('data', async (first) => {
      client.pause();
      const head = first.toString('latin1');
      const isSocket = head.startsWith('GET /ws');
      const from = isSocket ? this.turn : 0;
      for (let tries = 0; tries < NODES; tries += 1) {
        const node = (from + tries) % NODES;
        const server = await open(this.nodes[node]?.url ?? '');
        if (!server) continue;
        if (isSocket) {
          this.turn = node + 1;
          this.onsocket(/\r\nUser-Agent: (.*)\r\n/i.exec(head)?.[1] ?? '', node);
        }
        join(client, server);
        server.write(first);
        return;
      }
      client.destroy();
    });
  }
}

/** A connection to a node, if it takes one.
 * @param {string} url
 * @returns {Promise<Socket | undefined>} */
function open(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const server = connect(Number(port), hostname, () => resolve(server));
    server.on('error', () => {
      server.destroy();
      resolve(undefined);
    });
  });
}

/** Passes everything between two connections, until one of them ends.
 * @param {Socket} client
 * @param {Socket} server */
function join(client, server) {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ]) {
    if (!from || !to) continue;
    from.pipe(to);
    from.once('close', () => to.destroy());
  }
}
