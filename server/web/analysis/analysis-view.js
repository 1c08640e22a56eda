// The analysis page: a tree of moves with variations and comments, the engine, and files. The browser keeps the
// tree; the address holds the shown position, so that it can be shared.

/** @import { Point, Rules } from '../types' */
/** @import { View } from '../view-types' */
/** @import { Analysis } from './kept-analysis.js' */
/** @import { TreeAction } from './tree-view.js' */

import { boundsOf, pointName } from '../board-geometry.js';
import { createBoard } from '../board.js';
import { outcomeName, sizeName, variantName, VARIANTS } from '../display-names.js';
import { el, icon, write } from '../dom.js';
import { select } from '../form-fields.js';
import { createLiveAnalysis } from '../live-analysis.js';
import { createMoveNavigation } from '../move-navigation.js';
import { createJudge } from '../position-judge.js';
import { linkedPosition, positionLink, positionQuery, rulesOf } from '../position-link.js';
import { errorText, RefusedError, refusalText } from '../refusals.js';
import { stoneAt } from '../room-state.js';
import { t } from '../texts.js';
import { createCommentField } from './comment-field.js';
import { keepAnalysis, keptAnalyses, NEW_ANALYSIS } from './kept-analysis.js';
import { createLineReview } from './line-review.js';
import { asMainLine, countMoves, EMPTY, lineFrom, nodeAt, nodesAlong, NODES_MAX, withComment, withLine, without } from './move-tree.js';
import { ta } from './texts.js';
import { FileProblem, notesText, readTree, receiveFiles, saveTree } from './tree-files.js';
import { createTreeView } from './tree-view.js';
import { UndoHistory } from './undo-history.js';

const SIZES = ['3', '13', '15', '17', '19', '20', '30', 'unbounded'];
/** How long after a change the analysis is kept. */
const KEEP_AFTER_MS = 300;

