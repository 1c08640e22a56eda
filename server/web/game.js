// A finished game: step by step, with the engine's review of it, to share and to take away.

/** @import { FinishedGame, Review, View } from './types' */

import { createBoard } from './board.js';
import { deadEnd, el, fill, way, write } from './dom.js';
import { boundsOf, pointName } from './geometry.js';
import { createGraph } from './graph.js';
import { createMoves } from './moves.js';
import { outcomeName, playerName, rulesName, stoneSign } from './names.js';
import { createJudge, mayForbid, positionWords } from './position.js';
import { errorText, refusedAnswer } from './refusals.js';
import { course, deciding, fetchReview } from './review.js';
import { createSteps } from './steps.js';
import { formatDate, formatPercent, t } from './texts.js';
import { createThought, valueText } from './thought.js';

/** How long each move is seen. */
const PACE_MS = 900;

/** @type {View} */
export const view = (app, place, id) => {
  const end = new AbortController();
  app.tab(t('replay'));
  fetch(`/api/games/${id}`, { signal: end.signal })
    .then((answer) => (answer.ok ? answer.json() : refusedAnswer(answer).then((error) => Promise.reject(error))))
    .then((/** @type {FinishedGame} */ game) => show(app, place, game, end.signal))
    .catch((error) => {
      if (!end.signal.aborted) fill(place, deadEnd(errorText(error), '', way('/games', t('games'), true), way('/', t('new_game'))));
    });
  return () => end.abort();
};

/**
 * @param {import('./types').App} app @param {HTMLElement} place @param {FinishedGame} game
 * @param {AbortSignal} signal
 */
function show(app, place, game, signal) {
  const { rules, outcome } = game;
  const moves = game.moves.map(({ point }) => point);
  /** @type {Review | undefined} */
  let review;
  /** @type {number[] | undefined} */
  let values;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;

  const boardPlace = el('div', { class: 'board' });
  const steps = createSteps(update);
  const play = el('button', { type: 'button', class: 'step autoplay', onclick: () => autoplay(!playing) });
  const graph = createGraph(go);
  const reviewing = el('p', { class: 'hint', role: 'status' });
  const thought = createThought();
  const showsLine = el('input', { type: 'checkbox', onchange: update });
  const lineChoice = el('label', { class: 'check', hidden: true }, showsLine, t('show_best'));
  const turning = el('div', { class: 'deciding' });
  const list = createMoves(moves, rules.size, go);
  const judge = createJudge(update);
  const board = createBoard(boardPlace, { onkey: key, announce: (text) => app.announce(text) });
  const player = (/** @type {'black' | 'white'} */ stone) => el('span', { class: outcome.winner === stone ? 'winner' : '' },
    stoneSign(stone), el('bdi', null, playerName(game[stone])));
  place.append(el('div', { class: 'table replay' },
    el('div', { class: 'board-side' }, boardPlace),
    el('div', { class: 'panel' },
      el('div', { class: 'summary' }, el('h1', { class: 'status' }, outcomeName(outcome)),
        el('p', { class: 'players' }, player('black'), ' – ', player('white')),
        el('p', { class: 'about' }, rulesName(rules), ' · ', formatDate(game.ended_at, { dateStyle: 'medium' }))),
      el('div', { class: 'row stepping' }, steps.element, play),
      graph.element, reviewing, thought.element, lineChoice, turning, list.element, downloads())));

  const wanted = Number(new URLSearchParams(location.search).get('ply') ?? moves.length);
  steps.show(moves.length);
  autoplay(false);
  steps.go(Number.isInteger(wanted) ? wanted : moves.length);
  fetchReview(game.id, ({ done, plies }) => write(reviewing, t('reviewing', { done, plies })), signal)
    .then((found) => {
      write(reviewing, found ? '' : t('no_review'));
      if (!found) return;
      review = found;
      values = course(found, game);
      showDeciding(found);
      lineChoice.hidden = false;
      update();
    })
    .catch(() => !signal.aborted && write(reviewing, t('no_review')));
  signal.addEventListener('abort', () => {
    autoplay(false);
    graph.remove();
    judge.remove();
    board.remove();
  });

  /** Shows the position after so many moves. @param {number} ply */
  function go(ply) {
    autoplay(false);
    steps.go(ply);
  }

  function update() {
    const ply = steps.at ?? moves.length;
    const whole = ply === moves.length;
    if (whole) autoplay(false);
    const size = rules.size;
    const line = review && showsLine.checked ? review.moves[ply]?.line : undefined;
    const shown = moves.slice(0, ply);
    board.show({
      size, moves: shown, line,
      winning: whole ? outcome.points : undefined,
      forbidden: !whole && mayForbid(rules, shown) ? judge.of(rules, shown)?.forbidden : undefined,
    });
    graph.show(values && review && { values, marks: deciding(review), words }, ply);
    const next = review?.moves[ply];
    thought.show(next && { ply, size, lines: [{ value: next.value, moves: next.line }] });
    list.show(ply);
    const address = whole ? location.pathname : `${location.pathname}?ply=${ply}`;
    if (address !== location.pathname + location.search) history.replaceState(history.state, '', address);
  }

  /** @param {number} ply */
  function words(ply) {
    const point = moves[ply - 1];
    const value = review?.moves[ply]?.value;
    const text = value ? valueText(value, ply) : outcomeName(outcome);
    return point ? t('graph_point', { ply, point: pointName(point, boundsOf(rules.size)), value: text }) : text;
  }

  /** @param {Review} found */
  function showDeciding(found) {
    const marks = deciding(found);
    list.mark(marks);
    fill(turning, marks.length > 0 && el('h2', null, t('deciding')), ...marks.map(({ ply, kind, loss }) => {
      const point = moves[ply];
      return point && el('button', { type: 'button', class: `turn ${kind}`, onclick: () => go(ply + 1) },
        el('i', { class: `shape ${kind}`, 'aria-hidden': 'true' }), el('b', null, `${ply + 1}. ${pointName(point, boundsOf(rules.size))}`), ' ',
        t(kind), loss >= 0.01 && el('span', null, `−${formatPercent(loss)}`));
    }));
  }

  /** @param {boolean} on */
  function autoplay(on) {
    clearInterval(playing);
    playing = undefined;
    if (on) {
      if (steps.at === undefined) steps.go(0);
      playing = setInterval(() => steps.step(1), PACE_MS);
    }
    play.setAttribute('aria-pressed', String(on));
    write(play, t(on ? 'autoplay_stop' : 'autoplay'));
  }

  /** @param {import('./board-keys.js').Action} action */
  function key(action) {
    if (action.type !== 'step') return;
    autoplay(false);
    steps.step(action.by);
  }

  function downloads() {
    const file = (/** @type {string} */ kind) => el('a', { class: 'button', href: `/api/games/${game.id}.${kind}`, download: `fivefold-${game.id}.${kind}` }, kind.toUpperCase());
    const link = () => {
      const address = location.href;
      if (navigator.share) navigator.share({ url: address }).catch(() => {});
      else navigator.clipboard.writeText(address).then(() => app.toast(t('copied')), () => app.toast(address));
    };
    const picture = async () => {
      const blob = await board.picture();
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      el('a', { href: address, download: `fivefold-${game.id}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    };
    return el('div', { class: 'row downloads' },
      el('button', { type: 'button', class: 'primary', onclick: link }, t('share')),
      file('sgf'), file('psq'), file('json'), el('button', { type: 'button', onclick: picture }, 'PNG'),
      el('a', { class: 'button', href: `/analyse#${positionWords(rules, moves)}` }, t('analyse')));
  }
}
