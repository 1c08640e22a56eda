// Shows what an operator tells everybody, in a strip below the bar: until it ends, is taken back, or is put away in
// this tab.

/** @import { AnnouncementNews } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { tabStorage } from '../browser/browser-storage.js';
import { t } from '../language/texts.js';
import { button, el } from '../ui/dom.js';

/** Keeps the announcement that was put away. */
const READ_KEY = 'fivefold.announcement';
/** One that holds is shown for so long at least, even if the clock of this device is wrong. */
const SHOWN_MS_MIN = 60_000;

/** @type {HTMLElement | undefined} */
let strip;
/** The announcement that is shown. */
let shown = '';
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function hide() {
  clearTimeout(timer);
  strip?.remove();
  strip = undefined;
  shown = '';
}

/** @param {App} app @param {AnnouncementNews} news */
export function showAnnouncement(app, { text, until }) {
  const key = text ? `${until} ${text}` : '';
  // The server repeats it after each new connection.
  if (key && key === shown) return;
  hide();
  if (!text || tabStorage.getItem(READ_KEY) === key) return;
  shown = key;
  const read = button(t('understood'), () => {
    tabStorage.setItem(READ_KEY, key);
    hide();
  });
  strip = el('aside', { class: 'strip' }, el('span', null, el('bdi', null, text)), read);
  app.bar.after(strip);
  app.announce(text);
  timer = setTimeout(hide, Math.max((until ?? 0) - app.connection.now(), SHOWN_MS_MIN));
}
