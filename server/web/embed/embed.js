// A board on another site: a room, a finished game, a position or TV, as the address says. It is nobody: the server
// gives it an origin without cookies and storage, and a socket that only watches.

/** @import { FinishedGame, Point, Rules } from '../ui/protocol-types' */

import { linkedPosition } from '../analysis/position-link.js';
import { PageConnection } from '../browser/page-connection.js';
import { STONES, seatWith } from '../client/room-state.js';
import { resultName, rulesName } from '../game/display-names.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { language, t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';
import { tv } from './texts.js';
import { createTv } from './tv.js';
import { createWatchedGame } from './watched-game.js';
import { createWatchedRoom } from './watched-room.js';

const [, kind = '', name = ''] = /^\/embed\/(\w+)\/?(\w*)$/.exec(location.pathname) ?? [];
/** The query without what is for the board alone. */
const query = location.search
  .slice(1)
  .replace(/(^|&)theme=\w*/, '')
  .replace(/^&/, '');
const theme = new URLSearchParams(location.search).get('theme');

const stage = el('main', { class: 'embed-stage' });
const spoken = el('div', { class: 'spoken', role: 'status' });
const lost = el('span', { class: 'embed-lost', role: 'alert', hidden: true }, t('connection_lost'));
const open = el('a', { target: '_blank', rel: 'noopener' }, tv('open_on', { host: location.host }));

/** @param {string} text */
function announce(text) {
  // Screen readers skip an unchanged text.
  spoken.textContent = spoken.textContent === text ? `${text}\u00a0` : text;
}

/** @param {string} [text] */
function showNone(text = tv('no_board')) {
  fill(stage, el('p', { class: 'watched-none', role: 'status' }, text));
  open.href = '/';
}

function connect() {
  const connection = new PageConnection(location.origin, '/ws?watch');
  connection.onchange = () => {
    lost.hidden = connection.status === 'open' || connection.status === 'connecting';
  };
  connection.start();
  return connection;
}

/** @param {string} code */
function showRoom(code) {
  open.href = `/r/${code}`;
  const { room } = createWatchedRoom(connect(), code, stage, {
    announce,
    lost: () => room.seq === 0 && showNone(),
  });
}

/** @param {string} id */
async function showGame(id) {
  try {
    const answer = await fetch(`/api/games/${id}`);
    if (!answer.ok) return showNone(answer.status === 404 ? undefined : t('failed'));
    /** @type {FinishedGame} */
    const game = await answer.json();
    const { black, outcome, rules } = game;
    const wanted = Number(new URLSearchParams(query).get('ply') ?? NaN);
    const moves = game.moves.map(({ point }) => point);
    const text = resultName(outcome, black, rules);
    const shown = showSteps({ rules, moves, text, winning: outcome.points, ply: wanted, path: `/game/${id}` });
    for (const stone of STONES) {
      const seat = seatWith(stone, black);
      shown.showSide(stone, { player: game[seat], won: outcome.winner === seat }, rules);
    }
  } catch {
    showNone(t('failed'));
  }
}

function showPosition() {
  const position = linkedPosition(query);
  if (!position) return showNone();
  const { rules, moves } = position;
  // Where two stones would stand on one point, the line ends.
  const taken = new Set();
  const end = moves.findIndex((point) => taken.size === taken.add(`${point}`).size);
  const line = end < 0 ? moves : moves.slice(0, end);
  stage.classList.add('unnamed');
  showSteps({ rules, moves: line, text: rulesName(rules), path: `/analyse?${query}` });
}

/**
 * Shows moves, with buttons that step through them.
 * @param {{ rules: Rules, moves: Point[], text: string, winning?: Point[], ply?: number, path: string }} shown
 */
function showSteps({ rules, moves, text, winning, ply = NaN, path }) {
  const navigation = createMoveNavigation(show);
  const game = createWatchedGame(
    stage,
    { announce, onkey: (action) => action.type === 'step' && navigation.step(action.by) },
    navigation.element,
  );

  function show() {
    const at = navigation.at ?? moves.length;
    const whole = at === moves.length;
    game.board.show({ size: rules.size, moves: moves.slice(0, at), winning: whole ? winning : undefined });
    write(game.status, text);
    const isGame = path.startsWith('/game/');
    open.href = isGame && !whole ? `${path}?ply=${at}` : path;
  }

  navigation.show(moves.length);
  show();
  if (Number.isInteger(ply)) navigation.go(ply);
  return game;
}

function showTv() {
  open.href = '/tv';
  createTv(connect(), stage, {
    announce,
    shows(code) {
      open.href = `/r/${code}`;
    },
  });
}

if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
document.documentElement.lang = language;
document.body.append(stage, el('footer', { class: 'embed-foot' }, lost, open), spoken);
// The list of keys is the page's own.
addEventListener('keydown', (event) => event.key === '?' && event.stopImmediatePropagation(), true);
if (kind === 'r' && name) showRoom(name.toLowerCase());
else if (kind === 'game' && name) void showGame(name);
else if (kind === 'position') showPosition();
else if (kind === 'tv') showTv();
else showNone();
