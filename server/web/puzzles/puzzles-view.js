// The page of puzzles: find the only move that wins. The engine in the browser answers with the longest
// defence, and accepts every move that wins. The address names the puzzle.

/** @import { Point, Size } from '../ui/protocol-types' */
/** @import { Scene } from '../board/board-canvas.js' */
/** @import { App, View } from '../ui/view-types' */
/** @import { PuzzleState } from './puzzle-card.js' */
/** @import { Puzzle } from './puzzle-set.js' */

import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { paintForbidden, paintGhost } from '../board/board-marks.js';
import { playClick, playFinish } from '../browser/sounds.js';
import { RefusedError } from '../client/refused-error.js';
import { stoneAt } from '../client/room-state.js';
import { askModule, loadJudge } from '../engine/engine.js';
import { rulesName } from '../game/display-names.js';
import { createJudge } from '../game/position-judge.js';
import { refusalText } from '../language/refusals.js';
import { dotted, formatSpan, t } from '../language/texts.js';
import { button, el, linkButton, set, write } from '../ui/dom.js';
import { createPuzzleCard, isAsked, isOver } from './puzzle-card.js';
import { createFilters } from './puzzle-filters.js';
import { dayOf, noteSolved, readProgress } from './puzzle-progress.js';
import { loadPuzzles, matching, nextPuzzle, puzzleOfDay, rulesOfId } from './puzzle-set.js';
import { createStreak } from './puzzle-streak.js';
import { createRatedTries } from './rated-tries.js';
import { tp } from './texts.js';

/** How long the answer lets the player's own stone be seen alone. */
const ANSWER_MS = 300;
/** The pace of a solution. */
const PACE_MS = 800;
/** After this time the page says that it checks a move. */
const PATIENCE_MS = 400;

/** @type {View} */
export const view = (app, place) => {
  const visit = new PuzzleVisit(app, place);
  return () => visit.leave();
};

/** The puzzles that a player tries one after the other. */
class PuzzleVisit {
  /** @type {Puzzle | undefined} */
  puzzle;
  /** All of the same rules. @type {Puzzle[]} */
  all = [];
  /** The moves since the puzzle began. @type {Point[]} */
  played = [];
  /** @type {PuzzleState} */
  state = 'loading';
  /** What the board marks: the wrong move, or a hint. @type {Point | undefined} */
  marked;
  /** The wrong move and its refutation. @type {Point[]} */
  refuted = [];
  /** Grows with each puzzle, with each start, and at the end, so that late answers are dropped. */
  attempt = 0;
  hasLeft = false;
  begun = 0;
  wrongs = 0;
  helped = false;
  /** The puzzles of this visit, which do not come again. @type {Set<string>} */
  seen = new Set();
  streak = createStreak();
  filters = createFilters(() => void this.open(''));
  judge = createJudge(() => this.update());
  title = el('h1', { class: 'spoken' });
  about = el('p', { class: 'hint' });
  today = el('a', { class: 'button', hidden: true }, tp('of_day'));

  /** @param {App} app @param {Element} place */
  constructor(app, place) {
    this.app = app;
    const boardPlace = el('div', { class: 'board' });
    const asks = el('div', { class: 'asks-touch' });
    this.board = createBoard(boardPlace, {
      asks,
      onplay: (point) => void this.play(point),
      announce: (words) => app.announce(words, true),
    });
    this.tries = createRatedTries(app, () => this.hasLeft);
    this.card = createPuzzleCard(
      {
        hint: () => void this.giveHint(),
        solution: () => void this.showSolution(),
        restart: () => this.begin(),
        goOn: () => this.goOn(),
        retry: () => void this.open(location.hash.slice(1)),
      },
      this.tries.element,
    );
    this.table = el(
      'div',
      { class: 'table replay puzzling' },
      el('div', { class: 'board-side' }, boardPlace),
      el(
        'div',
        { class: 'panel' },
        this.title,
        this.card.element,
        asks,
        this.about,
        this.filters.element,
        this.streak.element,
        el(
          'div',
          { class: 'row' },
          this.today,
          button(tp('copy'), () => app.copy(location.href)),
          linkButton('/learn', t('learn')),
        ),
      ),
    );
    place.append(this.table);
    loadJudge();
    app.tab(`${t('puzzles')} – Fivefold`);
    void this.open(location.hash.slice(1));
  }

  leave() {
    this.hasLeft = true;
    this.attempt += 1;
    this.judge.remove();
    this.board.remove();
  }

