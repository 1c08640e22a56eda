// Starts the page: addresses and their views, the bar above, messages below, the tab's title.

/** @import { Stone } from './ui/protocol-types' */
/** @import { App, View } from './ui/view-types' */

import { onStorageDenied, tabStorage } from './browser/browser-storage.js';
import { copyText } from './browser/clipboard.js';
import { PageConnection } from './browser/page-connection.js';
import { onSettings, settings } from './browser/settings.js';
import { RefusedError } from './client/refused-error.js';
import { errorText } from './language/refusals.js';
import { language, t } from './language/texts.js';
import { button, el, fill, icon, linkButton, loadStyle, seal, set, write } from './ui/dom.js';

/** When the page's files begin to be kept for times without a network. */
const KEEP_AFTER_MS = 2_000;
/** How long a message is shown. */
const TOAST_MS = 5_000;
/** Keeps the address of the build that has loaded itself again. */
const RENEWED_KEY = 'fivefold.renewed';
/** How long a room may take after the socket to say what has become of it. */
const BACK_AFTER_MS = 1_000;

/** Refusals whose words are loaded when they are needed. */
const SANCTIONED = /^(muted|no_rated_games|opponent_not_rated|blocked|rated_game)$/;

/** Which view an address shows; each is loaded when it is needed, with its styles.
 * @type {[RegExp, () => Promise<{ view: View }>][]} */
const ROUTES = [
  [/^\/$/, () => import('./lobby/home-view.js')],
  [/^\/r\/([0-9a-z]+)$/, () => styled(import('./room/room-view.js'))],
  [/^\/game\/([0-9a-z]+)$/, () => styled(import('./replay/replay-view.js'))],
  [/^\/analyse$/, () => styled(import('./analysis/analysis-view.js'), 'analysis/analysis.css')],
  [/^\/games$/, () => import('./replay/games-view.js')],
  [/^\/collection(?:s|\/([0-9a-z]+))$/, () => import('./replay/collections/collections-view.js')],
  [/^\/tv$/, () => import('./embed/tv-view.js')],
  [/^\/lobby$/, () => import('./lobby/lobby-view.js')],
  [/^\/local$/, () => styled(import('./local/local-view.js'))],
  [/^\/learn$/, () => styled(import('./learn/learn-view.js'), 'learn/learn.css')],
  [/^\/admin$/, () => styled(import('./moderation/admin/admin-view.js'), 'moderation/admin/admin.css')],
  [/^\/moderation$/, () => styled(import('./moderation/queue-view.js'), 'moderation/moderation.css')],
  [/^\/player\/([^/]+)$/, () => styled(import('./players/profile-view.js'), 'players/players.css')],
  [/^\/oidc$/, () => import('./account/oidc-view.js')],
  [/^\/leaderboard$/, () => styled(import('./players/leaderboard-view.js'), 'players/players.css')],
  [/^\/puzzles$/, () => styled(import('./puzzles/puzzles-view.js'), 'puzzles/puzzles.css')],
];

/**
 * Loads the style of large boards, and the view's own, beside a view.
 * @template V
 * @param {Promise<V>} view
 * @param {...string} own
 */
async function styled(view, ...own) {
  const loading = ['game/game.css', ...own].map(loadStyle);
  return (await Promise.all([view, ...loading]))[0];
}

const place = el('main', { id: 'main', tabIndex: -1 });
const polite = el('div', { class: 'spoken', role: 'status' });
const urgent = el('div', { class: 'spoken', role: 'alert' });
const toasts = el('div', { class: 'toasts', role: 'status' });
const asks = el('div', { class: 'asks' });
/** The ways to the pages on phones. */
const tabs = el('nav', { class: 'tabs', 'aria-label': t('pages') });
/** How many games wait for the player's move. */
const turns = el('b', { class: 'turns', hidden: true });
const lost = el('div', { class: 'lost', role: 'alert', hidden: true });
/** The lost connection, and what works all the same. */
const note = el('div');
const strip = el('div', { class: 'strip' }, lost, note);
const link = el('link', { rel: 'icon' });
/** Whether the system asks for high contrast. */
const contrasts = matchMedia('(prefers-contrast: more)');

