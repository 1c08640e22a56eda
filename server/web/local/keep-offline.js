// Lets the page be installed, and registers the service worker, which keeps the page's files for times
// without a network.

import { el } from '../ui/dom.js';

const ADDRESS = '/service-worker.js';

/** Keeps nothing where browsers do not: on addresses without encryption, or if the visitor saves data. */
export function keepOffline() {
  const file = (/** @type {string} */ name) => new URL(name, import.meta.url).href;
  // The home screens of some phones take no picture of other kinds.
  document.head.append(
    el('link', { rel: 'manifest', href: file('manifest.webmanifest') }),
    el('link', { rel: 'apple-touch-icon', href: file('icon-192.png') }),
  );
  const { serviceWorker, connection } = /** @type {any} */ (navigator);
  if (!serviceWorker || connection?.saveData) return;
  // The page's security policy allows this script and no other.
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('service-worker', {
    createScriptURL: () => ADDRESS,
  });
  serviceWorker.register(policy?.createScriptURL('') ?? ADDRESS).catch(() => {});
}
