// A finished game's page: step through it, see the engine's review, share and download it.

/** @import { FinishedGame, Review, Seat } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */

import { betterLine, decidingMoves } from '../analysis/deciding-moves.js';
import { blackChances, createLegend, fetchReview } from '../analysis/game-review.js';
import { ta } from '../analysis/texts.js';
import { createValueGraph } from '../analysis/value-graph.js';
import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { isMember, opponent, stoneAt, stoneOf } from '../client/room-state.js';
import { createAnalysisDisplay, valueText } from '../game/analysis-display.js';
import { nameOrYou, playerName, resultName, rulesName, stoneSign } from '../game/display-names.js';
import { createMoveList } from '../game/move-list.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { openingLines } from '../game/opening-lines.js';
import { createJudge, mayForbid } from '../game/position-judge.js';
import { errorText, refusedAnswer } from '../language/refusals.js';
import { formatDate, formatPercent, t } from '../language/texts.js';
import { button, el, fill, linkButton, write } from '../ui/dom.js';
import { embedButton } from '../ui/embed/embed-button.js';

/** Pause between moves of the autoplay. */
const PACE_MS = 900;

/** @type {View} */
export const view = (app, place, id) => {
  const end = new AbortController();
  app.tab(t('replay'));
  fetch(`/api/games/${id}`, { signal: end.signal })
    .then((answer) => (answer.ok ? answer.json() : refusedAnswer(answer).then((error) => Promise.reject(error))))
    .then((/** @type {FinishedGame} */ game) => new ReplayPage(app, place, game, end.signal))
    .catch(async (error) => {
      const { showNotFound } = await import('../board/not-found.js');
      if (end.signal.aborted) return;
      const remove = showNotFound(
        place,
        errorText(error),
        '',
        linkButton('/', t('find_opponent'), true),
        linkButton('/games', t('your_games')),
        linkButton('/lobby', t('lobby')),
      );
      end.signal.addEventListener('abort', remove);
    });
  return () => end.abort();
};

class ReplayPage {
  /** @type {Review | undefined} */
  #review;
  /** Black's chances after each move. @type {number[] | undefined} */
  #values;
  #boardPlace = el('div', { class: 'board' });
  #players = el('p', { class: 'players' });
  #reviewing = el('p', { class: 'hint', role: 'status' });
  #display = createAnalysisDisplay();
  #showsLine = el('input', { type: 'checkbox', onchange: () => this.#update() });
  #lineChoice = el('label', { class: 'check', hidden: true }, this.#showsLine, ta('show_best'));
  #turning = el('div', { class: 'deciding' });
  #navigation = createMoveNavigation(() => this.#update());
  #autoplay = createAutoplay(this.#navigation);
  #graph = createValueGraph((ply) => this.#go(ply));
  #judge = createJudge(() => this.#update());

