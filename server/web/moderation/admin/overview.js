// What the operators' page knows of the server, and how often it asks.

import { request } from '../../ui/http-request.js';

/** How often it asks again while it can be seen. */
const ASK_EVERY_MS = 10_000;

/** @typedef {{ accounts: number, programs: number, guests: number, sessions: number }} Online */
/** Counted since the start. @typedef {{ done: number, refused: number, http: number }} Totals */
/** @typedef {{ node: number, name?: string, version: string, commit: string, started_at: number, paused: boolean, rooms: number, games: number, online: Online, totals: Totals }} Node */
/** @typedef {{ member: string, name: string, kind: 'account' | 'program' | 'guest', sessions: number }} Person */
/** @typedef {{ at: number, operator: string, kind: string, about: string, reason?: string }} Act */
/** @typedef {{ at: number, member: string, name: string, kind: string, until?: number, reason: string, operator: string, undone_at?: number, undone_by?: string }} Decision */
/** @typedef {{ now: number, readiness: string, disk?: { used: number, free: number, reserve: number }, backups?: { age: number, every: number, is_old: boolean }, nodes: Node[], unanswered: number[], settings?: string[], announcement?: { text: string, until: number, by: string }, people: Person[], running: import('../../ui/protocol-types').RoomSummary[], acts: Act[], decisions: Decision[] }} Overview */

/** Asks the server. @returns {Promise<Overview>} */
export const askOverview = () => request('GET', 'admin');

/** Calls `load` again and again while the page can be seen. Returns a function that ends it. @param {() => void} load */
export function askAgain(load) {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') load();
  }, ASK_EVERY_MS);
  return () => clearInterval(timer);
}
