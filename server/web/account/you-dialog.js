// The dialog “You”.

/** @import { App } from '../view-types' */

import { openDialog } from '../dialog.js';
import { t } from '../texts.js';
import { guestIdentity } from './guest-identity.js';

/** @param {App} app */
export function openYouDialog(app) {
  const dialog = openDialog(t('you'), ...guestIdentity(app, () => dialog.close()));
}
