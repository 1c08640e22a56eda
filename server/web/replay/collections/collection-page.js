// The page of a collection: its games, and for its owner, adding games and changing the collection.

/** @import { Rules } from '../../ui/protocol-types' */
/** @import { App } from '../../ui/view-types' */
/** @import { Collection, NumberedGame } from './collection-requests.js' */

import { faultText } from '../../account/account-requests.js';
import { receiveFiles } from '../../analysis/file-transfer.js';
import { createRulesFields } from '../../analysis/rules-fields.js';
import { RefusedError } from '../../client/refused-error.js';
import { dotted, t } from '../../language/texts.js';
import { playerPath } from '../../players/players-requests.js';
import { openDialog } from '../../ui/dialog.js';
import { button, el, fill, linkButton, write } from '../../ui/dom.js';
import { createSettingsForm } from './collection-form.js';
import { changeCollection, deleteCollection, readCollection } from './collection-requests.js';
import { gameRow } from './game-row.js';
import { addFiles, showImport, stopImport } from './import-panel.js';
import { tc } from './texts.js';

/** If a search finds fewer games, it loads more pages; at most this many at once. */
const FOUND_ENOUGH = 20;
const PAGES_MAX = 20;
/** How long after the last keystroke a search begins. */
const SEARCH_AFTER_MS = 300;

/** @param {App} app @param {HTMLElement} place @param {string} id */
export function createCollectionPage(app, place, id) {
  const page = new CollectionPage(app, place, id);
  void page.begin();
  return () => page.leave();
}

