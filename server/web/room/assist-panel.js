// Help from bots beside a game: a hint for beginners, and folded below *Analysis* a bot's move (D), the
// weight of a point (T), all weights (W), and live analysis. It is shown only where the server allows it;
// the player's own processor does the rest.

/** @import { Board } from '../board/board.js' */
/** @import { Room } from '../client/room-state.js' */
/** @import { Action } from '../board/board-keys.js' */
/** @import { BotSpec, Point, Report, Weight } from '../ui/protocol-types' */
/** @import { App, Shown } from '../ui/view-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { weightText } from '../board/heat-map.js';
import { opponent } from '../client/room-state.js';
import { createAnalysisDisplay, depthText, drawnLines, LINES } from '../game/analysis-display.js';
import { BOTS, playsBy } from '../game/bots.js';
import { errorText } from '../language/refusals.js';
import { formatDecimal, t } from '../language/texts.js';
import { button, el, icon, set, write } from '../ui/dom.js';
import { PositionSearch } from './position-search.js';

/** Good moves that the second hint shows. */
const GOOD_MOVES = 5;
/** The longest row for which the engine analyses, as `is_supported` in shared/src/analysis.rs. */
const ANALYSED_K = 6;
/** No display is on. */
const NONE = { weights: false, weight: false, engine: false };

/** The part of a room's page that offers help. */
export class AssistPanel {
  /** Which displays are on. */
  #on = { ...NONE };
  /** How much the hint tells: the best move, good moves, or what the engine sees; 0 without one. */
  #hinted = 0;
  /** The position that the hint is for. */
  #hintedAt = '';
  /** Where a bot was asked to move, so that it is asked once: game and ply. */
  #askedMove = '';
  #bots = el('select', { 'aria-label': t('assist_bot'), onchange: () => this.update() });
  #buttons = {
    bot_move: this.#button('bot_move'),
    weight: this.#button('weight'),
    weights: this.#button('weights'),
    engine: button(t('analyse_live'), () => this.#act('engine'), { title: t('analyse_live_how') }),
  };
  #status = el('p', { class: 'hint', role: 'status' });
  #display = createAnalysisDisplay();
  /** The button for a hint, and what it tells in words. */
  hint = button([icon('hint'), t('hint')], () => this.#hintMore(), { hidden: true });
  told = el('p', { class: 'hint' });
  element = el(
    'details',
    { class: 'assist card', hidden: true },
    el('summary', null, t('analyse')),
    el('div', { class: 'row' }, this.#bots, ...Object.values(this.#buttons)),
    this.#status,
    this.#display.element,
  );

  /**
   * @param {App} app @param {Room} room @param {Board} board
   * @param {() => void} redraw shows the board again, with the additions of `shown`
   * @param {() => number} viewed how many moves are shown
   */
  constructor(app, room, board, redraw, viewed) {
    this.app = app;
    this.room = room;
    this.board = board;
    this.redraw = redraw;
    this.viewed = viewed;
    const changed = () => {
      this.update();
      redraw();
    };
    const failed = (/** @type {unknown} */ error) => write(this.#status, errorText(error));
    /** @type {PositionSearch<Weight[] | undefined>} */
    this.weighing = new PositionSearch((...answer) => this.#weigh(...answer), changed, failed);
    /** @type {PositionSearch<Report & { ply: number }>} */
    this.analysing = new PositionSearch((...answer) => this.#analyse(...answer), changed, failed);
  }

  /** @param {'bot_move' | 'weight' | 'weights'} what */
  #button(what) {
    return button(t(`assist_${what}`), () => this.#act(what), { title: t(`assist_${what}_how`) });
  }

  /** Whether this player may use help now. */
  get #isAllowed() {
    const { app, room } = this;
    const seat = room.seatOf(app.connection.you);
    if (!room.game) return false;
    const against = seat && room.seats[opponent(seat)];
    return !!room.game.outcome || (!!seat && (room.assistance || (!!against && 'bot' in against)));
  }

  /** Hints are the engine's. */
  get #bot() {
    return this.#hinted ? 'engine' : /** @type {BotSpec['kind']} */ (this.#bots.value);
  }

  get #moves() {
    return (this.room.game?.moves ?? []).slice(0, this.viewed());
  }

  get #position() {
    return `${this.room.game?.number} ${this.viewed()} ${this.#moves.at(-1)}`;
  }

  /** @param {'bot_move' | keyof typeof NONE} what */
  #act(what) {
    if (!this.#isAllowed) return;
    if (what === 'bot_move') return this.#askMove();
    if (this.#hinted) Object.assign(this.#on, { weights: false, engine: false });
    this.#hinted = 0;
    // One map at a time: all weights, one weight, or the engine's moves.
    const others = this.#on[what] ? this.#on : NONE;
    this.#show({ ...others, [what]: !this.#on[what] });
  }

  #askMove() {
    const { app, room } = this;
    const ply = room.game?.moves.length ?? 0;
    const wanted = `${room.game?.number} ${ply}`;
    // The key may be pressed faster than the bot moves.
    if (this.#buttons.bot_move.disabled || wanted === this.#askedMove) return;
    this.#askedMove = wanted;
    app.connection.send({ type: 'bot_move', room: room.code, ply, bot: this.#bot }).catch((error) => {
      this.#askedMove = '';
      app.showError(error);
    });
  }

  /** @param {typeof NONE} on */
  #show(on) {
    this.#on = on;
    this.update();
    this.redraw();
  }

  /** Tells more, and at last nothing. */
  #hintMore() {
    const most = this.#buttons.engine.hidden ? 2 : 3;
    this.#hinted = (this.#hinted + 1) % (most + 1);
    this.#hintedAt = this.#position;
    this.#show({ weights: this.#hinted === 1 || this.#hinted === 2, weight: false, engine: this.#hinted === 3 });
  }

