// Live analysis of a position that belongs to no game in a room: the engine's lines beside the
// board for trying moves. What is on that board is the caller's.

/** @import { Analysis, App, Point, Rules, Shown } from './types' */

import { el, set, write } from './dom.js';
import { t } from './texts.js';
import { createThought, depthText, drawnLines } from './thought.js';

/** Moves that the engine tells of. */
const LINES = 3;

/** @param {App} app @param {() => void} redraw has the board shown again, with what `shown` adds */
export function createStudy(app, redraw) {
  let on = false;
  /** What was asked for last, so that it is asked once. */
  let asked = '';
  /** @type {Analysis | undefined} */
  let analysis;
  /** @type {{rules: Rules, moves: readonly Point[], over: boolean}} */
  let position = { rules: { variant: 'freestyle', size: [15, 15] }, moves: [], over: false };

  const toggle = el('button', { type: 'button', title: t('help_engine_how'), onclick: () => turn(!on) }, t('help_engine'));
  const told = el('p', { class: 'hint', role: 'status' });
  const thought = createThought();
  const element = el('section', { class: 'help', 'aria-label': t('help') }, el('div', { class: 'row' }, toggle), told, thought.element);
  set(toggle, { 'aria-pressed': 'false' });

  /** @param {boolean} now */
  function turn(now) {
    on = now;
    set(toggle, { 'aria-pressed': String(on) });
    ask();
    redraw();
  }

  function ask() {
    const { rules, moves, over } = position;
    const wanted = on && !over ? JSON.stringify([rules, moves]) : '';
    if (wanted === asked) return;
    const running = asked !== '';
    asked = wanted;
    analysis = undefined;
    write(told, '');
    const command = wanted ? { type: 'study', rules, moves, lines: LINES } : { type: 'stop_study' };
    if (!wanted && !running) return;
    app.connection.study((news) => {
      if (wanted !== asked) return;
      if (news.type === 'analysis') analysis = news;
      else if (news.why === 'busy') write(told, t('help_busy'));
      redraw();
    });
    app.connection.send(command).catch((error) => write(told, error.message));
  }

  return {
    element,
    /** Another position is looked at. @param {typeof position} now */
    look(now) {
      position = now;
      ask();
      const lines = analysis?.lines ?? [];
      thought.show(analysis && { ply: now.moves.length, size: now.rules.size, lines, detail: depthText(analysis) });
    },
    /** @returns {Partial<Shown>} */
    shown: () => (analysis ? drawnLines(analysis.lines) : {}),
    remove() {
      on = false;
      ask();
    },
  };
}
