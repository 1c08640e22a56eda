// Live analysis of a position outside rooms: the switch and the engine's lines beside a board.

/** @import { Report, Point, Rules } from './types' */
/** @import { Shown } from './view-types' */

import { createAnalysisDisplay, depthText, drawnLines, LINES } from './analysis-display.js';
import { el, set, write } from './dom.js';
import { errorText } from './refusals.js';
import { t } from './texts.js';

/**
 * @param {() => void} redraw shows the board again, with the additions of `shown`
 * @param {(line: readonly Point[]) => void} choose a line was pressed
 * @param {string} chooseText what that does
 */
export function createLiveAnalysis(redraw, choose, chooseText) {
  let on = false;
  /** The last question, so that it is asked once. */
  let asked = '';
  /** Aborts the request. @type {AbortController | undefined} */
  let request;
  /** @type {Report | undefined} */
  let found;
  /** The first move of the line that the mouse or the keyboard is at. */
  let pointed = '';
  /** @type {{rules: Rules, moves: readonly Point[], over: boolean}} */
  let position = { rules: { variant: 'freestyle', size: [15, 15] }, moves: [], over: false };

  const toggle = el('button', { type: 'button', title: t('analyse_live_how'), 'aria-pressed': 'false', onclick: toggleAnalysis }, t('analyse_live'));
  const status = el('p', { class: 'hint', role: 'status' });
  const display = createAnalysisDisplay((moves, text) => {
    const first = String(moves[0]);
    const point = (/** @type {string} */ at) => () => {
      if (pointed === at) return;
      pointed = at;
      redraw();
    };
    return el('button', {
      type: 'button', class: 'line', title: chooseText, 'data-first': first, onclick: () => choose(moves),
      onmouseenter: point(first), onfocus: point(first), onmouseleave: point(''), onblur: point(''),
    }, text);
  });
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
      const focused = display.element.contains(document.activeElement) ? pointed : '';
      display.show(found && { ply: now.moves.length, size: now.rules.size, lines: found.lines, detail: depthText(found) });
      // The lines are new ones, in an order that may have changed.
      for (const line of display.element.querySelectorAll('button')) if (focused && line.dataset.first === focused) line.focus();
    },
    /** @returns {Partial<Shown>} */
    shown() {
      const at = found?.lines.find(({ moves: [first] }) => String(first) === pointed);
      return found ? drawnLines(at ? [at, ...found.lines.filter((line) => line !== at)] : found.lines) : {};
    },
    remove() {
      on = false;
      void ask();
    },
  };
}
