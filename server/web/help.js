// Help from the bots beside a game: a bot moves for one (D), the weight of a point (T), the weights
// of all candidates (W), and what the engine thinks, live. Shown only where it is allowed, which the
// server decides.

/** @import { Board } from './board.js' */
/** @import { Room } from './room.js' */
/** @import { Action } from './board-keys.js' */
/** @import { Analysis, App, BotSpec, RoomNews, Shown, Weights } from './types' */

import { el, set, write } from './dom.js';
import { weightText } from './heat.js';
import { boundsOf, pointName } from './geometry.js';
import { errorText } from './refusals.js';
import { opponent } from './room.js';
import { t } from './texts.js';
import { createThought, depthText, drawnLines, LINES } from './thought.js';

/** The largest board, in points, on which minimax plays, as `MINIMAX_POINTS_MAX` in shared/src/bot.rs. */
const MINIMAX_POINTS = 20;
/** The longest row for which the engine analyses, as `Engine::knows` in shared/src/engine.rs. */
const ANALYSED_K = 6;

/**
 * The part of the room's view that offers help.
 * @param {App} app
 * @param {Room} room
 * @param {Board} board
 * @param {() => void} redraw has the view show the board again, with what `shown` adds
 * @param {() => number} viewed how many moves are shown
 */