  /** Shows the puzzle of this name, or one that the player wants. @param {string} id */
  async open(id) {
    this.attempt += 1;
    const mine = this.attempt;
    const linked = rulesOfId(id);
    const wanted = this.filters.wanted();
    this.state = 'loading';
    this.puzzle = undefined;
    this.showWords(tp('loading'));
    try {
      [this.all] = await Promise.all([
        loadPuzzles(linked ?? wanted.rules),
        this.tries.load({ ...wanted, rules: linked ?? wanted.rules }),
      ]);
    } catch {
      if (mine !== this.attempt) return;
      this.state = 'failed';
      return this.showWords(tp('failed'));
    }
    if (mine !== this.attempt) return;
    const named = this.all.find((one) => one.id === id);
    if (id && !named) this.app.toast(tp('unknown'));
    if (linked) this.filters.showRules(linked);
    this.choose(named);
  }

  /** Begins this puzzle, today's, or the next. @param {Puzzle} [named] */
  choose(named) {
    const done = new Set([...readProgress().solved, ...this.seen]);
    const wanted = this.filters.wanted();
    const fitting = matching(this.all, wanted);
    const daily = puzzleOfDay(this.all, dayOf(new Date()));
    const fresh =
      daily && !wanted.length && !wanted.kind && !done.has(daily.id)
        ? daily
        : nextPuzzle(this.tries.suitable(fitting, done), done, this.puzzle?.id, Math.random());
    this.streak.show(readProgress(), fitting);
    this.puzzle = named ?? fresh;
    if (daily) set(this.today, { href: `/puzzles#${daily.id}`, hidden: this.puzzle === daily });
    if (!this.puzzle) return this.showWords(tp('none'));
    this.seen.add(this.puzzle.id);
    this.tries.begin(this.puzzle);
    write(this.title, tp(this.puzzle === daily ? 'of_day' : 'puzzle'));
    write(this.about, dotted(this.title.textContent, rulesName(this.puzzle.rules), tp(`kind_${this.puzzle.kind}`)));
    // Only if it differs: the puzzle may come from the address.
    if (location.hash !== `#${this.puzzle.id}`) history.replaceState(history.state, '', `/puzzles#${this.puzzle.id}`);
    this.wrongs = 0;
    this.helped = false;
    this.begun = performance.now();
    this.begin();
  }

  goOn() {
    this.choose();
    this.board.focus();
  }

  /** Goes to the puzzle's first position. */
  begin() {
    this.attempt += 1;
    this.played = this.refuted = [];
    this.marked = undefined;
    this.state = 'ask';
    if (this.puzzle) this.ask(tp('find', { count: this.puzzle.length }));
  }

  /** @returns {Point[]} */
  moves() {
    return [...(this.puzzle?.moves ?? []), ...this.played];
  }

  /** @returns {Size} */
  size() {
    return this.puzzle?.rules.size ?? [15, 15];
  }

  /** The color of the player. */
  own() {
    return stoneAt(this.puzzle?.moves.length ?? 0);
  }

  /** @param {Point} point */
  called(point) {
    return pointName(point, boundsOf(this.size()));
  }

  /** Asks for the next move. @param {string} words */
  ask(words) {
    this.showWords(tp(`${this.own()}_to_move`), words);
  }

  /** A move of the player. @param {Point} point */
  async play(point) {
    if (!this.puzzle || !isAsked(this.state)) return this.board.refused();
    const mine = this.attempt;
    this.state = 'check';
    this.marked = undefined;
    this.refuted = [];
    this.played = [...this.played, point];
    playClick();
    this.update();
    const patience = setTimeout(() => mine === this.attempt && this.card.add(tp('checking')), PATIENCE_MS);
    try {
      const since = performance.now();
      const { puzzle: answer } = await askModule({
        type: 'puzzle_answer',
        rules: this.puzzle.rules,
        moves: this.moves(),
      });
      if (answer !== 'solved' && answer?.goes_on) await pause(ANSWER_MS - (performance.now() - since));
      if (mine !== this.attempt) return;
      if (answer === 'solved') this.solved();
      else if (answer?.trapped) this.trapped(answer.trapped);
      else if (answer?.goes_on) this.answered(answer.goes_on);
      else this.failed(point, answer?.fails ?? undefined);
    } catch (error) {
      if (mine !== this.attempt) return;
      this.played = this.played.slice(0, -1);
      this.state = 'ask';
      this.ask(error instanceof RefusedError ? refusalText(error.refusal) : t('failed'));
      this.board.refused();
    } finally {
      clearTimeout(patience);
    }
  }

