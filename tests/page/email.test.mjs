// E-mail: a link in a message confirms an address, and a mailed code sets a new password. The SMTP server is the test's
// own, over a real socket.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { guest, own, PASSWORD, signIn, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { openBrowser, Server } from './harness.mjs';
import { confirmAddress, MailServer, startWithMail } from './mail-server.mjs';

const at = /** @type {{ server: Server, browser: import('playwright-core').Browser, mail: MailServer }} */ ({});
before(async () => {
  at.mail = await MailServer.start();
  at.server = await startWithMail(at.mail, TRUST);
  at.browser = await openBrowser();
});

after(async () => {
  await at.browser?.close();
  await at.server?.stop();
  at.mail?.close();
});

test('a browser tells the offset from UTC of a player who gets e-mail alone', async () => {
  const eve = await guest(at, { timezoneId: 'Asia/Kolkata' });
  await signUp(eve.page, 'Eve');
  await confirmAddress(at.mail, eve.page, 'eve@club.example');

  const elsewhere = await guest(at, { timezoneId: 'Asia/Kathmandu' });
  await (await signIn(elsewhere.page, 'Eve')).waitFor({ state: 'detached' });
  const stored = elsewhere.page.waitForResponse((response) => response.url().endsWith('/api/pushes/settings'));
  await you(elsewhere.page);
  await stored;
  const { settings } = await elsewhere.page.evaluate(async () => (await fetch('/api/pushes')).json());
  assert.equal(settings.utc_offset, 345);
  assert.deepEqual(own([...eve.complaints, ...elsewhere.complaints]), []);
});

test('an address is confirmed by a link, and a mailed code sets a password', async () => {
  const ann = await guest(at);
  await signUp(ann.page, 'Ann');
  const dialog = await you(ann.page);
  await dialog.getByText('E-mail', { exact: true }).click();
  await dialog.getByLabel('E-mail address').fill('ann@club.example');
  assert.deepEqual(await faults(ann.page), []);
  await dialog.getByRole('button', { name: 'Send the link' }).click();
  await dialog.getByText('Open the link that we sent to ann@club.example.').waitFor();
  const link = await at.mail.find(/(http:\S+#email=\S+)/);

  // It is opened on a phone that is signed in nowhere.
  const phone = await guest(at);
  await phone.page.goto(link);
  const asked = phone.page.getByRole('dialog');
  assert.deepEqual(await faults(phone.page), []);
  await asked.getByRole('button', { name: 'Confirm the address' }).click();
  await phone.page.locator('.toast').getByText('The address is confirmed.').waitFor();
  await ann.page.keyboard.press('Escape');
  const later = await you(ann.page);
  await later.getByText('E-mail', { exact: true }).click();
  await later.getByText('Messages go to ann@club.example.').waitFor();

  const lost = await you(phone.page);
  await lost.getByRole('button', { name: 'Sign in', exact: true }).click();
  await lost.getByRole('button', { name: 'Lost your password?' }).click();
  await lost.getByLabel('Name', { exact: true }).fill('Ann');
  await lost.getByRole('button', { name: 'Send me a code by e-mail' }).click();
  await lost.getByText('a code is on its way').waitFor();
  const code = await at.mail.find(/\r\n([a-z0-9]{16})\r\n/);
  await lost.getByLabel('Recovery code').fill(code);
  await lost.getByLabel('New password').fill(`${PASSWORD} again`);
  await lost.getByRole('button', { name: 'Set the new password' }).click();
  await phone.page.locator('.toast').getByText('Password changed. You are signed in as Ann.').waitFor();

  // The link was for one address. It is forgotten, and the link with it.
  const yours = await you(phone.page);
  await yours.getByText('E-mail', { exact: true }).click();
  await yours.getByRole('button', { name: 'Forget the address' }).click();
  await yours.getByText('Messages go to').waitFor({ state: 'detached' });
  await phone.page.goto('/');
  await phone.page.goto(link);
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Confirm the address' }).click();
  await phone.page.getByText('This link no longer works.').waitFor();
  assert.deepEqual(own([...ann.complaints, ...phone.complaints]), []);
});

test('a server without e-mail does not mention it', async () => {
  const silent = await Server.start(TRUST);
  try {
    const bob = await guest({ ...at, server: silent });
    const lost = await you(bob.page);
    await lost.getByRole('button', { name: 'Sign in', exact: true }).click();
    await lost.getByRole('button', { name: 'Lost your password?' }).click();
    await bob.page.waitForLoadState('networkidle');
    assert.doesNotMatch(await lost.innerText(), /mail/i);
    await bob.page.keyboard.press('Escape');
    await signUp(bob.page, 'Bob');
    const dialog = await you(bob.page);
    await dialog.getByText('Time off').waitFor();
    await bob.page.waitForLoadState('networkidle');
    assert.doesNotMatch(await dialog.innerText(), /mail/i);
  } finally {
    await silent.stop();
  }
});
