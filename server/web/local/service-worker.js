// Shows pushes, and keeps the page's files, so that the page opens without a network. The build writes the address and the
// names of its files into this one, so that each build has a worker and a store of its own. A page comes
// from the network wherever there is one: no server meets an old page.

const WEB = '{web}';
const FILES = '{files}'.split(' ');
/** How a time is written. @type {Intl.DateTimeFormatOptions} */
const TIME = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' };
/** Answers of a proxy that has no server behind it, as during an update. */
const NO_SERVER = [502, 503, 504];

/** The worker's own scope, which the types of pages do not have. @type {any} */
const worker = globalThis;

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(forgetOthers()));
worker.addEventListener('push', (/** @type {any} */ event) => event.waitUntil(tell(event.data)));
// A page asks whether this worker shows pushes: older ones do not answer.
worker.addEventListener('message', (/** @type {MessageEvent} */ event) => event.ports[0]?.postMessage(''));
worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(openTab(event.notification.data?.path));
});
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (new URL(request.url).pathname.startsWith(`${WEB}/`)) event.respondWith(kept(request));
});

/** @param {Request} request @returns {Promise<Response>} */
async function page(request) {
  const answer = await fetch(request).catch(() => undefined);
  if (answer && !NO_SERVER.includes(answer.status)) return answer;
  const store = await caches.open(WEB);
  return (await store.match('/')) ?? answer ?? Response.error();
}

async function keep() {
  const page = await fetch('/', { cache: 'no-cache' });
  // Another server of the same site may already have the next build.
  if (!(await page.clone().text()).includes(`"${WEB}/`)) throw new Error('the page is of another build');
  const store = await caches.open(WEB);
  await store.addAll(FILES.map((name) => `${WEB}/${name}`));
  await store.put('/', page);
}

/** Shows what the server has written: each push must show something. @param {any} data */
async function tell(data) {
  let told = /** @type {any} */ ({ title: 'Fivefold', body: '', tag: 'fivefold' });
  try {
    told = { ...told, ...data.json() };
  } catch {
    // A newer server says it otherwise.
  }
  const { title, body, path, tag, lang, ends_at } = told;
  // By the clock of the device: the message may have waited for long.
  const time = new Date(ends_at ?? 0).toLocaleString(lang, TIME);
  const icon = `${WEB}/local/icon-192.png`;
  await worker.registration.showNotification(title.replace('{time}', time), {
    body: body.replace('{time}', time),
    tag,
    lang,
    icon,
    data: { path },
  });
}

/** Opens a path in a tab of its own, or shows the tab that has it. @param {string} [path] without one, any tab */
async function openTab(path) {
  const tabs = await worker.clients.matchAll({ type: 'window' });
  const tab = tabs.find((/** @type {any} */ { url }) => !path || new URL(url).pathname === path);
  return tab ? tab.focus() : worker.clients.openWindow(path ?? '/');
}

/** Deletes the files of older builds, which no page uses any more. */
async function forgetOthers() {
  for (const name of await caches.keys()) if (name !== WEB) await caches.delete(name);
}

/** @param {Request | string} request @returns {Promise<Response>} */
async function kept(request) {
  const store = await caches.open(WEB);
  return (await store.match(request)) ?? fetch(request);
}
