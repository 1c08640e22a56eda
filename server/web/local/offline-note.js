// What works without a connection, and which pages need one.

import { el } from '../dom.js';
import { t } from '../texts.js';
import { tl } from './texts.js';

/** The pages that work without a server. */
const WAYS = /** @type {const} */ ([['/local', 'bots'], ['/analyse', 'analyse'], ['/puzzles', 'puzzles'], ['/learn', 'learn']]);

/** The note for a page; none where all of it works. @param {string} path @param {boolean} isCutOff whether the page has had no connection yet */
export function createNote(path, isCutOff) {
  if (WAYS.some(([own]) => own === path)) return undefined;
  const needs = isCutOff && path !== '/';
  return el('div', null, needs && `${tl('needs_connection')} `, `${tl('works_now')} `, ...WAYS.flatMap(([way, key]) => [el('a', { href: way }, key === 'bots' ? tl('bots') : t(key)), ' ']));
}
