// The frame around the views: addresses, the bar above, messages below, the tab.

/** @import { App, Stone, View } from './types' */

import { Connection } from './connection.js';
import { deadEnd, el, fill, icon, set, way, write } from './dom.js';
import { errorText } from './refusals.js';
import { onSettings, settings } from './settings.js';
import { language, t } from './texts.js';

/** How long a message stays. */
const TOAST_MS = 5_000;

/** Which view an address shows; each is loaded when it is needed.
 * @type {[RegExp, () => Promise<{ view: View }>][]} */
const ROUTES = [
  [/^\/$/, () => import('./home.js')],
  [/^\/r\/([0-9a-z]+)$/, () => import('./play.js')],
  [/^\/game\/([0-9a-z]+)$/, () => import('./game.js')],
  [/^\/analyse$/, () => import('./analyse.js')],
  [/^\/games$/, () => import('./games.js')],
];

const GEAR = 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 12l2-1.5-2-3.5-2.3.9a7 7 0 0 0-1.7-1L14.6 4.5h-4l-.4 2.4a7 7 0 0 0-1.7 1L6.2 7l-2 3.5 2 1.5-2 1.5 2 3.5 2.3-.9a7 7 0 0 0 1.7 1l.4 2.4h4l.4-2.4a7 7 0 0 0 1.7-1l2.3.9 2-3.5z';

const BUBBLE = 'M4 5h16v11H9l-5 4z';

const place = el('main', { id: 'main', tabIndex: -1 });
const polite = el('div', { class: 'spoken', role: 'status' });
const urgent = el('div', { class: 'spoken', role: 'alert' });
const badgeCount = el('span');
const badge = el('button', { type: 'button', class: 'primary badge', hidden: true }, icon(BUBBLE), badgeCount);
const toasts = el('div', { class: 'toasts', role: 'status' });
const link = el('link', { rel: 'icon' });
/** Whether the system asks for high contrast. */
const contrasts = matchMedia('(prefers-contrast: more)');

const connection = new Connection(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);

/** @type {App} */
const app = {
  connection,
  go(path) {
    history.pushState(null, '', path);
    show();
  },
  announce(text, at_once = false) {
    const region = at_once ? urgent : polite;
    // The same text twice is read twice only where it differs.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  },
  toast(text, silent = false) {
    // What is said already is not said twice.
    for (const old of toasts.children) if (old.textContent === text) old.remove();
    const toast = el('div', { class: 'toast', 'aria-hidden': silent }, text);
    setTimeout(() => toast.remove(), TOAST_MS);
    toasts.append(toast);
  },
  showError(error) {
    app.toast(errorText(error));
  },
  unseen(count, go) {
    badge.hidden = count === 0;
    badge.onclick = go ?? null;
    set(badge, { title: t('unseen', { count }), 'aria-label': t('unseen', { count }) });
    write(badgeCount, String(count));
  },
  tab(title, turn) {
    document.title = title;
    link.href = turnIcon(turn);
    if (!link.isConnected) document.head.append(link);
  },
  open(dialog) {
    void import('./dialogs.js').then(({ openSettings, openYou }) => (dialog === 'you' ? openYou : openSettings)(app));
  },
};

let leave = () => {};
let shows = 0;

/** Shows the view of the address. */
async function show() {
  leave();
  leave = () => {};
  mark();
  shows += 1;
  const mine = shows;
  for (const [address, load] of ROUTES) {
    const found = address.exec(location.pathname);
    if (!found) continue;
    try {
      const { view } = await load();
      if (mine !== shows) return;
      fill(place);
      scrollTo(0, 0);
      app.tab('Fivefold');
      leave = view(app, place, found[1] ?? '');
      // What had the focus is gone with the view that was there.
      if (mine > 1 && document.activeElement === document.body) place.focus({ preventScroll: true });
    } catch (error) {
      // Without a network there is no view that was not there before.
      console.error(error);
      app.toast(t('failed'));
    }
    return;
  }
  app.tab('Fivefold');
  fill(place, deadEnd(t('nothing_here'), '', way('/', t('new_game'), true), way('/games', t('games'))));
}

/** Our own links need no new page.
 * @param {MouseEvent} event */
function follow(event) {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!anchor || !plain || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin) return;
  event.preventDefault();
  app.go(anchor.pathname + anchor.search + anchor.hash);
}

/** @param {Stone | 'yours' | undefined} turn */
function turnIcon(turn) {
  const dot = turn === 'yours' ? '#d2453b' : turn === 'white' ? '#fbf8f2' : '#1d1a17';
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#e2b676"/><circle cx="16" cy="16" r="10" fill="${dot}"/></svg>`;
  return turn ? `data:image/svg+xml,${encodeURIComponent(picture)}` : new URL('icon.svg', import.meta.url).href;
}

/** The bar above every view. */
function bar() {
  const name = el('bdi');
  const lost = el('div', { class: 'lost', role: 'alert', hidden: true });
  let was = connection.status;
  connection.onchange = () => {
    write(name, connection.name || t('you'));
    const { status } = connection;
    lost.hidden = status === 'open' || status === 'connecting';
    if (status === was) return;
    const anew = status === 'replaced' && el('button', { type: 'button', onclick: () => connection.forget() }, t('start_as_new_player'));
    fill(lost, t(status === 'stopped' ? 'connection_stopped' : anew ? 'identity_replaced' : 'connection_lost'), ' ', anew);
    if (status === 'open' && was === 'lost') app.announce(t('connection_back'));
    was = status;
  };
  const to = (/** @type {string} */ path, /** @type {string} */ text) => el('a', { href: path, class: 'way-to' }, text);
  return el('header', { class: 'bar' },
    el('a', { href: '/', class: 'brand', 'aria-label': 'Fivefold' }, el('img', { src: turnIcon(undefined), alt: '', width: 28, height: 28 }), el('span', null, 'Fivefold')),
    el('nav', null, to('/', t('play')), to('/games', t('games')), to('/analyse', t('analyse'))),
    badge,
    el('button', { type: 'button', class: 'quiet me', title: t('you'), onclick: () => app.open('you') }, name),
    el('button', { type: 'button', class: 'quiet', title: t('settings'), 'aria-label': t('settings'), onclick: () => app.open('settings') }, icon(GEAR)),
    lost);
}

/** Says in the bar where one is. */
function mark() {
  for (const anchor of document.querySelectorAll('.way-to')) {
    const here = anchor.getAttribute('href') === location.pathname;
    if (here) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
}

function dress() {
  document.documentElement.lang = language;
  const { theme } = settings;
  document.documentElement.dataset.theme = theme === 'auto' && contrasts.matches ? 'contrast' : theme;
}

document.addEventListener('click', follow);
addEventListener('popstate', () => void show());
onSettings(dress);
contrasts.addEventListener('change', dress);
dress();
document.body.append(bar(), place, toasts, polite, urgent);
connection.start();
void show();
if (location.hash.startsWith('#identity=')) void import('./dialogs.js').then(({ takeIdentity }) => takeIdentity(app));
