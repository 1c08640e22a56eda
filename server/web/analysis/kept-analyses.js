// The player's own analyses, which the browser keeps: each with what can be undone, and none in place of another.
// The kept data may be damaged, and another tab may change it, so it is checked when it is read.

/** @import { Outcome, Point, Review, Rules, Stone } from '../ui/protocol-types' */
/** @import { MoveNode } from './move-tree.js' */

import { siteStorage, tabStorage } from '../browser/browser-storage.js';
import { packTree } from '../engine/packed-tree.js';
import { countMoves, EMPTY, isPoint, nodeAt, nodesAlong, packed, treeOf, withLine } from './move-tree.js';
import { positionLink, rulesOf } from './position-link.js';

/** A state of an analysis: a tree by some rules, the path that is shown, and the names of the players.
 * @typedef {{ rules: Rules, tree: MoveNode, path: readonly Point[], black?: string, white?: string }} Analysis */
/** What the engine found out about a line of a tree.
 * @typedef {{ rules: Rules, line: readonly Point[], review: Review, outcome?: { reason: Outcome['reason'], winner?: Stone | null } }} LineReview */
/** An analysis as it is kept. `changed` is when; 0 if it is not kept yet. `name` is the player's, or empty; `game` the
 * finished game that it began with, if any.
 * @typedef {{ id: string, name: string, game: string, changed: number, review?: LineReview, now: Analysis, past: readonly Analysis[] }} KeptAnalysis */
/** @typedef {{ id: string, name: string, changed: number, rules: Rules, first: readonly Point[], count: number }} ListedAnalysis */

/** The names of the analyses, the newest first, and below each name the analysis. */
const LIST_KEY = 'fivefold.analyses';
/** The one analysis of earlier versions. */
const OLD_KEY = 'fivefold.analysis';
/** The one that this tab shows. */
const OPEN_KEY = 'fivefold.analysis_shown';
const ID = /^[0-9a-z]{1,16}$/;
/** The longest name that is kept. */
const NAME_MAX = 100;
/** The length of what can be undone, in characters. */
const PAST_MAX = 60_000;
/** Moves that a list shows of an analysis without a name. */
const FIRST_MOVES = 6;
/** The longest analysis that is kept, in characters: browsers have room for little more. */
const LENGTH_MAX = 1_500_000;
/** Coordinates below are one digit. */
const DIGITS = 36;

/** @type {Analysis} */
const NEW_ANALYSIS = { rules: { variant: 'freestyle', size: [15, 15] }, tree: EMPTY, path: [] };

/** @param {string} id */
const keyOf = (id) => `${LIST_KEY}.${id}`;

/** An analysis that is not kept until it is changed. @param {Analysis} [now] @param {Partial<KeptAnalysis>} [more] @returns {KeptAnalysis} */
export function newAnalysis(now = NEW_ANALYSIS, more = {}) {
  const id = [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(DIGITS)).join('');
  return { id, name: '', game: '', changed: 0, now, past: [], ...more };
}

/** The one that this tab has shown, or the newest. @returns {KeptAnalysis} */
export function lastAnalysis() {
  const id = tabStorage.getItem(OPEN_KEY);
  return (id ? (readAnalysis(id) ?? newAnalysis()) : readAnalysis(ids()[0] ?? '')) ?? newAnalysis();
}

/** Notes which one this tab shows. @param {string} id */
export function noteOpen(id) {
  tabStorage.setItem(OPEN_KEY, id);
}

/**
 * Keeps an analysis before all others. What another tab has made of it stays, under another name.
 * @param {KeptAnalysis} analysis @returns {KeptAnalysis | undefined} as it is kept; nothing if it is too large for that
 */
export function keepAnalysis(analysis) {
  const known = read(keyOf(analysis.id));
  const isOurs = analysis.changed === 0 || !known || known.changed === analysis.changed;
  const { id } = isOurs ? analysis : newAnalysis();
  const kept = { ...analysis, id, changed: Math.max(Date.now(), analysis.changed + 1) };
  const { past, now, ...about } = kept;
  // Each move is two letters or more.
  if (2 * countMoves(now.tree) > LENGTH_MAX || packState(now).tree.length > LENGTH_MAX) return undefined;
  const states = [];
  let length = 0;
  for (const state of [...past].reverse()) {
    const text = packState(state);
    length += text.tree.length + text.comments.reduce((sum, [, comment]) => sum + comment.length, 0) + DIGITS;
    if (length > PAST_MAX) break;
    states.unshift(text);
  }
  const shorter = { ...about, now: packState(now) };
  siteStorage.setItem(keyOf(id), JSON.stringify({ ...shorter, past: states }), JSON.stringify(shorter));
  list([id, ...ids().filter((other) => other !== id)]);
  noteOpen(id);
  return kept;
}

