// Pushes: the service worker shows exactly what the server's test has decrypted (`server/tests/sockets/pushes.rs`), and
// a press on it opens the game; the page offers them after the first move of a daily game, and has their settings.
//
// No push service of a browser maker is reached from here, and no person presses a notification: the message comes by
// DevTools, and the press is an event that the test makes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { chromium } from 'playwright-core';

import { guest, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { accept, begin, choose, freePort, openBrowser, put, Server, sees, unfold, visitor } from './harness.mjs';

/** @import { Page, Worker } from 'playwright-core' */

/** What the server sends, with the room to be filled in. */
const RECORDED = readFileSync(new URL('pushed-message.json', import.meta.url), 'utf8').trimEnd();
/** The Chromium without windows denies notifications; the whole one shows them without a window, too. */
const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', process.env.CHROMIUM ?? ''].find(
  (path) => !path.endsWith('headless-shell') && existsSync(path),
);

/** A server that pushes, which it does only where people reach it by TLS, and a browser. */
const at = /** @type {{ server: Server, browser: import('playwright-core').Browser }} */ ({});
/** Why this machine has no such server. */
let missing = '';
/** Browsers do not know the certificate. */
const TLS = { ignoreHTTPSErrors: true };

before(async () => {
  at.browser = await openBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'fivefold-push-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert],
  ]);
  if (made.status !== 0) {
    missing = 'SKIPPED: there is no openssl to make a certificate';
    return;
  }
  const port = await freePort();
  at.server = new Server({
    ...TRUST,
    ...{ 'in-memory': true, log: 'warn', 'no-demo': true, 'tls-cert': cert, 'tls-key': key },
    'public-url': `https://localhost:${port}`,
  });
  await at.server.run(`127.0.0.1:${port}`);
});

after(async () => {
  await at.browser?.close();
  await at.server?.terminate();
});

/** A test that needs the server that pushes. @param {string} name @param {() => Promise<void>} check */
function testPushes(name, check) {
  test(name, async (t) => (missing ? t.skip(missing) : check()));
}

/** Begins a daily game on the home page. Returns the link for the other player. @param {Page} page */
async function beginDaily(page) {
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  await page.getByLabel('Your color').selectOption('black');
  await page.getByLabel('Another time control').selectOption({ label: '2d a move' });
  await begin(page, 'friend');
  return page.getByLabel('Link to this room').inputValue();
}

/** The time in the recorded message, as the worker writes it. @param {Worker} worker */
function recordedTime(worker) {
  return worker.evaluate(() =>
    new Date(1_790_000_000_000).toLocaleString('en', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    }),
  );
}

/** Presses the notification of turns. Returns the addresses that the worker opens, and how many notifications are left.
 * @param {Worker} worker */
function press(worker) {
  return worker.evaluate(async () => {
    const scope = /** @type {any} */ (globalThis);
    /** @type {string[]} */
    const asked = [];
    scope.clients.openWindow = async (/** @type {string} */ wanted) => void asked.push(wanted);
    const [notification] = await scope.registration.getNotifications({ tag: 'turns' });
    const press = new scope.NotificationEvent('notificationclick', { notification });
    let work = Promise.resolve();
    press.waitUntil = (/** @type {Promise<void>} */ promise) => {
      work = promise;
    };
    scope.dispatchEvent(press);
    await work;
    return { asked, left: (await scope.registration.getNotifications({ tag: 'turns' })).length };
  });
}

