// What a player can do about another person: mute, block or report them.

/** @import { App, PersonContext } from '../ui/view-types' */

import { button, el, fill, loadStyle, write } from '../ui/dom.js';
import { reportForm } from './report-form.js';
import { listed, setListed } from './requests.js';
import { faultText, tm } from './texts.js';

/** The style is there before the words, so that nothing moves. */
await loadStyle('moderation/moderation.css').catch(() => {});

/**
 * @param {App} app
 * @param {{ member: string, name: string }} person
 * @param {PersonContext} context
 * @param {() => void} close closes the dialog
 */
export function personActions(app, person, context, close) {
  const { name } = person;
  const line = el('p', { class: 'hint', role: 'status' });
  const row = el('div', { class: 'row' });
  const element = el('section', { class: 'about-person' }, row, line);
  /** Unknown until the list comes or the player chooses. @type {'block' | 'mute' | null | undefined} */
  let kind;

  /** @param {'block' | 'mute'} which @param {'block' | 'mute' | 'unblock' | 'unmute'} word */
  const choice = (which, word) => button(tm(word), () => void set(kind === which ? null : which));

  /** @param {'block' | 'mute' | null} wanted */
  async function set(wanted) {
    try {
      await setListed(app, person, wanted);
      kind = wanted;
      show();
      write(line, tm(wanted === 'block' ? 'blocked' : wanted === 'mute' ? 'muted' : 'unlisted', { name }));
    } catch (error) {
      write(line, faultText(error));
    }
  }

  function show() {
    fill(
      row,
      choice('mute', kind === 'mute' ? 'unmute' : 'mute'),
      choice('block', kind === 'block' ? 'unblock' : 'block'),
      button(tm('report'), report),
    );
    write(line, tm(kind === 'block' ? 'blocked' : kind === 'mute' ? 'muted' : 'listed_how', { name }));
  }

  function report() {
    const form = reportForm(app, person, context, close);
    fill(element, form);
    form.querySelector('select')?.focus();
  }

  show();
  listed(app).then(
    (entries) => {
      // What the player has chosen is newer than a list that comes later.
      if (kind !== undefined) return;
      kind = entries.find(({ member }) => member === person.member)?.kind ?? null;
      if (row.isConnected) show();
    },
    (error) => kind === undefined && write(line, faultText(error)),
  );
  return element;
}
