// What works without a connection, and which pages need one.

import { t } from '../language/texts.js';
import { el, fill } from '../ui/dom.js';
import { tl } from './texts.js';

/** The pages that work without a server. */
const WAYS = /** @type {const} */ ([
  ['/local', 'bots'],
  ['/analyse', 'analyse'],
  ['/puzzles', 'puzzles'],
  ['/learn', 'learn'],
]);

/**
 * Fills the note of a page that works in part, or not at all, unless the connection is back.
 * @param {HTMLElement} note @param {{ status: string }} connection @param {boolean} isCutOff whether the page has had no connection yet
 */
export function fillNote(note, connection, isCutOff) {
  const path = location.pathname;
  if (connection.status !== 'lost' || WAYS.some(([own]) => own === path)) return;
  const needs = isCutOff && path !== '/';
  fill(
    note,
    needs && `${tl('needs_connection')} `,
    `${tl('works_now')} `,
    ...WAYS.flatMap(([way, key]) => [el('a', { href: way }, key === 'bots' ? tl('bots') : t(key)), ' ']),
  );
}
