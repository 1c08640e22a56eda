// Shows the running import, and then its report: on the page of its collection, or below the bar of any other view.

/** @import { Rules } from '../../ui/protocol-types' */
/** @import { App } from '../../ui/view-types' */
/** @import { Collection } from './collection-requests.js' */

import { dotted, formatPercent, t } from '../../language/texts.js';
import { button, el, fill, write } from '../../ui/dom.js';
import { GameImport } from './game-import.js';
import { tc } from './texts.js';
import { faultList, remarkList } from './unread-games.js';

/** After how much more of an import, from 0 to 1, screen readers are told about it. */
const TOLD_EACH = 0.25;

/** The import that runs, or the last one until its report is closed. @type {GameImport | undefined} */
let current;
/** @type {ReturnType<typeof createPanel> | undefined} */
let panel;
/** Called when an import has ended. @type {(() => void) | undefined} */
let onend;

/**
 * Adds files with games to a collection. If others are being added to it, these wait for their turn.
 * @param {App} app @param {Collection} collection @param {readonly File[]} files @param {Rules} rules of games that name none
 * @param {(element: Element) => void} put puts what shows it into the page
 */
export function addFiles(app, collection, files, rules, put) {
  if (current && !current.isOver) {
    if (current.collection.id === collection.id) current.add(files);
    else app.toast(tc('import_first', { name: current.collection.name }));
    return;
  }
  const mine = new GameImport(collection, files, rules, () => shown.update());
  const shown = createPanel(app, mine);
  put(shown.element);
  closeReport();
  current = mine;
  panel = shown;
  app.announce(tc('import_begins'));
  addEventListener('beforeunload', warn);
  void mine.run().then(() => {
    removeEventListener('beforeunload', warn);
    shown.report();
    onend?.();
  });
}

/**
 * Shows the import of a collection at a place of its page, if there is one. The answer puts it below the bar again.
 * @param {App} app @param {string} id @param {Element} place @param {() => void} ended called when an import has ended
 */
export function showImport(app, id, place, ended) {
  if (panel && current?.collection.id === id) place.append(panel.element);
  onend = ended;
  return () => {
    onend = undefined;
    if (panel && place.contains(panel.element)) app.bar.after(panel.element);
  };
}

/** A collection that is deleted takes no more games. @param {string} id */
export function stopImport(id) {
  if (current?.collection.id !== id) return;
  current.stop();
  closeReport();
}

function closeReport() {
  panel?.element.remove();
  panel = undefined;
  current = undefined;
}

/** Asks before the tab is closed. @param {BeforeUnloadEvent} event */
function warn(event) {
  event.preventDefault();
  // Older browsers only ask if this is set.
  event.returnValue = true;
}

/** @param {App} app @param {GameImport} work */
function createPanel(app, work) {
  const { id, name } = work.collection;
  const title = el('strong');
  const about = el('span', { class: 'hint' });
  const bar = el('progress', { max: 1, 'aria-label': tc('import_of', { name }) });
  const stop = button(tc('stop'), () => work.stop());
  const close = button(t('close'), closeReport, { hidden: true });
  const report = el('div', { class: 'import-report', hidden: true });
  let told = 0;

  function update() {
    const { state, done, file } = work;
    write(title, tc('import_of', { name }));
    write(
      about,
      dotted(
        formatPercent(Math.floor(done * 100) / 100),
        tc('added', { count: work.added }),
        state === 'running' ? file : state === 'offline' ? tc('waits_network') : state === 'busy' && tc('waits_server'),
      ),
    );
    bar.value = done;
    if (work.isOver || done < told + TOLD_EACH) return;
    told = done;
    app.announce(about.textContent ?? '');
  }

  function showReport() {
    const { state, why, added, duplicates, faultCount } = work;
    const ended = tc(state === 'done' ? 'import_done' : state === 'stopped' ? 'import_stopped' : 'import_failed', {
      name,
    });
    write(title, ended);
    write(about, dotted(why, tc('added', { count: added }), faultCount > 0 && tc('faults', { count: faultCount })));
    bar.hidden = true;
    stop.hidden = true;
    close.hidden = false;
    report.hidden = false;
    fill(
      report,
      duplicates > 0 && el('p', null, tc('duplicates', { count: duplicates })),
      state !== 'done' && againLine(),
      faultCount > 0 && faultList(work),
      work.remarks.length > 0 && remarkList(work.remarks),
    );
    app.announce(dotted(ended, about.textContent));
    if (document.visibilityState === 'hidden') app.notify(ended, `/collection/${id}`);
  }

  function againLine() {
    const again = button(tc('again'), () =>
      addFiles(app, work.collection, work.files, work.rules, (next) => element.before(next)),
    );
    return el('p', { class: 'row' }, el('span', { class: 'grow' }, tc('again_how')), again);
  }

  const element = el(
    'section',
    { class: 'card import', 'aria-label': tc('import') },
    el(
      'div',
      { class: 'row' },
      el('p', { class: 'grow' }, title, about),
      el('a', { class: 'button import-link', href: `/collection/${id}` }, tc('show')),
      stop,
      close,
    ),
    bar,
    report,
  );
  update();
  return { element, update, report: showReport };
}