/** @type {View} */
export const view = (app, place) => {
  const history = begun();
  const end = new AbortController();
  const { signal } = end;
  /** The line that is stepped through: the shown path and what was shown after it. @type {Point[]} */
  let line = [];
  /** The state in which the rules have not judged the last move yet. @type {Analysis | undefined} */
  let unjudged;
  /** The position in the address. */
  let address = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let keeping;
  let isSteppingItself = false;

  const boardPlace = el('div', { class: 'board' });
  const navigation = createMoveNavigation(() => !isSteppingItself && go(line.slice(0, navigation.at ?? line.length)));
  const treeView = createTreeView({ go, better: addLine, act });
  const comment = createCommentField((path, text) => change({ tree: withComment(history.now.tree, path, text) }));
  const variant = select(t('variant'), VARIANTS.map((name) => [name, variantName(name)]));
  const size = select(t('size'), SIZES.map((side) => [side, sizeName(side === 'unbounded' ? side : [Number(side), Number(side)])]));
  const text = el('textarea', { rows: 4, spellcheck: false, 'aria-label': ta('text'), placeholder: ta('text') });
  const file = el('input', { type: 'file', hidden: true, accept: '.sgf,.psq,.lib,.txt,.json', 'aria-label': ta('open_file') });
  const fileStatus = el('p', { class: 'hint file-status', role: 'status', 'aria-live': 'polite' });
  const fileGames = el('div', { class: 'file-games', hidden: true });
  const players = el('p', { class: 'players' });
  const result = el('p', { class: 'value' });
  const [undoButton, redoButton] = [el('button', { type: 'button', onclick: () => undo() }, icon('undo'), t('undo')), el('button', { type: 'button', onclick: () => undo(true) }, ta('redo'))];
  const playOn = el('a', { class: 'button' }, ta('play_on'));
  /** Where a touched point is confirmed. */
  const asks = el('div', { class: 'asks-touch' });
  const board = createBoard(boardPlace, {
    asks,
    onplay: play,
    onkey: (action) => action.type === 'step' && navigation.step(action.by),
    announce: (words) => app.announce(words, true),
  });
  const analysis = createLiveAnalysis(update, (moves) => addLine(history.now.path, moves), ta('add_line'));
  const review = createLineReview((ply) => go(lineFrom(history.now.tree).slice(0, ply)), update);
  const judge = createJudge(update);
  const save = (/** @type {'sgf' | 'psq'} */ format) => void saveTree(format, history.now).catch((error) => write(fileStatus, problemText(error)));

  place.append(el('div', { class: 'table replay analysis' },
    el('div', { class: 'board-side' }, boardPlace),
    el('div', { class: 'panel' },
      el('div', { class: 'summary' }, el('h1', { class: 'status' }, t('analyse')), players, el('p', { class: 'hint' }, ta('how'))),
      asks, result, analysis.element,
      el('section', { class: 'card moves-card' }, treeView.element, comment.element,
        el('div', { class: 'tree-tools' }, treeView.more, undoButton, redoButton), navigation.element),
      review.element,
      el('div', { class: 'row' }, variant.label, size.label),
      el('div', { class: 'row downloads' },
        el('button', { type: 'button', onclick: share }, t('share')), playOn,
        el('button', { type: 'button', onclick: () => file.click() }, ta('open_file')),
        el('button', { type: 'button', onclick: () => save('sgf') }, ta('save_sgf')),
        el('button', { type: 'button', title: ta('save_psq_how'), onclick: () => save('psq') }, ta('save_psq')),
        el('button', { type: 'button', onclick: () => begin(history.now.rules) }, t('clear'))),
      fileStatus,
      fileGames,
      el('details', { class: 'import' }, el('summary', null, ta('read')), text,
        el('div', { class: 'row' }, el('button', { type: 'button', class: 'primary', onclick: () => open(text.value) }, ta('read_text')))),
      file)));
  void import('../engine/engine.js').then(({ loadJudge }) => loadJudge());
  for (const field of [variant.field, size.field]) {
    field.addEventListener('change', () => begin(rulesOf(variant.field.value, size.field.value)));
  }
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (chosen) void open(chosen);
    file.value = '';
  });
  receiveFiles(boardPlace, open, signal);
  addEventListener('keydown', key, { signal });
  addEventListener('pagehide', keep, { signal });
  app.tab(`${t('analyse')} – Fivefold`);
  update();
  return () => {
    comment.close();
    keep();
    end.abort();
    review.remove();
    analysis.remove();
    judge.remove();
    board.remove();
  };

  /** Shows another position of the tree. @param {readonly Point[]} path */
  function go(path) {
    history.now = { ...history.now, path };
    update();
  }

  /** @param {Partial<Analysis>} parts that change */
  function change(parts) {
    const { now } = history;
    const isSame = (!parts.tree || parts.tree === now.tree) && (!parts.rules || String(Object.values(parts.rules)) === String(Object.values(now.rules)));
    if (isSame) return parts.path && go(parts.path);
    if (countMoves(parts.tree ?? now.tree) > NODES_MAX) return app.toast(ta('full', { most: NODES_MAX }));
    history.change({ ...now, ...parts });
    update();
  }

  /** @param {Point} point */
  function play(point) {
    const { tree, path } = history.now;
    change({ tree: withLine(tree, path, [point]), path: [...path, point] });
    if (history.now.tree !== tree) unjudged = history.now;
    // In a full tree the stone goes again.
    if (history.now.path === path) board.refused();
  }

  /** Adds a line, and shows its first move. @param {readonly Point[]} path @param {readonly Point[]} moves */
  function addLine(path, moves) {
    change({ tree: withLine(history.now.tree, path, moves), path: [...path, ...moves.slice(0, 1)] });
  }

  /** @param {TreeAction} action @param {readonly Point[]} path */
  function act(action, path) {
    const { tree, rules } = history.now;
    const last = path.at(-1);
    if (action === 'comment') {
      const name = last ? `${path.length}. ${pointName(last, boundsOf(rules.size))}` : '';
      return comment.open(path, name, nodeAt(tree, path)?.comment ?? '', () => treeView.more.focus());
    }
    if (action === 'make_main') return change({ tree: asMainLine(tree, path) });
    const left = without(tree, path);
    change({ tree: left, path: history.now.path.slice(0, nodesAlong(left, history.now.path).length - 1) });
    app.toast(ta('deleted', { count: countMoves(tree) - countMoves(left) }));
  }

  /** Starts with an empty board. @param {Rules} rules */
  function begin(rules) {
    change({ rules, tree: EMPTY, path: [], black: undefined, white: undefined });
  }

  /** @param {boolean} [again] does again what was undone */
  function undo(again = false) {
    comment.close();
    if (!(again ? history.canRedo : history.canUndo)) return;
    if (again) history.redo();
    else history.undo();
    app.announce(ta(again ? 'redone' : 'undone'));
    update();
    // A disabled button loses the keyboard.
    if (document.activeElement === document.body) board.focus();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select')) return;
    const pressed = event.key.toLowerCase();
    if (pressed !== 'z' && pressed !== 'y') return;
    event.preventDefault();
    undo(pressed === 'y' || event.shiftKey);
  }

  /** Opens a file, or a text with a game. The tree on screen stays where that fails. @param {File | string} source
   * @param {number} [game] its number in a file with several */
  async function open(source, game = 1) {
    try {
      const { analysis: read, left, ply, why, notes } = await readTree(history.now.rules, source, game);
      if (signal.aborted) return;
      const count = countMoves(read.tree);
      offerGames(source, game, 1 + (notes.find(({ kind }) => kind === 'other_games')?.count ?? 0));
      if (count === 0 && !why && !read.tree.comment) return write(fileStatus, ta('nothing'));
      comment.close();
      change({ black: undefined, white: undefined, ...read });
      const text = why && refusalText(why);
      const unplayed = text && (left > 1 ? ta('left_out', { count: left, ply, why: text }) : ta('unplayed', { ply, why: text }));
      write(fileStatus, [ta('opened', { count }), unplayed, notesText(notes)].filter(Boolean).join(' '));
    } catch (error) {
      if (!signal.aborted) write(fileStatus, problemText(error));
    }
  }

  /** Offers the other games of a file. @param {File | string} source @param {number} game @param {number} count */
  function offerGames(source, game, count) {
    fileGames.hidden = count === 1;
    const choice = select(ta('game_of_file'), Array.from({ length: count }, (_, index) => [String(index + 1), ta('game_number', { number: index + 1, total: count })]));
    choice.field.value = String(game);
    choice.field.addEventListener('change', () => void open(source, Number(choice.field.value)));
    fileGames.replaceChildren(choice.label);
  }

  function showRules() {
    const { rules, black, white } = history.now;
    const side = rules.size === 'unbounded' ? 'unbounded' : String(rules.size[0]);
    if (![...size.field.options].some(({ value }) => value === side)) size.field.append(el('option', { value: side }, sizeName(rules.size)));
    variant.field.value = rules.variant;
    size.field.value = side;
    write(players, black || white ? `${black ?? '?'} – ${white ?? '?'}` : '');
  }

  function update() {
    const { rules, tree, path } = history.now;
    const judged = judge.of(rules, path);
    if (judged?.unplayed) {
      app.toast(refusalText(judged.unplayed));
      if (history.now === unjudged) history.retract();
      else history.now = { ...history.now, tree: without(tree, path.slice(0, judged.moves.length + 1)), path: judged.moves };
      return update();
    }
    const outcome = judged?.outcome;
    analysis.setPosition({ rules, moves: path, over: !judged || !!outcome });
    board.show({
      size: rules.size, moves: path, winning: outcome?.points, turn: outcome ? undefined : stoneAt(path.length),
      forbidden: judged?.forbidden,
      ...analysis.shown(),
    });
    showRules();
    showTree();
    write(result, outcome ? outcomeName(outcome, rules) : '');
    result.hidden = !outcome;
    playOn.hidden = !!outcome;
    const words = positionLink(rules, path);
    playOn.href = `/local#${words}`;
    // Only if it differs: this also runs while the player leaves the page.
    if (words !== address) window.history.replaceState(window.history.state, '', `${location.pathname}#${words}`);
    address = words;
    clearTimeout(keeping);
    keeping = setTimeout(keep, KEEP_AFTER_MS);
  }

  function showTree() {
    const { rules, tree, path } = history.now;
    const isKnown = path.every((point, ply) => String(point) === String(line[ply])) && nodeAt(tree, line);
    line = lineFrom(tree, isKnown ? line : path);
    const main = lineFrom(tree);
    const shared = path.findIndex((point, ply) => String(point) !== String(main[ply]));
    review.show(rules, main, shared < 0 ? path.length : shared);
    treeView.show(tree, path, rules.size, review.remarks(tree));
    isSteppingItself = true;
    navigation.show(line.length);
    navigation.go(path.length);
    isSteppingItself = false;
    undoButton.disabled = !history.canUndo;
    redoButton.disabled = !history.canRedo;
  }

  function keep() {
    clearTimeout(keeping);
    comment.commit();
    keepAnalysis(history.now, history.past);
  }

  function share() {
    const { rules, path } = history.now;
    app.share(`${location.origin}/analyse?${positionQuery(rules, path)}`);
  }
};

/** The kept analysis, or that of the address; the kept one can then be brought back. */
function begun() {
  const past = keptAnalyses();
  const history = new UndoHistory(past.pop() ?? NEW_ANALYSIS, past);
  const linked = linkedPosition(location.hash.slice(1)) ?? linkedPosition(location.search.slice(1));
  if (!linked) return history;
  const { rules, moves } = linked;
  const { now } = history;
  const isKept = JSON.stringify(rules) === JSON.stringify(now.rules) && nodeAt(now.tree, moves);
  if (isKept) history.now = { ...now, path: moves };
  else if (now.tree === EMPTY || countMoves(now.tree) === 0) history.now = { rules, tree: withLine(EMPTY, [], moves), path: moves };
  else history.change({ rules, tree: withLine(EMPTY, [], moves), path: moves });
  return history;
}

/** @param {unknown} error */
function problemText(error) {
  if (error instanceof FileProblem) return error.message;
  const detail = error instanceof RefusedError && error.refusal.detail;
  return detail ? `${errorText(error)} (${detail})` : errorText(error);
}
