// Notifications of the browser: a game begins, or it is the player's turn, in a tab that they do not see.

import { change } from './settings.js';

/** Asks the player, at a press. Whether they allow it. */
export async function allowNotifications() {
  const allowed = (await Notification.requestPermission()) === 'granted';
  change('notify', allowed);
  return allowed;
}

/**
 * Shows a notification; a press on it leads back.
 * @param {string} text
 * @param {() => void} go
 */
export function showNotification(text, go) {
  if (Notification.permission !== 'granted') return;
  const options = { body: text, tag: 'fivefold', icon: new URL('../local/icon-192.png', import.meta.url).href };
  try {
    const shown = new Notification('Fivefold', options);
    shown.onclick = () => {
      focus();
      go();
      shown.close();
    };
  } catch {
    // Phones show those of a service worker only.
    void navigator.serviceWorker
      ?.getRegistration()
      .then((worker) => worker?.showNotification('Fivefold', options))
      .catch(() => {});
  }
}
