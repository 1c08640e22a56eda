// The player's seeks with their panel, on a page that offers games. They may go on from another page, so they load
// at once.

/** @import { Pool } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { SeekPanel } from './seek-panel.js' */
/** @import { Seeks } from './seeks.js' */

import { el } from '../ui/dom.js';

/** @param {App} app @param {() => readonly Pool[]} pools @param {() => void} changed */
export function createOwnSeeks(app, pools, changed) {
  const place = el('div', { hidden: true });
  let hasLeft = false;
  /** @type {Seeks | undefined} */
  let seeks;
  /** @type {SeekPanel | undefined} */
  let panel;

  async function load() {
    const [own, { createSeekPanel }] = await Promise.all([app.seeks(), import('./seek-panel.js')]);
    if (hasLeft) return undefined;
    seeks = own;
    panel = createSeekPanel(app, own, (name) => pools().find((pool) => pool.name === name), changed);
    place.replaceWith(panel.element);
    return panel;
  }

  return {
    place,
    /** The panel; nothing if the page is left before. */
    panel: load(),
    /** The player's seek in a pool. @param {Pool} pool */
    seekIn: ({ name }) => seeks?.list().find(({ command }) => 'pool' in command && command.pool === name),
    show: () => panel?.show(),
    focus: () => panel?.element.querySelector('button')?.focus({ preventScroll: true }),
    remove() {
      hasLeft = true;
      panel?.remove();
    },
  };
}