test('with every tab closed a push shows a notification, and a press opens the game', async (t) => {
  if (!WHOLE) return t.skip('SKIPPED: there is no whole Chromium');
  const server = await Server.start();
  const browser = await chromium.launch({
    executablePath: WHOLE,
    headless: false,
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  t.after(async () => {
    await browser.close();
    await server.stop();
  });
  const ann = await visitor(browser, server, { serviceWorkers: 'allow' }, 'Ann');
  const bori = await visitor(browser, server, {}, 'Bori');
  await ann.context.grantPermissions(['notifications'], { origin: server.url });
  const link = await beginDaily(bori.page);
  await accept(ann.page, link);
  await put(bori.page, 'h8');
  await sees(ann.page, 'h8', 'Black');
  await ann.page.evaluate(async () => void (await navigator.serviceWorker.ready));

  // A tab of another site carries the DevTools.
  const elsewhere = await ann.context.newPage();
  await elsewhere.goto('data:text/html,elsewhere');
  const tools = await ann.context.newCDPSession(elsewhere);
  const registered = new Promise((resolve) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(server.url));
      if (own) resolve(own.registrationId);
    });
  });
  await tools.send('ServiceWorker.enable');
  const registrationId = /** @type {string} */ (await registered);
  await ann.page.close();
  assert.deepEqual(
    ann.context.pages().map((page) => page.url()),
    ['data:text/html,elsewhere'],
  );
  const path = new URL(link).pathname;
  const data = RECORDED.replace('/r/{room}', path);
  await tools.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data });

  const [worker] = ann.context.serviceWorkers();
  assert.ok(worker);
  const shown = await worker.evaluate(async () => {
    const { registration } = /** @type {any} */ (globalThis);
    for (;;) {
      const all = await registration.getNotifications();
      if (all.length > 0)
        return all.map((/** @type {any} */ { title, body, tag, data }) => ({ title, body, tag, path: data.path }));
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  });
  const time = await recordedTime(worker);
  assert.match(time, /^[A-Z][a-z]{2}, Sep 2[0-9], \d+:\d\d/);
  assert.deepEqual(shown, [{ title: 'Your move against Bori', body: `Your time ends: ${time}`, tag: 'turns', path }]);

  // A second one takes its place; one that is no message shows something, too.
  for (const [sent, count] of /** @type {const} */ ([
    [data, 1],
    ['not JSON', 2],
  ])) {
    await tools.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data: sent });
    await worker.evaluate(async (wanted) => {
      const { registration } = /** @type {any} */ (globalThis);
      while ((await registration.getNotifications()).length !== wanted) {
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
    }, count);
  }

  const opened = await press(worker);
  assert.deepEqual(opened, { asked: [path], left: 0 });
  const page = await ann.context.newPage();
  await page.goto(opened.asked[0] ?? '');
  await sees(page, 'h8', 'Black');
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.deepEqual([...ann.complaints, ...bori.complaints], []);
});

/** In the page: a browser whose push service agrees, unless its service worker is one that shows no pushes, or the
 * service fails. @param {'old' | 'fails' | null} [fault] */
function agree(fault) {
  /** @type {any} */
  let own = null;
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const endpoint = 'https://push.example/ann';
  const pushManager = {
    getSubscription: async () => own,
    subscribe: async () => {
      if (fault === 'fails') throw new DOMException('Registration failed - push service error', 'AbortError');
      own = {
        endpoint,
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: async () => {
          own = null;
        },
      };
      return own;
    },
  };
  const active = {
    postMessage: (/** @type {string} */ _, /** @type {MessagePort[]} */ [port]) => {
      if (fault !== 'old') port?.postMessage('');
    },
  };
  const registration = { pushManager, active, update: async () => {} };
  Object.defineProperty(navigator, 'serviceWorker', {
    value: {
      getRegistration: async () => registration,
      register: async () => {},
      ready: Promise.resolve(registration),
    },
  });
  Object.assign(window, { PushManager: class {} });
  Object.defineProperty(Notification, 'permission', { get: () => (own ? 'granted' : 'default') });
  Notification.requestPermission = async () => 'granted';
}

/** What the server has of pushes for the account of a page. @param {Page} page */
const known = (page) => page.evaluate(async () => (await fetch('/api/pushes')).json());