class CollectionPage {
  /** @type {Collection | undefined} */
  #collection;
  /** For games that do not name their rules. @type {Rules} */
  #rules = { variant: 'freestyle', size: [15, 15] };
  #end = new AbortController();
  #turn = 0;
  /** @type {number | undefined} */
  #next;
  #found = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #typing;
  #name = el('bdi');
  #about = el('p', { class: 'hint' });
  #import = el('div');
  #list = el('ol', { class: 'games' });
  #more = button(t('more'), () => void this.#load());
  #search = el('input', {
    type: 'search',
    maxLength: 100,
    placeholder: tc('player'),
    'aria-label': tc('player'),
    oninput: () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => void this.#reload(), SEARCH_AFTER_MS);
    },
  });

  /** @param {App} app @param {HTMLElement} place @param {string} id */
  constructor(app, place, id) {
    this.app = app;
    this.place = place;
    this.id = id;
    app.tab(`${tc('collections')} – Fivefold`);
  }

  async begin() {
    const { app, id, place } = this;
    const { signal } = this.#end;
    try {
      const first = await readCollection(id, '');
      if (signal.aborted) return;
      const isOwn = !first.collection.owner;
      place.append(
        el(
          'div',
          { class: 'page collections' },
          el('div', null, el('h1', null, this.#name), this.#about),
          isOwn && this.#tools(),
          this.#import,
          el('div', { class: 'row games-bar' }, this.#search),
          this.#list,
          this.#more,
        ),
      );
      this.#showCollection(first.collection);
      this.#showGames(first.games, first.next);
      if (!isOwn) return;
      receiveFiles(this.#list, tc('drop'), (sources) => this.#add(sources), signal);
      const back = showImport(app, id, this.#import, () => void this.#reload());
      signal.addEventListener('abort', back);
    } catch (error) {
      if (!signal.aborted) await this.#showFault(error);
    }
  }

  leave() {
    clearTimeout(this.#typing);
    this.#end.abort();
  }

  /** @param {unknown} error */
  async #showFault(error) {
    // If the address has a typo, the refusal has no reason.
    if (!(error instanceof RefusedError) || !/^(no_such_.*|)$/.test(error.refusal.reason))
      return this.app.showError(error);
    const { showNotFound } = await import('../../board/not-found.js');
    if (this.#end.signal.aborted) return;
    const remove = showNotFound(
      this.place,
      tc('no_collection'),
      tc('no_collection_how'),
      linkButton('/collections', tc('collections'), true),
      linkButton('/games', t('your_games')),
    );
    this.#end.signal.addEventListener('abort', remove);
  }

  /** @param {Collection} collection */
  #showCollection(collection) {
    this.#collection = collection;
    const { name, owner, games, shared } = collection;
    this.app.tab(`${name} – Fivefold`);
    write(this.#name, name);
    const count = tc('games', { count: games });
    if (owner) fill(this.#about, `${count} · `, el('a', { href: playerPath(owner) }, el('bdi', null, owner)));
    else write(this.#about, dotted(count, tc(shared ? 'is_shared' : 'is_private')));
    this.#link.hidden = !shared;
    this.#form.show(collection);
  }

  #link = button(tc('copy_link'), () => this.app.copy(`${location.origin}/collection/${this.id}`));
  #form = createSettingsForm(tc('save'), async (name, shared) => {
    await changeCollection(this.id, { name, shared });
    if (this.#collection) this.#showCollection({ ...this.#collection, name, shared });
    this.app.announce(tc('saved'));
  });

  /** What the owner can do. */
  #tools() {
    const file = el('input', {
      type: 'file',
      multiple: true,
      hidden: true,
      accept: '.sgf,.psq,.lib,.txt,.json',
      'aria-label': tc('add'),
      onchange: () => {
        this.#add([...(file.files ?? [])]);
        file.value = '';
      },
    });
    const rules = createRulesFields((chosen) => {
      this.#rules = chosen;
      rules.show(chosen);
    });
    rules.show(this.#rules);
    return el(
      'section',
      { class: 'card tile' },
      el(
        'div',
        { class: 'row' },
        button(tc('add'), () => file.click(), { class: 'primary' }),
        this.#link,
        file,
      ),
      el('p', { class: 'hint' }, tc('add_how')),
      el('details', null, el('summary', null, tc('other_rules')), rules.element),
      el(
        'details',
        null,
        el('summary', null, tc('change')),
        this.#form.element,
        button(tc('delete'), () => this.#askToDelete(), { class: 'danger' }),
      ),
    );
  }

  /** @param {readonly (File | string)[]} sources a string is pasted text */
  #add(sources) {
    const files = sources.map((source) => (typeof source === 'string' ? new File([source], tc('pasted')) : source));
    if (!this.#collection || files.length === 0) return;
    addFiles(this.app, this.#collection, files, this.#rules, (element) => this.#import.append(element));
  }

  #askToDelete() {
    const { name = '', games = 0 } = this.#collection ?? {};
    const line = el('p', { class: 'hint fault', role: 'alert' });
    const sure = button(
      tc('delete'),
      async () => {
        try {
          await deleteCollection(this.id);
          stopImport(this.id);
          dialog.close();
          this.app.go('/collections');
        } catch (error) {
          write(line, faultText(error));
        }
      },
      { class: 'danger' },
    );
    const dialog = openDialog(
      tc('delete'),
      el('p', null, tc('delete_sure', { name, count: games })),
      el(
        'div',
        { class: 'row' },
        sure,
        button(t('cancel'), () => dialog.close()),
      ),
      line,
    );
  }

  /** Loads the games from the first one on. */
  #reload() {
    this.#next = undefined;
    return this.#load(true);
  }

  /** Loads the next page, and more while a search finds too few games. @param {boolean} [again] in place of what is shown */
  async #load(again = false) {
    const { signal } = this.#end;
    this.#turn += 1;
    const turn = this.#turn;
    const player = this.#search.value.trim();
    try {
      let [isFirst, found] = [again, 0];
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const { collection, games, next } = await readCollection(this.id, player, this.#next);
        if (signal.aborted || turn !== this.#turn) return;
        this.#showCollection(collection);
        this.#showGames(games, next, isFirst);
        found += games.length;
        if (!player || found >= FOUND_ENOUGH || next === undefined) return;
        isFirst = false;
      }
    } catch (error) {
      if (!signal.aborted) this.app.showError(error);
    }
  }

  /** @param {readonly NumberedGame[]} games @param {number | undefined} next @param {boolean} [isFirst] */
  #showGames(games, next, isFirst = true) {
    const isOwn = !this.#collection?.owner;
    const rows = games.map((game) =>
      gameRow(
        this.app,
        this.id,
        game,
        isOwn,
        () => this.#collection && this.#showCollection({ ...this.#collection, games: this.#collection.games - 1 }),
        () => void this.#reload(),
      ),
    );
    this.#found = rows.length + (isFirst ? 0 : this.#found);
    this.#next = next;
    this.#more.hidden = next === undefined;
    if (isFirst) fill(this.#list, ...rows);
    else this.#list.append(...rows);
    const none = tc(this.#search.value ? 'no_match' : isOwn ? 'no_games' : 'no_games_here');
    if (this.#found === 0 && next === undefined) fill(this.#list, el('li', { class: 'none' }, none));
  }
}
