// Accounts on the page: signing up, signing in, recovery codes, sessions, and what other tabs see of it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { elsewhere, guest, named, own, PASSWORD, signIn, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { PHONE, put, sees, stage, twoPlay, visitor } from './harness.mjs';

// People come from addresses of their own, because few accounts are made at one in an hour.
const at = stage(TRUST);

test('from a fresh browser to the first move with an account: four inputs', async (t) => {
  const begin = Date.now();
  const { page, complaints, context } = await visitor(at.browser, at.server, {
    ...elsewhere(),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto('/');
  await named(page, /^Guest/);
  const dialog = await you(page);
  let inputs = 0;
  /** @param {Promise<void>} act */
  const input = async (act) => {
    inputs += 1;
    await act;
  };
  await input(dialog.getByLabel('Name', { exact: true }).fill('Mirela'));
  await input(dialog.getByLabel('Password', { exact: true }).fill(PASSWORD));
  await dialog.getByLabel('Password', { exact: true }).press('Enter');
  const copied = dialog.getByRole('button', { name: 'Copy and continue' });
  await copied.waitFor();
  const codes = await dialog.locator('.codes li').allTextContents();
  assert.equal(new Set(codes).size, 8);
  for (const code of codes) assert.match(code, /^([2-9a-z]{4} ){3}[2-9a-z]{4}$/);
  assert.deepEqual(
    await dialog.getByRole('button').allTextContents(),
    ['Copy and continue', 'I’ve written them down'],
    'the ways out',
  );
  // They do not go away by mistake.
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  assert.equal(await copied.isVisible(), true);
  await input(copied.click());
  await page.locator('.toast').getByText('You are signed in as Mirela.').waitFor();
  const clipboard = await page.evaluate(() => navigator.clipboard.readText());
  for (const code of codes) assert.ok(clipboard.includes(code), clipboard);
  await named(page, 'Mirela');
  await page.locator('.opponents label:has([value=bot])').click();
  await input(page.locator('.start').click());
  await page.getByRole('heading', { name: 'Your move' }).waitFor();
  await put(page, 'h8');
  await page.getByRole('gridcell', { name: /^h8, (Black|White)/ }).waitFor({ state: 'attached' });
  assert.equal(inputs, 4);
  t.diagnostic(`${inputs} inputs, ${((Date.now() - begin) / 1000).toFixed(1)} s to the first move`);
  // Nothing that opens the account lies where scripts can read it.
  assert.equal(await page.evaluate(() => localStorage.getItem('fivefold.identity')), null);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  assert.ok(!stored.includes(PASSWORD) && !/[0-9a-f]{64}/.test(stored), stored);
  assert.deepEqual(own(complaints), []);
  await context.close();
});

test('a guest in a running game signs up, and keeps the seat and the clock', async () => {
  const { ann, bob, link } = await twoPlay(at, elsewhere());
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await put(bob.page, 'h9');
  await sees(ann.page, 'h9', 'White');
  const member = await ann.page.evaluate(() => localStorage.getItem('fivefold.identity'));
  await signUp(ann.page, 'Annika');
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.equal(ann.page.url(), link, 'the same page');
  await put(ann.page, 'i8');
  await sees(bob.page, 'i8', 'Black');
  await put(bob.page, 'i9');
  await sees(ann.page, 'i9', 'White');
  // A new tab has the seat by the cookie alone.
  await ann.page.reload();
  await named(ann.page, 'Annika');
  await put(ann.page, 'j8');
  await sees(bob.page, 'j8', 'Black');
  // The guest's secret opens nothing any more.
  const thief = await visitor(at.browser, at.server);
  await thief.page.goto(`/#identity=${member}`);
  await thief.page.getByRole('button', { name: 'Yes' }).click();
  await thief.page.getByText('Your link was replaced on another device.').waitFor();
  assert.deepEqual([...own(ann.complaints), ...bob.complaints], []);
});

test('other tabs follow signing up, signing out and signing in', async () => {
  const { page, context, complaints } = await guest(at, {}, 'Tabea');
  const tab = await context.newPage();
  await tab.goto('/lobby');
  await named(tab, 'Tabea');
  await signUp(page, 'Tabitha');
  await named(tab, 'Tabitha');
  assert.equal(await tab.getByText('Your link was replaced').isVisible(), false);
  const dialog = await you(tab);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  for (const one of [tab, page]) await named(one, /^Guest/);
  await signIn(page, 'Tabitha');
  for (const one of [tab, page]) await named(one, 'Tabitha');
  assert.deepEqual(own(complaints), []);
});

test('signing in on a second browser, which keeps its guest for later', async () => {
  const { ann, bob, link } = await twoPlay(at, elsewhere());
  await signUp(ann.page, 'Ottilie');
  const there = await guest(at, {}, 'Zoe');
  const identity = await there.page.evaluate(() => localStorage.getItem('fivefold.identity'));
  await signIn(there.page, 'Ottilie');
  await named(there.page, 'Ottilie');
  // The running game is there, and its seat.
  await there.page.locator('.own-room', { hasText: 'Bob' }).getByRole('link').click();
  await there.page.waitForURL(link);
  await put(there.page, 'h8');
  for (const { page } of [ann, bob]) await sees(page, 'h8', 'Black');
  const dialog = await you(there.page);
  await dialog.getByText('Signed in on').waitFor();
  assert.equal(await dialog.locator('.signed-in-on li').count(), 2);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await named(there.page, 'Zoe');
  assert.equal(await there.page.evaluate(() => localStorage.getItem('fivefold.identity')), identity);
  await named(ann.page, 'Ottilie');
  assert.deepEqual([...own(ann.complaints), ...bob.complaints, ...own(there.complaints)], []);
});

test('a wrong password and an unknown name read the same', async () => {
  const { page } = await guest(at);
  await signUp(page, 'Wanda');
  const { page: other } = await guest(at);
  /** @type {string[]} */
  const shown = [];
  for (const [name, password] of [
    ['Wanda', 'not this password'],
    ['Nobody-here', PASSWORD],
  ]) {
    const dialog = await signIn(other, name ?? '', password);
    const field = dialog.getByLabel('Password', { exact: true });
    await dialog.locator('input[aria-invalid=true]').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    shown.push(
      await field.evaluate(
        (input) => document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
      ),
    );
    assert.equal(await field.evaluate((input) => input === document.activeElement), true, 'it has the focus');
    await other.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  assert.ok(shown[0]);
  assert.equal(shown[0], shown[1]);
});

test('a lost password: a recovery code sets a new one and ends the other sessions', async () => {
  const old = await guest(at);
  const [code = ''] = await signUp(old.page, 'Lotte');
  const { page, complaints } = await guest(at);
  const recover = async () => {
    const dialog = await you(page);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByRole('button', { name: 'Lost your password?' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Lotte');
    await dialog.getByLabel('Recovery code').fill(` ${code.toUpperCase().replaceAll(' ', '-')}`);
    await dialog.getByLabel('New password', { exact: true }).fill('another long password');
    await dialog.getByRole('button', { name: 'Set the new password' }).click();
    return dialog;
  };
  await recover();
  await page.locator('.toast').getByText('7 recovery codes are left').waitFor();
  await named(page, 'Lotte');
  await named(old.page, /^Guest/);
  // It worked once.
  const dialog = await you(page);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await named(page, /^Guest/);
  const again = await recover();
  await again.locator('input[aria-invalid=true]').waitFor();
  await page.keyboard.press('Escape');
  await again.waitFor({ state: 'detached' });
  await signIn(page, 'Lotte', 'another long password');
  await named(page, 'Lotte');
  assert.deepEqual([...own(complaints), ...own(old.complaints)], []);
});

test('an ended session becomes a guest at once, in its tabs', async () => {
  const here = await guest(at);
  await signUp(here.page, 'Esther');
  const there = await guest(at);
  await signIn(there.page, 'Esther');
  await named(there.page, 'Esther');
  const tab = await there.context.newPage();
  await tab.goto('/lobby');
  await named(tab, 'Esther');
  const dialog = await you(here.page);
  await dialog.getByRole('button', { name: /^End: / }).waitFor();
  // Each toast is shown for a few seconds only.
  const toasts = Promise.all(
    [there.page, tab].map((one) =>
      one.locator('.toast').getByText('You are signed out.').waitFor({ state: 'attached' }),
    ),
  );
  await dialog.getByRole('button', { name: /^End: / }).click();
  await dialog.getByRole('button', { name: /^End: / }).waitFor({ state: 'detached' });
  await toasts;
  for (const one of [there.page, tab]) await named(one, /^Guest/);
  await named(here.page, 'Esther');
  assert.deepEqual([...own(here.complaints), ...own(there.complaints)], []);
});

test('what cannot be right is shown at its field', async () => {
  const { page } = await guest(at);
  await signUp(page, 'Taken');
  const { page: other, complaints } = await guest(at);
  const dialog = await you(other);
  const name = dialog.getByLabel('Name', { exact: true });
  const password = dialog.getByLabel('Password', { exact: true });
  const create = dialog.getByRole('button', { name: 'Create account', exact: true });
  /** @param {import('playwright-core').Locator} field @param {RegExp} [text] */
  const blamed = async (field, text = /./) => {
    await dialog.locator('input[aria-invalid=true]').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.match(
      await field.evaluate(
        (input) => document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
      ),
      text,
    );
  };
  await create.click();
  await blamed(name, /Fill this in/);
  await name.fill('Tilda');
  await password.fill('too short');
  await create.click();
  await blamed(password, /At least 10 characters/);
  await password.fill(PASSWORD);
  // The last two look like a name that is taken.
  for (const wrong of ['<img src=x>', 'a', 'Аnna', '\u202Egnp', 'admin', 'Taken', 'TAKEN', 'Тakеn']) {
    await name.fill(wrong);
    await create.click();
    await blamed(name);
  }
  assert.equal(await dialog.locator('img').count(), 0);
  await name.fill('Tilda');
  await create.click();
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  assert.deepEqual(own(complaints), []);
});

test('a new name, a new password and new codes', async () => {
  const here = await guest(at);
  const [old = ''] = await signUp(here.page, 'Nadja');
  const there = await guest(at);
  await signIn(there.page, 'Nadja');
  await named(there.page, 'Nadja');
  const dialog = await you(here.page);
  await dialog.getByText('Recovery codes: 8 left').click();
  const codes = dialog.locator('details[open]');
  await codes.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await codes.getByRole('button', { name: 'Make new codes' }).click();
  await dialog.getByRole('button', { name: 'Copy and continue' }).waitFor();
  const fresh = await dialog.locator('.codes li').allTextContents();
  assert.equal(fresh.length, 8);
  assert.ok(!fresh.includes(old));
  await dialog.getByRole('button', { name: 'Copy and continue' }).click();
  await dialog.waitFor({ state: 'detached' });

  await you(here.page);
  await dialog.getByText('Change your password').click();
  const change = dialog.locator('details[open]');
  await change.getByLabel('Password', { exact: true }).fill('not my password');
  await change.getByLabel('New password', { exact: true }).fill('another long password');
  await change.getByRole('button', { name: 'Save' }).click();
  await change.locator('input[aria-invalid=true]').waitFor();
  await change.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await change.getByRole('button', { name: 'Save' }).click();
  await here.page.locator('.toast').getByText('Password changed.').waitFor();
  await named(there.page, /^Guest/);

  await you(here.page);
  await dialog.getByText('Change your name').click();
  const rename = dialog.locator('details[open]');
  await rename.getByLabel('Name', { exact: true }).fill('Nadine');
  await rename.getByLabel('Password', { exact: true }).fill('another long password');
  await rename.getByRole('button', { name: 'Save' }).click();
  await named(here.page, 'Nadine');
  assert.deepEqual([...own(here.complaints), ...own(there.complaints)], []);
});

test('all data as a file, and an account that ends', async () => {
  const { page, complaints } = await guest(at);
  await signUp(page, 'Klara');
  const dialog = await you(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download your data' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'fivefold-Klara.json');
  const data = await readFile(await download.path(), 'utf8');
  assert.ok(JSON.parse(data) && data.includes('Klara') && !data.includes('argon2'), data);
  await dialog.locator('summary', { hasText: 'Delete your account' }).click();
  const remove = dialog.locator('details[open]');
  await remove.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await remove.getByRole('button', { name: 'Delete your account' }).click();
  await named(page, /^Guest/);
  // Within 14 days it can be kept.
  await signIn(page, 'Klara');
  await named(page, 'Klara');
  assert.deepEqual(own(complaints), []);
});

test('a lost answer to signing up locks nobody out', async () => {
  const { page, complaints } = await guest(at);
  let lost = 0;
  await page.route('**/api/account', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.fallback();
    lost += 1;
    // The account is made, and the browser does not see the answer.
    await page.evaluate(
      async ({ url, body, headers }) => {
        const answer = await fetch(`${url}?again`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', authorization: headers },
          credentials: 'omit',
        });
        if (!answer.ok) throw new Error(await answer.text());
      },
      {
        url: route.request().url(),
        body: route.request().postData(),
        headers: route.request().headers().authorization ?? '',
      },
    );
    await route.abort();
  });
  const dialog = await you(page);
  await dialog.getByLabel('Name', { exact: true }).fill('Verena');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
  await dialog.getByRole('alert').getByText('That did not work.').waitFor();
  await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
  await dialog.getByRole('button', { name: 'Copy and continue' }).click();
  await named(page, 'Verena');
  assert.equal(lost, 1);
  assert.deepEqual(own(complaints), []);
});

test('by the keyboard alone', async () => {
  const { page, complaints } = await guest(at);
  await page.locator('.me').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  /** Goes on with Tab until this has the focus. @param {string} name */
  const reach = async (name) => {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: it } = document;
        return it instanceof HTMLInputElement
          ? it.labels?.[0]?.textContent
          : (it?.getAttribute('aria-label') ?? it?.textContent);
      });
      if (focused === name) return;
    }
    assert.fail(`${name} is out of reach`);
  };
  await reach('Name');
  await page.keyboard.type('Kei');
  await reach('Password');
  await page.keyboard.type(PASSWORD);
  await reach('Show password');
  await page.keyboard.press('Space');
  assert.equal(await dialog.getByLabel('Password', { exact: true }).getAttribute('type'), 'text');
  await reach('Create account');
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Copy and continue');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await named(page, 'Kei');
  await page.locator('.me').focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await reach('Sign out');
  await page.keyboard.press('Enter');
  await named(page, /^Guest/);
  assert.deepEqual(own(complaints), []);
});

