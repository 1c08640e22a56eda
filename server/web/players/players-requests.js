// What the server says of players, over HTTP.

/** @import { Leaders, Profile, RatingHistory } from '../ui/protocol-types' */

import { refusedAnswer } from '../language/refusals.js';
import { PUZZLES } from './rating-text.js';

/** @param {string} path */
async function read(path) {
  const answer = await fetch(`/api/${path}`);
  if (!answer.ok) throw await refusedAnswer(answer);
  return answer.json();
}

/** The address of a player's page. @param {string} name */
export function playerPath(name) {
  return `/player/${encodeURIComponent(name)}`;
}

/** @param {string} name @returns {Promise<Profile>} */
export function fetchProfile(name) {
  return read(`player/${encodeURIComponent(name)}`);
}

/** @param {string} name @param {string} pool @returns {Promise<Pick<RatingHistory, 'points'>>} */
export function fetchHistory(name, pool) {
  if (pool === PUZZLES) return read(`player/${encodeURIComponent(name)}/puzzles`);
  return read(`player/${encodeURIComponent(name)}/history?${new URLSearchParams({ pool })}`);
}

/** @param {string} pool @returns {Promise<Leaders>} */
export function fetchLeaders(pool) {
  return read(`leaderboard?${new URLSearchParams({ pool })}`);
}