  /** The best moves by their weights. */
  get #bestMoves() {
    const weights = [...(this.weighing.result ?? [])].sort((a, b) => b.weight - a.weight);
    return weights.slice(0, this.#hinted === 1 ? 1 : GOOD_MOVES);
  }

  /** What the hint tells, in words. */
  get #hintText() {
    if (this.#hinted === 0) return '';
    if (this.#hinted === 3) return t('hint_sees');
    const point = this.#bestMoves.map(({ point }) => this.#named(point)).join(' ');
    return point && t(this.#hinted === 1 ? 'hint_best' : 'hint_good', { point });
  }

  /** The analysis of the shown position. */
  get #lines() {
    const { result } = this.analysing;
    return this.#on.engine && result?.ply === this.viewed() ? result : undefined;
  }

  /** After every change of the room. */
  update() {
    const { app, element, hint, room } = this;
    element.hidden = !this.#isAllowed;
    hint.hidden = element.hidden || !!room.game?.outcome;
    // A hint is for one position.
    if (this.#hinted && this.#position !== this.#hintedAt) {
      this.#hinted = 0;
      Object.assign(this.#on, { weights: false, engine: false });
    }
    if (element.hidden) this.#on = { ...NONE };
    const kinds = BOTS.filter((kind) => playsBy(kind, room.rules));
    if (kinds.join() !== [...this.#bots.options].map(({ value }) => value).join())
      this.#bots.replaceChildren(...kinds.map((kind) => el('option', { value: kind }, t(`bot_${kind}`))));
    const on = this.#on;
    this.#buttons.bot_move.disabled = !room.toAct || room.toAct !== room.seatOf(app.connection.you);
    this.#buttons.engine.hidden = (room.rules.k ?? 0) > ANALYSED_K;
    for (const what of /** @type {const} */ (['weight', 'weights', 'engine']))
      set(this.#buttons[what], { 'aria-pressed': String(on[what]) });
    void this.weighing.ask(on.weights || on.weight ? `${this.#position} ${this.#bot}` : '');
    void this.analysing.ask(on.engine ? this.#position : '');
    const lines = this.#lines;
    this.#display.show(lines && { ...lines, size: room.rules.size, detail: depthText(lines, room.rules) });
    write(this.#status, on.weight ? this.#pointText : '');
    // Also where it is seen without unfolding anything.
    write(this.told, on.weight ? this.#pointText : this.#hintText);
    set(hint, { 'aria-pressed': String(this.#hinted > 0) });
  }

  /** @param {AbortSignal} signal @param {(weights: Weight[] | undefined) => void} show */
  async #weigh(signal, show) {
    const { app, room } = this;
    const [kind, ply] = [this.#bot, this.viewed()];
    const { weigh } = await import('../engine/engine.js');
    const weights = await weigh({ kind }, room.rules, this.#moves, signal).catch(async () => {
      signal.throwIfAborted();
      const answer = await app.connection.send({ type: 'weights', room: room.code, ply, bot: kind });
      return answer.type === 'weights' ? answer.weights : undefined;
    });
    show(weights);
  }

  /** @param {AbortSignal} signal @param {(report: Report & { ply: number }) => void} show */
  async #analyse(signal, show) {
    const ply = this.viewed();
    const { analyse } = await import('../engine/engine.js');
    const question = { rules: this.room.rules, moves: this.#moves, lines: LINES };
    await analyse(question, signal, (report) => show({ ...report, ply }));
  }

  /** @param {Point} point */
  #named(point) {
    return pointName(point, boundsOf(this.room.rules.size));
  }

  /** The bot's weight of a point. @param {Point} point */
  #weightAt(point) {
    const found = this.weighing.result?.find((one) => String(one.point) === String(point));
    return found ? weightText(found, formatDecimal) : t('assist_no_candidate');
  }

  /** The bot's weight of the point under the cursor. */
  get #pointText() {
    const point = this.board.point();
    return this.weighing.result && point
      ? t('assist_point', { point: this.#named(point), weight: this.#weightAt(point) })
      : '';
  }

  /** Additions to the position on the board.
   * @returns {Partial<Shown>} */
  shown() {
    const weights = this.weighing.result;
    if (weights && this.#on.weights)
      return this.#hinted
        ? { best: this.#bestMoves.map(({ point }, at) => ({ point, label: this.#hinted === 1 ? '' : `${at + 1}` })) }
        : { weights };
    if (weights && this.#on.weight)
      return { weights, only: this.board.point(), note: (point) => this.#weightAt(point) };
    return this.#lines ? drawnLines(this.#lines.lines, this.viewed()) : {};
  }

  /** The cursor moved to another point. */
  pointed() {
    if (!this.#on.weight) return;
    write(this.#status, this.#pointText);
    write(this.told, this.#pointText);
    this.redraw();
  }

  /** @param {Action} action */
  key({ type }) {
    if (type === 'bot_move' || type === 'weight' || type === 'weights') this.#act(type);
    if (type === 'weight' && this.#on.weight) this.app.announce(this.#pointText, true);
  }

  /** Ends what runs. */
  remove() {
    this.weighing.end();
    this.analysing.end();
  }

  /** Forgets the question to the server: a new connection does not know it. */
  reset() {
    this.#askedMove = '';
  }
}
