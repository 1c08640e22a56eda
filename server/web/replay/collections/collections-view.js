// The player's collections of games, and the page of each.

/** @import { App, View } from '../../ui/view-types' */
/** @import { Collection } from './collection-requests.js' */

import { dotted, formatMoment } from '../../language/texts.js';
import { button, el, fill, loadStyle } from '../../ui/dom.js';
import { createSettingsForm } from './collection-form.js';
import { createCollectionPage } from './collection-page.js';
import { listCollections, makeCollection } from './collection-requests.js';
import { tc } from './texts.js';

await loadStyle('replay/collections/collections.css').catch(() => {});

/** @type {View} */
export const view = (app, place, id) => (id ? createCollectionPage(app, place, id) : createList(app, place));

/** @param {App} app @param {HTMLElement} place */
function createList(app, place) {
  app.tab(`${tc('collections')} – Fivefold`);
  const content = el('div', { class: 'collections' });
  const end = new AbortController();
  let account = false;
  place.append(el('div', { class: 'page' }, el('h1', null, tc('collections')), content));
  // The player may sign in here, and out.
  addEventListener('fivefold-status', show, { signal: end.signal });
  show(true);
  return () => end.abort();

  /** @param {unknown} isFirst */
  function show(isFirst) {
    if (isFirst !== true && account === app.connection.account) return;
    account = app.connection.account;
    if (!account) return fill(content, needsAccount(app));
    const list = el('ul', { class: 'games' });
    const form = createSettingsForm(tc('make'), async (name, shared) => {
      const { id } = await makeCollection(name, shared);
      app.go(`/collection/${id}`);
    });
    fill(content, list, el('section', { class: 'card tile' }, el('h2', null, tc('new')), form.element));
    listCollections().then(
      (all) =>
        end.signal.aborted ||
        fill(list, ...(all.length > 0 ? all.map(row) : [el('li', { class: 'none' }, tc('none'))])),
      app.showError,
    );
  }
}

/** What guests are told. @param {App} app */
function needsAccount(app) {
  return el(
    'section',
    { class: 'card none' },
    el('p', null, tc('account_needed')),
    button(tc('sign_in'), () => app.open('you'), { class: 'primary' }),
  );
}

/** @param {Collection} collection */
function row({ id, name, shared, games, changed_at: changed }) {
  return el(
    'li',
    null,
    el(
      'a',
      { class: 'collection', href: `/collection/${id}` },
      el('b', { dir: 'auto' }, name),
      el(
        'span',
        { class: 'hint' },
        dotted(tc('games', { count: games }), tc(shared ? 'is_shared' : 'is_private'), formatMoment(changed)),
      ),
    ),
  );
}
