// What the server says of players, over HTTP.

/** @import { Leaders, Profile, RatingHistory } from '../ui/protocol-types' */

import { request } from '../ui/http-request.js';
import { PUZZLES } from './rating-text.js';

/** The address of a player's page. @param {string} name */
export function playerPath(name) {
  return `/player/${encodeURIComponent(name)}`;
}

/** @param {string} name @returns {Promise<Profile>} */
export function fetchProfile(name) {
  return request('GET', `player/${encodeURIComponent(name)}`);
}

/** @param {string} name @param {string} pool @returns {Promise<Pick<RatingHistory, 'points'>>} */
export function fetchHistory(name, pool) {
  if (pool === PUZZLES) return request('GET', `player/${encodeURIComponent(name)}/puzzles`);
  return request('GET', `player/${encodeURIComponent(name)}/history?${new URLSearchParams({ pool })}`);
}

/** @param {string} pool @returns {Promise<Leaders>} */
export function fetchLeaders(pool) {
  return request('GET', `leaderboard?${new URLSearchParams({ pool })}`);
}
