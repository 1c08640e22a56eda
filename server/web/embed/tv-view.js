// TV on the page: the best public game that is running, and the ways to its room and to a board for other sites.

/** @import { View } from '../ui/view-types' */

import { t } from '../language/texts.js';
import { el, loadStyle } from '../ui/dom.js';
import { embedButton } from '../ui/embed/embed-button.js';
import { tv } from './texts.js';
import { createTv } from './tv.js';

/** @type {View} */
export const view = (app, place) => {
  const stage = el('div', { class: 'tv-stage' });
  const room = el('a', { class: 'button primary', hidden: true }, tv('open_room'));
  app.tab(`${t('tv')} – Fivefold`);
  place.append(
    el('h1', { class: 'spoken' }, t('tv')),
    el(
      'div',
      { class: 'tv' },
      stage,
      el(
        'div',
        { class: 'row' },
        room,
        embedButton(() => 'tv'),
      ),
    ),
  );
  /** @type {ReturnType<typeof createTv> | undefined} */
  let shown;
  let left = false;
  // The board reads its size from its place.
  void loadStyle('embed/watched-game.css').then(() => {
    if (left) return;
    shown = createTv(app.connection, stage, {
      announce: app.announce,
      shows(code) {
        room.hidden = false;
        room.href = `/r/${code}`;
      },
    });
  }, app.showError);
  return () => {
    left = true;
    shown?.remove();
  };
};
