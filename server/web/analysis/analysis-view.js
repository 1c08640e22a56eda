// The analysis page: a tree of moves with variations and comments, the engine, and files. The browser keeps each
// analysis; the address holds the shown position.

/** @import { Point, Rules } from '../ui/protocol-types' */
/** @import { App, View } from '../ui/view-types' */
/** @import { Analysis, KeptAnalysis } from './kept-analyses.js' */
/** @import { TreeAction } from './tree-view.js' */

import { createBoard } from '../board/board.js';
import { boundsOf, pointName } from '../board/board-geometry.js';
import { stoneAt } from '../client/room-state.js';
import { outcomeName, stoneName } from '../game/display-names.js';
import { createMoveNavigation } from '../game/move-navigation.js';
import { createJudge, isClosedFive } from '../game/position-judge.js';
import { refusalText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { button, el, icon, linkButton, write } from '../ui/dom.js';
import { embedButton } from '../ui/embed/embed-button.js';
import { analysisTitle, createAnalysisList } from './analysis-list.js';
import { listenToArrows } from './arrow-keys.js';
import { createCommentField } from './comment-field.js';
import { receiveFiles } from './file-transfer.js';
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
import { createFileOpening, problemText } from './open-files.js';
import { linkedPosition, positionLink, positionQuery } from './position-link.js';
import { createRulesFields } from './rules-fields.js';
import { ta } from './texts.js';
import { playableTree, saveTree } from './tree-files.js';
import { linkedTree } from './tree-link.js';
import { createTreeView } from './tree-view.js';
import { UndoHistory } from './undo-history.js';

/** How long after a change the analysis is kept. */
const KEEP_AFTER_MS = 300;

/** @type {View} */
export const view = (app, place) => {
  const page = new AnalysisPage(app, place);
  return () => page.leave();
};

class AnalysisPage {
  kept = begun();
  history = new UndoHistory(this.kept.now, this.kept.past);
  /** Whether there is something that is not kept. */
  isChanged = this.kept.changed === 0;
  end = new AbortController();
  /** The line that is stepped through: the shown path and what was shown after it. @type {Point[]} */
  line = [];
  /** The state in which the rules have not judged the last move yet. @type {Analysis | undefined} */
  unjudged;
  /** The state that the open comment has made. @type {Analysis | undefined} */
  commented;
  /** The position in the address. */
  address = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  keeping;
  isSteppingItself = false;

  navigation = createMoveNavigation(() => {
    if (!this.isSteppingItself) this.go(this.line.slice(0, this.navigation.at ?? this.line.length));
  });
  treeView = createTreeView({
    go: (path) => this.go(path),
    better: (path, moves) => this.addLine(path, moves, 1),
    act: (action, path) => this.act(action, path),
  });
  comment = createCommentField((path, text, again) => this.changeComment(path, text, again));
  fields = createRulesFields((rules) => void this.changeRules(rules));
  name = el('input', {
    type: 'text',
    maxLength: 100,
    dir: 'auto',
    'aria-label': ta('name'),
    oninput: () => this.note({ name: this.name.value.trim() }),
  });
  own = createAnalysisList(
    (id) => id !== this.kept.id && this.start(readAnalysis(id)),
    (id) => id === this.kept.id && this.start(newAnalysis()),
    () => this.start(newAnalysis({ ...newAnalysis().now, rules: this.history.now.rules })),
  );
  files = createFileOpening(
    () => this.history.now.rules,
    (read) => {
      const before = this.kept.id;
      this.start(newAnalysis(read));
      return !!readAnalysis(before) && (() => this.start(readAnalysis(before)));
    },
  );
  players = el('p', { class: 'players' });
  result = el('p', { class: 'value' });
  undoButton = button([icon('undo'), t('undo')], () => this.undo());
  redoButton = button(ta('redo'), () => this.undo(true));
  playOn = el('a', { class: 'button' }, ta('play_on'));
  firstSteps = el(
    'ol',
    { class: 'first-steps' },
    el('li', null, ta('step_place')),
    el('li', null, ta('step_file'), ' ', this.files.chooser('choose_file')),
    el('li', null, ta('step_games'), ' ', el('a', { href: '/games' }, t('your_games'))),
    el('li', null, ta('step_keys')),
  );
  analysis = createLiveAnalysis(
    () => this.update(),
    (moves) => this.addLine(this.history.now.path, moves),
    ta('add_line'),
    ta('lines'),
  );
  review = createLineReview(
    (path) => this.go(path),
    (review) => {
      this.note({ review });
      this.update();
    },
  );
  judge = createJudge(() => this.update());

  /** @param {App} app @param {Element} place */
  constructor(app, place) {
    this.app = app;
    const { signal } = this.end;
    const boardPlace = el('div', { class: 'board' });
    /** Where a touched point is confirmed. */
    const asks = el('div', { class: 'asks-touch' });
    this.board = createBoard(boardPlace, {
      asks,
      steps: true,
      onplay: (point) => this.play(point),
      onkey: (action) => action.type === 'step' && this.navigation.step(action.by),
      announce: (words) => app.announce(words, true),
    });
    place.append(
      el(
        'div',
        { class: 'table replay analysis' },
        el('div', { class: 'board-side' }, boardPlace),
        el('div', { class: 'panel' }, ...this.panel(asks)),
      ),
    );
    void import('../engine/engine.js').then(({ loadJudge }) => loadJudge());
    receiveFiles(boardPlace, ta('drop'), ([source]) => source && void this.files.open(source), signal);
    listenToArrows(
      (by) => this.navigation.step(by),
      (by) => this.besides(by),
      signal,
    );
    addEventListener('keydown', (event) => this.key(event), { signal });
    addEventListener('pagehide', () => this.keep(), { signal });
    app.tab(`${t('analyse')} – Fivefold`);
    this.begin();
  }

  /** The panel beside the board. @param {HTMLElement} asks */
  panel(asks) {
    return [
      el(
        'div',
        { class: 'summary' },
        el('h1', { class: 'status' }, t('analyse')),
        this.players,
        this.name,
        this.own.element,
      ),
      asks,
      this.result,
      this.analysis.element,
      el(
        'section',
        { class: 'card moves-card' },
        this.firstSteps,
        this.treeView.element,
        el('div', { class: 'tree-tools' }, this.treeView.more, this.undoButton, this.redoButton),
        this.navigation.element,
      ),
      this.comment.element,
      this.review.element,
      this.fields.element,
      el(
        'div',
        { class: 'row downloads' },
        button(t('share'), () => this.share()),
        embedButton(() => `position?${positionQuery(this.history.now.rules, this.history.now.path)}`),
        this.playOn,
        this.files.chooser('open_file'),
        linkButton('/collections', ta('collections')),
        button(ta('save_sgf'), () => this.save('sgf')),
        button(ta('save_psq'), () => this.save('psq'), { title: ta('save_psq_how') }),
      ),
      ...this.files.elements,
    ];
  }

  leave() {
    this.comment.close();
    this.keep();
    this.files.reset();
    this.end.abort();
    for (const part of [this.review, this.analysis, this.judge, this.board]) part.remove();
  }

  /** Shows another position of the tree. @param {readonly Point[]} path */
  go(path) {
    this.history.now = { ...this.history.now, path };
    this.update();
  }

  /** Shows another analysis. @param {KeptAnalysis | undefined} analysis */
  start(analysis) {
    if (!analysis) return;
    this.comment.close();
    this.keep();
    this.files.reset();
    this.kept = analysis;
    this.history = new UndoHistory(analysis.now, analysis.past);
    this.isChanged = analysis.changed === 0;
    this.line = [];
    noteOpen(analysis.id);
    this.begin();
  }

  begin() {
    this.review.restore(this.kept.review);
    this.update();
    if (this.isChanged) this.changed();
    this.own.show(this.kept.id);
  }

  /** There is something to keep. */
  changed() {
    this.isChanged = true;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keep(), KEEP_AFTER_MS);
  }

  /** @param {Partial<Analysis>} parts that change */
  change(parts) {
    const { now } = this.history;
    const isSame =
      (!parts.tree || parts.tree === now.tree) &&
      (!parts.rules || JSON.stringify(parts.rules) === JSON.stringify(now.rules));
    if (isSame) return parts.path && this.go(parts.path);
    if (countMoves(parts.tree ?? now.tree) > NODES_MAX) return this.app.toast(ta('full', { most: NODES_MAX }));
    this.history.change({ ...now, ...parts });
    this.files.say('');
    this.changed();
    this.update();
  }

  /** @param {readonly Point[]} path @param {string} text @param {boolean} again */
  changeComment(path, text, again) {
    const { now } = this.history;
    // A text that is typed in one go is undone in one go.
    if (again && now.tree === this.commented?.tree) this.history.retract();
    this.change({ tree: withComment(this.history.now.tree, path, text), path: now.path });
    this.commented = this.history.now;
  }

  /** Keeps something about the analysis besides its tree. @param {Partial<KeptAnalysis>} parts */
  note(parts) {
    this.kept = { ...this.kept, ...parts };
    this.changed();
  }

  /** @param {Point} point */
  play(point) {
    const { tree, path } = this.history.now;
    this.change({ tree: withLine(tree, path, [point]), path: [...path, point] });
    if (this.history.now.tree !== tree) this.unjudged = this.history.now;
    // In a full tree the stone goes again.
    if (this.history.now.path === path) this.board.refused();
  }

  /** Adds a line, and shows its end. @param {readonly Point[]} path @param {readonly Point[]} moves @param {number} [shown] how many of its moves */
  addLine(path, moves, shown = moves.length) {
    this.change({ tree: withLine(this.history.now.tree, path, moves), path: [...path, ...moves.slice(0, shown)] });
  }

  /** @param {TreeAction} action @param {readonly Point[]} path */
  act(action, path) {
    const { tree, rules } = this.history.now;
    const last = path.at(-1);
    if (action === 'comment') {
      const move = last ? `${path.length}. ${pointName(last, boundsOf(rules.size))}` : '';
      return this.comment.open(path, move, nodeAt(tree, path)?.comment ?? '', () => this.treeView.more.focus());
    }
    if (action === 'make_main') return this.change({ tree: asMainLine(tree, path) });
    const left = without(tree, path);
    this.change({
      tree: left,
      path: this.history.now.path.slice(0, nodesAlong(left, this.history.now.path).length - 1),
    });
    this.app.toast(ta('deleted', { count: countMoves(tree) - countMoves(left) }));
  }

  /** Goes on by other rules, or on another board. @param {Rules} rules */
  async changeRules(rules) {
    const { tree } = this.history.now;
    const next = await underRules(this.history.now, rules, this.end.signal);
    if (this.end.signal.aborted || this.history.now.tree !== tree || !next) return this.update();
    this.change(next);
    const removed = countMoves(tree) - countMoves(next.tree);
    if (removed > 0) this.files.say(ta('rules_removed', { count: removed }), t('undo'), () => this.undo());
  }

  /** @param {boolean} [again] does again what was undone */
  undo(again = false) {
    this.comment.close();
    if (!(again ? this.history.canRedo : this.history.canUndo)) return;
    if (again) this.history.redo();
    else this.history.undo();
    this.app.announce(ta(again ? 'redone' : 'undone'));
    this.files.say('');
    this.changed();
    this.update();
    // A disabled button loses the keyboard.
    if (document.activeElement === document.body) this.board.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select')) return;
    const pressed = event.key.toLowerCase();
    if (pressed !== 'z' && pressed !== 'y') return;
    event.preventDefault();
    this.undo(pressed === 'y' || event.shiftKey);
  }

  /** Goes to the variation before or after the shown one. @param {number} by */
  besides(by) {
    const { tree, path } = this.history.now;
    const all = nodeAt(tree, path.slice(0, -1))?.children ?? [];
    const other =
      path.length > 0 && all[all.findIndex(({ point }) => String(point) === String(path.at(-1))) + by]?.point;
    if (other) this.go([...path.slice(0, -1), other]);
  }

  /** @returns {void} */
  update() {
    const { rules, tree, path } = this.history.now;
    const judged = this.judge.of(rules, path);
    if (judged?.unplayed) {
      this.app.toast(refusalText(judged.unplayed));
      const left = without(tree, path.slice(0, judged.moves.length + 1));
      if (this.history.now === this.unjudged) this.history.retract();
      else this.history.now = { ...this.history.now, tree: left, path: judged.moves };
      return this.update();
    }
    const outcome = judged?.outcome;
    this.analysis.setPosition({ rules, moves: path, over: !judged || !!outcome });
    this.board.show({
      size: rules.size,
      moves: path,
      winning: outcome?.points,
      turn: outcome ? undefined : stoneAt(path.length),
      forbidden: judged?.forbidden,
      ...this.analysis.shown(),
    });
    this.fields.show(rules);
    this.showTree();
    write(
      this.result,
      outcome
        ? outcomeName(outcome, rules)
        : isClosedFive(rules, path)
          ? t('closed_five', { name: stoneName(stoneAt(path.length - 1), rules) })
          : '',
    );
    this.result.hidden = !this.result.textContent;
    this.playOn.hidden = !!outcome;
    const words = positionLink(rules, path);
    this.playOn.href = `/local#${words}`;
    // Only if it differs: this also runs while the player leaves the page.
    if (words !== this.address) window.history.replaceState(window.history.state, '', `${location.pathname}#${words}`);
    this.address = words;
  }

  showTree() {
    const { rules, tree, path, black, white } = this.history.now;
    const isKnown = path.every((point, ply) => String(point) === String(this.line[ply])) && nodeAt(tree, this.line);
    this.line = lineFrom(tree, isKnown ? this.line : path);
    this.review.show(rules, tree, path);
    this.treeView.show(tree, path, rules.size, this.review.remarks());
    this.firstSteps.hidden = countMoves(tree) > 0 || tree.comment !== '';
    this.isSteppingItself = true;
    this.navigation.show(this.line.length);
    this.navigation.go(path.length);
    this.isSteppingItself = false;
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
    write(this.players, black || white ? `${black ?? '?'} – ${white ?? '?'}` : '');
    if (document.activeElement !== this.name) this.name.value = this.kept.name;
    this.name.placeholder = analysisTitle({
      name: this.players.textContent ?? '',
      rules,
      first: lineFrom(tree).slice(0, 6),
      count: countMoves(tree),
    });
  }

  keep() {
    clearTimeout(this.keeping);
    this.comment.commit();
    clearTimeout(this.keeping);
    const { now, past } = this.history;
    const isEmpty =
      this.kept.changed === 0 &&
      this.kept.name === '' &&
      countMoves(now.tree) === 0 &&
      now.tree.comment === '' &&
      past.length === 0;
    if (!this.isChanged || isEmpty) return;
    this.isChanged = false;
    const stored = keepAnalysis({ ...this.kept, now, past });
    if (!stored) return this.files.say(ta('too_large'));
    this.kept = stored;
    this.own.show(this.kept.id);
  }

  share() {
    const { rules, tree, path } = this.history.now;
    if (countMoves(tree) > path.length || nodesAlong(tree, path).some(({ comment: words }) => words)) {
      this.keep();
      return void import('./share-dialog.js').then(
        ({ openShareDialog }) => openShareDialog(this.app, this.history.now),
        this.app.showError,
      );
    }
    this.app.share(`${location.origin}/analyse?${positionQuery(rules, path)}`);
  }

  /** @param {'sgf' | 'psq'} format */
  save(format) {
    void saveTree(format, this.history.now).catch((error) => this.files.say(problemText(error)));
  }
}

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

/**
 * The analysis by other rules, or on another board, with the moves that are legal there. The middle stays the middle.
 * @param {Analysis} analysis @param {Rules} rules @param {AbortSignal} signal
 */
async function underRules({ tree, path, rules: old }, rules, signal) {
  const [from, to] = [old, rules].map(({ size }) =>
    size === 'unbounded' ? [0, 0] : size.map((side) => Math.floor((side - 1) / 2)),
  );
  const by = /** @type {const} */ ([(to?.[0] ?? 0) - (from?.[0] ?? 0), (to?.[1] ?? 0) - (from?.[1] ?? 0)]);
  const moved = movedTree(tree, by, boundsOf(rules.size));
  const next = await playableTree(rules, moved, () => {}, signal).then(
    ({ analysis }) => analysis.tree,
    () => treeOf(moved),
  );
  if (!next) return undefined;
  const shown = path.map(([x, y]) => /** @type {Point} */ ([x + by[0], y + by[1]]));
  return { rules, tree: next, path: shown.slice(0, nodesAlong(next, shown).length - 1) };
}
