// Two browsers at different nodes of a cluster play one game, while its owner is killed and then all
// nodes are restarted one by one. Prints what each browser shows, with times.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Cluster, Services } from './cluster-harness.mjs';
import { openBrowser, put, sees, twoPlay } from './harness.mjs';

/** @import { Browser, Page } from 'playwright-core' */

/** @type {Services} */
let services;
/** @type {Cluster} */
let cluster;
/** @type {Browser} */
let browser;

before(async () => {
  services = await Services.start();
  if (services.missing) return;
  [cluster, browser] = await Promise.all([Cluster.start(services), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await (cluster ?? services).stop();
});

/** Points that make no five: every other column, Black and White in rows of their own. */
function point(/** @type {number} */ ply) {
  const move = Math.floor(ply / 2);
  return `${'acegikmo'[move % 8]}${1 + 4 * Math.floor(move / 8) + 2 * (ply % 2)}`;
}

/** What happens and what the browsers show, with the time since the beginning. */
class Transcript {
  #begin = performance.now();
  /** @type {string[]} */
  lines = [];

  note(/** @type {string} */ who, /** @type {string} */ what) {
    const seconds = ((performance.now() - this.#begin) / 1000).toFixed(3);
    this.lines.push(`${seconds.padStart(8)} s  ${who.padEnd(8)} ${what}`);
  }

  /** Notes each change of the status and of the warning that the connection is lost.
   * @param {string} who
   * @param {Page} page */
  async follow(who, page) {
    await page.exposeFunction('noteShown', (/** @type {string} */ what) => this.note(who, what));
    await page.evaluate(() => {
      let before = '';
      const look = () => {
        const shown = ['.status', '.lost:not([hidden])'].map((part) =>
          document.querySelector(part)?.textContent?.trim(),
        );
        const text = shown
          .filter(Boolean)
          .map((one) => `“${one}”`)
          .join(' and ');
        if (text !== before) /** @type {any} */ (window).noteShown(`shows ${text}`);
        before = text;
      };
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
      look();
    });
  }
}

/** Two people in a game at different nodes. What their browsers show is noted. */
async function game() {
  const transcript = new Transcript();
  /** The node of each browser. @type {Map<string, number>} */
  const nodeOf = new Map();
  cluster.onsocket = (agent, node) => {
    nodeOf.set(agent, node);
    transcript.note(agent, `is at node ${node}`);
  };
  const { ann, bob } = await twoPlay({ server: cluster, browser }, { userAgent: 'Ann' }, ['Ann', 'Bob'], {
    userAgent: 'Bob',
  });
  const players = /** @type {[string, Page][]} */ ([
    ['Ann', ann.page],
    ['Bob', bob.page],
  ]);
  for (const [name, page] of players) await transcript.follow(name, page);

  let plies = 0;
  /** Plays moves by turns, each when both boards show the one before. */
  async function play(/** @type {number} */ moves) {
    for (let move = 0; move < moves; move += 1) {
      const name = point(plies);
      const [, mover] = players[plies % 2] ?? assert.fail();
      const colour = plies % 2 === 0 ? 'Black' : 'White';
      plies += 1;
      await put(mover, name);
      await Promise.all(
        players.map(async ([who, page]) => {
          await sees(page, name, colour);
          transcript.note(who, `has move ${plies}, ${colour} on ${name}`);
        }),
      );
    }
  }
  return { ann, bob, nodeOf, play, transcript };
}

test('a game goes on in both browsers when its node is killed, and through a rolling restart', async (t) => {
  if (services.missing) return t.skip(services.missing);
  const { ann, bob, nodeOf, play, transcript } = await game();
  try {
    await play(3);
    // Ann has made the room, so it belongs to her node.
    const owner = nodeOf.get('Ann') ?? assert.fail('Ann has no socket');
    assert.notEqual(owner, nodeOf.get('Bob'), 'the browsers are at different nodes');
    transcript.note('the owner', `node ${owner}, is killed`);
    await cluster.nodes[owner]?.kill();
    await play(4);
    assert.notEqual(nodeOf.get('Ann'), owner);
    await cluster.nodes[owner]?.again();
    transcript.note(`node ${owner}`, 'runs again');
    for (const [number, node] of cluster.nodes.entries()) {
      transcript.note(`node ${number}`, 'gets SIGTERM');
      const stopped = node.terminate();
      await play(2);
      await stopped;
      await node.again();
      transcript.note(`node ${number}`, 'runs again');
      await play(2);
    }
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
  } finally {
    console.log(transcript.lines.join('\n'));
  }
});

test('a game goes on when the node of a browser freezes, and nothing is shown of it', async (t) => {
  if (services.missing) return t.skip(services.missing);
  const { ann, bob, nodeOf, play, transcript } = await game();
  const owner = nodeOf.get('Ann') ?? assert.fail('Ann has no socket');
  const node = cluster.nodes[owner] ?? assert.fail();
  try {
    await play(2);
    node.freeze();
    // The first new socket leads to the same node again.
    cluster.turn = owner;
    const begun = performance.now();
    await play(2);
    const seconds = (performance.now() - begun) / 1000;
    transcript.note('the game', `goes on ${seconds.toFixed(1)} s after node ${owner} froze`);
    assert.ok(seconds < 15, `${seconds} s`);
    assert.deepEqual(
      transcript.lines.filter((line) => line.includes('Connection lost')),
      [],
    );
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
  } finally {
    node.thaw();
    console.log(transcript.lines.join('\n'));
  }
});
