// Live analysis of a position outside rooms: the switch and the engine's lines beside a board.

/** @import { Report, Point, Rules } from './types' */
/** @import { Shown } from './view-types' */

import { createAnalysisDisplay, depthText, drawnLines, LINES } from './analysis-display.js';
import { el, set, write } from './dom.js';
import { errorText } from './refusals.js';
import { t } from './texts.js';

/** @param {() => void} redraw shows the board again, with the additions of `shown` */
export function createLiveAnalysis(redraw) {
  let on = false;
  /** The last question, so that it is asked once. */
  let asked = '';
  /** Aborts the request. @type {AbortController | undefined} */
  let request;
  /** @type {Report | undefined} */
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

  async function ask() {
    const { rules, moves, over } = position;
    const wanted = on && !over ? JSON.stringify([rules, moves]) : '';
    if (wanted === asked) return;
    asked = wanted;
    request?.abort();
    found = undefined;
    write(status, '');
    if (!wanted) return;
    request = new AbortController();
    const { signal } = request;
    try {
      const { analyse } = await import('./engine/engine.js');
      await analyse({ rules, moves, lines: LINES }, signal, (report) => {
        found = report;
        redraw();
      });
    } catch (error) {
      if (!signal.aborted) write(status, errorText(error));
    }
  }

  return {
    element,
    /** Analyses another position. @param {typeof position} now */
    setPosition(now) {
      position = now;
      void ask();
      display.show(found && { ply: now.moves.length, size: now.rules.size, lines: found.lines, detail: depthText(found) });
    },
    /** @returns {Partial<Shown>} */
    shown: () => (found ? drawnLines(found.lines) : {}),
    remove() {
      on = false;
      void ask();
    },
  };
}
