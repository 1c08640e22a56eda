// Help from bots beside a game: a hint for beginners, and folded below *Analysis* a bot's move (D), the
// weight of a point (T), all weights (W), and live analysis. It is shown only where the server allows it;
// the player's own processor does the rest.

/** @import { Board } from '../board/board.js' */
/** @import { Room } from '../game/room-state.js' */
/** @import { Action } from '../board/board-keys.js' */
/** @import { BotSpec, Report, Weight } from '../ui/protocol-types' */
/** @import { App, Shown } from '../ui/view-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { weightText } from '../board/heat-map.js';
import { createAnalysisDisplay, depthText, drawnLines, LINES } from '../game/analysis-display.js';
import { BOTS, playsBy } from '../game/bots.js';
import { opponent } from '../game/room-state.js';
import { errorText } from '../language/refusals.js';
import { formatDecimal, t } from '../language/texts.js';
import { el, icon, set, write } from '../ui/dom.js';

/** Good moves that the second hint shows. */
const GOOD_MOVES = 5;
/** The longest row for which the engine analyses, as `is_supported` in shared/src/analysis.rs. */
const ANALYSED_K = 6;

/**
 * The part of a room's page that offers help.
 * @param {App} app
 * @param {Room} room
 * @param {Board} board
 * @param {() => void} redraw shows the board again, with the additions of `shown`
 * @param {() => number} viewed how many moves are shown
 */
