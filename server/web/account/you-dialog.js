// The dialog “You”: of a guest, who can sign up or sign in, or of an account.

/** @import { App } from '../ui/view-types' */

import { STORAGE_KEYS } from '../browser/page-connection.js';
import { t } from '../language/texts.js';
import { openDialog } from '../ui/dialog.js';
import { el, fill, loadStyle } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { faultText } from './account-requests.js';
import { accountSections } from './account-sections.js';
import { guestSections } from './guest-sections.js';
import { showCodes } from './recovery-codes.js';

/** The content's way to the dialog.
 * @typedef {object} Frame
 * @property {App} app
 * @property {(...content: Node[]) => void} show replaces the content, and focuses its first field
 * @property {(codes: string[], name: string, after: () => void) => void} codes shows recovery codes until they are copied
 * @property {() => void} close
 */

/** The style is there before the dialog, so that nothing moves. */
await loadStyle('account/account.css').catch(() => {});

/** Whether a dialog is about to open. */
let opening = false;

/** @param {App} app */
export async function openYouDialog(app) {
  if (opening) return;
  opening = true;
  try {
    const answer = app.connection.account && (await request('GET', 'account'));
    openFrame(app, (frame) => (answer ? accountSections(frame, answer) : guestSections(frame)));
  } catch (error) {
    // The new socket finds the same, and then the page goes on as a guest.
    if (reasonOf(error) === 'signed_out') app.connection.signIn();
    else app.toast(faultText(error));
  }
  opening = false;
}

/** @param {App} app @param {(frame: Frame) => Node[]} sections */
function openFrame(app, sections) {
  const body = el('div', { class: 'you' });
  /** @type {Frame} */
  const frame = {
    app,
    show(...content) {
      fill(body, ...content);
      body.querySelector('input')?.focus();
    },
    codes(codes, name, after) {
      frame.show(...showCodes(dialog, codes, name, after));
      body.querySelector('button')?.focus();
    },
    close: () => dialog.close(),
  };
  fill(body, ...sections(frame));
  const dialog = openDialog(t('you'), body);
  // Another tab has signed in or out: this is about somebody else.
  const closed = new AbortController();
  addEventListener(
    'storage',
    ({ key }) => {
      if (key === STORAGE_KEYS.account) dialog.close();
    },
    { signal: closed.signal },
  );
  dialog.addEventListener('close', () => closed.abort());
}
