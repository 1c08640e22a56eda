// A player's note about a daily game, at the side of the room. Only they see it.

/** @import { Room } from '../client/room-state.js' */

import { el, loadStyle, write } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

await loadStyle('account/account.css').catch(() => {});

/** Longest note, in characters. */
const NOTE_MAX = 1_000;
/** A note is stored when nothing was typed for this time, or the field is left. */
const PAUSE_MS = 3_000;

/** @param {Room} room @param {HTMLElement} side */
export async function addNote({ code }, side) {
  const path = `notes/${code}`;
  /** @type {{ text: string }} */
  let stored = await request('GET', path);
  const line = faultLine();
  const how = el('p', { class: 'hint', role: 'status' }, ty('note_how'));
  const field = el('textarea', {
    rows: 4,
    maxLength: NOTE_MAX,
    value: stored.text,
    'aria-label': ty('note'),
    oninput: () => {
      sent = undefined;
      write(how, ty('note_how'));
      clearTimeout(timer);
      timer = setTimeout(store, PAUSE_MS);
    },
    onchange: () => void store(),
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The text that was sent when the page was left. @type {string | undefined} */
  let sent;
  const over = new AbortController();

  /** @param {string} text */
  async function send(text) {
    await request('PUT', path, { text });
    stored = { text };
    if (field.value === text) write(how, ty('note_stored'));
  }

  function store() {
    clearTimeout(timer);
    const text = field.value;
    if (text === stored.text) return;
    return attempt(line, () => send(text));
  }

  /** A page that is closed or frozen may run no timers, so it sends the text; the timer stays in case that fails. */
  function leave() {
    const text = field.value;
    if (text === stored.text) {
      // The player has long since gone to another view.
      if (!field.isConnected) over.abort();
      return;
    }
    if (text === sent) return;
    sent = text;
    send(text).catch(() => {});
  }

  const { signal } = over;
  addEventListener('pagehide', leave, { signal });
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave(), { signal });
  side.append(
    el(
      'details',
      { class: 'card note', open: !!stored.text },
      el('summary', null, ty('note')),
      el('div', { class: 'account-field' }, field, how, line),
    ),
  );
}