/** @param {string} id @returns {KeptAnalysis | undefined} */
export function readAnalysis(id) {
  const { name, game, changed, review, now, past } = read(keyOf(id)) ?? {};
  const state = stateOf(now);
  if (!state) return undefined;
  return {
    id,
    name: nameOf(name) ?? '',
    game: nameOf(game) ?? '',
    changed: Number(changed) || 1,
    review: reviewOf(review),
    now: state,
    past: Array.isArray(past) ? past.flatMap((one) => stateOf(one) ?? []) : [],
  };
}

/** The newest first. @returns {ListedAnalysis[]} */
export function listAnalyses() {
  return ids().flatMap((id) => {
    const { name, changed, now } = read(keyOf(id)) ?? {};
    const { tree, rules, black, white } = Object(now);
    if (typeof tree !== 'string') return [];
    const begin = [...pointsOf(tree.slice(0, 16 * FIRST_MOVES))].slice(0, FIRST_MOVES);
    const end = begin.findIndex(({ parent }, at) => parent !== at - 1);
    const first = begin.slice(0, end < 0 ? FIRST_MOVES : end).map(({ point }) => point);
    const players = black || white ? `${nameOf(black) ?? '?'} – ${nameOf(white) ?? '?'}` : '';
    const count = tree.includes('<') ? tree.split('<').length - 1 : tree.replaceAll(')', '').length / 2;
    return [
      { id, name: nameOf(name) || players, changed: Number(changed) || 0, rules: rulesFrom(rules), first, count },
    ];
  });
}

/** Deletes an analysis; the answer brings it back. @param {string} id */
export function deleteAnalysis(id) {
  const [text, before] = [siteStorage.getItem(keyOf(id)), ids()];
  siteStorage.removeItem(keyOf(id));
  list(before.filter((other) => other !== id));
  return () => {
    if (text) siteStorage.setItem(keyOf(id), text);
    list([...ids().slice(0, before.indexOf(id)), id, ...ids().slice(before.indexOf(id))]);
  };
}

/** A kept analysis with nothing but this. @param {Analysis} now */
export function sameAnalysis(now) {
  const wanted = JSON.stringify({ ...packState(now), path: 0 });
  const id = ids().find((one) => JSON.stringify({ ...read(keyOf(one))?.now, path: 0 }) === wanted);
  return id && readAnalysis(id);
}

/**
 * The analysis of a finished game: the one that it has, or a new one.
 * @param {{ id: string, rules: Rules, moves: readonly Point[], black?: string, white?: string }} game
 * @param {LineReview} [review]
 * @returns {string} the address of its end
 */
export function analysisOfGame({ id, rules, moves, black, white }, review) {
  const known = ids()
    .map(readAnalysis)
    .find((one) => one?.game === id);
  const whole = known && JSON.stringify(known.now.rules) === JSON.stringify(rules) && nodeAt(known.now.tree, moves);
  const analysis = whole
    ? known
    : newAnalysis({ rules, tree: withLine(EMPTY, [], moves), path: moves, black, white }, { game: id });
  keepAnalysis({ ...analysis, review: review ?? analysis.review, now: { ...analysis.now, path: moves } });
  return `/analyse#${positionLink(rules, moves)}`;
}

/** The texts of trees. @type {WeakMap<MoveNode, { tree: string, comments: readonly (readonly [number, string])[] }>} */
const texts = new WeakMap();

/** A state for JSON. @param {Analysis} state */
export function packState({ tree, ...rest }) {
  let text = texts.get(tree);
  if (!text) {
    const { parents, points, comments } = packed(tree);
    text = { tree: treeText(parents, points), comments };
    texts.set(tree, text);
  }
  return { ...rest, ...text };
}

/** @param {unknown} state @returns {Analysis | undefined} nothing if it is none */
export function stateOf(state) {
  const { rules, path, black, white, tree: text, comments } = Object(state);
  if (typeof text !== 'string' || !Array.isArray(path) || !path.every(isPoint)) return undefined;
  const noted = Array.isArray(comments) ? comments.filter((one) => Array.isArray(one) && Number.isInteger(one[0])) : [];
  const [parents, points] = [[], []].map(() => /** @type {number[]} */ ([]));
  for (const { point, parent } of pointsOf(text)) {
    parents?.push(parent);
    points?.push(...point);
  }
  const tree = treeOf({
    parents: Int32Array.from(parents ?? []),
    points: Int32Array.from(points ?? []),
    comments: noted,
  });
  return tree && stateWith(tree, { rules, path, black, white });
}

