// The page of puzzles: find the only move that wins. The engine in the browser answers with the longest
// defence, and accepts every move that wins. The address names the puzzle.

/** @import { Point } from '../ui/protocol-types' */
/** @import { Scene } from '../board/board-canvas.js' */
/** @import { View } from '../ui/view-types' */
/** @import { Puzzle } from './puzzle-set.js' */

import { positionLink } from '../analysis/position-link.js';
import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { paintForbidden, paintGhost } from '../board/board-marks.js';
import { playClick, playFinish } from '../browser/sounds.js';
import { askModule, loadJudge } from '../engine/engine.js';
import { rulesName } from '../game/display-names.js';
import { createJudge } from '../game/position-judge.js';
import { stoneAt } from '../game/room-state.js';
import { RefusedError, refusalText } from '../language/refusals.js';
import { formatSpan, t } from '../language/texts.js';
import { el, icon, linkButton, seal, set, write } from '../ui/dom.js';
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

/** @typedef {'loading' | 'failed' | 'ask' | 'check' | 'wrong' | 'solved' | 'showing' | 'shown'} State */

/** @type {View} */
export const view = (app, place) => {
  const end = new AbortController();
  const gone = () => end.signal.aborted;
  /** @type {Puzzle | undefined} */
  let puzzle;
  /** All of the same rules. @type {Puzzle[]} */
  let all = [];
  /** The moves since the puzzle began. @type {Point[]} */
  let played = [];
  /** @type {State} */
  let state = 'loading';
  /** What the board marks: the wrong move, or a hint. @type {Point | undefined} */
  let marked;
  /** The wrong move and its refutation. @type {Point[]} */
  let refuted = [];
  /** Grows with each puzzle and each start, so that late answers are dropped. */
  let attempt = 0;
  let begun = 0;
  let wrongs = 0;
  let helped = false;
  /** The puzzles of this visit, which do not come again. @type {Set<string>} */
  const seen = new Set();

  const boardPlace = el('div', { class: 'board' });
  const asks = el('div', { class: 'asks-touch' });
  const board = createBoard(boardPlace, { asks, onplay: play, announce: (words) => app.announce(words, true) });
  const judge = createJudge(update);
  const title = el('h1', { class: 'spoken' });
  const stone = el('i', { class: 'stone', 'aria-hidden': 'true' });
  const say = el('div', { class: 'say' });
  const how = el('p');
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, /** @type {object} */ more = {}) =>
    el('button', { type: 'button', onclick, ...more }, text);
  const hint = el('button', { type: 'button', onclick: giveHint }, icon('hint'), tp('hint'));
  const solution = button(tp('show'), () => void showSolution());
  const restart = button(tp('restart'), () => begin());
  const next = button(tp('next'), goOn, { class: 'primary' });
  const skip = button(tp('skip'), goOn);
  const retry = button(tp('again'), () => void open(location.hash.slice(1)), { class: 'primary' });
  const analyze = el('a', { class: 'button', href: '/analyse' }, icon('graph'), tp('analyze'));
  const buttons = el('div', { class: 'row' }, hint, solution, skip, restart, next, retry, analyze);
  const about = el('p', { class: 'hint' });
  const today = el('a', { class: 'button', hidden: true }, tp('of_day'));
  const streak = createStreak();
  const tries = createRatedTries(app, gone);
  const filters = createFilters(() => void open(''));
  const table = el(
    'div',
    { class: 'table replay puzzling' },
    el('div', { class: 'board-side' }, boardPlace),
    el(
      'div',
      { class: 'panel' },
      title,
      el(
        'section',
        { class: 'card voice', 'aria-live': 'polite' },
        el('div', { class: 'summary' }, seal(), stone, el('div', null, say, how, tries.element)),
        buttons,
      ),
      asks,
      about,
      filters.element,
      streak.element,
      el(
        'div',
        { class: 'row' },
        today,
        button(tp('copy'), () => app.copy(location.href)),
        linkButton('/learn', t('learn')),
      ),
    ),
  );
  place.append(table);
  loadJudge();
  app.tab(`${t('puzzles')} – Fivefold`);
  void open(location.hash.slice(1));
  return () => {
    end.abort();
    judge.remove();
    board.remove();
  };

  /** Shows the puzzle of this name, or one that the player wants. @param {string} id */
  async function open(id) {
    attempt += 1;
    const mine = attempt;
    const linked = rulesOfId(id);
    const wanted = filters.wanted();
    state = 'loading';
    puzzle = undefined;
    showWords(tp('loading'));
    try {
      [all] = await Promise.all([
        loadPuzzles(linked ?? wanted.rules),
        tries.load({ ...wanted, rules: linked ?? wanted.rules }),
      ]);
    } catch {
      if (gone() || mine !== attempt) return;
      state = 'failed';
      return showWords(tp('failed'));
    }
    if (gone() || mine !== attempt) return;
    const named = all.find((one) => one.id === id);
    if (id && !named) app.toast(tp('unknown'));
    if (linked) filters.showRules(linked);
    choose(named);
  }

  /** Begins this puzzle, today's, or the next. @param {Puzzle} [named] */
  function choose(named) {
    const done = new Set([...readProgress().solved, ...seen]);
    const wanted = filters.wanted();
    const fitting = matching(all, wanted);
    const daily = puzzleOfDay(all, dayOf(new Date()));
    const fresh =
      daily && !wanted.length && !wanted.kind && !done.has(daily.id)
        ? daily
        : nextPuzzle(tries.suitable(fitting, done), done, puzzle?.id, Math.random());
    streak.show(readProgress(), fitting);
    puzzle = named ?? fresh;
    if (daily) set(today, { href: `/puzzles#${daily.id}`, hidden: puzzle === daily });
    if (!puzzle) return showWords(tp('none'));
    seen.add(puzzle.id);
    tries.begin(puzzle);
    write(title, tp(puzzle === daily ? 'of_day' : 'puzzle'));
    write(about, [title.textContent, rulesName(puzzle.rules), tp(`kind_${puzzle.kind}`)].join(' · '));
    // Only if it differs: the puzzle may come from the address.
    if (location.hash !== `#${puzzle.id}`) history.replaceState(history.state, '', `/puzzles#${puzzle.id}`);
    wrongs = 0;
    helped = false;
    begun = performance.now();
    begin();
  }

  function goOn() {
    choose();
    board.focus();
  }

  /** Goes to the puzzle's first position. */
  function begin() {
    attempt += 1;
    played = refuted = [];
    marked = undefined;
    state = 'ask';
    if (puzzle) ask(tp('find', { count: puzzle.length }));
  }

  /** @returns {Point[]} */
  function moves() {
    return [...(puzzle?.moves ?? []), ...played];
  }

  /** The color of the player. */
  function own() {
    return stoneAt(puzzle?.moves.length ?? 0);
  }

  function called(/** @type {Point} */ point) {
    return pointName(point, boundsOf(puzzle?.rules.size ?? [15, 15]));
  }

  /** Asks for the next move. @param {string} words */
  function ask(words) {
    showWords(tp(`${own()}_to_move`), words);
  }

  /** A move of the player. @param {Point} point */
  async function play(point) {
    if (!puzzle || (state !== 'ask' && state !== 'wrong')) return board.refused();
    const mine = attempt;
    state = 'check';
    marked = undefined;
    refuted = [];
    played = [...played, point];
    playClick();
    update();
    const patience = setTimeout(() => mine === attempt && write(how, tp('checking')), PATIENCE_MS);
    try {
      const since = performance.now();
      const { puzzle: answer } = await askModule({ type: 'puzzle_answer', rules: puzzle.rules, moves: moves() });
      if (answer !== 'solved' && answer?.goes_on) await pause(ANSWER_MS - (performance.now() - since));
      if (gone() || mine !== attempt) return;
      if (answer === 'solved') solved();
      else if (answer?.trapped) trapped(answer.trapped);
      else if (answer?.goes_on) answered(answer.goes_on);
      else failed(point, answer?.fails ?? undefined);
    } catch (error) {
      if (gone() || mine !== attempt) return;
      played = played.slice(0, -1);
      state = 'ask';
      ask(error instanceof RefusedError ? refusalText(error.refusal) : t('failed'));
      board.refused();
    } finally {
      clearTimeout(patience);
    }
  }

  /** The other side answers a move that wins. @param {Point} point */
  function answered(point) {
    played = [...played, point];
    state = 'ask';
    playClick();
    ask(tp(`answered_${own() === 'black' ? 'white' : 'black'}`, { point: called(point) }));
  }

  /** The move does not win. @param {Point} point @param {Point} [refutation] */
  function failed(point, refutation) {
    void tries.end(played, false);
    played = played.slice(0, -1);
    wrongs += 1;
    marked = point;
    refuted = refutation ? [point, refutation] : [];
    state = 'wrong';
    const other = own() === 'black' ? 'white' : 'black';
    showWords(
      tp('wrong', { point: called(point) }),
      refutation ? tp(`wrong_${other}`, { point: called(refutation) }) : tp('wrong_full'),
    );
    board.refused();
  }

  /** Black may not stop the five. @param {Point} point */
  function trapped(point) {
    marked = point;
    solved(tp('solved_trap', { point: called(point) }));
  }

  /** @param {string} [why] */
  function solved(why = '') {
    state = 'solved';
    if (puzzle) noteSolved(puzzle.id, dayOf(new Date()), !helped);
    void tries.end(played, false);
    playFinish();
    const time = formatSpan(performance.now() - begun);
    const way =
      helped || wrongs === 0
        ? tp(helped ? 'solved_hint' : 'solved_first', { time })
        : tp('solved_tries', { count: wrongs, time });
    showWords(tp('solved'), `${why} ${way}`.trim());
    streak.show(readProgress(), matching(all, filters.wanted()));
    next.focus({ preventScroll: true });
  }

  /** Marks a move that wins. */
  async function giveHint() {
    const mine = attempt;
    const known = played.length === 0 ? puzzle?.first : (await solve())?.[0];
    if (gone() || mine !== attempt || !puzzle) return;
    helped = true;
    void tries.end(played, true);
    if (!known) return write(how, tp('no_hint'));
    marked = known;
    state = 'ask';
    ask(tp('hint_at', { point: called(known) }));
  }

  /** A win from the shown position. */
  async function solve() {
    if (!puzzle) return undefined;
    try {
      const { solution } = await askModule({ type: 'puzzle_solution', rules: puzzle.rules, moves: moves() });
      return solution;
    } catch {
      return undefined;
    }
  }

  /** Plays a win from the shown position. */
  async function showSolution() {
    const mine = attempt;
    state = 'showing';
    marked = undefined;
    helped = true;
    void tries.end(played, true);
    update();
    const line = await solve();
    if (gone() || mine !== attempt) return;
    if (!line?.length) {
      state = 'ask';
      return ask(tp('solution_none'));
    }
    showWords(tp('solution'), tp('solution_how', { count: Math.ceil(line.length / 2) }));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const point of line) {
      if (!still) await pause(PACE_MS);
      if (gone() || mine !== attempt) return;
      played = [...played, point];
      update();
    }
    state = 'shown';
    showWords(tp('solution'), line.map(called).join(' '));
    next.focus({ preventScroll: true });
  }

  /** @param {string} words @param {string} [more] */
  function showWords(words, more = '') {
    write(say, words);
    write(how, more);
    update();
  }

  function update() {
    const over = state === 'solved' || state === 'shown';
    const asked = state === 'ask' || state === 'wrong';
    table.classList.toggle('is-won', state === 'solved');
    set(stone, { class: `stone ${own()}`, hidden: !puzzle });
    hint.hidden = solution.hidden = skip.hidden = !(asked || state === 'check');
    hint.disabled = solution.disabled = !asked;
    restart.hidden = !puzzle || (!over && played.length === 0) || state === 'solved';
    next.hidden = !over;
    retry.hidden = state !== 'failed';
    analyze.hidden = !over;
    const shown = moves();
    if (puzzle && over) set(analyze, { href: `/analyse#${positionLink(puzzle.rules, shown)}` });
    const judged = puzzle && judge.of(puzzle.rules, shown);
    board.show({
      size: puzzle?.rules.size ?? [15, 15],
      moves: shown,
      turn: asked ? own() : undefined,
      winning: over ? judged?.outcome?.points : undefined,
      forbidden: judged?.forbidden,
      line: state === 'wrong' ? refuted : undefined,
      paint: paintMark,
    });
  }

  /** @param {Parameters<NonNullable<Scene['paint']>>} painting */
  function paintMark(...[canvas, frame, palette]) {
    if (!marked) return;
    if (state === 'ask') paintGhost(canvas, frame, palette, marked, false, boundsOf(puzzle?.rules.size ?? [15, 15]));
    else paintForbidden(canvas, frame, palette, [marked]);
  }

  /** @param {number} time */
  function pause(time) {
    return new Promise((resolve) => setTimeout(resolve, Math.max(time, 0)));
  }
};
