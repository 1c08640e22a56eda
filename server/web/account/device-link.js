// Signs in other devices. A signed-in page shows a link, which the other device opens; or the other device
// shows a code, which is typed here. Both sides say yes.

/** @import { App } from '../ui/view-types' */

import { openDialog } from '../ui/dialog.js';
import { button, el, fill, write } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { linkCard } from '../ui/link-card.js';
import { faultLine } from './account-form.js';
import { attempt, faultText } from './account-requests.js';
import { signedIn } from './sign-in.js';
import { ty } from './texts.js';

/** How often the page asks whether its link was opened. */
const STATE_EVERY_MS = 2_000;
/** Letters of a device's code. */
const CODE_LENGTH = 8;

/** @typedef {{ label: string, address: string, asked_at: number }} Device */

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Asks whether a device may sign in.
 * @param {string} userCode
 * @param {Device} device
 * @param {(text: string) => void} done
 */
function question(userCode, { label, address }, done) {
  const line = faultLine();
  /** @param {boolean} allow */
  const say = (allow) =>
    attempt(line, async () => {
      await request('POST', 'device/answer', { user_code: userCode, allow });
      done(ty(allow ? 'device_allowed' : 'device_denied'));
    });
  return el(
    'div',
    { class: 'device-question' },
    el('p', null, ty('device_asks', { label: label || '?', address })),
    el('p', { class: 'hint' }, ty('device_beware')),
    el(
      'div',
      { class: 'row' },
      button(ty('yes'), () => say(true), { class: 'primary' }),
      button(ty('no'), () => say(false)),
    ),
    line,
  );
}

/**
 * Shows a link for one other device, until that has opened it and the player has answered.
 * @param {App} app
 * @param {HTMLElement} place
 */
export async function showLink(app, place) {
  const { code, expires_ms: forMs } = await request('POST', 'link');
  const line = el('p', { class: 'hint', role: 'status' }, ty('link_waits'));
  fill(place, linkCard(`${location.origin}/#link=${code}`, ty('show_device_link')), line);
  const end = Date.now() + forMs;
  while (place.isConnected && Date.now() < end) {
    await pause(STATE_EVERY_MS);
    // A lost network is there again the next time.
    const state = await request('POST', 'link/state', { code }).catch((error) => ({
      gone: reasonOf(error) === 'wrong_device_code',
    }));
    if (state.gone) break;
    if (!state.device) continue;
    fill(
      place,
      question(state.user_code, state.device, (text) => {
        place.replaceChildren();
        app.toast(text);
      }),
    );
    return;
  }
  if (place.isConnected) fill(place, el('p', { class: 'hint' }, ty('link_over')));
}

/** The field for the code of a device. @param {App} app @param {string} code */
export function deviceCodeForm(app, code) {
  const place = el('div');
  const line = faultLine();
  const field = el('input', {
    class: 'code',
    value: code,
    maxLength: CODE_LENGTH + 4,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: false,
    'aria-label': ty('device_code'),
  });
  const form = el('form', { class: 'row' }, field, el('button', null, ty('next')));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(line, async () => {
      const device = await request('POST', 'device/find', { user_code: field.value });
      fill(
        place,
        question(field.value, device, (text) => {
          place.replaceChildren();
          field.value = '';
          app.toast(text);
        }),
      );
    });
  });
  return el('div', { class: 'account-form' }, form, line, place);
}

/** Asks for the code of a device, or about that device. @param {App} app @param {string} code */
export function askForDevice(app, code) {
  openDialog(
    ty('device_title'),
    el('div', { class: 'you' }, el('p', { class: 'hint' }, ty('device_code_how')), deviceCodeForm(app, code)),
  );
}

/**
 * This device has opened a link: asks whether to sign in, and waits for the other device's yes.
 * @param {App} app @param {string} code
 */
export async function openLink(app, code) {
  try {
    const { name, device_code: deviceCode, poll_ms: every } = await request('POST', 'link/open', { code });
    const line = el('p', { class: 'hint', role: 'status' });
    const yes = el('button', { type: 'button', class: 'primary' }, ty('yes'));
    const no = button(ty('no'), () => dialog.close());
    const row = el('div', { class: 'row' }, yes, no);
    const dialog = openDialog(
      ty('sign_in'),
      el('div', { class: 'you' }, el('p', null, ty('link_sign_in', { name })), row, line),
    );
    yes.addEventListener('click', async () => {
      row.hidden = true;
      write(line, ty('link_other_yes'));
      try {
        while (dialog.open) {
          const answer = await request('POST', 'device/session', { device_code: deviceCode });
          if (answer?.account) {
            await signedIn(app, answer.account.name);
            return dialog.close();
          }
          await pause(every);
        }
      } catch (error) {
        write(line, faultText(error));
      }
    });
  } catch (error) {
    app.toast(faultText(error));
  }
}