export function createHelp(app, room, board, redraw, viewed) {
  /** What is switched on. */
  const on = { weights: false, weight: false, engine: false };
  /** What was asked for last, so that it is asked once: game, ply and bot. */
  let [askedWeights, askedEngine, askedMove] = ['', '', ''];
  /** @type {Weights | undefined} */
  let weights;
  /** @type {Analysis | undefined} */
  let analysis;

  const bots = el('select', { 'aria-label': t('assist_bot'), onchange: update });
  const button = (/** @type {'bot_move' | 'weight' | 'weights'} */ what) => el('button', {
    type: 'button', title: t(`assist_${what}_how`), onclick: () => act(what),
  }, t(`assist_${what}`));
  const analyse = el('button', { type: 'button', title: t('analyse_live_how'), onclick: () => act('engine') }, t('analyse_live'));
  const buttons = { bot_move: button('bot_move'), weight: button('weight'), weights: button('weights'), engine: analyse };
  const told = el('p', { class: 'hint', role: 'status' });
  const thought = createThought();
  const element = el('section', { class: 'help', 'aria-label': t('assist'), hidden: true },
    el('div', { class: 'row' }, bots, ...Object.values(buttons)), told, thought.element);

  /** Whether help is allowed to us now. */
  function allowed() {
    const game = room.game;
    const seat = room.seatOf(app.connection.you);
    if (!game) return false;
    const against = seat && room.seats[opponent(seat)];
    return !!game.outcome || (!!seat && (room.assistance || (!!against && 'bot' in against)));
  }

  /** @returns {BotSpec['kind'][]} */
  function offered() {
    const { variant, k, size } = room.rules;
    // Minimax plays where a row that is too long wins, too.
    const small = size !== 'unbounded' && size[0] * size[1] <= MINIMAX_POINTS && (variant === 'mnk' || variant === 'freestyle');
    return ['engine', 'attack', ...(k === undefined || k === 5 ? /** @type {const} */ (['pattern']) : []), ...(small ? /** @type {const} */ (['minimax']) : [])];
  }

  const bot = () => /** @type {BotSpec['kind']} */ (bots.value);
  const place = () => `${room.game?.number} ${viewed()} ${room.game?.moves[viewed() - 1]}`;

  /** @param {keyof typeof buttons} what */
  function act(what) {
    if (!allowed()) return;
    if (what === 'bot_move') {
      const ply = room.game?.moves.length ?? 0;
      const wanted = `${room.game?.number} ${ply}`;
      // The key may be pressed faster than the bot moves.
      if (buttons.bot_move.disabled || wanted === askedMove) return;
      askedMove = wanted;
      app.connection.send({ type: 'bot_move', room: room.code, ply, bot: bot() }).catch((error) => {
        askedMove = '';
        app.showError(error);
      });
      return;
    }
    on[what] = !on[what];
    // One map at a time: the weights of all, of one, or the engine's choices.
    if (on[what]) for (const other of /** @type {const} */ (['weights', 'weight', 'engine'])) on[other] = other === what;
    update();
    redraw();
  }

  /** After every change of the room. */
  function update() {
    element.hidden = !allowed();
    if (element.hidden) Object.assign(on, { weights: false, weight: false, engine: false });
    const kinds = offered();
    if (kinds.join() !== [...bots.options].map(({ value }) => value).join()) {
      bots.replaceChildren(...kinds.map((kind) => el('option', { value: kind }, t(`bot_${kind}`))));
    }
    const yours = room.turn !== undefined && room.turn === room.seatOf(app.connection.you);
    buttons.bot_move.disabled = !yours;
    buttons.engine.hidden = (room.rules.k ?? 0) > ANALYSED_K;
    for (const what of /** @type {const} */ (['weight', 'weights', 'engine'])) set(buttons[what], { 'aria-pressed': String(on[what]) });
    askWeights();
    askEngine();
    const lines = on.engine && analysis?.ply === viewed() ? analysis : undefined;
    thought.show(lines && { ...lines, size: room.rules.size, detail: depthText(lines) });
    write(told, on.weight ? wordsOf() : '');
  }

  function askWeights() {
    const wanted = on.weights || on.weight ? `${place()} ${bot()}` : '';
    if (wanted === askedWeights) return;
    askedWeights = wanted;
    weights = undefined;
    if (!wanted) return;
    app.connection.send({ type: 'weights', room: room.code, ply: viewed(), bot: bot() }).then((answer) => {
      if (answer.type !== 'weights' || wanted !== askedWeights) return;
      weights = answer;
      update();
      redraw();
    }, (error) => write(told, errorText(error)));
  }

  function askEngine() {
    const wanted = on.engine ? place() : '';
    if (wanted === askedEngine) return;
    const running = askedEngine !== '';
    askedEngine = wanted;
    analysis = undefined;
    if (wanted) app.connection.send({ type: 'analyse', room: room.code, ply: viewed(), lines: LINES }).catch((error) => write(told, errorText(error)));
    else if (running) app.connection.send({ type: 'stop_analysis', room: room.code }).catch(() => {});
  }

  /** What the bot thinks of the point under the cursor. */
  function wordsOf() {
    const point = board.point();
    if (!weights || !point) return '';
    const found = weights.weights.find((one) => String(one.point) === String(point));
    return t('assist_point', { point: pointName(point, boundsOf(room.rules.size)), weight: found ? weightText(found) : t('assist_no_candidate') });
  }

  return {
    element,
    /** What the board shows beside the position.
     * @returns {Partial<Shown>} */
    shown() {
      if (on.weights && weights) return { weights: weights.weights };
      if (on.weight && weights) return { weights: weights.weights, only: board.point() };
      return on.engine && analysis?.ply === viewed() ? drawnLines(analysis.lines) : {};
    },
    update,
    /** The cursor is at another point. */
    pointed() {
      if (!on.weight) return;
      write(told, wordsOf());
      redraw();
    },
    /** @param {Action} action */
    key(action) {
      if (action.type === 'bot_move' || action.type === 'weight' || action.type === 'weights') act(action.type);
      if (action.type === 'weight' && on.weight) app.announce(wordsOf(), true);
    },
    /** @param {RoomNews} news */
    hear(news) {
      if (news.type === 'analysis') analysis = news;
      else if (news.type === 'analysis_over' && news.why === 'busy') write(told, t('refused_busy'));
      else if (news.type === 'analysis_over' && news.why === 'too_many') write(told, t('refused_too_many_analyses'));
      else return;
      update();
      redraw();
    },
    /** The connection is a new one, which knows of no questions. */
    reset() {
      askedWeights = askedEngine = askedMove = '';
    },
  };
}
