// Pushes: what waits for a player whose page is closed. The browser's push service brings it to the service worker.

import { siteStorage } from '../browser/browser-storage.js';
import { languageCode } from '../language/texts.js';
import { request } from '../ui/http-request.js';

/** The member who has subscribed this browser. */
const OWNER_KEY = 'fivefold.pushes-of';
/** A service worker answers within this time, if it can. */
const WORKER_WITHIN_MS = 3_000;

/** A part of the day, in minutes after midnight. @typedef {{ from: number, to: number }} QuietHours */
/** What a player wants to be told.
 * @typedef {object} PushSettings
 * @property {'each' | 'digest' | 'never'} moves
 * @property {number} digest_hour
 * @property {boolean} challenges
 * @property {boolean} ends
 * @property {boolean} found
 * @property {boolean} reports
 * @property {number[]} reminders
 * @property {QuietHours | null} quiet
 * @property {number} utc_offset */
/** @typedef {{ key: string | null, mailed: boolean, settings: PushSettings, subscriptions: { endpoint: string }[] }} Pushes */

/** Whether this browser can be called. */
export const canPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
/** Whether this is an iPhone or iPad on which only the installed page can be called, and this one is not. */
export const isUninstalled = !canPush && Reflect.get(navigator, 'standalone') === false;

/** How many minutes the player's clock is ahead of UTC. */
const utcOffset = () => -new Date().getTimezoneOffset();

/** @returns {Promise<Pushes>} */
export async function fetchPushes() {
  /** @type {Pushes} */
  const pushes = await request('GET', 'pushes');
  if (pushes.settings.utc_offset !== utcOffset()) await storeOffset(pushes).catch(() => {});
  return pushes;
}

/** Summer time has begun or ended, or the player is elsewhere. Only a browser that is subscribed says so, or any one if
 * none is and the player gets e-mail. If it fails, the next time does it. @param {Pushes} pushes */
async function storeOffset({ mailed, settings, subscriptions }) {
  if (subscriptions.length > 0) {
    const own = await subscriptionHere();
    if (!subscriptions.some(({ endpoint }) => endpoint === own?.endpoint)) return;
  } else if (!mailed) return;
  await storeSettings(settings);
}

/** @param {PushSettings} settings */
export function storeSettings(settings) {
  return request('POST', 'pushes/settings', { ...settings, utc_offset: utcOffset() });
}

/** The subscription of this browser, whoever has asked for it. */
async function subscriptionHere() {
  const worker = canPush && (await navigator.serviceWorker.getRegistration());
  return (worker && (await worker.pushManager.getSubscription())) || undefined;
}

/** The subscription of this browser, if this member has asked for it. One that somebody else has left here ends.
 * @param {string} you */
export async function ownSubscription(you) {
  const own = await subscriptionHere();
  if (!own || siteStorage.getItem(OWNER_KEY) === you) return own;
  siteStorage.removeItem(OWNER_KEY);
  // Its push service tells the server.
  await own.unsubscribe();
  return undefined;
}

/** Ends the subscription of this browser, whoever has asked for it. */
export async function endHere() {
  await ownSubscription('').catch(() => {});
}

/** Ends the subscription of this browser if it is not of the member who is signed in now. */
export async function endOthers() {
  if (!siteStorage.getItem(OWNER_KEY)) return;
  const { account } = await request('GET', 'account').catch(() => ({ account: undefined }));
  await ownSubscription(account?.id ?? '').catch(() => {});
}

/** Asks the player, at a press, and subscribes this browser. Returns the text that says what became of it.
 * @param {string} key @param {string} you @returns {Promise<'push_on' | 'push_denied' | 'push_reload' | 'push_failed'>} */
export async function subscribe(key, you) {
  if ((await Notification.requestPermission()) !== 'granted') return 'push_denied';
  const worker = await workerThatTells();
  if (!worker) return 'push_reload';
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const renewed = async () => {
    // It was subscribed for another key.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(options);
  };
  const own = await worker.pushManager
    .subscribe(options)
    .catch(renewed)
    .catch(() => undefined);
  if (!own) return 'push_failed';
  await renew(own);
  siteStorage.setItem(OWNER_KEY, you);
  return 'push_on';
}

/** Subscribes this browser if it is not subscribed yet and the server pushes. @param {string} you */
export async function subscribeIfPossible(you) {
  if (!canPush || (await ownSubscription(you))) return;
  const { key } = await fetchPushes();
  if (key) await subscribe(key, you);
}

/** The registration whose active worker shows pushes. That of an older page does not, and stays until all of its tabs
 * are closed. */
async function workerThatTells() {
  const worker = await within(navigator.serviceWorker.ready);
  if (!worker?.active) return undefined;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
  });
  worker.active.postMessage('', [port2]);
  const tells = await within(answer);
  port1.close();
  if (!tells) worker.update().catch(() => {});
  return tells && worker;
}

/** @template T @param {Promise<T>} promise @returns {Promise<T | undefined>} */
function within(promise) {
  const late = new Promise((resolve) => {
    setTimeout(resolve, WORKER_WITHIN_MS);
  });
  return Promise.race([promise, late.then(() => undefined)]);
}

/** Tells the server the subscription of this browser, and its language. @param {PushSubscription} own */
export async function renew(own) {
  const { endpoint, keys } = own.toJSON();
  await request('POST', 'pushes/subscriptions', { endpoint, keys, language: languageCode });
}

/** Ends the subscription of this browser. Returns the text that says so.
 * @param {string} you @returns {Promise<'push_off'>} */
export async function unsubscribe(you) {
  const own = await ownSubscription(you);
  if (!own) return 'push_off';
  await request('DELETE', 'pushes/subscriptions', { endpoint: own.endpoint });
  siteStorage.removeItem(OWNER_KEY);
  await own.unsubscribe().catch(() => {});
  return 'push_off';
}
