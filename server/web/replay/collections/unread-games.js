// Lists the games that an import could not read or add, by file and line, and saves the list.

/** @import { Fault, GameImport } from './game-import.js' */

import { saveText } from '../../analysis/file-transfer.js';
import { button, el } from '../../ui/dom.js';
import { tc } from './texts.js';

/** Most faults that the page lists; the saved list has more. */
const LISTED_MAX = 100;

/** What could not be read or added, and a button to save it. @param {GameImport} work */
export function faultList({ collection, faults, faultCount }) {
  const save = button(tc('save_faults'), () => saveFaults(collection.name, faults));
  return foldedList(tc('faults', { count: faultCount }), faults, faultCount, save);
}

/** Parts of games that could not be kept. @param {readonly Fault[]} remarks */
export function remarkList(remarks) {
  return foldedList(tc('remarks'), remarks, remarks.length);
}

/** @param {string} title @param {readonly Fault[]} all @param {number} count of all, including those that were not kept @param {...Node} below */
function foldedList(title, all, count, ...below) {
  const listed = all.slice(0, LISTED_MAX);
  const more = count - listed.length;
  return el(
    'details',
    null,
    el('summary', null, title),
    el(
      'ul',
      { class: 'faults' },
      ...listed.map((fault) => el('li', null, el('bdi', null, placeOf(fault)), ': ', fault.text)),
      more > 0 && el('li', { class: 'hint' }, tc('more_faults', { count: more })),
    ),
    ...below,
  );
}

/** @param {Fault} fault */
function placeOf({ file, line }) {
  return line === undefined ? file : tc('file_line', { file, line: String(line) });
}

/** Saves the list as text, in the same form as the terminal client prints it. @param {string} name @param {readonly Fault[]} faults */
function saveFaults(name, faults) {
  const lines = faults.map(({ file, line, text }) => `${file}:${line === undefined ? '' : `${line}:`} ${text}\n`);
  saveText(`${name}.txt`, lines.join(''));
}