  /** @param {App} app @param {HTMLElement} place @param {FinishedGame} game @param {AbortSignal} signal */
  constructor(app, place, game, signal) {
    this.app = app;
    this.game = game;
    this.moves = game.moves.map(({ point }) => point);
    const { rules, opening } = game;
    const name = (/** @type {Seat} */ seat) => nameOrYou(app, game[seat]);
    const called = (/** @type {import('../ui/protocol-types').Point} */ point) => this.#called(point);
    const lines = opening ? openingLines(opening.acts, opening.first, { name, called }) : [];
    const notes = lines.filter(({ swapped }) => swapped);
    this.list = createMoveList(this.moves, rules.size, (ply) => this.#go(ply), notes);
    this.board = createBoard(this.#boardPlace, {
      steps: true,
      onkey: (action) => action.type === 'step' && this.#step(action.by),
      announce: (text) => app.announce(text),
    });
    const texts = lines.map(({ text }) => text);
    place.append(this.#table(texts));
    this.#namePlayers();
    // A reload shows the game before the server has said who this is.
    void app.connection.greeted().then(() => this.#namePlayers());
    void import('../analysis/arrow-keys.js').then(({ listenToArrows }) =>
      listenToArrows(
        (by) => this.#step(by),
        () => {},
        signal,
      ),
    );
    this.#begin();
    void this.#loadReview(signal);
    signal.addEventListener('abort', () => {
      this.#autoplay.set(false);
      this.#graph.remove();
      this.#judge.remove();
      this.board.remove();
    });
  }

  /** @param {string[]} lines of the opening */
  #table(lines) {
    const { outcome, black, ended_at, opening, rules } = this.game;
    const about = [rulesName(rules, opening?.kind), formatDate(ended_at, { dateStyle: 'medium' })].join(' · ');
    return el(
      'div',
      { class: 'table replay' },
      el('div', { class: 'board-side' }, this.#boardPlace),
      el(
        'div',
        { class: 'panel' },
        el(
          'div',
          { class: 'summary' },
          el('h1', { class: 'status' }, resultName(outcome, black, rules)),
          this.#players,
          el('p', { class: 'about' }, about),
          lines.length > 0 && el('ol', { class: 'opening-lines' }, ...lines.map((text) => el('li', null, text))),
        ),
        el(
          'section',
          { class: 'card moves-card' },
          this.list.element,
          el('div', { class: 'stepping' }, this.#navigation.element, this.#autoplay.element),
        ),
        this.#graph.element,
        this.#reviewing,
        this.#display.element,
        this.#lineChoice,
        this.#turning,
        this.#downloads(),
      ),
    );
  }

  #namePlayers() {
    const { outcome, black, rules } = this.game;
    const player = (/** @type {Seat} */ seat) =>
      el(
        'span',
        { class: outcome.winner === seat ? 'winner' : '' },
        stoneSign(stoneOf(seat, black), rules),
        el('bdi', null, nameOrYou(this.app, this.game[seat])),
      );
    fill(this.#players, player(black), ' – ', player(opponent(black)));
  }

  /** Shows the position that the address names, or the last one. */
  #begin() {
    const { length } = this.moves;
    const wanted = Number(new URLSearchParams(location.search).get('ply') ?? length);
    this.#navigation.show(length);
    this.#go(Number.isInteger(wanted) ? wanted : length);
  }

  /** @param {AbortSignal} signal */
  async #loadReview(signal) {
    const { game, moves } = this;
    const say = (/** @type {string} */ text) => write(this.#reviewing, text);
    try {
      const found = await fetchReview(game, (done) => say(ta('reviewing', { done, plies: moves.length })), signal);
      say(found ? '' : ta('no_review'));
      if (!found) return;
      this.#review = found;
      this.#values = blackChances(found, this.#ended?.winner);
      this.#showDeciding(found);
      this.#lineChoice.hidden = false;
      this.#update();
    } catch {
      if (!signal.aborted) say(ta('no_review'));
    }
  }

  /** How the game ended, if the board shows that. */
  get #ended() {
    const { reason, winner } = this.game.outcome;
    if (reason !== 'five' && reason !== 'forbidden') return undefined;
    return { reason, winner: winner && stoneOf(winner, this.game.black) };
  }

  /** @param {import('../ui/protocol-types').Point} point */
  #called(point) {
    return pointName(point, boundsOf(this.game.rules.size));
  }

