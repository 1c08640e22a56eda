// A finished game's page: step through it, see the engine's review, share and download it.

/** @import { FinishedGame, Review } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { betterLine, decidingMoves } from '../analysis/deciding-moves.js';
import { blackChances, createLegend, fetchReview } from '../analysis/game-review.js';
import { ta } from '../analysis/texts.js';
import { createValueGraph } from '../analysis/value-graph.js';
import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { createAnalysisDisplay, valueText } from '../game/analysis-display.js';
import { nameOrYou, playerName, resultName, rulesName, stoneSign } from '../game/display-names.js';
import { createMoveList } from '../game/move-list.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { openingLines } from '../game/opening-lines.js';
import { createJudge, mayForbid } from '../game/position-judge.js';
import { isMember, opponent, stoneAt, stoneOf } from '../game/room-state.js';
import { errorText, refusedAnswer } from '../language/refusals.js';
import { formatDate, formatPercent, t } from '../language/texts.js';
import { el, fill, linkButton, write } from '../ui/dom.js';

/** Pause between moves of the autoplay. */
const PACE_MS = 900;

/** @type {View} */
export const view = (app, place, id) => {
  const end = new AbortController();
  app.tab(t('replay'));
  fetch(`/api/games/${id}`, { signal: end.signal })
    .then((answer) => (answer.ok ? answer.json() : refusedAnswer(answer).then((error) => Promise.reject(error))))
    .then((/** @type {FinishedGame} */ game) => show(app, place, game, end.signal))
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

/**
 * @param {import('../ui/view-types').App} app @param {HTMLElement} place @param {FinishedGame} game
 * @param {AbortSignal} signal
 */
function show(app, place, game, signal) {
  const { rules, outcome, black, opening } = game;
  const moves = game.moves.map(({ point }) => point);
  /** @type {Review | undefined} */
  let review;
  /** @type {number[] | undefined} */
  let values;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  const isOnBoard = outcome.reason === 'five' || outcome.reason === 'forbidden';

  const boardPlace = el('div', { class: 'board' });
  const navigation = createMoveNavigation(update);
  const play = el('button', { type: 'button', class: 'step autoplay', onclick: () => autoplay(!playing) });
  const graph = createValueGraph(go);
  const reviewing = el('p', { class: 'hint', role: 'status' });
  const display = createAnalysisDisplay();
  const showsLine = el('input', { type: 'checkbox', onchange: update });
  const lineChoice = el('label', { class: 'check', hidden: true }, showsLine, ta('show_best'));
  const turning = el('div', { class: 'deciding' });
  const lines = opening
    ? openingLines(opening.acts, opening.first, {
        name: (seat) => nameOrYou(app, game[seat]),
        called: (point) => pointName(point, boundsOf(rules.size)),
      })
    : [];
  const list = createMoveList(
    moves,
    rules.size,
    go,
    lines.filter(({ swapped }) => swapped),
  );
  const judge = createJudge(update);
  const board = createBoard(boardPlace, { steps: true, onkey: key, announce: (text) => app.announce(text) });
  const player = (/** @type {import('../ui/protocol-types').Seat} */ seat) =>
    el(
      'span',
      { class: outcome.winner === seat ? 'winner' : '' },
      stoneSign(stoneOf(seat, black), rules),
      el('bdi', null, nameOrYou(app, game[seat])),
    );
  const players = el('p', { class: 'players' });
  const namePlayers = () => fill(players, player(black), ' – ', player(opponent(black)));
  namePlayers();
  // A reload shows the game before the server has said who this is.
  void app.connection.greeted().then(namePlayers);
  place.append(
    el(
      'div',
      { class: 'table replay' },
      el('div', { class: 'board-side' }, boardPlace),
      el(
        'div',
        { class: 'panel' },
        el(
          'div',
          { class: 'summary' },
          el('h1', { class: 'status' }, resultName(outcome, black, rules)),
          players,
          el(
            'p',
            { class: 'about' },
            rulesName(rules, opening?.kind),
            ' · ',
            formatDate(game.ended_at, { dateStyle: 'medium' }),
          ),
          lines.length > 0 && el('ol', { class: 'opening-lines' }, ...lines.map(({ text }) => el('li', null, text))),
        ),
        el(
          'section',
          { class: 'card moves-card' },
          list.element,
          el('div', { class: 'stepping' }, navigation.element, play),
        ),
        graph.element,
        reviewing,
        display.element,
        lineChoice,
        turning,
        downloads(),
      ),
    ),
  );

  void import('../analysis/arrow-keys.js').then(({ listenToArrows }) =>
    listenToArrows(
      (by) => {
        autoplay(false);
        navigation.step(by);
      },
      () => {},
      signal,
    ),
  );
  const wanted = Number(new URLSearchParams(location.search).get('ply') ?? moves.length);
  navigation.show(moves.length);
  autoplay(false);
  navigation.go(Number.isInteger(wanted) ? wanted : moves.length);
  fetchReview(game, (done) => write(reviewing, ta('reviewing', { done, plies: moves.length })), signal)
    .then((found) => {
      write(reviewing, found ? '' : ta('no_review'));
      if (!found) return;
      review = found;
      values = blackChances(found, isOnBoard && outcome.winner ? stoneOf(outcome.winner, black) : undefined);
      showDeciding(found);
      lineChoice.hidden = false;
      update();
    })
    .catch(() => !signal.aborted && write(reviewing, ta('no_review')));
  signal.addEventListener('abort', () => {
    autoplay(false);
    graph.remove();
    judge.remove();
    board.remove();
  });

  /** Shows the position after so many moves. @param {number} ply */
  function go(ply) {
    autoplay(false);
    navigation.go(ply);
  }

  /** Shows a position where it is seen, on request with the best line. @param {number} ply */
  function look(ply, best = false) {
    showsLine.checked = best;
    go(ply);
    boardPlace.scrollIntoView({ block: 'nearest' });
  }

  function update() {
    const ply = navigation.at ?? moves.length;
    const whole = ply === moves.length;
    if (whole) autoplay(false);
    const size = rules.size;
    const line = review && showsLine.checked ? review.moves[ply]?.line : undefined;
    const shown = moves.slice(0, ply);
    board.show({
      size,
      moves: shown,
      line,
      winning: whole ? outcome.points : undefined,
      forbidden: !whole && mayForbid(rules, shown) ? judge.of(rules, shown)?.forbidden : undefined,
    });
    graph.show(values && review && { values, marks: decidingMoves(review), words }, ply);
    const next = review?.moves[ply];
    display.show(next && { ply, size, lines: [{ value: next.value, moves: next.line }] });
    list.show(ply);
    const address = whole ? location.pathname : `${location.pathname}?ply=${ply}`;
    if (address !== location.pathname + location.search) history.replaceState(history.state, '', address);
  }

  /** @param {number} ply */
  function words(ply) {
    const point = moves[ply - 1];
    const value = review?.moves[ply]?.value;
    const text = value ? valueText(value, ply, rules) : resultName(outcome, black, rules);
    return point ? ta('graph_point', { ply, point: pointName(point, boundsOf(rules.size)), value: text }) : text;
  }

  /** @param {Review} found */
  function showDeciding(found) {
    const marks = decidingMoves(found);
    list.mark(marks);
    fill(
      turning,
      createLegend(),
      marks.length > 0 && el('h2', null, ta('deciding')),
      ...marks.map(({ ply, kind, loss }) => {
        const point = moves[ply];
        const [best] = betterLine(found, ply, point);
        const mover = game[stoneAt(ply) === 'black' ? black : opponent(black)];
        return (
          point &&
          el(
            'div',
            { class: 'turning' },
            el(
              'button',
              { type: 'button', class: `turn ${kind}`, onclick: () => look(ply + 1) },
              el('i', { class: `shape ${kind}`, 'aria-hidden': 'true' }),
              stoneSign(stoneAt(ply), rules),
              el('b', null, `${ply + 1}. ${pointName(point, boundsOf(rules.size))}`),
              ` ${isMember(mover, app.connection.you) ? `${t('you')}: ` : ''}${ta(kind)}`,
              loss >= 0.01 && el('span', null, `−${formatPercent(loss)}`),
            ),
            best &&
              el(
                'button',
                { type: 'button', onclick: () => look(ply, true) },
                ta('better', { point: pointName(best, boundsOf(rules.size)) }),
              ),
          )
        );
      }),
    );
  }

  /** Goes on in the game's own analysis, with what is known of its review. */
  async function analyse() {
    const { analysisOfGame } = await import('../analysis/kept-analyses.js');
    const [first, second] = [playerName(game[black]), playerName(game[opponent(black)])];
    const ended = { reason: outcome.reason, winner: outcome.winner && stoneOf(outcome.winner, black) };
    const known = review && { rules, line: moves, review, outcome: isOnBoard ? ended : undefined };
    app.go(analysisOfGame({ id: game.id, rules, moves, black: first, white: second }, known));
  }

  /** @param {boolean} on */
  function autoplay(on) {
    clearInterval(playing);
    playing = undefined;
    if (on) {
      if (navigation.at === undefined) navigation.go(0);
      playing = setInterval(() => navigation.step(1), PACE_MS);
    }
    play.setAttribute('aria-pressed', String(on));
    write(play, ta(on ? 'autoplay_stop' : 'autoplay'));
  }

  /** @param {import('../board/board-keys.js').Action} action */
  function key(action) {
    if (action.type !== 'step') return;
    autoplay(false);
    navigation.step(action.by);
  }

  function downloads() {
    const file = (/** @type {string} */ kind) =>
      el(
        'a',
        { class: 'button', href: `/api/games/${game.id}.${kind}`, download: `fivefold-${game.id}.${kind}` },
        kind.toUpperCase(),
      );
    const link = () => app.share(location.href);
    const picture = async () => {
      const blob = await board.picture();
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      el('a', { href: address, download: `fivefold-${game.id}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    };
    return el(
      'div',
      { class: 'row downloads' },
      el('button', { type: 'button', class: 'primary', onclick: link }, t('share')),
      file('sgf'),
      file('psq'),
      file('json'),
      el('button', { type: 'button', onclick: picture }, 'PNG'),
      el('button', { type: 'button', onclick: analyse }, t('analyse')),
    );
  }
}
