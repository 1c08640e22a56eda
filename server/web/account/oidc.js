// Signing up and in by another site (OpenID Connect), where the operator has named one: the browser goes there,
// and comes back to `/oidc`.

import { tabStorage } from '../browser/browser-storage.js';
import { el } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { signInWays } from './passkeys.js';
import { ty } from './texts.js';

/** Where the player was when they left. */
const BACK = 'fivefold.oidc-back';

/** What the other site is called; nothing if there is none. */
export async function otherSite() {
  return (await signInWays()).oidc;
}

/**
 * A button that goes there, where there is another site.
 * @param {'oidc_go' | 'oidc_add' | 'oidc_use'} text
 * @param {'sign_in' | 'add' | 'confirm'} what
 * @param {(act: () => Promise<void>) => Promise<unknown>} [within] what else the way there needs
 */
export function siteButton(text, what, within = (act) => act()) {
  const line = faultLine();
  const button = el('button', { type: 'button', onclick: () => attempt(line, () => within(() => leave(what))) });
  const place = el('div', { hidden: true }, button, line);
  void otherSite().then((site) => {
    place.hidden = !site;
    button.textContent = site ? ty(text, { site }) : '';
  });
  return place;
}

/** @param {string} what */
async function leave(what) {
  const { url } = await request('POST', 'oidc', { for: what });
  tabStorage.setItem(BACK, location.pathname + location.search);
  location.assign(url);
}

/** Where the player was when they left, once. */
export function cameFrom() {
  const path = tabStorage.getItem(BACK) ?? '/';
  tabStorage.removeItem(BACK);
  return path;
}
