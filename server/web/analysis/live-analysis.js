// Live analysis of a position outside rooms: the switch and the engine's lines beside a board. It begins by itself.

/** @import { Line, Point, Report, Rules } from '../ui/protocol-types' */
/** @import { Shown } from '../ui/view-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { siteStorage } from '../browser/browser-storage.js';
import { createAnalysisDisplay, depthText, drawnLines, LINES } from '../game/analysis-display.js';
import { errorText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { button, el, set, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';

/** How long the page is there before the analysis begins. */
const BEGINS_AFTER_MS = 1_000;
/** How long a position is shown before the engine begins with it: not at every step of somebody who leafs through. */
const ASK_AFTER_MS = 200;
/** How many lines the engine can report. */
const LINES_MAX = 5;
/** How many lines the player wants; 0 for no analysis. */
const STORAGE_KEY = 'fivefold.analysis_lines';
/** Moves of a line that can be pressed. */
const MOVES_SHOWN = 12;

/**
 * @param {() => void} redraw shows the board again, with the additions of `shown`
 * @param {(line: readonly Point[]) => void} choose a move of a line was pressed: the line up to it
 * @param {string} chooseText what that does @param {string} linesText names the number of lines
 */
export function createLiveAnalysis(redraw, choose, chooseText, linesText) {
  const kept = Number(siteStorage.getItem(STORAGE_KEY) ?? LINES);
  let on = false;
  /** The last question, so that it is asked once. */
  let asked = '';
  /** Aborts the request. @type {AbortController | undefined} */
  let request;
  /** @type {Report | undefined} */
  let found;
  /** @type {{rules: Rules, moves: readonly Point[], over: boolean}} */
  let position = { rules: { variant: 'freestyle', size: [15, 15] }, moves: [], over: false };

  const toggle = button(t('analyse_live'), () => turn(!on), { title: t('analyse_live_how'), 'aria-pressed': 'false' });
  const count = select(
    linesText,
    Array.from({ length: LINES_MAX }, (_, at) => [String(at + 1), String(at + 1)]),
  );
  count.field.value = String(kept >= 1 && kept <= LINES_MAX ? Math.floor(kept) : LINES);
  count.field.addEventListener('change', () => turn(true));
  const status = el('p', { class: 'hint', role: 'status' });
  const lines = createLineButtons(redraw, choose, chooseText);
  const row = el('div', { class: 'row' }, toggle, count.label);
  const begin = () => {
    on = true;
    redraw();
  };
  const begins = kept === 0 ? undefined : setTimeout(begin, BEGINS_AFTER_MS);

  /** @param {boolean} wanted */
  function turn(wanted) {
    clearTimeout(begins);
    on = wanted;
    siteStorage.setItem(STORAGE_KEY, on ? count.field.value : '0');
    redraw();
  }

  async function ask() {
    const { rules, moves, over } = position;
    const wanted = on && !over ? JSON.stringify([rules, moves, count.field.value]) : '';
    if (wanted === asked) return;
    asked = wanted;
    request?.abort();
    found = undefined;
    write(status, '');
    if (!wanted) return;
    request = new AbortController();
    const { signal } = request;
    try {
      await new Promise((resolve) => setTimeout(resolve, ASK_AFTER_MS));
      signal.throwIfAborted();
      const { analyse } = await import('../engine/engine.js');
      await analyse({ rules, moves, lines: Number(count.field.value) }, signal, (report) => {
        found = report;
        redraw();
      });
    } catch (error) {
      if (!signal.aborted) write(status, errorText(error));
    }
  }

  return {
    element: el('section', { class: 'live-analysis', 'aria-label': t('assist') }, row, status, lines.element),
    /** Analyses another position. @param {typeof position} now */
    setPosition(now) {
      position = now;
      set(toggle, { 'aria-pressed': String(on) });
      void ask();
      lines.show(now.rules, now.moves.length, found);
    },
    /** @returns {Partial<Shown>} */
    shown: () => (found ? drawnLines(lines.pointedFirst(found.lines), position.moves.length) : {}),
    remove() {
      clearTimeout(begins);
      on = false;
      void ask();
    },
  };
}

/**
 * The engine's lines; their moves are buttons.
 * @param {() => void} pointed the mouse or the keyboard is at another line
 * @param {(line: readonly Point[]) => void} choose @param {string} chooseText
 */
function createLineButtons(pointed, choose, chooseText) {
  /** The moves up to each button's. @type {WeakMap<Element, readonly Point[]>} */
  const lines = new WeakMap();
  /** The first move of the line that the mouse or the keyboard is at. */
  let first = '';
  /** What was under the finger when the press began: the lines may change before it ends. @type {readonly Point[] | undefined} */
  let pressed;
  let bounds = boundsOf([15, 15]);
  const display = createAnalysisDisplay((place, moves) => {
    for (const [at, point] of moves.slice(0, MOVES_SHOWN).entries()) {
      const one =
        place.children[at] ?? place.appendChild(el('button', { type: 'button', class: 'line', title: chooseText }));
      write(one, pointName(point, bounds));
      lines.set(one, moves.slice(0, at + 1));
    }
    while (place.children.length > Math.min(moves.length, MOVES_SHOWN)) place.lastChild?.remove();
  });
  const { element } = display;
  const lineAt = (/** @type {Event} */ { target }) => (target instanceof Element ? lines.get(target) : undefined);
  for (const type of ['pointerover', 'pointerout', 'focusin', 'focusout']) {
    element.addEventListener(type, (event) => {
      const at = /over|in$/.test(type) ? String(lineAt(event)?.[0] ?? '') : '';
      if (first === at) return;
      first = at;
      pointed();
    });
  }
  element.addEventListener('pointerdown', (event) => {
    pressed = lineAt(event);
  });
  element.addEventListener('click', (event) => {
    const moves = (event.detail > 0 && pressed) || lineAt(event);
    pressed = undefined;
    if (moves) choose(moves);
  });
  return {
    element,
    /** @param {Rules} rules @param {number} ply @param {Report | undefined} found */
    show(rules, ply, found) {
      bounds = boundsOf(rules.size);
      const focused = document.activeElement;
      const before = focused && lines.get(focused);
      display.show(found && { ply, size: rules.size, lines: found.lines, detail: depthText(found, rules) });
      if (!before || !focused || String(lines.get(focused)?.[0]) === String(before[0])) return;
      // The keyboard stays with its line, wherever that is now.
      for (const line of element.querySelectorAll('button'))
        if (String(lines.get(line)) === String(before)) line.focus();
    },
    /** The lines, that which is pointed at before the others. @param {readonly Line[]} all */
    pointedFirst(all) {
      const at = all.find(({ moves }) => String(moves[0]) === first);
      return at ? [at, ...all.filter((line) => line !== at)] : all;
    },
  };
}
