// The operators' page about the server at /admin: how it is, who is online, what operators did, and what they can do.
// Behind a sign in the address there may be the token that makes the first operator.

/** @import { View } from '../../ui/view-types' */

import { el, fill, write } from '../../ui/dom.js';
import { request } from '../../ui/http-request.js';
import { isForOperators, showOperatorsOnly } from '../operators-only.js';
import { faultText } from '../texts.js';
import { announceForm, closeForm, pauseButtons } from './acts.js';
import { showFirstOperator } from './first-operator.js';
import { actList, decisionList, peopleList, runningList } from './lists.js';
import { nodeFacts, serverFacts } from './server-facts.js';
import { settingsPart } from './server-settings.js';
import { ta } from './texts.js';

/** How often the page asks again while it can be seen. */
const ASK_EVERY_MS = 10_000;

/** @typedef {{ accounts: number, programs: number, guests: number, sessions: number }} Online */
/** Counted since the start. @typedef {{ done: number, refused: number, http: number }} Totals */
/** @typedef {{ node: number, name?: string, version: string, commit: string, started_at: number, paused: boolean, rooms: number, games: number, online: Online, totals: Totals }} Node */
/** @typedef {{ member: string, name: string, kind: 'account' | 'program' | 'guest', sessions: number }} Person */
/** @typedef {{ at: number, operator: string, kind: string, about: string, reason?: string }} Act */
/** @typedef {{ at: number, member: string, name: string, kind: string, until?: number, reason: string, operator: string, undone_at?: number, undone_by?: string }} Decision */
/** @typedef {{ now: number, readiness: string, disk?: { used: number, free: number, reserve: number }, backups?: { age: number, every: number, is_old: boolean }, nodes: Node[], unanswered: number[], settings?: string[], announcement?: { text: string, until: number, by: string }, people: Person[], running: import('../../ui/protocol-types').RoomSummary[], acts: Act[], decisions: Decision[] }} Overview */
/** Does something, shows the server again, and returns the answer; throws if it is refused. @typedef {(path: string, body: object) => Promise<any>} Do */

/** @type {View} */
export const view = (app, place) => {
  const token = location.hash.slice(1);
  if (token) {
    return showFirstOperator(app, place, token, () => {
      history.replaceState(null, '', '/admin');
      app.go('/admin');
    });
  }
  app.tab(`${ta('server')} – Fivefold`);
  const line = el('p', { class: 'hint', role: 'status' });
  const facts = el('section', null);
  const nodes = el('section', null);
  const lists = el('section', null);
  /** The answer before, for what happened in between. @type {Overview | undefined} */
  let before;
  let removeBoard = () => {};
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  /** @type {Do} */
  const act = async (path, body) => {
    const answer = await request('POST', `admin/${path}`, body);
    await load();
    return answer;
  };
  const announce = announceForm(act);
  const close = closeForm(act);
  const pause = pauseButtons(act);
  const settings = settingsPart(act);

  async function load() {
    /** @type {Overview} */
    let overview;
    try {
      overview = await request('GET', 'admin');
    } catch (error) {
      write(line, faultText(error));
      if (isForOperators(error)) shut();
      return;
    }
    write(line, '');
    fill(facts, el('h2', null, ta('state')), serverFacts(overview));
    fill(nodes, ...overview.nodes.flatMap((node) => nodeFacts(node, overview, before)));
    for (const part of [pause, settings]) part.show(overview);
    announce.show(overview.announcement);
    // A list that is open stays open.
    const open = [...lists.querySelectorAll('details')].map((one) => one.open);
    const filled = [
      peopleList(app, overview.people),
      runningList(overview.running, close.choose),
      actList(overview.acts),
      decisionList(overview.decisions),
    ];
    filled.forEach((one, index) => {
      one.open = open[index] ?? false;
    });
    fill(lists, ...filled);
    before = overview;
  }

  /** The page is nobody else's. */
  function shut() {
    clearInterval(timer);
    removeBoard = showOperatorsOnly(app, place);
  }

  fill(
    place,
    el('h1', null, ta('server')),
    line,
    el(
      'div',
      { class: 'admin' },
      facts,
      nodes,
      pause.section,
      announce.section,
      close.section,
      settings.section,
      lists,
    ),
    el('p', null, el('a', { href: '/moderation' }, ta('queue'))),
  );
  timer = setInterval(() => {
    // What somebody reads or types in a list is not taken away.
    if (document.visibilityState === 'visible' && !lists.contains(document.activeElement)) void load();
  }, ASK_EVERY_MS);
  void load();
  return () => {
    clearInterval(timer);
    removeBoard();
  };
};