  /** Shows the position after so many moves. @param {number} ply */
  #go(ply) {
    this.#autoplay.set(false);
    this.#navigation.go(ply);
  }

  /** @param {number} by */
  #step(by) {
    this.#autoplay.set(false);
    this.#navigation.step(by);
  }

  /** Shows a position where it is seen, on request with the best line. @param {number} ply */
  #look(ply, best = false) {
    this.#showsLine.checked = best;
    this.#go(ply);
    this.#boardPlace.scrollIntoView({ block: 'nearest' });
  }

  #update() {
    const { moves } = this;
    const { outcome, rules } = this.game;
    const review = this.#review;
    const ply = this.#navigation.at ?? moves.length;
    const whole = ply === moves.length;
    if (whole) this.#autoplay.set(false);
    const { size } = rules;
    const shown = moves.slice(0, ply);
    const next = review?.moves[ply];
    this.board.show({
      size,
      moves: shown,
      line: this.#showsLine.checked ? next?.line : undefined,
      winning: whole ? outcome.points : undefined,
      forbidden: !whole && mayForbid(rules, shown) ? this.#judge.of(rules, shown)?.forbidden : undefined,
    });
    const words = (/** @type {number} */ at) => this.#words(at);
    const values = this.#values;
    this.#graph.show(values && review && { values, marks: decidingMoves(review), words }, ply);
    this.#display.show(next && { ply, size, lines: [{ value: next.value, moves: next.line }] });
    this.list.show(ply);
    const address = whole ? location.pathname : `${location.pathname}?ply=${ply}`;
    if (address !== location.pathname + location.search) history.replaceState(history.state, '', address);
  }

  /** A point of the graph in words. @param {number} ply */
  #words(ply) {
    const { outcome, black, rules } = this.game;
    const point = this.moves[ply - 1];
    const value = this.#review?.moves[ply]?.value;
    const text = value ? valueText(value, ply, rules) : resultName(outcome, black, rules);
    return point ? ta('graph_point', { ply, point: this.#called(point), value: text }) : text;
  }

  /** @param {Review} review */
  #showDeciding(review) {
    const marks = decidingMoves(review);
    this.list.mark(marks);
    fill(
      this.#turning,
      createLegend(),
      marks.length > 0 && el('h2', null, ta('deciding')),
      ...marks.map((mark) => this.#turn(review, mark)),
    );
  }

  /** A deciding move, and what was better. @param {Review} review @param {ReturnType<typeof decidingMoves>[number]} mark */
  #turn(review, { ply, kind, loss }) {
    const { black, rules } = this.game;
    const point = this.moves[ply];
    if (!point) return undefined;
    const [best] = betterLine(review, ply, point);
    const mover = this.game[stoneAt(ply) === 'black' ? black : opponent(black)];
    const you = isMember(mover, this.app.connection.you) ? `${t('you')}: ` : '';
    const move = [
      el('i', { class: `shape ${kind}`, 'aria-hidden': 'true' }),
      stoneSign(stoneAt(ply), rules),
      el('b', null, `${ply + 1}. ${this.#called(point)}`),
      ` ${you}${ta(kind)}`,
      loss >= 0.01 && el('span', null, `−${formatPercent(loss)}`),
    ];
    return el(
      'div',
      { class: 'turning' },
      button(move, () => this.#look(ply + 1), { class: `turn ${kind}` }),
      best && button(ta('better', { point: this.#called(best) }), () => this.#look(ply, true)),
    );
  }

  /** Goes on in the game's own analysis, with what is known of its review. */
  async #analyse() {
    const { game, moves } = this;
    const { black, id, rules } = game;
    const { analysisOfGame } = await import('../analysis/kept-analyses.js');
    const known = this.#review && { rules, line: moves, review: this.#review, outcome: this.#ended };
    const names = { black: playerName(game[black]), white: playerName(game[opponent(black)]) };
    this.app.go(analysisOfGame({ id, rules, moves, ...names }, known));
  }

  async #savePicture() {
    const blob = await this.board.picture();
    if (!blob) return;
    const href = URL.createObjectURL(blob);
    el('a', { href, download: `fivefold-${this.game.id}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  #downloads() {
    const { id } = this.game;
    const file = (/** @type {string} */ kind) =>
      el(
        'a',
        { class: 'button', href: `/api/games/${id}.${kind}`, download: `fivefold-${id}.${kind}` },
        kind.toUpperCase(),
      );
    return el(
      'div',
      { class: 'row downloads' },
      button(t('share'), () => this.app.share(location.href), { class: 'primary' }),
      embedButton(() => `game/${id}${location.search}`),
      file('sgf'),
      file('psq'),
      file('json'),
      button('PNG', () => this.#savePicture()),
      button(t('analyse'), () => this.#analyse()),
    );
  }
}

/** The button that plays the game. @param {ReturnType<typeof createMoveNavigation>} navigation */
function createAutoplay(navigation) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  const element = button('', () => set(!playing), { class: 'step autoplay' });
  set(false);

  /** @param {boolean} on */
  function set(on) {
    clearInterval(playing);
    playing = undefined;
    if (on) {
      if (navigation.at === undefined) navigation.go(0);
      playing = setInterval(() => navigation.step(1), PACE_MS);
    }
    element.setAttribute('aria-pressed', String(on));
    write(element, ta(on ? 'autoplay_stop' : 'autoplay'));
  }

  return { element, set };
}
