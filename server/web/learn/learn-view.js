// The page to learn at: lessons in chapters, each a position on a board that the reader plays on.

/** @import { Point } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */
/** @import { Lesson } from './lessons.js' */

import { createBoard } from '../board/board.js';
import { siteStorage } from '../browser/browser-storage.js';
import { stoneAt } from '../client/room-state.js';
import { loadJudge } from '../engine/engine.js';
import { valueText } from '../game/analysis-display.js';
import { sideName } from '../game/display-names.js';
import { languageCode, t, worded } from '../language/texts.js';
import { button, el, fill, linkButton, write } from '../ui/dom.js';
import { LessonAttempt, openingText } from './lesson-attempt.js';
import { CHAPTERS, LESSONS } from './lessons.js';

const STORAGE_KEY = 'fivefold.learned';

/** @typedef {typeof import('./en.js').texts} LearnTexts */

/** @type {View} */
export const view = (app, place) => {
  const end = new AbortController();
  app.tab(`${t('learn')} – Fivefold`);
  import(`./${languageCode}.js`).then((/** @type {{ texts: LearnTexts }} */ { texts }) => {
    const learned = learnedLessons();
    const wanted = location.hash.slice(1);
    const lesson = LESSONS.find(({ id }) => id === wanted) ?? LESSONS.find(({ id }) => !learned.has(id)) ?? LESSONS[0];
    if (lesson && !end.signal.aborted) new LessonPage(app, texts, lesson, learned, end.signal).show(place);
  }, app.showError);
  return () => end.abort();
};

class LessonPage {
  #boardPlace = el('div', { class: 'board' });
  #asks = el('div', { class: 'asks-touch' });
  #task = el('p', { class: 'say' });
  #reply = el('p', { class: 'reply', role: 'status' });
  #ways = el('div', { class: 'row' });
  #choices = el('div', { class: 'opening-place' });
  /** The decisions of an opening, once the stones are placed. @type {Awaited<ReturnType<typeof import('./opening-practice.js').practiseOpening>> | undefined} */
  #practice;
  #practising = new AbortController();

  /** @param {App} app @param {LearnTexts} texts @param {Lesson} lesson @param {Set<string>} learned @param {AbortSignal} signal */
  constructor(app, texts, lesson, learned, signal) {
    this.app = app;
    this.texts = texts;
    this.lesson = lesson;
    this.learned = learned;
    this.signal = signal;
    this.list = el('nav', { class: 'lessons', 'aria-label': texts.lessons_list });
    this.attempt = new LessonAttempt(lesson, texts, signal, {
      say: (text) => write(this.#reply, text),
      changed: () => this.#update(),
      finished: (text) => this.#finished(text),
    });
    this.board = createBoard(this.#boardPlace, {
      asks: this.#asks,
      onplay: (point) => void this.#play(point),
      announce: (text) => app.announce(text, true),
    });
    signal.addEventListener('abort', () => {
      this.#practising.abort(signal.reason);
      this.board.remove();
    });
  }