for (const [size, options] of /** @type {const} */ ([
  ['desk', { colorScheme: 'light' }],
  ['phone', { ...PHONE, colorScheme: 'dark' }],
])) {
  test(`every state is accessible and fits, ${size}`, async () => {
    const { page } = await guest(at, options);
    const name = `Axel-${size}`;
    /** @param {string} state */
    const check = async (state) => {
      assert.deepEqual(await faults(page), [], state);
      assert.deepEqual(
        await page.evaluate(() => {
          const dialog = document.querySelector('dialog');
          return [
            document.documentElement.scrollWidth - document.documentElement.clientWidth,
            (dialog?.scrollWidth ?? 0) - (dialog?.clientWidth ?? 0),
          ];
        }),
        [0, 0],
        state,
      );
    };
    const dialog = await you(page);
    await check('guest');
    await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
    await dialog.locator('input[aria-invalid=true]').waitFor();
    await check('fault');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await check('sign in');
    await dialog.getByRole('button', { name: 'Lost your password?' }).click();
    await check('recovery');
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
    await dialog.getByRole('button', { name: 'Copy and continue' }).waitFor();
    await check('codes');
    await dialog.getByRole('button', { name: 'Copy and continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.toast').waitFor({ state: 'detached' });
    await you(page);
    for (const fold of ['Change your name', 'Change your password', 'Recovery codes: 8 left', 'Delete your account']) {
      await dialog.locator('summary', { hasText: fold }).click();
      await check(fold);
    }
  });
}

test('the service worker keeps nothing of accounts', async () => {
  const { page } = await visitor(at.browser, at.server, { ...elsewhere(), serviceWorkers: 'allow' });
  await page.goto('/');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.reload();
  await named(page, /^Guest/);
  await signUp(page, 'Offline');
  const dialog = await you(page);
  await dialog.getByText('Signed in on').waitFor();
  const kept = await page.evaluate(async () => {
    const urls = [];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) urls.push(request.url);
    return urls;
  });
  assert.ok(kept.length > 20, 'the page is kept');
  assert.deepEqual(
    kept.filter((url) => url.includes('/api/')),
    [],
  );
});
