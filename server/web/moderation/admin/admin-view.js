// The operators' page about the server at /admin: how it is, who is online, what operators did, and what they can do.
// Behind a sign in the address there may be the token that makes the first operator.

/** @import { View } from '../../ui/view-types' */
/** @import { Overview } from './overview.js' */

import { el, fill, write } from '../../ui/dom.js';
import { request } from '../../ui/http-request.js';
import { isForOperators, showOperatorsOnly } from '../operators-only.js';
import { faultText } from '../texts.js';
import { announceForm, closeForm, pauseButtons } from './acts.js';
import { showFirstOperator } from './first-operator.js';
import { actList, decisionList, peopleList, runningList } from './lists.js';
import { askAgain, askOverview } from './overview.js';
import { nodeFacts, serverFacts } from './server-facts.js';
import { settingsPart } from './server-settings.js';
import { ta } from './texts.js';

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
  let endAsking = () => {};

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
      overview = await askOverview();
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
    endAsking();
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
  endAsking = askAgain(() => {
    // What somebody reads or types in a list is not taken away.
    if (!lists.contains(document.activeElement)) void load();
  });
  void load();
  return () => {
    endAsking();
    removeBoard();
  };
};
