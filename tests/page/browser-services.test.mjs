// The page where the browser lacks what others have: storage, a clipboard, sound.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { put, sees, stage, visitor } from './harness.mjs';

const at = stage();

/** Ways in which browsers keep nothing. */
const DENIALS = {
  // As Chromium under “block all cookies”, and in a sandboxed frame.
  denied: () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    }
  },
  missing: () => {
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: null });
  },
  full: () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('quota', 'QuotaExceededError');
    };
  },
};

for (const [how, deny] of Object.entries(DENIALS)) {
  test(`a game is played where storage is ${how}, and the page says once what that means`, async () => {
    const { page, context, complaints } = await visitor(at.browser, at.server);
    await context.addInitScript(deny);
    await page.goto('/');
    await page.getByText('This browser keeps nothing for this site').waitFor();
    await page.locator('.opponents label', { hasText: 'A bot' }).click();
    await page.locator('.level label', { hasText: /^1$/ }).click();
    await page.getByRole('button', { name: 'Play the bot (level 1)' }).click();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    await put(page, 'h8');
    await sees(page, 'h8', '(Black|White)');
    assert.equal(await page.getByText('This browser keeps nothing for this site').count(), 1);
    // The seat stays as long as the page does, over a lost connection, too.
    await at.server.kill();
    await at.server.again();
    await page.getByRole('heading', { name: 'Your move' }).waitFor();
    assert.deepEqual(complaints, []);
  });
}

test('an address is copied where there is no clipboard', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = (command) => {
      document.title = `${command}: ${getSelection()}`;
      return true;
    };
  });
  await page.goto('/analyse');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  assert.match(await page.title(), /^copy: http.*\/analyse/);
  assert.deepEqual(complaints, []);
});

test('sound begins with a key, and comes back after an interruption', async () => {
  const { page, context } = await visitor(at.browser, at.server);
  await context.addInitScript(() => {
    const made = Object.assign(/** @type {any[]} */ ([]), { resumed: 0 });
    Object.assign(window, {
      made,
      AudioContext: class {
        state = 'running';
        constructor() {
          made.push(this);
        }
        async resume() {
          made.resumed += 1;
          this.state = 'running';
        }
        async suspend() {}
      },
    });
  });
  await page.goto('/lobby');
  await page.locator('main h1, main h2').first().waitFor();
  const made = () =>
    page.evaluate(() => {
      const { made } = /** @type {any} */ (window);
      return { count: made.length, resumed: made.resumed };
    });
  for (const key of ['Tab', 'Tab']) await page.keyboard.press(key);
  assert.deepEqual(await made(), { count: 1, resumed: 0 });
  await page.evaluate(() => {
    /** @type {any} */ (window).made[0].state = 'interrupted';
  });
  await page.mouse.click(5, 420);
  assert.deepEqual(await made(), { count: 1, resumed: 1 });
});

test('where there are no workers, the server judges and analyses, and where there are no passkeys, none is offered', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await context.addInitScript(() => {
    for (const name of ['Worker', 'PublicKeyCredential', 'Notification', 'AudioContext'])
      Reflect.deleteProperty(window, name);
  });
  await page.goto('/analyse#moves=h8+i9+h9');
  const lines = page.locator('.lines li');
  // It begins by itself; a press would end it.
  await lines.first().waitFor();
  await put(page, 'h10');
  await sees(page, 'h10', 'White');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Theme').waitFor();
  assert.equal(await page.getByLabel(/^Notify me/).count(), 0);
  await page.keyboard.press('Escape');
  await page.locator('.bar .me').click();
  await page.locator('dialog h2').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /passkey/i }).count(), 0);
  assert.deepEqual(complaints, []);
});

test('a phone that makes no notifications itself shows them by its service worker', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server);
  await context.addInitScript(() => {
    const shown = /** @type {unknown[]} */ ([]);
    Object.assign(window, {
      shown,
      Notification: class {
        static permission = 'granted';
        constructor() {
          throw new TypeError('Illegal constructor');
        }
      },
    });
    Object.defineProperty(navigator, 'serviceWorker', {
      value: {
        getRegistration: async () => ({ showNotification: (/** @type {unknown[]} */ ...all) => void shown.push(all) }),
        register: async () => {},
      },
    });
  });
  await page.goto('/');
  const script = (await page.locator('script[type=module]').getAttribute('src')) ?? '';
  const [title, options] = await page.evaluate(async (from) => {
    const { showNotification } = await import(new URL('browser/notifications.js', new URL(from, location.href)).href);
    showNotification('Your move', () => {});
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
    return Reflect.get(window, 'shown')[0];
  }, script);
  assert.deepEqual([title, options.body], ['Fivefold', 'Your move']);
  // Phones draw no other kind of picture in a notification.
  assert.equal((await page.request.get(options.icon)).headers()['content-type'], 'image/png');
  assert.deepEqual(complaints, []);
});
