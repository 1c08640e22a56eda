// Live analysis of a position that belongs to no game in a room: the engine's lines beside the
// board for trying moves. What is on that board is the caller's.

/** @import { Found, Point, Rules, Shown } from './types' */

import { el, set, write } from './dom.js';
import { errorText, refusedAnswer } from './refusals.js';
import { t } from './texts.js';
import { createThought, depthText, drawnLines, LINES } from './thought.js';

/** @param {() => void} redraw has the board shown again, with what `shown` adds */
export function createStudy(redraw) {
  let on = false;
  /** What was asked for last, so that it is asked once. */
  let asked = '';
  /** Ends what is asked. @type {AbortController | undefined} */
  let asking;
  /** @type {Found | undefined} */
  let found;
  /** @type {{rules: Rules, moves: readonly Point[], over: boolean}} */
  let position = { rules: { variant: 'freestyle', size: [15, 15] }, moves: [], over: false };

  const toggle = el('button', { type: 'button', title: t('analyse_live_how'), 'aria-pressed': 'false', onclick: turn }, t('analyse_live'));
  const told = el('p', { class: 'hint', role: 'status' });
  const thought = createThought();
  const element = el('section', { class: 'help', 'aria-label': t('assist') }, el('div', { class: 'row' }, toggle), told, thought.element);

  function turn() {
    on = !on;
    set(toggle, { 'aria-pressed': String(on) });
    redraw();
  }

  function ask() {
    const { rules, moves, over } = position;
    const wanted = on && !over ? JSON.stringify({ rules, moves, lines: LINES }) : '';
    if (wanted === asked) return;
    asked = wanted;
    asking?.abort();
    found = undefined;
    write(told, '');
    if (!wanted) return;
    asking = new AbortController();
    const { signal } = asking;
    hear(wanted, signal).catch((error) => {
      if (!signal.aborted) write(told, errorText(error));
    });
  }

  /** Reads what is found, a line of JSON each time, until it is enough. Fails with what the server
   * says, or with a `TypeError` where it cannot be reached.
   * @param {string} question @param {AbortSignal} signal */
  async function hear(question, signal) {
    const answer = await fetch('/api/analyse', {
      method: 'POST', body: question, headers: { 'content-type': 'application/json' }, signal,
    });
    if (!answer.ok || !answer.body) throw await refusedAnswer(answer);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (text + value).split('\n');
      text = lines.pop() ?? '';
      const last = lines.at(-1);
      if (!last || signal.aborted) continue;
      found = JSON.parse(last);
      redraw();
    }
  }

  return {
    element,
    /** Another position is looked at. @param {typeof position} now */
    look(now) {
      position = now;
      ask();
      thought.show(found && { ply: now.moves.length, size: now.rules.size, lines: found.lines, detail: depthText(found) });
    },
    /** @returns {Partial<Shown>} */
    shown: () => (found ? drawnLines(found.lines) : {}),
    remove() {
      on = false;
      ask();
    },
  };
}
