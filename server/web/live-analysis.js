// Live analysis of a position outside rooms, over HTTP: the switch and the engine's lines beside a
// board.

/** @import { Found, Point, Rules } from './types' */
/** @import { Shown } from './view-types' */

import { createAnalysisDisplay, depthText, drawnLines, LINES } from './analysis-display.js';
import { el, set, write } from './dom.js';
import { errorText, refusedAnswer } from './refusals.js';
import { t } from './texts.js';

/** @param {() => void} redraw shows the board again, with the additions of `shown` */
export function createLiveAnalysis(redraw) {
  let on = false;
  /** The last question, so that it is asked once. */
  let asked = '';
  /** Aborts the request. @type {AbortController | undefined} */
  let request;
  /** @type {Found | undefined} */
  let found;
  /** @type {{rules: Rules, moves: readonly Point[], over: boolean}} */
  let position = { rules: { variant: 'freestyle', size: [15, 15] }, moves: [], over: false };

  const toggle = el('button', { type: 'button', title: t('analyse_live_how'), 'aria-pressed': 'false', onclick: toggleAnalysis }, t('analyse_live'));
  const status = el('p', { class: 'hint', role: 'status' });
  const display = createAnalysisDisplay();
  const element = el('section', { class: 'live-analysis', 'aria-label': t('assist') }, el('div', { class: 'row' }, toggle), status, display.element);

  function toggleAnalysis() {
    on = !on;
    set(toggle, { 'aria-pressed': String(on) });
    redraw();
  }

  function ask() {
    const { rules, moves, over } = position;
    const wanted = on && !over ? JSON.stringify({ rules, moves, lines: LINES }) : '';
    if (wanted === asked) return;
    asked = wanted;
    request?.abort();
    found = undefined;
    write(status, '');
    if (!wanted) return;
    request = new AbortController();
    const { signal } = request;
    readUpdates(wanted, signal).catch((error) => {
      if (!signal.aborted) write(status, errorText(error));
    });
  }

  /** Reads updates, each a line of JSON, until the analysis ends. Fails with a `RefusedError`, or with
   * a `TypeError` without a network.
   * @param {string} question @param {AbortSignal} signal */
  async function readUpdates(question, signal) {
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
    /** Analyses another position. @param {typeof position} now */
    setPosition(now) {
      position = now;
      ask();
      display.show(found && { ply: now.moves.length, size: now.rules.size, lines: found.lines, detail: depthText(found) });
    },
    /** @returns {Partial<Shown>} */
    shown: () => (found ? drawnLines(found.lines) : {}),
    remove() {
      on = false;
      ask();
    },
  };
}
