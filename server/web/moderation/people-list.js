// What the dialog “You” shows of other people: those that the player has blocked or muted, and what became of
// the player's reports.

/** @import { App } from '../ui/view-types' */
/** @import { Entry, OwnReport } from './requests.js' */

import { dotted, formatDate } from '../language/texts.js';
import { button, el, fill, loadStyle, write } from '../ui/dom.js';
import { ask, listed, setListed } from './requests.js';
import { faultText, tm } from './texts.js';

await loadStyle('moderation/moderation.css').catch(() => {});

/** Fills an unfolded part of the dialog. @param {App} app @param {HTMLElement} place */
export async function showPeople(app, place) {
  const line = el('p', { class: 'hint', role: 'status' });
  const list = el('ol', { class: 'people-list' });
  const made = el('ol', { class: 'people-list' });
  const madeTitle = el('h4', null, tm('own_reports'));
  fill(place, list, line, madeTitle, made);
  try {
    const [entries, { reports }] = await Promise.all([listed(app), ask(app, 'GET', 'reports')]);
    showEntries(entries);
    madeTitle.hidden = reports.length === 0;
    fill(made, ...reports.map(reportRow));
  } catch (error) {
    madeTitle.hidden = true;
    write(line, faultText(error));
  }

  /** @param {Entry[]} entries */
  function showEntries(entries) {
    write(line, entries.length > 0 ? '' : tm('nobody_listed'));
    fill(
      list,
      ...entries.map((entry) =>
        el(
          'li',
          null,
          el(
            'div',
            null,
            el('bdi', null, entry.name),
            el('span', { class: 'hint' }, tm(entry.kind === 'block' ? 'is_blocked' : 'is_muted')),
          ),
          button(tm('remove'), () => void remove(entry, entries), {
            'aria-label': tm('remove_person', { name: entry.name }),
          }),
        ),
      ),
    );
  }

  /** @param {Entry} entry @param {Entry[]} entries */
  async function remove(entry, entries) {
    try {
      await setListed(app, entry, null);
      showEntries(entries.filter((one) => one !== entry));
    } catch (error) {
      write(line, faultText(error));
    }
  }
}

/** @param {OwnReport} report */
function reportRow({ name, kind, at, state }) {
  return el(
    'li',
    null,
    el(
      'div',
      null,
      el('bdi', null, name),
      el(
        'span',
        { class: 'hint' },
        dotted(tm(/** @type {'kind_chat'} */ (`kind_${kind}`)), formatDate(at, { dateStyle: 'medium' })),
      ),
    ),
    el('span', { class: 'chip' }, tm(`state_${state}`)),
  );
}
