// A challenge by somebody: accept or decline while it stands.

/** @import { LobbyNews } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { playNotice } from '../browser/sounds.js';
import { eachSecond, waitText } from '../game/clock-display.js';
import { gameName, playerName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { button, el, write } from '../ui/dom.js';

/** @param {App} app @param {Extract<LobbyNews, { type: 'challenged' }>} news */
export function showChallenge(app, news) {
  const { seek, for_ms } = news;
  const name = playerName(news);
  const until = performance.now() + for_ms;
  const text = t('challenged', { name });
  const left = el('span');
  const answer = (/** @type {'accept_seek' | 'decline_challenge'} */ type) => () => {
    remove();
    app.connection.send({ type, seek }).catch(app.showError);
  };
  const card = el(
    'div',
    { class: 'ask', role: 'group', 'aria-label': text },
    el('span', null, el('strong', null, text), el('span', { class: 'hint' }, `${gameName(news)} · `, left)),
    button(t('accept'), answer('accept_seek'), { class: 'primary' }),
    button(t('decline'), answer('decline_challenge')),
  );
  const stopClock = eachSecond(() => {
    write(left, waitText(until - performance.now()));
    if (performance.now() >= until) remove();
  });
  const stopNews = app.connection.listen((over) => {
    if (over.type !== 'seek_over' || over.seek !== seek || !card.isConnected) return;
    remove();
    if (over.why !== 'declined')
      app.toast(t(over.why === 'displaced' ? 'challenge_displaced' : 'over_cancelled', { name }));
  });

  function remove() {
    stopClock();
    stopNews();
    card.remove();
  }

  // A challenge that is repeated over a new socket is the same one.
  for (const old of app.asks.children) if (old.getAttribute('aria-label') === text) old.remove();
  app.asks.append(card);
  app.announce(`${text}. ${gameName(news)}`, true);
  app.notify(text);
  playNotice();
}