export function createAssistPanel(app, room, board, redraw, viewed) {
  /** Which displays are on. */
  const on = { weights: false, weight: false, engine: false };
  /** How much the hint tells: the best move, good moves, or what the engine sees; 0 without one. */
  let hinted = 0;
  /** The position that the hint is for. */
  let hintedAt = '';
  const told = el('p', { class: 'hint' });
  /** The last questions, so that each is asked once: game, ply and bot. */
  let [askedWeights, askedEngine, askedMove] = ['', '', ''];
  /** @type {Weight[] | undefined} */
  let weights;
  /** @type {Report & {ply: number} | undefined} */
  let analysis;
  /** End the searches. @type {(AbortController | undefined)[]} */
  let [weighing, analysing] = [];

  const bots = el('select', { 'aria-label': t('assist_bot'), onchange: update });
  const button = (/** @type {'bot_move' | 'weight' | 'weights'} */ what) =>
    el(
      'button',
      {
        type: 'button',
        title: t(`assist_${what}_how`),
        onclick: () => act(what),
      },
      t(`assist_${what}`),
    );
  const analyse = el(
    'button',
    { type: 'button', title: t('analyse_live_how'), onclick: () => act('engine') },
    t('analyse_live'),
  );
  const buttons = {
    bot_move: button('bot_move'),
    weight: button('weight'),
    weights: button('weights'),
    engine: analyse,
  };
  const status = el('p', { class: 'hint', role: 'status' });
  const display = createAnalysisDisplay();
  const hint = el('button', { type: 'button', hidden: true, onclick: hintMore }, icon('hint'), t('hint'));
  const element = el(
    'details',
    { class: 'assist card', hidden: true },
    el('summary', null, t('analyse')),
    el('div', { class: 'row' }, bots, ...Object.values(buttons)),
    status,
    display.element,
  );

  /** Whether this player may use help now. */
  function allowed() {
    const game = room.game;
    const seat = room.seatOf(app.connection.you);
    if (!game) return false;
    const against = seat && room.seats[opponent(seat)];
    return !!game.outcome || (!!seat && (room.assistance || (!!against && 'bot' in against)));
  }

  const offered = () => BOTS.filter((kind) => playsBy(kind, room.rules));

  /** Hints are the engine's. */
  const bot = () => (hinted ? 'engine' : /** @type {BotSpec['kind']} */ (bots.value));
  const viewedMoves = () => (room.game?.moves ?? []).slice(0, viewed());
  const positionKey = () => `${room.game?.number} ${viewed()} ${room.game?.moves[viewed() - 1]}`;

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
    if (hinted) Object.assign(on, { weights: false, engine: false });
    hinted = 0;
    on[what] = !on[what];
    // One map at a time: all weights, one weight, or the engine's moves.
    if (on[what])
      for (const other of /** @type {const} */ (['weights', 'weight', 'engine'])) on[other] = other === what;
    update();
    redraw();
  }

  /** Tells more, and at last nothing. */
  function hintMore() {
    const most = buttons.engine.hidden ? 2 : 3;
    hinted = (hinted + 1) % (most + 1);
    hintedAt = positionKey();
    Object.assign(on, { weights: hinted === 1 || hinted === 2, weight: false, engine: hinted === 3 });
    update();
    redraw();
  }

  /** The best moves by their weights. */
  function bestMoves() {
    return [...(weights ?? [])].sort((a, b) => b.weight - a.weight).slice(0, hinted === 1 ? 1 : GOOD_MOVES);
  }

  /** What the hint tells, in words. */
  function hintText() {
    const names =
      hinted && weights
        ? bestMoves()
            .map(({ point }) => pointName(point, boundsOf(room.rules.size)))
            .join(' ')
        : '';
    if (hinted === 3) return t('hint_sees');
    return names && t(hinted === 1 ? 'hint_best' : 'hint_good', { point: names });
  }

  /** After every change of the room. */
  function update() {
    element.hidden = !allowed();
    hint.hidden = element.hidden || !!room.game?.outcome;
    // A hint is for one position.
    if (hinted && positionKey() !== hintedAt) {
      hinted = 0;
      Object.assign(on, { weights: false, engine: false });
    }
    if (element.hidden) Object.assign(on, { weights: false, weight: false, engine: false });
    const kinds = offered();
    if (kinds.join() !== [...bots.options].map(({ value }) => value).join()) {
      bots.replaceChildren(...kinds.map((kind) => el('option', { value: kind }, t(`bot_${kind}`))));
    }
    const yours = room.toAct !== undefined && room.toAct === room.seatOf(app.connection.you);
    buttons.bot_move.disabled = !yours;
    buttons.engine.hidden = (room.rules.k ?? 0) > ANALYSED_K;
    for (const what of /** @type {const} */ (['weight', 'weights', 'engine']))
      set(buttons[what], { 'aria-pressed': String(on[what]) });
    void askWeights();
    void askEngine();
    const lines = on.engine && analysis?.ply === viewed() ? analysis : undefined;
    display.show(lines && { ...lines, size: room.rules.size, detail: depthText(lines, room.rules) });
    write(status, on.weight ? pointText() : '');
    // Also where it is seen without unfolding anything.
    write(told, on.weight ? pointText() : hintText());
    set(hint, { 'aria-pressed': String(hinted > 0) });
  }

  async function askWeights() {
    const wanted = on.weights || on.weight ? `${positionKey()} ${bot()}` : '';
    if (wanted === askedWeights) return;
    askedWeights = wanted;
    weights = undefined;
    weighing?.abort();
    if (!wanted) return;
    weighing = new AbortController();
    const { signal } = weighing;
    const [kind, ply] = [bot(), viewed()];
    try {
      const { weigh } = await import('../engine/engine.js');
      weights = await weigh({ kind }, room.rules, viewedMoves(), signal).catch(async () => {
        signal.throwIfAborted();
        const answer = await app.connection.send({ type: 'weights', room: room.code, ply, bot: kind });
        return answer.type === 'weights' ? answer.weights : undefined;
      });
      if (wanted !== askedWeights) return;
      update();
      redraw();
    } catch (error) {
      if (!signal.aborted) write(status, errorText(error));
    }
  }

  async function askEngine() {
    const wanted = on.engine ? positionKey() : '';
    if (wanted === askedEngine) return;
    askedEngine = wanted;
    analysis = undefined;
    analysing?.abort();
    if (!wanted) return;
    analysing = new AbortController();
    const { signal } = analysing;
    const ply = viewed();
    try {
      const { analyse } = await import('../engine/engine.js');
      await analyse({ rules: room.rules, moves: viewedMoves(), lines: LINES }, signal, (report) => {
        analysis = { ...report, ply };
        update();
        redraw();
      });
    } catch (error) {
      if (!signal.aborted) write(status, errorText(error));
    }
  }

  /** The bot's weight of a point. @param {import('../ui/protocol-types').Point} point */
  function weightAt(point) {
    const found = weights?.find((one) => String(one.point) === String(point));
    return found ? weightText(found, formatDecimal) : t('assist_no_candidate');
  }

  /** The bot's weight of the point under the cursor. */
  function pointText() {
    const point = board.point();
    return weights && point
      ? t('assist_point', { point: pointName(point, boundsOf(room.rules.size)), weight: weightAt(point) })
      : '';
  }

  return {
    element,
    /** The button for a hint, and what it tells in words. */
    hint,
    told,
    /** Additions to the position on the board.
     * @returns {Partial<Shown>} */
    shown() {
      if (hinted && on.weights && weights)
        return { best: bestMoves().map(({ point }, at) => ({ point, label: hinted === 1 ? '' : `${at + 1}` })) };
      if (on.weights && weights) return { weights };
      if (on.weight && weights) return { weights, only: board.point(), note: weightAt };
      return on.engine && analysis?.ply === viewed() ? drawnLines(analysis.lines, viewed()) : {};
    },
    update,
    /** The cursor moved to another point. */
    pointed() {
      if (!on.weight) return;
      write(status, pointText());
      write(told, pointText());
      redraw();
    },
    /** @param {Action} action */
    key(action) {
      if (action.type === 'bot_move' || action.type === 'weight' || action.type === 'weights') act(action.type);
      if (action.type === 'weight' && on.weight) app.announce(pointText(), true);
    },
    /** Ends what runs. */
    remove() {
      weighing?.abort();
      analysing?.abort();
    },
    /** Forgets the question to the server: a new connection does not know it. */
    reset() {
      askedMove = '';
    },
  };
}
