// A reader's attempt at a lesson: the stones so far, and whether the next one is right. The rules and the
// engine, which say so, are the WebAssembly module's.

/** @import { Point, Value } from '../ui/protocol-types' */
/** @import { TextKey } from '../language/texts.js' */
/** @import { LearnTexts } from './learn-view.js' */
/** @import { Lesson } from './lessons.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { stoneAt } from '../client/room-state.js';
import { EngineWorker, judgePosition } from '../engine/engine.js';
import { sideName } from '../game/display-names.js';
import { refusalText } from '../language/refusals.js';
import { t, worded } from '../language/texts.js';
import { fromMiddle, movesOf, SEARCH_NODES } from './lessons.js';

/** How long the opponent's answer waits, so that the reader sees their own stone first. */
const ANSWER_MS = 500;

export class LessonAttempt {
  /** Forbidden points that were found. @type {Point[]} */
  found = [];
  /** The point that "Show me" shows. @type {Point | undefined} */
  shown;
  /** @type {readonly Point[] | undefined} */
  winning;
  done = false;
  /** Whether an answer is awaited: until then the board takes nothing. */
  busy = false;
  /** Whether the stones of an opening are placed, and its decisions come next. */
  decides = false;
  /** @type {EngineWorker | undefined} */
  #engine;

  /**
   * @param {Lesson} lesson @param {LearnTexts} texts @param {AbortSignal} signal
   * @param {{ say: (text: string) => void, changed: () => void, finished: (text: string) => void }} page
   */
  constructor(lesson, texts, signal, page) {
    this.lesson = lesson;
    this.texts = texts;
    this.signal = signal;
    this.page = page;
    this.begin = movesOf(lesson);
    this.moves = this.begin;
    this.total = lesson.zones?.length ?? 0;
    signal.addEventListener('abort', () => this.#engine?.end(signal.reason));
  }

  startOver() {
    this.moves = this.begin;
    this.found = [];
    this.shown = this.winning = undefined;
    this.done = this.decides = false;
  }

  /** @param {Point} point */
  async play(point) {
    if (this.done || this.busy) return;
    this.busy = true;
    this.shown = undefined;
    try {
      if (this.lesson.goal === 'place') this.#put(point);
      else if (this.lesson.goal === 'forbidden') await this.#find(point);
      else await this.#tryMove(point);
    } finally {
      this.busy = false;
    }
  }

  /** @param {readonly Point[]} moves */
  #judge(moves) {
    return judgePosition({ rules: this.lesson.rules, moves }, this.signal);
  }

  /** A stone of an opening. @param {Point} point */
  #put(point) {
    const zone = this.lesson.zones?.[this.moves.length] ?? [0, 0];
    const [least, most] = zone;
    const far = fromMiddle(point);
    if (far < least || far > most)
      return this.page.say(t('opening_outside_zone', { point: this.#named(point), zone: zoneText(zone) }));
    this.moves = [...this.moves, point];
    this.page.say('');
    if (this.moves.length < this.total) return;
    this.decides = !!this.lesson.decides;
    if (!this.decides) this.finish(openingText(this.lesson));
  }

  /** A point that may be forbidden. @param {Point} point */
  async #find(point) {
    const { forbidden = [] } = await this.#judge(this.moves);
    if (!includes(forbidden, point)) return this.page.say(this.texts.wrong.forbidden);
    if (!includes(this.found, point)) this.found = [...this.found, point];
    if (this.found.length === forbidden.length) this.finish(this.texts.right);
  }

  /** A move that should win or defend. @param {Point} point */
  async #tryMove(point) {
    const { lesson, page, texts } = this;
    const after = [...this.moves, point];
    const judged = await this.#judge(after);
    if (judged.unplayed) return page.say(refusalText(judged.unplayed));
    const wins = judged.outcome?.winner === stoneAt(this.moves.length);
    const { goal } = lesson;
    if (goal === 'five' && !wins) return page.say(texts.wrong.five);
    const line = wins ? undefined : await this.search(after);
    const known = includes(lesson.right, point) && this.moves === this.begin;
    const defends = line ? !('win' in line.value) : known;
    const forces = line ? 'loss' in line.value : known;
    if (!wins && !(goal === 'defend' ? defends : forces))
      return page.say(texts.wrong[goal === 'defend' ? goal : 'win']);
    this.moves = after;
    this.winning = wins ? judged.outcome?.points : undefined;
    const answer = goal !== 'defend' && line?.moves[0];
    // Without the engine nobody answers.
    if (!answer) return this.finish(texts.right);
    page.changed();
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    this.moves = [...after, answer];
    const stone = sideName(stoneAt(after.length), lesson.rules);
    page.say(worded(texts.answers, { stone, point: this.#named(answer) }));
  }

  async showPoint() {
    const { found, lesson, moves } = this;
    const line = lesson.goal === 'win' && moves !== this.begin ? await this.search(moves) : undefined;
    if (this.signal.aborted || this.done) return;
    this.shown = line?.moves[0] ?? lesson.right.find((point) => !includes(found, point));
    if (this.shown) this.page.say(worded(this.texts.try_point, { point: this.#named(this.shown) }));
    this.page.changed();
  }

  /**
   * The engine's line and its value for the side to move; nothing where the module does not run.
   * @param {readonly Point[]} moves @returns {Promise<{ value: Value, moves: Point[] } | undefined>}
   */
  async search(moves) {
    this.#engine ??= new EngineWorker();
    if (this.#engine.hasEnded) return undefined;
    const answer = await this.#engine
      .ask({ type: 'analyse', rules: this.lesson.rules, moves, lines: 1, nodes: SEARCH_NODES })
      .catch(() => undefined);
    return answer?.analysis?.lines[0];
  }

  /** @param {string} text */
  finish(text) {
    this.done = true;
    this.page.finished(text);
  }

  /** @param {Point} point */
  #named(point) {
    return pointName(point, boundsOf(this.lesson.rules.size));
  }

  /** What a point is, for screen readers. @param {Point} point */
  note(point) {
    return this.done && includes(this.found, point) ? t('board_forbidden') : undefined;
  }
}

/** How the opening of a lesson goes. @param {Lesson} lesson */
export function openingText({ opening }) {
  return t(/** @type {TextKey} */ (`opening_${opening}_how`));
}

/** Where a stone may go, in words. @param {readonly [number, number]} zone */
function zoneText([least, most]) {
  if (most === 0) return t('opening_centre');
  return least > 0 ? t('opening_beyond', { side: 2 * least - 1 }) : t('opening_within', { side: 2 * most + 1 });
}

/** @param {readonly Point[]} points @param {Point} point */
function includes(points, point) {
  return points.some((other) => String(other) === String(point));
}