/** @param {MoveNode} tree @param {{ rules: unknown, path: readonly Point[], black: unknown, white: unknown }} state @returns {Analysis} */
function stateWith(tree, { rules, path, black, white }) {
  return {
    rules: rulesFrom(rules),
    tree,
    path: path.slice(0, nodesAlong(tree, path).length - 1),
    black: nameOf(black),
    white: nameOf(white),
  };
}

/** A tree as text: each move by two digits, or in `<>`; a bracket goes back from a move. @param {Int32Array} parents @param {Int32Array} points */
function treeText(parents, points) {
  /** The place of each node on the way to the last one. */
  const depths = new Int32Array(parents.length);
  const parts = [];
  for (const [at, parent] of parents.entries()) {
    const depth = parent === -1 ? 0 : (depths[parent] ?? 0) + 1;
    const back = at === 0 ? 0 : (depths[at - 1] ?? 0) + 1 - depth;
    depths[at] = depth;
    const [x = 0, y = 0] = [points[2 * at], points[2 * at + 1]];
    const short = Math.min(x, y) >= 0 && Math.max(x, y) < DIGITS;
    parts.push(')'.repeat(back), short ? x.toString(DIGITS) + y.toString(DIGITS) : `<${x},${y}>`);
  }
  return parts.join('');
}

/** The moves of such a text, as far as it is one. @param {string} text @returns {Generator<{ point: Point, parent: number }>} */
function* pointsOf(text) {
  /** The places of the moves on the way to the last one. @type {number[]} */
  const way = [];
  let at = 0;
  for (const [found, x, y] of text.matchAll(/\)|[0-9a-z]{2}|<(-?\d{1,7}),(-?\d{1,7})>/g)) {
    if (found === ')') {
      way.pop();
      continue;
    }
    const digit = (/** @type {number} */ place) => Number.parseInt(found.charAt(place), DIGITS);
    yield { point: x ? [Number(x), Number(y)] : [digit(0), digit(1)], parent: way.at(-1) ?? -1 };
    way.push(at);
    at += 1;
  }
}

/** @returns {readonly string[]} */
function ids() {
  takeOld();
  const kept = read(LIST_KEY);
  return Array.isArray(kept) ? [...new Set(kept.filter((id) => typeof id === 'string' && ID.test(id)))] : [];
}

/** @param {readonly string[]} all */
function list(all) {
  siteStorage.setItem(LIST_KEY, JSON.stringify(all));
}

/** Takes over what earlier versions kept: the states of one analysis, with their moves in lists. */
function takeOld() {
  const old = read(OLD_KEY);
  if (!old) return;
  siteStorage.removeItem(OLD_KEY);
  const states = Array.isArray(old)
    ? old.flatMap((one) => {
        try {
          const { path, comment, nodes, ...rest } = one;
          const tree =
            Array.isArray(nodes) &&
            Array.isArray(path) &&
            path.every(isPoint) &&
            nodes.every(({ point }) => isPoint(point)) &&
            treeOf(packTree({ ...rest, comment, nodes }));
          return tree ? [stateWith(tree, { ...rest, path })] : [];
        } catch {
          return [];
        }
      })
    : [];
  const now = states.pop();
  if (now) keepAnalysis(newAnalysis(now, { past: states }));
}

/** @param {string} key @returns {any} nothing if it is damaged */
function read(key) {
  try {
    return JSON.parse(siteStorage.getItem(key) ?? 'null');
  } catch {
    return undefined;
  }
}

/** @param {unknown} rules */
function rulesFrom(rules) {
  const { variant, size, k } = Object(rules);
  return rulesOf(String(variant), String(size), Number(k));
}

/** @param {unknown} text */
function nameOf(text) {
  return typeof text === 'string' ? text.slice(0, NAME_MAX) : undefined;
}

/** @param {unknown} kept @returns {LineReview | undefined} */
function reviewOf(kept) {
  const { rules, line, review, outcome } = Object(kept);
  const moves = Object(review).moves;
  const isWhole =
    Array.isArray(line) &&
    line.every(isPoint) &&
    Array.isArray(moves) &&
    moves.every(
      (move) =>
        typeof move?.value === 'object' &&
        typeof move.loss === 'number' &&
        Array.isArray(move.line) &&
        move.line.every(isPoint),
    );
  return isWhole ? { rules: rulesFrom(rules), line, review, outcome } : undefined;
}
