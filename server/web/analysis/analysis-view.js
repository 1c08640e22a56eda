// The analysis page: a tree of moves with variations and comments, the engine, and files. The browser keeps each
// analysis; the address holds the shown position.

/** @import { Point, Rules } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */
/** @import { Analysis, KeptAnalysis } from './kept-analyses.js' */
/** @import { TreeAction } from './tree-view.js' */

import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { outcomeName, stoneName } from '../game/display-names.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { createJudge, isClosedFive } from '../game/position-judge.js';
import { stoneAt } from '../game/room-state.js';
import { errorText, RefusedError, refusalText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { el, fill, icon, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { analysisTitle, createAnalysisList } from './analysis-list.js';
import { listenToArrows } from './arrow-keys.js';
import { createCommentField } from './comment-field.js';
import { keepAnalysis, lastAnalysis, newAnalysis, noteOpen, readAnalysis, sameAnalysis } from './kept-analyses.js';
import { createLineReview } from './line-review.js';
import { createLiveAnalysis } from './live-analysis.js';
import {
  asMainLine,
  countMoves,
  EMPTY,
  lineFrom,
  movedTree,
  NODES_MAX,
  nodeAt,
  nodesAlong,
  treeOf,
  withComment,
  withLine,
  without,
} from './move-tree.js';
import { linkedPosition, positionLink, positionQuery } from './position-link.js';
import { createRulesFields } from './rules-fields.js';
import { ta } from './texts.js';
import { FileProblem, notesText, playableTree, readTree, receiveFiles, saveTree } from './tree-files.js';
import { linkedTree } from './tree-link.js';
import { createTreeView } from './tree-view.js';
import { UndoHistory } from './undo-history.js';

/** How long after a change the analysis is kept. */
const KEEP_AFTER_MS = 300;

/** @type {View} */
export const view = (app, place) => {
  let kept = begun();
  let history = new UndoHistory(kept.now, kept.past);
  /** Whether there is something that is not kept. */
  let isChanged = kept.changed === 0;
  const end = new AbortController();
  const { signal } = end;
  /** Ends the reading of a file. */
  let reading = new AbortController();
  /** The line that is stepped through: the shown path and what was shown after it. @type {Point[]} */
  let line = [];
  /** The state in which the rules have not judged the last move yet. @type {Analysis | undefined} */
  let unjudged;
  /** The state that the open comment has made. @type {Analysis | undefined} */
  let commented;
  /** The position in the address. */
  let address = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let keeping;
  let isSteppingItself = false;

  const boardPlace = el('div', { class: 'board' });
  const navigation = createMoveNavigation(() => !isSteppingItself && go(line.slice(0, navigation.at ?? line.length)));
  const treeView = createTreeView({ go, better: (path, moves) => addLine(path, moves, 1), act });
  const comment = createCommentField(changeComment);
  const fields = createRulesFields((rules) => void changeRules(rules));
  const name = el('input', {
    type: 'text',
    maxLength: 100,
    dir: 'auto',
    'aria-label': ta('name'),
    oninput: () => note(name.value.trim()),
  });
  const own = createAnalysisList(
    (id) => id !== kept.id && start(readAnalysis(id)),
    (id) => id === kept.id && start(newAnalysis()),
    () => start(newAnalysis({ ...newAnalysis().now, rules: history.now.rules })),
  );
  const text = el('textarea', { rows: 4, spellcheck: false, 'aria-label': ta('text'), placeholder: ta('text') });
  const file = el('input', {
    type: 'file',
    hidden: true,
    accept: '.sgf,.psq,.lib,.txt,.json',
    'aria-label': ta('open_file'),
  });
  const fileStatus = el('p', { class: 'hint file-status', role: 'status', 'aria-live': 'polite' });
  const fileGames = el('div', { class: 'file-games', hidden: true });
  const players = el('p', { class: 'players' });
  const result = el('p', { class: 'value' });
  const openButton = (/** @type {'open_file' | 'choose_file'} */ label) =>
    el('button', { type: 'button', onclick: () => file.click() }, ta(label));
  const [undoButton, redoButton] = [
    el('button', { type: 'button', onclick: () => undo() }, icon('undo'), t('undo')),
    el('button', { type: 'button', onclick: () => undo(true) }, ta('redo')),
  ];
  const playOn = el('a', { class: 'button' }, ta('play_on'));
  const firstSteps = el(
    'ol',
    { class: 'first-steps' },
    el('li', null, ta('step_place')),
    el('li', null, ta('step_file'), ' ', openButton('choose_file')),
    el('li', null, ta('step_games'), ' ', el('a', { href: '/games' }, t('your_games'))),
    el('li', null, ta('step_keys')),
  );
  /** Where a touched point is confirmed. */
  const asks = el('div', { class: 'asks-touch' });
  const board = createBoard(boardPlace, {
    asks,
    steps: true,
    onplay: play,
    onkey: (action) => action.type === 'step' && navigation.step(action.by),
    announce: (words) => app.announce(words, true),
  });
  const analysis = createLiveAnalysis(update, (moves) => addLine(history.now.path, moves), ta('add_line'), ta('lines'));
  const review = createLineReview(go, (found) => {
    kept = { ...kept, review: found };
    changed();
    update();
  });
  const judge = createJudge(update);
  const save = (/** @type {'sgf' | 'psq'} */ format) =>
    void saveTree(format, history.now).catch((error) => say(problemText(error)));

  place.append(
    el(
      'div',
      { class: 'table replay analysis' },
      el('div', { class: 'board-side' }, boardPlace),
      el(
        'div',
        { class: 'panel' },
        el('div', { class: 'summary' }, el('h1', { class: 'status' }, t('analyse')), players, name, own.element),
        asks,
        result,
        analysis.element,
        el(
          'section',
          { class: 'card moves-card' },
          firstSteps,
          treeView.element,
          el('div', { class: 'tree-tools' }, treeView.more, undoButton, redoButton),
          navigation.element,
        ),
        comment.element,
        review.element,
        fields.element,
        el(
          'div',
          { class: 'row downloads' },
          el('button', { type: 'button', onclick: share }, t('share')),
          playOn,
          openButton('open_file'),
          el('button', { type: 'button', onclick: () => save('sgf') }, ta('save_sgf')),
          el('button', { type: 'button', title: ta('save_psq_how'), onclick: () => save('psq') }, ta('save_psq')),
        ),
        fileStatus,
        fileGames,
        el(
          'details',
          { class: 'import' },
          el('summary', null, ta('read')),
          text,
          el(
            'div',
            { class: 'row' },
            el('button', { type: 'button', class: 'primary', onclick: () => open(text.value) }, ta('read_text')),
          ),
        ),
        file,
      ),
    ),
  );
  void import('../engine/engine.js').then(({ loadJudge }) => loadJudge());
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (chosen) void open(chosen);
    file.value = '';
  });
  receiveFiles(boardPlace, open, signal);
  listenToArrows((by) => navigation.step(by), besides, signal);
  addEventListener('keydown', key, { signal });
  addEventListener('pagehide', keep, { signal });
  app.tab(`${t('analyse')} – Fivefold`);
  review.restore(kept.review);
  if (isChanged) changed();
  update();
  own.show(kept.id);
  return () => {
    comment.close();
    keep();
    reading.abort();
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

  /** Shows another analysis. @param {KeptAnalysis | undefined} analysis */
  function start(analysis) {
    if (!analysis) return;
    comment.close();
    keep();
    reading.abort();
    kept = analysis;
    history = new UndoHistory(kept.now, kept.past);
    isChanged = kept.changed === 0;
    line = [];
    say('');
    fileGames.hidden = true;
    review.restore(kept.review);
    noteOpen(kept.id);
    if (isChanged) changed();
    update();
    own.show(kept.id);
  }

  /** There is something to keep. */
  function changed() {
    isChanged = true;
    clearTimeout(keeping);
    keeping = setTimeout(keep, KEEP_AFTER_MS);
  }

  /** @param {Partial<Analysis>} parts that change */
  function change(parts) {
    const { now } = history;
    const isSame =
      (!parts.tree || parts.tree === now.tree) &&
      (!parts.rules || JSON.stringify(parts.rules) === JSON.stringify(now.rules));
    if (isSame) return parts.path && go(parts.path);
    if (countMoves(parts.tree ?? now.tree) > NODES_MAX) return app.toast(ta('full', { most: NODES_MAX }));
    history.change({ ...now, ...parts });
    say('');
    changed();
    update();
  }

  /** @param {readonly Point[]} path @param {string} text @param {boolean} again */
  function changeComment(path, text, again) {
    const { now } = history;
    // A text that is typed in one go is undone in one go.
    if (again && now.tree === commented?.tree) history.retract();
    change({ tree: withComment(history.now.tree, path, text), path: now.path });
    commented = history.now;
  }

  /** The player names the analysis. @param {string} text */
  function note(text) {
    kept = { ...kept, name: text };
    changed();
  }

  /** @param {Point} point */
  function play(point) {
    const { tree, path } = history.now;
    change({ tree: withLine(tree, path, [point]), path: [...path, point] });
    if (history.now.tree !== tree) unjudged = history.now;
    // In a full tree the stone goes again.
    if (history.now.path === path) board.refused();
  }

  /** Adds a line, and shows its end. @param {readonly Point[]} path @param {readonly Point[]} moves @param {number} [shown] how many of its moves */
  function addLine(path, moves, shown = moves.length) {
    change({ tree: withLine(history.now.tree, path, moves), path: [...path, ...moves.slice(0, shown)] });
  }

  /** @param {TreeAction} action @param {readonly Point[]} path */
  function act(action, path) {
    const { tree, rules } = history.now;
    const last = path.at(-1);
    if (action === 'comment') {
      const move = last ? `${path.length}. ${pointName(last, boundsOf(rules.size))}` : '';
      return comment.open(path, move, nodeAt(tree, path)?.comment ?? '', () => treeView.more.focus());
    }
    if (action === 'make_main') return change({ tree: asMainLine(tree, path) });
    const left = without(tree, path);
    change({ tree: left, path: history.now.path.slice(0, nodesAlong(left, history.now.path).length - 1) });
    app.toast(ta('deleted', { count: countMoves(tree) - countMoves(left) }));
  }

  /** Goes on by other rules, or on another board, with the moves that are legal there. The middle stays the middle. @param {Rules} rules */
  async function changeRules(rules) {
    const { now } = history;
    const { tree, path, rules: old } = now;
    const [from, to] = [old, rules].map(({ size }) =>
      size === 'unbounded' ? [0, 0] : size.map((side) => Math.floor((side - 1) / 2)),
    );
    const by = /** @type {const} */ ([(to?.[0] ?? 0) - (from?.[0] ?? 0), (to?.[1] ?? 0) - (from?.[1] ?? 0)]);
    const moved = movedTree(tree, by, boundsOf(rules.size));
    const next = await playableTree(rules, moved, () => {}, signal).then(
      ({ analysis: playable }) => playable.tree,
      () => treeOf(moved),
    );
    if (signal.aborted || history.now.tree !== tree || !next) return update();
    const shown = path.map(([x, y]) => /** @type {Point} */ ([x + by[0], y + by[1]]));
    change({ rules, tree: next, path: shown.slice(0, nodesAlong(next, shown).length - 1) });
    const removed = countMoves(tree) - countMoves(next);
    if (removed > 0) say(ta('rules_removed', { count: removed }), t('undo'), () => undo());
  }

  /** Says something below the buttons. @param {string} words @param {string} [label] of a button @param {() => void} [press] */
  function say(words, label, press) {
    fill(fileStatus, words, label && ' ', label && el('button', { type: 'button', onclick: press }, label));
  }

  /** @param {boolean} [again] does again what was undone */
  function undo(again = false) {
    comment.close();
    if (!(again ? history.canRedo : history.canUndo)) return;
    if (again) history.redo();
    else history.undo();
    app.announce(ta(again ? 'redone' : 'undone'));
    say('');
    changed();
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

  /** Goes to the variation before or after the shown one. @param {number} by */
  function besides(by) {
    const { tree, path } = history.now;
    const all = nodeAt(tree, path.slice(0, -1))?.children ?? [];
    const other =
      path.length > 0 && all[all.findIndex(({ point }) => String(point) === String(path.at(-1))) + by]?.point;
    if (other) go([...path.slice(0, -1), other]);
  }

  /** Opens a file, or a text with a game, as an analysis of its own. @param {File | string} source
   * @param {number} [game] its number in a file with several */
  async function open(source, game = 1) {
    reading.abort();
    reading = new AbortController();
    const mine = reading.signal;
    const before = kept.id;
    const bar = el('progress', { 'aria-label': ta('reading') });
    say(ta('reading'), t('cancel'), () => reading.abort());
    fileStatus.append(bar);
    try {
      const {
        analysis: read,
        left,
        ply,
        why,
        notes,
      } = await readTree(history.now.rules, source, game, (done) => (bar.value = done), mine);
      const count = countMoves(read.tree);
      const games = 1 + (notes.find(({ kind }) => kind === 'other_games')?.count ?? 0);
      if (count === 0 && !why && !read.tree.comment) return say(ta('nothing'));
      start(newAnalysis(read));
      offerGames(source, game, games);
      const words = why && refusalText(why);
      const unplayed =
        words && (left > 1 ? ta('left_out', { count: left, ply, why: words }) : ta('unplayed', { ply, why: words }));
      const earlier = readAnalysis(before);
      say([ta('opened', { count }), unplayed, notesText(notes)].filter(Boolean).join(' '), earlier && ta('back'), () =>
        start(readAnalysis(before)),
      );
    } catch (error) {
      if (!mine.aborted) say(problemText(error));
      else if (mine === reading.signal) say('');
    }
  }

  /** Offers the other games of a file. @param {File | string} source @param {number} game @param {number} count */
  function offerGames(source, game, count) {
    fileGames.hidden = count === 1;
    const choice = select(
      ta('game_of_file'),
      Array.from({ length: count }, (_, index) => [
        String(index + 1),
        ta('game_number', { number: index + 1, total: count }),
      ]),
    );
    choice.field.value = String(game);
    choice.field.addEventListener('change', () => void open(source, Number(choice.field.value)));
    fileGames.replaceChildren(choice.label);
  }

  function update() {
    const { rules, tree, path } = history.now;
    const judged = judge.of(rules, path);
    if (judged?.unplayed) {
      app.toast(refusalText(judged.unplayed));
      if (history.now === unjudged) history.retract();
      else
        history.now = {
          ...history.now,
          tree: without(tree, path.slice(0, judged.moves.length + 1)),
          path: judged.moves,
        };
      return update();
    }
    const outcome = judged?.outcome;
    analysis.setPosition({ rules, moves: path, over: !judged || !!outcome });
    board.show({
      size: rules.size,
      moves: path,
      winning: outcome?.points,
      turn: outcome ? undefined : stoneAt(path.length),
      forbidden: judged?.forbidden,
      ...analysis.shown(),
    });
    fields.show(rules);
    showTree();
    write(
      result,
      outcome
        ? outcomeName(outcome, rules)
        : isClosedFive(rules, path)
          ? t('closed_five', { name: stoneName(stoneAt(path.length - 1), rules) })
          : '',
    );
    result.hidden = !result.textContent;
    playOn.hidden = !!outcome;
    const words = positionLink(rules, path);
    playOn.href = `/local#${words}`;
    // Only if it differs: this also runs while the player leaves the page.
    if (words !== address) window.history.replaceState(window.history.state, '', `${location.pathname}#${words}`);
    address = words;
  }

  function showTree() {
    const { rules, tree, path, black, white } = history.now;
    const isKnown = path.every((point, ply) => String(point) === String(line[ply])) && nodeAt(tree, line);
    line = lineFrom(tree, isKnown ? line : path);
    review.show(rules, tree, path);
    treeView.show(tree, path, rules.size, review.remarks());
    firstSteps.hidden = countMoves(tree) > 0 || tree.comment !== '';
    isSteppingItself = true;
    navigation.show(line.length);
    navigation.go(path.length);
    isSteppingItself = false;
    undoButton.disabled = !history.canUndo;
    redoButton.disabled = !history.canRedo;
    write(players, black || white ? `${black ?? '?'} – ${white ?? '?'}` : '');
    if (document.activeElement !== name) name.value = kept.name;
    name.placeholder = analysisTitle({
      name: players.textContent ?? '',
      rules,
      first: lineFrom(tree).slice(0, 6),
      count: countMoves(tree),
    });
  }

  function keep() {
    clearTimeout(keeping);
    comment.commit();
    clearTimeout(keeping);
    const { now, past } = history;
    const isEmpty =
      kept.changed === 0 &&
      kept.name === '' &&
      countMoves(now.tree) === 0 &&
      now.tree.comment === '' &&
      past.length === 0;
    if (!isChanged || isEmpty) return;
    isChanged = false;
    const stored = keepAnalysis({ ...kept, now, past });
    if (!stored) return say(ta('too_large'));
    kept = stored;
    own.show(kept.id);
  }

  function share() {
    const { rules, tree, path } = history.now;
    if (countMoves(tree) > path.length || nodesAlong(tree, path).some(({ comment: words }) => words)) {
      keep();
      return void import('./share-dialog.js').then(
        ({ openShareDialog }) => openShareDialog(app, history.now),
        app.showError,
      );
    }
    app.share(`${location.origin}/analyse?${positionQuery(rules, path)}`);
  }
};

/** The analysis of the address, or the last one. What an address brings is an analysis of its own, unless it is there. */
function begun() {
  const all = linkedTree(location.hash.slice(1));
  if (all) return sameAnalysis(all) || newAnalysis(all);
  const last = lastAnalysis();
  const linked = linkedPosition(location.hash.slice(1)) ?? linkedPosition(location.search.slice(1));
  if (!linked) return last;
  const { rules, moves } = linked;
  const isThere = JSON.stringify(rules) === JSON.stringify(last.now.rules) && nodeAt(last.now.tree, moves);
  if (isThere) return { ...last, now: { ...last.now, path: moves } };
  const state = { rules, tree: withLine(EMPTY, [], moves), path: moves };
  return sameAnalysis(state) || newAnalysis(state);
}

/** @param {unknown} error */
function problemText(error) {
  if (error instanceof FileProblem) return error.message;
  const detail = error instanceof RefusedError && error.refusal.detail;
  return detail ? `${errorText(error)} (${detail})` : errorText(error);
}
