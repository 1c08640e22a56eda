// Keys to an account on the page: passkeys by Chromium's virtual authenticator, other devices, tokens, and the
// games of a guest.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { elsewhere, guest, named, own, signIn, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { PHONE, put, sees, stage, twoPlay, visitor } from './harness.mjs';

/** @import { BrowserContext, Page } from 'playwright-core' */

const at = stage(TRUST);

/** A device with passkeys, which always says yes. @param {BrowserContext} context @param {Page} page */
async function authenticator(context, page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** @param {Page} page */
async function signOut(page) {
  const dialog = await you(page);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await named(page, /^Guest/);
}

/** Opens a part of the dialog of an account. @param {Page} page @param {string} title */
async function part(page, title) {
  const dialog = await you(page);
  await dialog.getByText(title).click();
  return dialog.locator('details[open]');
}

test('a new account by a passkey alone: sign up, out, and in again', async () => {
  const { page, context, complaints } = await guest(at);
  await authenticator(context, page);
  const dialog = await you(page);
  const create = dialog.getByRole('button', { name: 'Create account with a passkey' });
  await create.click();
  await dialog.getByText('Fill this in.').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('admin');
  await create.click();
  await dialog.getByText('Nobody can have this name').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Pascal');
  await create.click();
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy and continue' }).click();
  await named(page, 'Pascal');
  assert.equal(await page.evaluate(() => localStorage.getItem('fivefold.identity')), null);
  await signOut(page);
  const again = await you(page);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await named(page, 'Pascal');
  // Without a password the settings ask for none, because the key was used a moment ago.
  const names = await part(page, 'Change your name');
  assert.equal(await names.getByLabel('Password', { exact: true }).count(), 0);
  await names.getByLabel('Name', { exact: true }).fill('Pascale');
  await names.getByRole('button', { name: 'Save' }).click();
  await named(page, 'Pascale');
  const passkeys = await part(page, 'Passkeys: 1');
  await passkeys.getByRole('button', { name: /^Remove: / }).click();
  await passkeys.getByText('This is the last way to sign in to your account').waitFor();
  assert.deepEqual(own(complaints), []);
});

test('a passkey is added and removed, all sessions hear of it, and then it opens nothing', async () => {
  const here = await guest(at);
  await authenticator(here.context, here.page);
  await signUp(here.page, 'Regina');
  const there = await guest(at);
  await signIn(there.page, 'Regina');
  await named(there.page, 'Regina');
  const passkeys = await part(here.page, 'Passkeys: 0');
  await passkeys.getByLabel('Name of the key').fill('My <b>phone</b>');
  const heard = there.page
    .locator('.toast')
    .getByText('A passkey was added to your account: My <b>phone</b>')
    .waitFor();
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await heard;
  await passkeys.getByText('My <b>phone</b>').waitFor();
  // The device has one already.
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByText('This device has a passkey of this account already.').waitFor();
  await passkeys.getByRole('button', { name: /^Remove: / }).click();
  await passkeys.getByText('My <b>phone</b>').waitFor({ state: 'detached' });
  await here.page.keyboard.press('Escape');
  await signOut(here.page);
  const dialog = await you(here.page);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await dialog.getByText('This passkey doesn’t belong to any account here.').waitFor();
  assert.deepEqual([...own(here.complaints), ...own(there.complaints)], []);
});

test('passkeys are hidden where they cannot work', async () => {
  const { port } = new URL(at.server.url);
  const { page } = await visitor(at.browser, { url: `http://127.0.0.1:${port}` }, elsewhere());
  await page.goto('/');
  await named(page, /^Guest/);
  const dialog = await you(page);
  await dialog.getByRole('button', { name: 'Create account', exact: true }).waitFor();
  assert.equal(
    await dialog
      .getByRole('button', { name: /passkey/ })
      .filter({ visible: true })
      .count(),
    0,
  );
  await page.keyboard.press('Escape');
  await signUp(page, 'Numa');
  const passkeys = await part(page, 'Passkeys: 0');
  await passkeys.getByText('Passkeys do not work at this address.').waitFor();
  assert.equal(await passkeys.getByRole('button', { name: 'Add a passkey' }).isVisible(), false);
});

test('a link signs in another device, if both say yes', async () => {
  const here = await guest(at);
  await signUp(here.page, 'Linda');
  const devices = await part(here.page, 'Sign in another device');
  await devices.getByRole('button', { name: 'Show a link' }).click();
  const link = await devices.getByLabel('Show a link').inputValue();
  assert.match(link, /\/#link=[2-9a-z]{16}$/);
  const there = await guest(at, PHONE);
  await there.page.goto(link);
  const asked = there.page.getByRole('dialog');
  await asked.getByText('Sign in here as Linda?').waitFor();
  assert.equal(new URL(there.page.url()).hash, '', 'the code is not in the history');
  await asked.getByRole('button', { name: 'Yes' }).click();
  await asked.getByText('Now say yes on your other device.').waitFor();
  await devices.getByText(/from 10\.0\.0\.\d+ wants to sign in/).waitFor();
  assert.deepEqual(await faults(here.page), []);
  await devices.getByRole('button', { name: 'Yes' }).click();
  await named(there.page, 'Linda');
  // It worked once.
  const third = await guest(at);
  await third.page.goto(link);
  await third.page.locator('.toast').getByText('This code is invalid').waitFor();
  assert.deepEqual([...own(here.complaints), ...own(there.complaints)], []);
});

test('a program signs in by the code that it shows', async () => {
  const here = await guest(at);
  await signUp(here.page, 'Cody');
  /** @param {string} path @param {object} [body] */
  const post = (path, body) =>
    fetch(`${at.server.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'fivefold 0.1.0' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { device_code: device, user_code: user } = await (await post('device')).json();
  assert.equal((await post('device/session', { device_code: device })).status, 202);
  await here.page.goto('/#device');
  const dialog = here.page.getByRole('dialog');
  await dialog.getByLabel('Code of the device').fill('22222222');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('This code is invalid').waitFor();
  await dialog.getByLabel('Code of the device').fill(` ${user.slice(0, 4).toUpperCase()}-${user.slice(4)}`);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('“fivefold 0.1.0” from 127.0.0.1 wants to sign in').waitFor();
  await dialog.getByRole('button', { name: 'Yes' }).click();
  await here.page.locator('.toast').getByText('The device is signed in.').waitFor();
  const answer = await post('device/session', { device_code: device });
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).account.name, 'Cody');
  assert.deepEqual(own(here.complaints), []);
});

test('a token is shown once, listed and removed', async () => {
  const { page, complaints } = await guest(at);
  await signUp(page, 'Toby');
  const tokens = await part(page, 'Tokens for programs: 0');
  await tokens.getByLabel('Name of the key').fill('my bot');
  await tokens.getByLabel('watch games').check();
  await tokens.getByRole('button', { name: 'Make a token' }).click();
  const token = await tokens.getByLabel('Token', { exact: true }).inputValue();
  assert.match(token, /^ff_[0-9A-Za-z]{49}$/);
  const answer = await fetch(`${at.server.url}/api/account`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await answer.json()).reason, 'token_scope');
  await tokens.getByText(/Never used · play, watch games · until/).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.keyboard.press('Escape');
  const again = await part(page, 'Tokens for programs: 1');
  assert.ok(!(await again.innerText()).includes(token.slice(3)));
  await again.getByRole('button', { name: 'Remove: my bot' }).click();
  await again.getByText('my bot').waitFor({ state: 'detached' });
  assert.deepEqual(own(complaints), []);
});

test('a token that only reads games has addresses of a calendar and a feed', async () => {
  const { page, complaints } = await guest(at);
  await signUp(page, 'Cala');
  const tokens = await part(page, 'Tokens for programs: 0');
  await tokens.getByLabel('Name of the key').fill('calendar');
  await tokens.getByLabel('play', { exact: true }).uncheck();
  await tokens.getByLabel('read your games').check();
  await tokens.getByRole('button', { name: 'Make a token' }).click();
  const kinds = { 'Address of the calendar': 'text/calendar', 'Address of the feed': 'application/atom+xml' };
  for (const [label, kind] of Object.entries(kinds)) {
    const answer = await fetch(await tokens.getByLabel(label).inputValue());
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', new RegExp(kind.replace('+', '\\+')));
  }
  assert.deepEqual(await faults(page), []);
  assert.deepEqual(own(complaints), []);
});

test('the games of this device are taken along, asked once', async () => {
  const away = await guest(at);
  await signUp(away.page, 'Gala');
  const { ann } = await twoPlay(at, elsewhere(), ['Gus', 'Bo'], elsewhere());
  await put(ann.page, 'h8');
  await ann.page.getByRole('button', { name: 'Resign' }).click();
  await ann.page
    .getByRole('button', { name: /^(Yes|Resign)/ })
    .last()
    .click();
  await ann.page.getByRole('link', { name: 'Review game' }).waitFor();
  await signIn(ann.page, 'Gala');
  const asked = ann.page.getByRole('dialog').filter({ hasText: 'Take 1 game on this device with you?' });
  await asked.getByRole('button', { name: 'Yes' }).click();
  await asked.waitFor({ state: 'detached' });
  assert.equal(await ann.page.evaluate(() => localStorage.getItem('fivefold.identity')), null);
  await away.page.goto('/games');
  await away.page.getByText('Bo', { exact: true }).first().waitFor();
  assert.deepEqual([...own(ann.complaints), ...own(away.complaints)], []);
});

test('a running game of this device is taken along, with the seat and the clock', async () => {
  const away = await guest(at);
  await signUp(away.page, 'Greta');
  const { ann, bob, link } = await twoPlay(at, elsewhere(), ['Gil', 'Bo'], elsewhere());
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await put(bob.page, 'h9');
  await sees(ann.page, 'h9', 'White');
  await signIn(ann.page, 'Greta');
  const asked = ann.page.getByRole('dialog').filter({ hasText: 'Take 1 game on this device with you?' });
  await asked.getByRole('button', { name: 'Yes' }).click();
  await asked.waitFor({ state: 'detached' });
  await named(ann.page, 'Greta');
  await ann.page.getByRole('heading', { name: 'Your move' }).waitFor();
  assert.equal(ann.page.url(), link, 'the same page');
  await put(ann.page, 'i8');
  await sees(bob.page, 'i8', 'Black');
  await put(bob.page, 'i9');
  // The other browser of the account has the game, and its seat.
  await away.page.goto('/');
  await away.page.locator('.own-room', { hasText: 'Bo' }).getByRole('link').click();
  await away.page.waitForURL(link);
  await put(away.page, 'j8');
  await sees(bob.page, 'j8', 'Black');
  await bob.page.getByText('Greta').first().waitFor();
  assert.deepEqual([...own(ann.complaints), ...own(away.complaints), ...bob.complaints], []);
});
