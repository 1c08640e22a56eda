// What the page keeps in the browser. Where the browser denies that, or has no room, the page's memory keeps it,
// until the page is closed.

/**
 * As a `Storage`, but it never throws.
 * @typedef {object} BrowserStorage
 * @property {(key: string) => string | null} getItem
 * @property {(key: string, value: string, shorter?: string) => void} setItem keeps `shorter` where there is no room for the value
 * @property {(key: string) => void} removeItem */

/** Called once, when the browser keeps nothing. @type {(() => void) | undefined} */
let listener;
let isDenied = false;

/** Calls the listener once, as soon as the browser has failed to keep something. @param {() => void} listen */
export function onStorageDenied(listen) {
  listener = listen;
  if (isDenied) listener();
}

/** Kept until the visitor deletes it. */
export const siteStorage = storageOf(() => localStorage);
/** Kept as long as the tab is open. */
export const tabStorage = storageOf(() => sessionStorage);

/** @param {() => Storage} native throws where the browser denies it @returns {BrowserStorage} */
function storageOf(native) {
  /** What the browser did not take; `null` is a key that it did not remove. @type {Map<string, string | null>} */
  const memory = new Map();
  /** @template T @param {(storage: Storage) => T} use @param {T} otherwise */
  const attempt = (use, otherwise) => {
    try {
      return use(native());
    } catch {
      if (!isDenied) {
        isDenied = true;
        listener?.();
      }
      return otherwise;
    }
  };
  /** @param {string} key @param {string | null} value @param {(storage: Storage) => void} use */
  const change = (key, value, use) => {
    memory.delete(key);
    const done = attempt((storage) => {
      use(storage);
      return true;
    }, false);
    if (!done) memory.set(key, value);
  };
  return {
    getItem: (key) => (memory.has(key) ? (memory.get(key) ?? null) : attempt((storage) => storage.getItem(key), null)),
    setItem: (key, value, shorter = value) =>
      change(key, value, (storage) => {
        try {
          storage.setItem(key, value);
        } catch (error) {
          if (shorter === value) throw error;
          storage.setItem(key, shorter);
        }
      }),
    removeItem: (key) => change(key, null, (storage) => storage.removeItem(key)),
  };
}