const connection = new PageConnection(location.origin);

/** Says that the connection is back, unless a room has gone back by then. @type {ReturnType<typeof setTimeout> | undefined} */
let back;
/** @type {Promise<import('./lobby/seeks.js').Seeks> | undefined} */
let seeks;
/** The other rooms in which it is the player's turn. @type {readonly string[]} */
let turnRooms = [];
let askForTurns = () => {};
/** The tab's title without the number of games. */
let title = '';
let turnOf = '';

/** @type {App} */
const app = {
  connection,
  bar: el('header', { class: 'bar' }),
  lost,
  asks,
  seeks: () => (seeks ??= import('./lobby/seeks.js').then(({ Seeks }) => new Seeks(app))),
  notify(text, path) {
    if (document.visibilityState === 'visible' || !settings.notify) return;
    void import('./browser/notifications.js').then(({ showNotification }) =>
      showNotification(text, () => path && app.go(path)),
    );
  },
  go(path) {
    history.pushState(null, '', path);
    show();
  },
  announce(text, at_once = false) {
    const region = at_once ? urgent : polite;
    // Screen readers skip an unchanged text.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  },
  toast(text, silent = false) {
    // A repeated message replaces the old one.
    for (const old of toasts.children) if (old.textContent === text) old.remove();
    const toast = el('div', { class: 'toast', 'aria-hidden': silent }, text);
    setTimeout(() => toast.remove(), TOAST_MS);
    toasts.append(toast);
  },
  restored(count) {
    clearTimeout(back);
    const text = count > 0 ? t('restored', { count }) : t('restored_otherwise');
    const card = el(
      'div',
      { class: 'ask restored', role: 'alert' },
      el('strong', null, text),
      button(t('understood'), () => card.remove()),
    );
    for (const old of asks.querySelectorAll('.restored')) old.remove();
    asks.append(card);
  },
  showError(error) {
    // The strip says it.
    if (error instanceof TypeError && connection.status === 'lost') return;
    const told = error instanceof RefusedError && SANCTIONED.test(error.refusal.reason);
    if (told) void import('./moderation/notice.js').then(({ showRefusal }) => showRefusal(app, error));
    else app.toast(errorText(error));
  },
  copy(url) {
    void copyText(url).then((copied) => app.toast(copied ? t('copied') : url));
  },
  share(url) {
    if (navigator.share) navigator.share({ url }).catch(() => {});
    else app.copy(url);
  },
  tab(text, turn = undefined) {
    title = text;
    if (turn === 'yours' && turnOf !== turn) app.notify(text.replace(' – Fivefold', ''));
    turnOf = turn ?? '';
    showTitle();
    const href = turnIcon(turn);
    if (link.href !== href) link.href = href;
    if (!link.isConnected) document.head.append(link);
  },
  open(dialog) {
    if (dialog === 'settings')
      void import('./ui/settings/settings-dialog.js').then(({ openSettingsDialog }) => openSettingsDialog());
    else void import('./account/you-dialog.js').then(({ openYouDialog }) => openYouDialog(app));
  },
  openPerson(person, context) {
    void import('./lobby/person-dialog.js').then(({ openPersonDialog }) => openPersonDialog(app, person, context));
  },
};

function showTitle() {
  document.title = `${turns.hidden ? '' : `(${turns.textContent}) `}${title}`;
}

/** Shows in how many other games it is the player's turn. */
function showTurns() {
  // A room that the player sees is in the list again if they leave it at their turn.
  turnRooms = turnRooms.filter((room) => location.pathname !== `/r/${room}`);
  const count = turnRooms.length;
  turns.hidden = count === 0;
  write(turns, String(count));
  const text = t('turns_wait', { count });
  set(turns, { title: text, 'aria-label': text });
  if (count > Number(turns.dataset.count ?? 0)) app.notify(text, '/games');
  turns.dataset.count = String(count);
  showTitle();
}

let leave = () => {};
let shows = 0;
/** Whether the view has never had a connection. */
let isCutOff = false;

/** Shows without a connection what works, or that the view needs one. */
async function showNote() {
  fill(note);
  const { status, you } = connection;
  isCutOff ||= status === 'lost' && !you;
  // What failed to load comes now. These join by themselves, or need no server.
  if (status === 'open' && isCutOff && !/^\/($|r\/|local|analyse|puzzles|learn)/.test(location.pathname)) void show();
  else if (status === 'lost') (await import('./local/offline-note.js')).fillNote(note, connection, isCutOff);
}

/** A page of an older build does not find its files: loads the wanted address again, once. */
async function renew() {
  const own = import.meta.url;
  if (tabStorage.getItem(RENEWED_KEY) === own) return false;
  const { status } = await fetch(own, { method: 'HEAD', cache: 'no-store' }).catch(() => ({ status: 0 }));
  if (status !== 404) return false;
  tabStorage.setItem(RENEWED_KEY, own);
  location.reload();
  return true;
}

/** Shows the view of the address. */
async function show() {
  leave();
  leave = () => {};
  markCurrentPage();
  showTurns();
  askForTurns();
  isCutOff = connection.status === 'lost';
  void showNote().catch(() => {});
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
      // The focused element went with the old view.
      if (mine > 1 && document.activeElement === document.body) place.focus({ preventScroll: true });
    } catch (error) {
      // Without a network, a view that was never loaded cannot load.
      if (await renew()) return;
      console.error(error);
      app.toast(t('failed'));
    }
    return;
  }
  app.tab('Fivefold');
  const { cleanAddress, showNotFound } = await import('./board/not-found.js');
  if (mine === shows && cleanAddress()) return void show();
  if (mine === shows)
    leave = showNotFound(
      place,
      t('nothing_here'),
      t('nothing_here_how'),
      linkButton('/', t('find_opponent'), true),
      linkButton('/games', t('your_games')),
      linkButton('/lobby', t('lobby')),
      linkButton('/puzzles', t('puzzles')),
      linkButton('/analyse', t('analyse')),
      linkButton('/learn', t('learn')),
    );
}

