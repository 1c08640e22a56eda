// Keeps the page's files, so that the page opens without a network. The build writes the address and the
// names of its files into this one, so that each build has a worker and a store of its own. A page comes
// from the network wherever there is one: no server meets an old page.

const WEB = '{web}';
const FILES = '{files}'.split(' ');
/** Answers of a proxy that has no server behind it, as during an update. */
const NO_SERVER = [502, 503, 504];

/** The worker's own scope, which the types of pages do not have. @type {any} */
const worker = globalThis;

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(forgetOthers()));
worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(
    worker.clients
      .matchAll({ type: 'window' })
      .then((/** @type {any[]} */ [tab]) => (tab ? tab.focus() : worker.clients.openWindow('/'))),
  );
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

/** Deletes the files of older builds, which no page uses any more. */
async function forgetOthers() {
  for (const name of await caches.keys()) if (name !== WEB) await caches.delete(name);
}

/** @param {Request | string} request @returns {Promise<Response>} */
async function kept(request) {
  const store = await caches.open(WEB);
  return (await store.match(request)) ?? fetch(request);
}
