// A game of a collection in a list: opens it in the analysis, and deletes it. Deleting can be undone.

/** @import { CollectedGame } from '../../ui/protocol-types' */
/** @import { App } from '../../ui/view-types' */
/** @import { NumberedGame } from './collection-requests.js' */

import { analysisOfGame } from '../../analysis/kept-analyses.js';
import { linkedPosition, positionLink } from '../../analysis/position-link.js';
import { rulesName, stoneName, stoneSign } from '../../game/display-names.js';
import { dotted, t } from '../../language/texts.js';
import { button, el, fill, icon } from '../../ui/dom.js';
import { addGames, TryLater } from './batch-requests.js';
import { deleteGame } from './collection-requests.js';
import { tc } from './texts.js';

/**
 * @param {App} app @param {string} collection its id @param {NumberedGame} game @param {boolean} isOwn
 * @param {() => void} removed @param {() => void} restored the game is back, as the last one
 */
export function gameRow(app, collection, game, isOwn, removed, restored) {
  const { rules, black, white, date, event } = game;
  const played = movesOf(game);
  const address = `/analyse#${positionLink(rules, played)}`;
  const name = `${black ?? '?'} – ${white ?? '?'}`;
  const row = el('li', { class: 'collected' });

  /** @param {MouseEvent} press */
  function open(press) {
    // A new tab gets the position.
    if (press.button !== 0 || press.ctrlKey || press.metaKey || press.shiftKey) return;
    analysisOfGame({ id: `${collection}/${game.number}`, rules, moves: played, black, white });
  }

  function show() {
    const { winner, how } = endOf(game);
    fill(
      row,
      el(
        'a',
        { class: 'game', href: address, onclick: open },
        el('span', { class: 'mark' }, winner ? stoneName(winner, rules) : how),
        el(
          'span',
          { class: 'game-players' },
          stoneSign('black', rules),
          el('bdi', null, black ?? '?'),
          ' – ',
          stoneSign('white', rules),
          el('bdi', null, white ?? '?'),
        ),
        el(
          'span',
          { class: 'hint' },
          dotted(rulesName(rules), t('moves_count', { count: played.length }), winner && how, event),
        ),
        date && el('span', { class: 'hint date' }, date),
      ),
      isOwn &&
        button(icon('close'), () => void remove().catch(app.showError), {
          class: 'quiet',
          title: tc('delete_game', { name }),
          'aria-label': tc('delete_game', { name }),
        }),
    );
  }

  async function remove() {
    await deleteGame(collection, game.number);
    removed();
    const undo = button(t('undo'), () => void back().catch(app.showError));
    fill(row, el('span', { class: 'row hint', role: 'status' }, tc('deleted_game', { name }), undo));
    undo.focus();
  }

  async function back() {
    const { number, ...same } = game;
    await addGames(collection, JSON.stringify({ games: [same] })).catch((error) => {
      throw error instanceof TryLater ? new TypeError(error.message) : error;
    });
    restored();
  }

  show();
  return row;
}

/** The moves as points. @param {CollectedGame} game */
function movesOf({ rules: { variant, size, k }, moves }) {
  const query = new URLSearchParams({ variant, size: String(size), ...(k !== undefined && { k: String(k) }), moves });
  return linkedPosition(String(query))?.moves ?? [];
}

/** Who won, if the file says so, and how the game ended. @param {CollectedGame} game */
function endOf({ ending }) {
  if (!ending) return { how: '' };
  if (ending === 'draw') return { how: t('draw_short') };
  if (ending === 'void') return { how: t('is_aborted') };
  const { win, resignation, time, forfeit } = ending;
  const how = resignation ? t('end_resignation') : time ? t('end_time') : forfeit ? tc('forfeit') : '';
  return { winner: win ?? resignation ?? time ?? forfeit, how };
}