  /** @param {HTMLElement} place */
  show(place) {
    const { lesson, texts } = this;
    const [title, text] = texts.lessons[lesson.id] ?? [];
    place.append(
      el(
        'div',
        { class: 'table replay learn' },
        el('div', { class: 'board-side' }, this.#boardPlace),
        el(
          'div',
          { class: 'panel' },
          el('p', { class: 'hint' }, chapterTitle(texts, chapterOf(lesson))),
          el('h1', { class: 'status' }, title),
          el('p', null, text),
          el('section', { class: 'card task' }, this.#task, this.#choices, this.#reply, this.#asks, this.#ways),
          this.list,
        ),
      ),
    );
    loadJudge();
    this.#update();
  }

  #startOver() {
    this.attempt.startOver();
    this.#practice = undefined;
    this.#practising.abort();
    fill(this.#choices);
    write(this.#reply, '');
    this.#update();
    this.board.focus();
  }

  #update() {
    const { attempt, learned, lesson, texts } = this;
    const { begin, busy, decides, done, found, moves, shown, total, winning } = attempt;
    const size = lesson.rules.size;
    const best = shown && [{ point: shown, label: '' }];
    const turn = done || busy || decides ? undefined : stoneAt(moves.length);
    const note = (/** @type {Point} */ point) => attempt.note(point);
    const practised = !done && this.#practice?.shown();
    this.board.show(practised || { size, moves, winning, forbidden: found, best, turn, note });
    const stone = sideName(stoneAt(begin.length), lesson.rules);
    const at = Math.min(moves.length + 1, total);
    write(this.#task, decides ? texts.decide : worded(texts.goals[lesson.goal], { stone, at, total }));
    fill(this.#ways, ...this.#waysOn());
    fill(this.list, ...lessonList(texts, lesson, learned));
  }

  /** What the reader may do now, besides playing. */
  #waysOn() {
    const { attempt, learned, lesson, texts } = this;
    const { begin, decides, done, moves } = attempt;
    const next = LESSONS[LESSONS.indexOf(lesson) + 1] ?? LESSONS.find(({ id }) => !learned.has(id));
    const primary = { class: 'primary' };
    return [
      done && next && linkButton(`/learn#${next.id}`, texts.next, true),
      decides && !this.#practice && button(texts.practise, () => void this.#practise(), primary),
      done && !next && el('p', null, texts.all_done),
      done && !next && linkButton('/puzzles', t('puzzles'), true),
      done && (lesson.opening || !next) && linkButton('/local', texts.play_it),
      !done && lesson.goal !== 'place' && button(texts.show, () => void attempt.showPoint()),
      (done || decides || moves !== begin) && button(texts.again, () => this.#startOver()),
    ];
  }

  /** @param {Point} point */
  async #play(point) {
    const { app, attempt, board, signal } = this;
    if (this.#practice && !attempt.done) return this.#practice.press(point);
    if (attempt.done || attempt.busy) return;
    await attempt.play(point).catch((error) => signal.aborted || app.showError(error));
    if (signal.aborted) return;
    board.refused();
    this.#update();
  }

  /** Goes on with the decisions: the engine has placed the first stones. */
  async #practise() {
    const { app, board, lesson } = this;
    this.#practising = new AbortController();
    const { signal } = this.#practising;
    try {
      const { practiseOpening } = await import('./opening-practice.js');
      const panel = {
        changed: () => this.#practice && this.#update(),
        focus: () => board.focus(),
        refused: () => board.refused(),
        over: (/** @type {readonly Point[]} */ moves) => void this.#decided(moves, signal),
      };
      const practice = await practiseOpening(app, lesson, panel, signal);
      if (signal.aborted) return;
      this.#practice = practice;
      fill(this.#choices, practice.element);
      this.#update();
      board.focus();
    } catch (error) {
      if (!signal.aborted) app.showError(error);
    }
  }

  /** The opening is over. @param {readonly Point[]} moves @param {AbortSignal} signal */
  async #decided(moves, signal) {
    const { attempt, lesson, texts } = this;
    const line = await attempt.search(moves);
    if (signal.aborted) return;
    attempt.moves = [...moves];
    const value = line && worded(texts.engine_says, { value: valueText(line.value, moves.length, lesson.rules) });
    attempt.finish([value, openingText(lesson)].filter(Boolean).join(' '));
    this.#update();
  }

  /** @param {string} text */
  #finished(text) {
    const { learned, lesson, texts } = this;
    learned.add(lesson.id);
    siteStorage.setItem(STORAGE_KEY, JSON.stringify([...learned]));
    write(this.#reply, `${text} ${texts.lessons[lesson.id]?.[2] ?? ''}`.trim());
  }
}

/** All lessons by chapters. @param {LearnTexts} texts @param {Lesson} shown @param {Set<string>} learned */
function lessonList(texts, shown, learned) {
  const link = (/** @type {Lesson} */ lesson) => {
    const isLearned = learned.has(lesson.id);
    const done = isLearned && el('span', { class: 'spoken' }, `, ${texts.learned}`);
    const current = lesson === shown && 'page';
    return el(
      'a',
      { href: `/learn#${lesson.id}`, class: isLearned ? 'learned' : '', 'aria-current': current },
      texts.lessons[lesson.id]?.[0],
      done,
    );
  };
  return [
    ...CHAPTERS.map(({ id, lessons }) =>
      el(
        'section',
        null,
        el('h2', null, chapterTitle(texts, id)),
        el('ol', null, ...lessons.map((lesson) => el('li', null, link(lesson)))),
      ),
    ),
    el(
      'section',
      { class: 'rated' },
      el('h2', null, texts.rated.title),
      ...texts.rated.texts.map((text) => el('p', null, text)),
    ),
  ];
}

/** @param {LearnTexts} texts @param {string} chapter */
function chapterTitle(texts, chapter) {
  return texts.chapters[/** @type {keyof LearnTexts['chapters']} */ (chapter)];
}

/** The chapter of a lesson. @param {Lesson} lesson */
function chapterOf(lesson) {
  return CHAPTERS.find(({ lessons }) => lessons.includes(lesson))?.id ?? '';
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
