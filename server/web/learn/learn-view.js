// The page to learn at: lessons in chapters, each a position on a board that the reader plays on. The rules
// and the engine, which say whether a stone is right, are the WebAssembly module's.

/** @import { Point, Value } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */
/** @import { TextKey } from '../language/texts.js' */
/** @import { Lesson } from './lessons.js' */

import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { siteStorage } from '../browser/browser-storage.js';
import { EngineWorker, judgePosition, loadJudge } from '../engine/engine.js';
import { valueText } from '../game/analysis-display.js';
import { sideName } from '../game/display-names.js';
import { stoneAt } from '../game/room-state.js';
import { refusalText } from '../language/refusals.js';
import { languageCode, t, worded } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';
import { CHAPTERS, fromMiddle, LESSONS, movesOf, SEARCH_NODES } from './lessons.js';

const STORAGE_KEY = 'fivefold.learned';
/** How long the opponent's answer waits, so that the reader sees their own stone first. */
const ANSWER_MS = 500;

/** @typedef {typeof import('./en.js').texts} LearnTexts */

/** @type {View} */
export const view = (app, place) => {
  const end = new AbortController();
  app.tab(`${t('learn')} – Fivefold`);
  import(`./${languageCode}.js`).then((/** @type {{ texts: LearnTexts }} */ { texts }) => {
    const learned = learnedLessons();
    const wanted = location.hash.slice(1);
    const lesson = LESSONS.find(({ id }) => id === wanted) ?? LESSONS.find(({ id }) => !learned.has(id)) ?? LESSONS[0];
    if (lesson && !end.signal.aborted) show(app, place, texts, lesson, learned, end.signal);
  }, app.showError);
  return () => end.abort();
};

/**
 * @param {import('../ui/view-types').App} app @param {HTMLElement} place @param {LearnTexts} texts
 * @param {Lesson} lesson @param {Set<string>} learned @param {AbortSignal} signal
 */