testPushes('pushes are offered after the first move of a daily game, and set in “You”', async () => {
  const ann = await guest(at, TLS);
  await ann.context.addInitScript(agree, null);
  await ann.page.reload();
  await signUp(ann.page, 'Annika');
  const bob = await visitor(at.browser, at.server, TLS, 'Bob');
  const link = await beginDaily(ann.page);
  await accept(bob.page, link);
  const offer = ann.page.getByRole('group', { name: 'Shall we tell you when it is your move?' });
  assert.equal(await offer.count(), 0, 'nobody is asked at first sight');
  await put(ann.page, 'h8');
  await offer.waitFor();
  assert.deepEqual(await faults(ann.page), []);
  await offer.getByRole('button', { name: 'Notify me' }).click();
  await ann.page.getByText('This device gets notifications.').waitFor();
  const { subscriptions } = await known(ann.page);
  assert.deepEqual(
    subscriptions.map((/** @type {any} */ { endpoint, language }) => [endpoint, language]),
    [['https://push.example/ann', 'en']],
  );

  let dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
  await dialog.getByLabel('My turn in a daily game').selectOption('Once a day');
  await dialog.getByLabel('At what time').selectOption('7:00');
  await dialog.getByLabel('Quiet hours').check();
  await dialog.getByLabel('8 hours before my time ends').uncheck();
  await dialog.getByText('Saved.').waitFor();
  assert.deepEqual(await faults(ann.page), []);
  const kinds = { challenges: true, ends: true, found: true, reports: true };
  const wanted = { moves: 'digest', digest_hour: 7, ...kinds, reminders: [4, 1] };
  const { settings } = await known(ann.page);
  assert.deepEqual({ ...wanted, quiet: { from: 1320, to: 420 }, utc_offset: settings.utc_offset }, settings);
  await ann.page.keyboard.press('Escape');
  dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
  assert.equal(await dialog.getByLabel('At what time').inputValue(), '7');
  assert.equal(await dialog.getByLabel('8 hours before my time ends').isChecked(), false);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

testPushes('the server learns the player’s offset from UTC again when it has changed', async () => {
  const ann = await guest(at, { ...TLS, timezoneId: 'Asia/Kolkata' });
  await ann.context.addInitScript(agree, null);
  await ann.page.reload();
  await signUp(ann.page, 'Wanderer');
  const { settings } = await known(ann.page);
  const quiet = { from: 1320, to: 420 };
  // As if stored in another season or place.
  await ann.page.evaluate(
    (stored) =>
      fetch('/api/pushes/settings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(stored),
      }).then(({ ok }) => ok),
    { ...settings, moves: 'never', quiet, utc_offset: 60 },
  );
  let stored = 0;
  ann.page.on('response', (response) => {
    if (response.url().endsWith('/api/pushes/settings')) stored += 1;
  });
  for (const [what, expected] of /** @type {const} */ ([
    ['not told', 0],
    ['changed', 1],
    ['the same', 1],
  ])) {
    const dialog = await you(ann.page);
    const fold = dialog.locator('summary').getByText('Notifications', { exact: true });
    await fold.waitFor();
    assert.equal(stored, expected, what);
    if (what === 'not told') {
      await fold.click();
      await dialog.getByLabel('On this device').check();
      await dialog.getByText('This device gets notifications.').waitFor();
    }
    await ann.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  assert.deepEqual((await known(ann.page)).settings, { ...settings, moves: 'never', quiet, utc_offset: 330 });
  assert.deepEqual(ann.complaints, []);
});

testPushes('a visible tab tells the server that the player sees their turn, and a hidden one does not', async () => {
  const ann = await guest(at, TLS);
  await signUp(ann.page, 'Visible');
  const bob = await visitor(at.browser, at.server, TLS, 'Bob');
  const link = await beginDaily(bob.page);
  await accept(ann.page, link);
  let seen = 0;
  ann.page.on('request', (request) => {
    if (request.url().endsWith('/api/pushes/seen')) {
      assert.deepEqual(request.postDataJSON(), { room: new URL(link).pathname.slice(3) });
      seen += 1;
    }
  });
  const show = (/** @type {string} */ state) =>
    ann.page.evaluate((state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    }, state);
  const pass = () => ann.page.waitForTimeout(7_000);
  await pass();
  assert.equal(seen, 0, 'it is not her turn');
  await show('hidden');
  await put(bob.page, 'h8');
  await sees(ann.page, 'h8', 'Black');
  await pass();
  assert.equal(seen, 0);
  await show('visible');
  await ann.page.waitForRequest('**/api/pushes/seen');
  await pass();
  assert.equal(seen, 1, 'once for a turn');
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

testPushes('a subscription is of the account that asked for it', async () => {
  const ann = await guest(at, TLS);
  await ann.context.addInitScript(agree, null);
  await ann.page.reload();
  await signUp(ann.page, 'Firstone');
  let dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
  await dialog.getByLabel('On this device').check();
  await dialog.getByText('This device gets notifications.').waitFor();
  const has = () =>
    ann.page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration();
      return !!(await worker?.pushManager.getSubscription());
    });
  assert.equal(await has(), true);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await ann.page.getByText('You are signed out.').waitFor();
  await ann.page.waitForFunction(async () => {
    const worker = await navigator.serviceWorker.getRegistration();
    return !(await worker?.pushManager.getSubscription());
  });
  await signUp(ann.page, 'Secondone');
  dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
  assert.equal(await dialog.getByLabel('On this device').isChecked(), false);
  assert.deepEqual((await known(ann.page)).subscriptions, []);
  assert.deepEqual(ann.complaints, []);
});

testPushes('what the browser cannot do is said in our words', async () => {
  for (const [fault, text] of /** @type {const} */ ([
    ['old', 'Close all tabs of this site and open it again.'],
    ['fails', 'The browser could not set up notifications.'],
  ])) {
    const ann = await guest(at, TLS);
    await ann.context.addInitScript(agree, fault);
    await ann.page.reload();
    await signUp(ann.page, `Fault${fault}`);
    const dialog = await you(ann.page);
    await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
    await dialog.getByLabel('On this device').click();
    await dialog.getByText(text).waitFor();
    assert.equal(await dialog.getByLabel('On this device').isChecked(), false);
    assert.deepEqual((await known(ann.page)).subscriptions, []);
    assert.deepEqual(ann.complaints, []);
    await ann.context.close();
  }
});

testPushes('an iPhone is told to install the page, and a guest nothing', async () => {
  const ann = await guest(at, TLS);
  await ann.context.addInitScript(() => {
    Reflect.deleteProperty(window, 'PushManager');
    Object.defineProperty(navigator, 'standalone', { value: false });
  });
  await ann.page.reload();
  const bob = await visitor(at.browser, at.server, TLS, 'Bob');
  const link = await beginDaily(ann.page);
  await accept(bob.page, link);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  assert.equal(await ann.page.getByText('Shall we tell you').count(), 0);
  await signUp(ann.page, 'Anouk');
  const dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Notifications', { exact: true }).click();
  await dialog.getByText(/only the installed page gets notifications/).waitFor();
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});

test('where the server does not push, nothing mentions it', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const ann = await guest({ browser: at.browser, server });
  await ann.context.addInitScript(agree, null);
  await ann.page.reload();
  await signUp(ann.page, 'Annika');
  const bob = await visitor(at.browser, server, {}, 'Bob');
  const asked = ann.page.waitForResponse('**/api/pushes');
  const link = await beginDaily(ann.page);
  await accept(bob.page, link);
  assert.equal((await (await asked).json()).key, null);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await ann.page.waitForTimeout(3_000);
  const dialog = await you(ann.page);
  await dialog.locator('summary').getByText('Friends', { exact: true }).waitFor();
  assert.equal(await ann.page.getByText('Notifications', { exact: true }).count(), 0);
  assert.equal(await ann.page.getByText('Shall we tell you').count(), 0);
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
});
