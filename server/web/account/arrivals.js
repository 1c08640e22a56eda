// Addresses that bring something for the player's account: the identity of a guest, a link from another
// device, the code of a device that wants to sign in, or the secret that confirms an e-mail address. It is in the
// fragment, which no server sees.

/** @import { App } from '../ui/view-types' */

import { loadStyle } from '../ui/dom.js';
import { openYouDialog } from './you-dialog.js';

/** @param {App} app */
export async function arrive(app) {
  const [, kind, value = ''] = /^#(identity|link|device|email)(?:=(.*))?$/.exec(location.hash) ?? [];
  if (kind === 'identity') return (await import('./guest-identity.js')).offerIdentity(app);
  history.replaceState(null, '', location.pathname);
  await loadStyle('account/account.css').catch(() => {});
  if (kind === 'link') return (await import('./device-link.js')).openLink(app, value);
  if (kind === 'email') return (await import('./email.js')).askToConfirm(app, value);
  if (kind !== 'device') return;
  // Who is not signed in does that first, and then comes back.
  if (!app.connection.account) return openYouDialog(app);
  (await import('./device-link.js')).askForDevice(app, value);
}