/** Follows links within the site without loading a new page.
 * @param {MouseEvent} event */
function follow(event) {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!anchor || !plain || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin)
    return;
  event.preventDefault();
  app.go(anchor.pathname + anchor.search + anchor.hash);
}

/** @param {Stone | 'yours' | undefined} turn */
function turnIcon(turn) {
  const dot = turn === 'yours' ? '#b5371c' : turn === 'white' ? '#fbf8f2' : '#1d1a17';
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#deb172"/><circle cx="16" cy="16" r="10" fill="${dot}"/></svg>`;
  return turn ? `data:image/svg+xml,${encodeURIComponent(picture)}` : new URL('ui/icon.svg', import.meta.url).href;
}

/** Fills the bar above every view. */
function fillBar() {
  const name = el('bdi');
  let was = connection.status;
  connection.onchange = () => {
    write(name, connection.name || t('you'));
    const { status } = connection;
    lost.hidden = status === 'open' || status === 'connecting';
    if (status === was) return;
    const startButton = status === 'replaced' && button(t('start_as_new_player'), () => connection.startAsNewPlayer());
    fill(
      lost,
      t(status === 'stopped' ? 'connection_stopped' : startButton ? 'identity_replaced' : 'connection_lost'),
      ' ',
      startButton,
    );
    clearTimeout(back);
    void showNote().catch(() => {});
    dispatchEvent(new Event('fivefold-status'));
    if (status === 'open' && was === 'lost') back = setTimeout(() => app.announce(t('connection_back')), BACK_AFTER_MS);
    was = status;
  };
  const way = (/** @type {string} */ path, /** @type {string} */ text, /** @type {Node | false} */ sign = false) =>
    el('a', { href: path, class: 'way-to' }, sign, el('span', null, text));
  const face = el('i', { class: 'face', 'aria-hidden': 'true' });
  app.bar.append(
    el('a', { href: '/', class: 'brand', 'aria-label': 'Fivefold' }, seal(), el('span', null, 'Fivefold')),
    el(
      'nav',
      { 'aria-label': t('pages') },
      way('/', t('play')),
      way('/puzzles', t('puzzles')),
      way('/lobby', t('lobby')),
      way('/analyse', t('analyse')),
      way('/leaderboard', t('players')),
      way('/learn', t('learn')),
    ),
    el('a', { href: '/games', class: 'way-to games-pill' }, el('span', null, t('your_games')), turns),
    button(icon('gear'), () => app.open('settings'), {
      class: 'quiet gear',
      title: t('settings'),
      'aria-label': t('settings'),
    }),
    button([face, name], () => app.open('you'), { class: 'quiet me', title: t('you') }),
  );
  tabs.append(
    way('/', t('play'), icon('play')),
    way('/puzzles', t('puzzles'), icon('puzzle')),
    way('/lobby', t('lobby'), icon('people')),
    way('/analyse', t('analyse'), icon('graph')),
    button([icon('user'), el('span', null, t('you'))], () => app.open('you'), { class: 'way-to' }),
  );
  new MutationObserver(() => write(face, [...(name.textContent ?? '')][0]?.toUpperCase() ?? '')).observe(name, {
    childList: true,
  });
}