function show(app, place, texts, lesson, learned, signal) {
  const [title = '', text = '', last = ''] = texts.lessons[lesson.id] ?? [];
  const begin = movesOf(lesson);
  const total = lesson.zones?.length ?? 0;
  let moves = begin;
  /** Forbidden points that were found. @type {Point[]} */
  let found = [];
  /** The point that "Show me" shows. @type {Point | undefined} */
  let shown;
  /** @type {readonly Point[] | undefined} */
  let winning;
  let done = false;
  /** Whether an answer is awaited: until then the board takes nothing. */
  let busy = false;
  /** @type {EngineWorker | undefined} */
  let engine;
  /** The decisions of an opening, once the stones are placed. @type {Awaited<ReturnType<typeof import('./opening-practice.js').practiseOpening>> | undefined} */
  let practice;
  let end = new AbortController();
  /** Whether the stones of an opening are placed, and its decisions come next. */
  let decides = false;

  const boardPlace = el('div', { class: 'board' });
  const asks = el('div', { class: 'asks-touch' });
  const task = el('p', { class: 'say' });
  const reply = el('p', { class: 'reply', role: 'status' });
  const ways = el('div', { class: 'row' });
  const choices = el('div', { class: 'opening-place' });
  const list = el('nav', { class: 'lessons', 'aria-label': texts.lessons_list });
  const board = createBoard(boardPlace, {
    asks,
    onplay: (point) => void play(point),
    announce: (text) => app.announce(text, true),
  });
  place.append(
    el(
      'div',
      { class: 'table replay learn' },
      el('div', { class: 'board-side' }, boardPlace),
      el(
        'div',
        { class: 'panel' },
        el('p', { class: 'hint' }, texts.chapters[/** @type {keyof LearnTexts['chapters']} */ (chapterOf(lesson))]),
        el('h1', { class: 'status' }, title),
        el('p', null, text),
        el('section', { class: 'card task' }, task, choices, reply, asks, ways),
        list,
      ),
    ),
  );
  loadJudge();
  signal.addEventListener('abort', () => {
    engine?.end(signal.reason);
    end.abort(signal.reason);
    board.remove();
  });
  update();

  function startOver() {
    moves = begin;
    found = [];
    shown = winning = practice = undefined;
    done = decides = false;
    end.abort();
    fill(choices);
    write(reply, '');
    update();
    board.focus();
  }

  function update() {
    const stone = stoneAt(moves.length);
    const mark = shown && [{ point: shown, label: '' }];
    if (practice && !done) board.show(practice.shown());
    else
      board.show({
        size: lesson.rules.size,
        moves,
        winning,
        forbidden: found,
        best: mark,
        turn: done || busy || decides ? undefined : stone,
        note: (point) => (done && includes(found, point) ? t('board_forbidden') : undefined),
      });
    write(
      task,
      decides
        ? texts.decide
        : worded(texts.goals[lesson.goal], {
            stone: sideName(stoneAt(begin.length), lesson.rules),
            at: Math.min(moves.length + 1, total),
            total,
          }),
    );
    const next = LESSONS[LESSONS.indexOf(lesson) + 1] ?? LESSONS.find(({ id }) => !learned.has(id));
    const showMe =
      !done && lesson.goal !== 'place' && el('button', { type: 'button', onclick: () => void showPoint() }, texts.show);
    fill(
      ways,
      done && next && el('a', { class: 'button primary', href: `/learn#${next.id}` }, texts.next),
      decides &&
        !practice &&
        el('button', { type: 'button', class: 'primary', onclick: () => void practise() }, texts.practise),
      done && !next && el('p', null, texts.all_done),
      done && !next && el('a', { class: 'button primary', href: '/puzzles' }, t('puzzles')),
      done && (lesson.opening || !next) && el('a', { class: 'button', href: '/local' }, texts.play_it),
      showMe,
      (done || decides || moves !== begin) && el('button', { type: 'button', onclick: startOver }, texts.again),
    );
    fill(
      list,
      ...CHAPTERS.map(({ id, lessons }) =>
        el(
          'section',
          null,
          el('h2', null, texts.chapters[/** @type {keyof LearnTexts['chapters']} */ (id)]),
          el('ol', null, ...lessons.map(lessonLink)),
        ),
      ),
      el(
        'section',
        { class: 'rated' },
        el('h2', null, texts.rated.title),
        ...texts.rated.texts.map((text) => el('p', null, text)),
      ),
    );
  }

  /** @param {Lesson} one */
  function lessonLink(one) {
    const link = el(
      'a',
      { href: `/learn#${one.id}`, class: learned.has(one.id) ? 'learned' : '' },
      texts.lessons[one.id]?.[0],
      learned.has(one.id) && el('span', { class: 'spoken' }, `, ${texts.learned}`),
    );
    if (one === lesson) link.setAttribute('aria-current', 'page');
    return el('li', null, link);
  }

  /** @param {string} words */
  function say(words) {
    write(reply, words);
  }

  /** @param {Point} point */
  function named(point) {
    return pointName(point, boundsOf(lesson.rules.size));
  }

  /** @param {Point} point */
  async function play(point) {
    if (practice && !done) return practice.press(point);
    if (done || busy) return;
    busy = true;
    shown = undefined;
    try {
      if (lesson.goal === 'place') put(point);
      else if (lesson.goal === 'forbidden') await find(point);
      else await tryMove(point);
    } catch (error) {
      if (!signal.aborted) app.showError(error);
    }
    busy = false;
    if (signal.aborted) return;
    board.refused();
    update();
  }

  /** A stone of an opening. @param {Point} point */
  function put(point) {
    const zone = lesson.zones?.[moves.length] ?? [0, 0];
    const [least, most] = zone;
    const far = fromMiddle(point);
    if (far < least || far > most) return say(t('opening_outside_zone', { point: named(point), zone: zoneText(zone) }));
    moves = [...moves, point];
    say('');
    decides = moves.length === total && !!lesson.decides;
    if (moves.length === total && !decides) finish(t(/** @type {TextKey} */ (`opening_${lesson.opening}_how`)));
  }

  /** Goes on with the decisions: the engine has placed the first stones. */
  async function practise() {
    end = new AbortController();
    const { signal: mine } = end;
    try {
      const { practiseOpening } = await import('./opening-practice.js');
      const begun = await practiseOpening(
        app,
        lesson,
        {
          changed: () => practice && update(),
          focus: () => board.focus(),
          refused: () => board.refused(),
          over: (all) => void decided(all, mine),
        },
        mine,
      );
      if (mine.aborted) return;
      practice = begun;
      fill(choices, begun.element);
      update();
      board.focus();
    } catch (error) {
      if (!mine.aborted) app.showError(error);
    }
  }

  /** The opening is over. @param {readonly Point[]} all @param {AbortSignal} mine */
  async function decided(all, mine) {
    const line = await search(all);
    if (mine.aborted) return;
    moves = [...all];
    const how = t(/** @type {TextKey} */ (`opening_${lesson.opening}_how`));
    finish(
      [line && worded(texts.engine_says, { value: valueText(line.value, all.length, lesson.rules) }), how]
        .filter(Boolean)
        .join(' '),
    );
    update();
  }

  /** A point that may be forbidden. @param {Point} point */
  async function find(point) {
    const { forbidden = [] } = await judgePosition({ rules: lesson.rules, moves }, signal);
    if (!includes(forbidden, point)) return say(texts.wrong.forbidden);
    if (!includes(found, point)) found = [...found, point];
    if (found.length === forbidden.length) finish(texts.right);
  }

  /** A move that should win or defend. @param {Point} point */
  async function tryMove(point) {
    const own = stoneAt(moves.length);
    const after = [...moves, point];
    const judged = await judgePosition({ rules: lesson.rules, moves: after }, signal);
    if (judged.unplayed) return say(refusalText(judged.unplayed));
    const wins = judged.outcome?.winner === own;
    const { goal } = lesson;
    if (goal === 'five' && !wins) return say(texts.wrong.five);
    if (wins) {
      moves = after;
      winning = judged.outcome?.points;
      return finish(texts.right);
    }
    const line = await search(after);
    const known = includes(lesson.right, point) && moves === begin;
    if (goal === 'defend') {
      if (line ? 'win' in line.value : !known) return say(texts.wrong.defend);
      moves = after;
      return finish(texts.right);
    }
    if (line ? !('loss' in line.value) : !known) return say(texts.wrong.win);
    moves = after;
    const answer = line?.moves[0];
    // Without the engine nobody answers.
    if (!answer) return finish(texts.right);
    board.show({ size: lesson.rules.size, moves });
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    moves = [...moves, answer];
    say(worded(texts.answers, { stone: sideName(stoneAt(after.length), lesson.rules), point: named(answer) }));
  }

  async function showPoint() {
    const line = lesson.goal === 'win' && moves !== begin ? await search(moves) : undefined;
    if (signal.aborted || done) return;
    shown = line?.moves[0] ?? lesson.right.find((point) => !includes(found, point));
    if (shown) say(worded(texts.try_point, { point: named(shown) }));
    update();
  }

  /**
   * The engine's line and its value for the side to move; nothing where the module does not run.
   * @param {readonly Point[]} position @returns {Promise<{ value: Value, moves: Point[] } | undefined>}
   */
  async function search(position) {
    engine ??= new EngineWorker();
    if (engine.hasEnded) return undefined;
    const answer = await engine
      .ask({ type: 'analyse', rules: lesson.rules, moves: position, lines: 1, nodes: SEARCH_NODES })
      .catch(() => undefined);
    return answer?.analysis?.lines[0];
  }

  /** @param {string} words */
  function finish(words) {
    done = true;
    learned.add(lesson.id);
    siteStorage.setItem(STORAGE_KEY, JSON.stringify([...learned]));
    say(`${words} ${last}`.trim());
  }
}

/** The chapter of a lesson. @param {Lesson} lesson */
function chapterOf(lesson) {
  return CHAPTERS.find(({ lessons }) => lessons.includes(lesson))?.id ?? '';
}

/** Where a stone may go, in words. @param {readonly [number, number]} zone */
function zoneText([least, most]) {
  if (most === 0) return t('opening_centre');
  return least > 0 ? t('opening_beyond', { side: 2 * least - 1 }) : t('opening_within', { side: 2 * most + 1 });
}

/** The lessons that this browser's reader has done. @returns {Set<string>} */
function learnedLessons() {
  try {
    const kept = JSON.parse(siteStorage.getItem(STORAGE_KEY) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((id) => LESSONS.some((lesson) => lesson.id === id)) : []);
  } catch {
    return new Set();
  }
}

/** @param {readonly Point[]} points @param {Point} point */
function includes(points, point) {
  return points.some((other) => String(other) === String(point));
}
