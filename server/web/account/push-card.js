// Offers pushes, once in a browser.

/** @import { App } from '../ui/view-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { button, el } from '../ui/dom.js';
import { faultText } from './account-requests.js';
import { canPush, isUninstalled, ownSubscription, subscribe } from './pushes.js';
import { ty } from './texts.js';

const OFFERED_KEY = 'fivefold.pushes-offered';

/** Shows the offer, if it has to be made. @param {App} app @param {string} key */
export async function offer(app, key) {
  const isDenied = canPush && Notification.permission === 'denied';
  if ((!canPush && !isUninstalled) || isDenied || siteStorage.getItem(OFFERED_KEY)) return;
  const { you = '' } = app.connection;
  if (canPush && (await ownSubscription(you))) return;
  siteStorage.setItem(OFFERED_KEY, 'yes');
  const accept = async () => {
    card.remove();
    app.toast(await subscribe(key, you).then(ty, faultText));
  };
  const text = ty('push_offer');
  const card = el(
    'div',
    { class: 'ask', role: 'group', 'aria-label': text },
    el(
      'span',
      null,
      el('strong', null, text),
      el('span', { class: 'hint' }, ty(canPush ? 'push_how' : 'push_install')),
    ),
    canPush && button(ty('push_accept'), accept, { class: 'primary' }),
    button(ty('push_later'), () => card.remove()),
  );
  app.asks.append(card);
  app.announce(text);
}
