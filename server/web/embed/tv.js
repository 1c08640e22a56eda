// Shows the best public game that is running. It stays with a game until that ends, and then goes on to the next one.

/** @import { PageConnection } from '../browser/page-connection.js' */

import { t } from '../language/texts.js';
import { el } from '../ui/dom.js';
import { tv } from './texts.js';
import { createWatchedRoom } from './watched-room.js';

/** How long the end of a game is shown, from and to: not all who watch go on in one moment. */
const NEXT_AFTER_MS = /** @type {const} */ ([3_000, 10_000]);
/** Without a game, how often the server is asked for one. */
const ASK_EVERY_MS = /** @type {const} */ ([3_000, 6_000]);

/**
 * @typedef {object} TvOptions
 * @property {(text: string) => void} announce to screen readers
 * @property {(code: string) => void} shows another room is shown; empty if there is none
 */

/** @param {PageConnection} connection @param {HTMLElement} place @param {TvOptions} options */
export function createTv(connection, place, { announce, shows }) {
  const none = el('p', { class: 'watched-none', role: 'status', hidden: true }, t('watch_none'));
  /** @type {ReturnType<typeof createWatchedRoom> | undefined} */
  let watched;
  let code = '';
  /** Whether the shown game is running, as far as it is known. */
  let runs = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let gone = false;
  place.append(none);

  async function ask() {
    /** @type {{ room?: string | null }} */
    const answer = await fetch('/api/tv', { cache: 'no-store' }).then(
      (found) => (found.ok ? found.json() : {}),
      () => ({}),
    );
    // The players may have begun another game.
    if (gone || runs) return;
    if (answer.room && answer.room !== code) return watch(answer.room);
    if (!watched && answer.room === null) none.hidden = false;
    askIn(ASK_EVERY_MS);
  }

  /** @param {readonly [number, number]} range */
  function askIn([least, most]) {
    clearTimeout(timer);
    timer = setTimeout(ask, least + Math.random() * (most - least));
  }

  /** @param {string} next */
  function watch(next) {
    watched?.remove();
    none.hidden = runs = true;
    code = next;
    watched = createWatchedRoom(connection, next, place, {
      announce,
      changed(room) {
        if (next !== code || gone) return;
        const ran = runs;
        runs = room.phase === 'running';
        if (runs) clearTimeout(timer);
        else if (ran) {
          watched?.status.append(el('br'), tv('next_soon'));
          askIn(NEXT_AFTER_MS);
        }
      },
      lost() {
        if (next !== code || gone) return;
        runs = false;
        code = '';
        askIn(NEXT_AFTER_MS);
      },
    });
    shows(next);
  }

  void ask();
  return {
    remove() {
      gone = true;
      clearTimeout(timer);
      watched?.remove();
      none.remove();
    },
  };
}
