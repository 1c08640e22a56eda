// TV on the page: the best public game that is running, and the ways to its room and to a board for other sites.

/** @import { View } from '../ui/view-types' */

import { button, el, loadStyle } from '../ui/dom.js';
import { te } from './texts.js';
import { createTv } from './tv.js';

/** @type {View} */
export const view = (app, place) => {
  const stage = el('div', { class: 'tv-stage' });
  const room = el('a', { class: 'button primary', hidden: true }, te('open_room'));
  const embed = async () => {
    const { openEmbedDialog } = await import('./embed-dialog.js');
    openEmbedDialog('tv');
  };
  app.tab('TV – Fivefold');
  place.append(el('div', { class: 'tv' }, stage, el('div', { class: 'row' }, room, button(te('embed'), embed))));
  /** @type {ReturnType<typeof createTv> | undefined} */
  let tv;
  let left = false;
  // The board reads its size from its place.
  void loadStyle('embed/watched-game.css').then(() => {
    if (left) return;
    tv = createTv(app.connection, stage, {
      announce: app.announce,
      shows(code) {
        room.hidden = false;
        room.href = `/r/${code}`;
      },
    });
  }, app.showError);
  return () => {
    left = true;
    tv?.remove();
  };
};
