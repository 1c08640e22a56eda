// The rating in puzzles of who is signed in: the first try at a puzzle counts, and the next ones are near the
// rating. The server judges the moves. Without it, or without an account, puzzles are solved all the same.

/** @import { Point, PuzzleScore } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Puzzle, Wanted } from './puzzle-set.js' */

import { formatNumber } from '../language/texts.js';
import { el, write } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { LENGTHS } from './puzzle-set.js';
import { tp } from './texts.js';

/** What the server answers to a try.
 * @typedef {{ solved: boolean, repeated?: boolean, rating: number, provisional?: boolean, change: number }} Counted */

/** @param {App} app @param {() => boolean} gone whether the page is left */
export function createRatedTries(app, gone) {
  const element = el('p', { class: 'hint puzzle-rating' });
  /** The puzzles near the rating. @type {ReadonlySet<string>} */
  let near = new Set();
  /** The puzzle whose first try has not ended. @type {Puzzle | undefined} */
  let open;
  /** @type {Wanted | undefined} */
  let last;

  const isSignedIn = () => app.connection.account;

  /** @param {{ rating: number, provisional?: boolean }} score */
  const points = ({ rating, provisional }) => `${rating}${provisional ? '?' : ''}`;

  /** Asks which puzzles come next. @param {Wanted} wanted */
  async function load(wanted) {
    last = wanted;
    if (!isSignedIn() || app.connection.status === 'lost') return;
    try {
      const [from, to] = LENGTHS.find(([least]) => String(least) === wanted.length) ?? [0, 255];
      const query = new URLSearchParams({
        rules: wanted.rules,
        from: String(from),
        to: String(to),
        ...(wanted.kind && { kind: wanted.kind }),
      });
      /** @type {{ rating?: PuzzleScore, near: string[] }} */
      const next = await request('GET', `puzzles?${query}`);
      if (gone() || last !== wanted) return;
      near = new Set(next.near);
      if (!element.textContent)
        write(element, next.rating ? tp('rating_now', { rating: points(next.rating) }) : tp('rating_none'));
    } catch {
      // Any other puzzle does.
    }
  }

  /**
   * The first try ends: the server counts it.
   * @param {readonly Point[]} moves the player's and the answers since the puzzle began @param {boolean} gaveUp
   */
  async function end(moves, gaveUp) {
    const puzzle = open;
    open = undefined;
    if (!puzzle || !isSignedIn()) return;
    try {
      /** @type {Counted} */
      const counted = await request('POST', 'puzzles/tries', { puzzle: puzzle.id, moves, gave_up: gaveUp });
      if (gone()) return;
      const change = formatNumber(counted.change, { signDisplay: 'exceptZero' });
      write(
        element,
        counted.repeated
          ? `${tp('tried_before')} ${tp('rating_now', { rating: points(counted) })}`
          : tp('rating_change', { rating: points(counted), change }),
      );
      if (last) await load(last);
    } catch (error) {
      if (gone()) return;
      write(element, tp('not_counted'));
      app.showError(error);
    }
  }

  return {
    element,
    load,
    end,
    /** Another puzzle is shown. @param {Puzzle} puzzle */
    begin(puzzle) {
      open = puzzle;
    },
    /** Those that suit the player, or all if none does. @param {readonly Puzzle[]} puzzles @param {ReadonlySet<string>} done */
    suitable(puzzles, done) {
      const suitable = puzzles.filter(({ id }) => near.has(id) && !done.has(id));
      return suitable.length > 0 ? suitable : puzzles;
    },
  };
}