  /** The other side answers a move that wins. @param {Point} point */
  answered(point) {
    this.played = [...this.played, point];
    this.state = 'ask';
    playClick();
    this.ask(tp(`answered_${this.own() === 'black' ? 'white' : 'black'}`, { point: this.called(point) }));
  }

  /** The move does not win. @param {Point} point @param {Point} [refutation] */
  failed(point, refutation) {
    void this.tries.end(this.played, false);
    this.played = this.played.slice(0, -1);
    this.wrongs += 1;
    this.marked = point;
    this.refuted = refutation ? [point, refutation] : [];
    this.state = 'wrong';
    const other = this.own() === 'black' ? 'white' : 'black';
    this.showWords(
      tp('wrong', { point: this.called(point) }),
      refutation ? tp(`wrong_${other}`, { point: this.called(refutation) }) : tp('wrong_full'),
    );
    this.board.refused();
  }

  /** Black may not stop the five. @param {Point} point */
  trapped(point) {
    this.marked = point;
    this.solved(tp('solved_trap', { point: this.called(point) }));
  }

  /** @param {string} [why] */
  solved(why = '') {
    this.state = 'solved';
    if (this.puzzle) noteSolved(this.puzzle.id, dayOf(new Date()), !this.helped);
    void this.tries.end(this.played, false);
    playFinish();
    const time = formatSpan(performance.now() - this.begun);
    const way =
      this.helped || this.wrongs === 0
        ? tp(this.helped ? 'solved_hint' : 'solved_first', { time })
        : tp('solved_tries', { count: this.wrongs, time });
    this.showWords(tp('solved'), `${why} ${way}`.trim());
    this.streak.show(readProgress(), matching(this.all, this.filters.wanted()));
    this.card.focusNext();
  }

  /** Marks a move that wins. */
  async giveHint() {
    const mine = this.attempt;
    const known = this.played.length === 0 ? this.puzzle?.first : (await this.solve())?.[0];
    if (mine !== this.attempt || !this.puzzle) return;
    this.helped = true;
    void this.tries.end(this.played, true);
    if (!known) return this.card.add(tp('no_hint'));
    this.marked = known;
    this.state = 'ask';
    this.ask(tp('hint_at', { point: this.called(known) }));
  }

  /** A win from the shown position. */
  async solve() {
    if (!this.puzzle) return undefined;
    try {
      const { solution } = await askModule({
        type: 'puzzle_solution',
        rules: this.puzzle.rules,
        moves: this.moves(),
      });
      return solution;
    } catch {
      return undefined;
    }
  }

  /** Plays a win from the shown position. */
  async showSolution() {
    const mine = this.attempt;
    this.state = 'showing';
    this.marked = undefined;
    this.helped = true;
    void this.tries.end(this.played, true);
    this.update();
    const line = await this.solve();
    if (mine !== this.attempt) return;
    if (!line?.length) {
      this.state = 'ask';
      return this.ask(tp('solution_none'));
    }
    this.showWords(tp('solution'), tp('solution_how', { count: Math.ceil(line.length / 2) }));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const point of line) {
      if (!still) await pause(PACE_MS);
      if (mine !== this.attempt) return;
      this.played = [...this.played, point];
      this.update();
    }
    this.state = 'shown';
    this.showWords(tp('solution'), line.map((point) => this.called(point)).join(' '));
    this.card.focusNext();
  }

  /** @param {string} words @param {string} [more] */
  showWords(words, more = '') {
    this.card.say(words, more);
    this.update();
  }

  update() {
    const puzzle = this.puzzle;
    const state = this.state;
    const moves = this.moves();
    const judged = puzzle && this.judge.of(puzzle.rules, moves);
    this.table.classList.toggle('is-won', state === 'solved');
    this.card.show(state, puzzle && { rules: puzzle.rules, moves, own: this.own(), hasMoved: this.played.length > 0 });
    this.board.show({
      size: this.size(),
      moves,
      turn: isAsked(state) ? this.own() : undefined,
      winning: isOver(state) ? judged?.outcome?.points : undefined,
      forbidden: judged?.forbidden,
      line: state === 'wrong' ? this.refuted : undefined,
      paint: (...painting) => this.paintMark(...painting),
    });
  }

  /** @param {Parameters<NonNullable<Scene['paint']>>} painting */
  paintMark(...[canvas, frame, palette]) {
    if (!this.marked) return;
    if (this.state === 'ask') paintGhost(canvas, frame, palette, this.marked, false, boundsOf(this.size()));
    else paintForbidden(canvas, frame, palette, [this.marked]);
  }
}

/** @param {number} time */
function pause(time) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(time, 0)));
}