/** Marks the current page in the bar. */
function markCurrentPage() {
  for (const anchor of document.querySelectorAll('.way-to')) {
    const here = anchor.getAttribute('href') === location.pathname;
    if (here) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
}

function applySettings() {
  document.documentElement.lang = language;
  const { board } = settings;
  // Boards are painted again when the attribute changes: by then the colors are there.
  void (board === 'kaya' ? Promise.resolve() : loadStyle('ui/settings/woods.css')).then(
    () => {
      if (board === settings.board) document.documentElement.dataset.board = board;
    },
    () => {},
  );
  const { theme } = settings;
  document.documentElement.dataset.theme = theme === 'auto' && contrasts.matches ? 'contrast' : theme;
}

document.addEventListener('click', follow);
addEventListener('popstate', () => void show());
onSettings(applySettings);
contrasts.addEventListener('change', applySettings);
applySettings();
fillBar();
document.body.append(app.bar, strip, place, tabs, asks, toasts, polite, urgent);
connection.listen((news) => {
  if (news.type === 'challenged')
    void import('./lobby/challenge-card.js').then(({ showChallenge }) => showChallenge(app, news));
  else if (news.type === 'sanction')
    void import('./moderation/notice.js').then(({ showSanction }) => showSanction(app, news));
  else if (news.type === 'announcement')
    void import('./moderation/announcement.js').then(({ showAnnouncement }) => showAnnouncement(app, news));
  else if (news.type !== 'lobby_changed') void app.seeks().then((own) => own.receive(news));
});
connection.onswitch = () => {
  if (/^\/($|r\/|games|lobby)/.test(location.pathname)) void show();
};
// A dialog or a part of a view does not load.
addEventListener('unhandledrejection', ({ reason }) => reason instanceof TypeError && void renew());
connection.onsignedout = () => app.toast(t('signed_out'));
onStorageDenied(() => app.toast(t('storage_denied')));
connection.start();
void show();
void import('./room/own-rooms.js').then(({ followTurns }) => {
  askForTurns = followTurns(app, (rooms) => {
    turnRooms = rooms;
    showTurns();
  });
});
// After everything that the visitor waits for; without the server at the next visit.
setTimeout(
  () =>
    void import('./local/keep-offline.js').then(
      ({ keepOffline }) => keepOffline(),
      () => {},
    ),
  KEEP_AFTER_MS,
);
// Seeks go on after a reload.
if (tabStorage.getItem('fivefold.seeks')) void app.seeks();
const arrive = () =>
  /^#(identity|link|device|email)/.test(location.hash) &&
  void import('./account/arrivals.js').then((arrivals) => arrivals.arrive(app));
addEventListener('hashchange', arrive);
arrive();
connection.listen(
  (news) => news.type === 'account_changed' && void import('./account/key-news.js').then(({ tell }) => tell(app, news)),
);
