// The analysis page: a board to try moves for both sides, and to import games. The address holds the
// position, so that it can be shared.

/** @import { Judged, Point, Rules, Size } from './types' */
/** @import { View } from './view-types' */

import { createBoard } from './board.js';
import { outcomeName, sizeName, variantName, VARIANTS } from './display-names.js';
import { el, write } from './dom.js';
import { select } from './form-fields.js';
import { createLiveAnalysis } from './live-analysis.js';
import { createMoveList } from './move-list.js';
import { createMoveNavigation } from './move-navigation.js';
import { createJudge, fetchJudged, positionHash } from './position-judge.js';
import { K_MAX, K_MIN, SIDE_MAX, SIDE_MIN } from './protocol.js';
import { errorText, refusalText } from './refusals.js';
import { stoneAt } from './room-state.js';
import { t } from './texts.js';

const SIZES = ['3', '13', '15', '17', '19', '20', '30', 'unbounded'];
/** The longest text that the server reads, in bytes. */
const TEXT_MAX = 96_000;

/** @type {View} */
export const view = (app, place) => {
  // Shared links have the position in their query, which the server reads for the link's preview.
  const asked = new URLSearchParams(location.hash.slice(1) || location.search);
  /** @type {Rules} */
  let rules = rulesOf(asked.get('variant') ?? 'freestyle', asked.get('size') ?? '15', Number(asked.get('k')));
  /** @type {Point[]} */
  let moves = [];

  /** The position in the address. */
  let address = '';
  /** The position before moves were taken off the board, for "Undo". @type {{ rules: Rules, moves: Point[], at: number | undefined } | undefined} */
  let before;

  const boardPlace = el('div', { class: 'board' });
  const navigation = createMoveNavigation(update);
  const list = createMoveList(moves, rules.size, (ply) => navigation.go(ply));
  const variant = select(t('variant'), VARIANTS.map((name) => [name, variantName(name)]));
  const size = select(t('size'), SIZES.map((side) => [side, sizeName(side === 'unbounded' ? side : [Number(side), Number(side)])]));
  const text = el('textarea', { rows: 4, spellcheck: false, 'aria-label': t('import_text'), placeholder: t('import_text') });
  const file = el('input', { type: 'file', accept: '.sgf,.psq,.txt,.json', 'aria-label': t('import_file') });
  const importStatus = el('p', { class: 'hint', role: 'status' });
  const result = el('p', { class: 'value' });
  const undoText = el('span');
  const undoOffer = el('div', { class: 'offer', role: 'status', hidden: true }, undoText, el('button', { type: 'button', onclick: undo }, t('undo')));
  /** Where a touched point is confirmed. */
  const asks = el('div', { class: 'asks-touch' });
  const board = createBoard(boardPlace, {
    asks,
    onplay: play,
    onkey: (action) => action.type === 'step' && navigation.step(action.by),
    announce: (words) => app.announce(words, true),
  });
  const analysis = createLiveAnalysis(update);
  const judge = createJudge(update);

  place.append(el('div', { class: 'table replay' },
    el('div', { class: 'board-side' }, boardPlace),
    el('div', { class: 'panel' },
      el('div', { class: 'summary' }, el('h1', { class: 'status' }, t('analyse')), el('p', { class: 'hint' }, t('analyse_how'))),
      el('div', { class: 'row' }, variant.label, size.label),
      asks, undoOffer, result, analysis.element, el('section', { class: 'card moves-card' }, list.element, navigation.element),
      el('details', { class: 'import' }, el('summary', null, t('import')), text,
        el('div', { class: 'row' }, el('button', { type: 'button', class: 'primary', onclick: () => importText(text.value) }, t('import_read')), file), importStatus),
      el('div', { class: 'row downloads' },
        el('button', { type: 'button', onclick: share }, t('share')),
        el('button', { type: 'button', onclick: clear }, t('clear'))))));
  void import('./engine/engine.js').then(({ loadJudge }) => loadJudge());
  showRules();
  for (const field of [variant.field, size.field]) {
    field.addEventListener('change', () => begin(rulesOf(variant.field.value, size.field.value), []));
  }
  file.addEventListener('change', async () => {
    const chosen = file.files?.[0];
    if (chosen) void importText(await chosen.text());
    file.value = '';
  });
  app.tab(`${t('analyse')} – Fivefold`);
  const given = asked.get('moves');
  if (given) void importText(given);
  else update();
  return () => {
    analysis.remove();
    judge.remove();
    board.remove();
  };

  /** @param {Rules} now @param {Point[]} played */
  function begin(now, played) {
    keep(0);
    [rules, moves] = [now, played];
    showRules();
    navigation.reset();
    changed();
  }

  /** Keeps the position for "Undo" if moves are about to go. @param {number} ply how many moves stay */
  function keep(ply) {
    before = moves.length > ply ? { rules, moves, at: navigation.at } : undefined;
    write(undoText, t('moves_cut', { count: moves.length - ply }));
    undoOffer.hidden = !before;
  }

  function undo() {
    if (!before) return;
    const { rules: those, moves: all, at = all.length } = before;
    begin(those, all);
    keep(all.length);
    navigation.go(at);
    board.focus();
  }

  function changed() {
    list.set(moves, rules.size);
    navigation.show(moves.length);
    update();
  }

  /** A move from the shown position. It replaces the moves after it, unless it is the next of them.
   * @param {Point} point */
  function play(point) {
    const ply = navigation.at ?? moves.length;
    if (String(moves[ply]) === String(point)) return navigation.step(1);
    keep(ply);
    moves = [...moves.slice(0, ply), point];
    navigation.reset();
    changed();
  }

  function clear() {
    begin(rules, []);
  }

  /** Asks the server to read a game. @param {string} text */
  async function importText(text) {
    if (text.length > TEXT_MAX) return write(importStatus, t('import_long'));
    try {
      show(await fetchJudged({ rules, text }));
    } catch (error) {
      write(importStatus, errorText(error));
    }
  }

  /** @param {Judged} read */
  function show(read) {
    const count = read.moves.length;
    if (count === 0 && !read.unplayed) return write(importStatus, t('import_nothing'));
    begin(read.rules, read.moves);
    write(importStatus, [t('import_done', { count }), read.unplayed && t('import_unplayed', { ply: count + 1, why: refusalText(read.unplayed) })].filter(Boolean).join(' '));
  }

  function showRules() {
    const side = rules.size === 'unbounded' ? 'unbounded' : String(rules.size[0]);
    if (![...size.field.options].some(({ value }) => value === side)) size.field.append(el('option', { value: side }, sizeName(rules.size)));
    variant.field.value = rules.variant;
    size.field.value = side;
  }

  function update() {
    const ply = navigation.at ?? moves.length;
    const shown = moves.slice(0, ply);
    const judged = judge.of(rules, shown);
    if (judged?.unplayed) {
      moves = judged.moves;
      app.toast(refusalText(judged.unplayed));
      return changed();
    }
    const outcome = judged?.outcome;
    analysis.setPosition({ rules, moves: shown, over: !judged || !!outcome });
    board.show({
      size: rules.size, moves: shown, winning: outcome?.points, turn: outcome ? undefined : stoneAt(ply),
      forbidden: judged?.forbidden,
      ...analysis.shown(),
    });
    list.show(ply);
    write(result, outcome ? outcomeName(outcome) : '');
    result.hidden = !outcome;
    const words = positionHash(rules, moves);
    // Only if it differs: this also runs while the player leaves the page.
    if (words !== address) history.replaceState(history.state, '', `${location.pathname}#${words}`);
    address = words;
  }

  function share() {
    const url = `${location.origin}/analyse?${positionHash(rules, moves)}`;
    if (navigator.share) navigator.share({ url }).catch(() => {});
    else navigator.clipboard.writeText(url).then(() => app.toast(t('copied')), () => app.toast(url));
  }
};

/**
 * The rules in an address or the fields, or the nearest valid ones.
 * @param {string} variant @param {string} size `15`, `20,10` or `unbounded`
 * @param {number} [wanted] stones in a row that win, of m,n,k games
 * @returns {Rules}
 */
function rulesOf(variant, size, wanted = NaN) {
  const known = VARIANTS.find((name) => name === variant) ?? 'freestyle';
  // Renju is played on one board only.
  if (known === 'renju') return { variant: known, size: [15, 15] };
  const mnk = known === 'mnk';
  const within = (/** @type {number} */ number, /** @type {number} */ least, /** @type {number} */ most) => Number.isInteger(number) && number >= least && number <= most;
  const [width = NaN, height = width] = size.split(',').map(Number);
  const fit = [width, height].every((side) => within(side, mnk ? SIDE_MIN : 5, SIDE_MAX));
  /** @type {Size} */
  const board = size === 'unbounded' ? size : fit ? [width, height] : [15, 15];
  if (!mnk) return { variant: known, size: board };
  const longest = board === 'unbounded' ? K_MAX : Math.min(K_MAX, Math.max(...board));
  return { variant: known, k: within(wanted, K_MIN, longest) ? wanted : Math.min(5, longest), size: board };
}
