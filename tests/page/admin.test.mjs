// The operators' page about the server: the link of the first start makes the first operator, who sees who is here,
// tells everybody something, pauses new games, closes a room and lets the server read its settings again.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { elsewhere, guest, own, signUp, TRUST } from './accounts.mjs';
import { faults } from './axe.mjs';
import { shoot, stage, twoPlay, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const folder = mkdtempSync(join(tmpdir(), 'fivefold-settings-'));
after(() => rmSync(folder, { recursive: true }));
const config = join(folder, 'fivefold.toml');
writeFileSync(config, '');
const at = stage({ ...TRUST, config });

/** The part of the page with this heading. @param {Page} page @param {string} name */
const part = (page, name) =>
  page.locator('.admin > section').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** The announcement that a page shows. @param {Page} page @param {string} text */
const told = (page, text) => page.locator('aside.strip').filter({ hasText: text });

/** Makes an account the operator, by the link that the server has printed. */
async function firstOperator() {
  const link = /\/admin#[0-9a-f]{32}/.exec(at.server.said)?.[0] ?? '';
  assert.ok(link, at.server.said);
  const operator = await visitor(at.browser, at.server, elsewhere());
  const { page } = operator;
  await page.goto('/admin');
  await page.getByText('Sign in as one.').waitFor();
  await page.goto('/');
  await page.goto(link);
  await page.getByRole('heading', { name: 'First operator' }).waitFor();
  await shoot(page, 'first-operator-guest', true);
  assert.deepEqual(await faults(page), []);
  await page.getByRole('button', { name: 'Create an account, or sign in' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await signUp(page, 'Olga');
  const become = page.getByRole('button', { name: 'Make Olga the operator' });
  await become.waitFor();
  await shoot(page, 'first-operator', true);
  // Opening the link has changed nothing.
  assert.equal(await page.evaluate(() => fetch('/api/admin').then(({ status }) => status)), 403);
  await become.click();
  await page.getByRole('heading', { name: 'Server', exact: true }).waitFor();
  assert.equal(new URL(page.url()).hash, '', 'the token is not in the address any more');
  // Somebody else comes too late with it.
  const late = await guest(at);
  await signUp(late.page, 'Lars');
  await late.page.goto(link);
  await late.page.getByRole('button', { name: 'Make Lars the operator' }).click();
  await late.page.getByText('This link is no longer valid').waitFor();
  await late.page.context().close();
  return operator;
}

/** Everybody reads what the operator announces. @param {Page} page */
async function announces(page) {
  const bob = await guest(at, {}, 'Bob');
  const field = page.getByLabel('One line, for everybody who is online now or comes later');
  await field.fill('A new version comes at noon');
  await field.press('Enter');
  await part(page, 'Announcement').getByText('Done.').waitFor();
  await told(bob.page, 'A new version comes at noon').waitFor();
  await shoot(bob.page, 'announcement', true);
  assert.deepEqual(await faults(bob.page), []);
  const eve = await guest(at, { viewport: { width: 320, height: 640 } }, 'Eve');
  await told(eve.page, 'A new version comes at noon').waitFor();
  assert.ok(await eve.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is not too wide');
  await told(bob.page, 'A new version').getByRole('button', { name: 'Understood' }).click();
  await told(bob.page, 'A new version').waitFor({ state: 'detached' });
  // It was read in this tab.
  const [message] = await Promise.all([
    bob.page.waitForEvent('websocket').then((socket) =>
      socket.waitForEvent('framereceived', {
        predicate: ({ payload }) => String(payload).includes('"announcement"'),
      }),
    ),
    bob.page.reload(),
  ]);
  assert.ok(message);
  await bob.page.waitForTimeout(200);
  assert.equal(await told(bob.page, 'A new version').count(), 0);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await told(eve.page, 'A new version').waitFor({ state: 'detached' });
  assert.deepEqual([...own(bob.complaints), ...own(eve.complaints)], []);
  await bob.page.context().close();
  await eve.page.context().close();
}

/** Players read why their room was closed. @param {Page} page */
async function closes(page) {
  const { ann, bob } = await twoPlay(at, elsewhere(), undefined, elsewhere());
  const room = new URL(ann.page.url()).pathname;
  const close = part(page, 'Close a room');
  await close.getByLabel('Code of the room, or a link to it').fill(`${at.server.url}${room}?seat=first`);
  await close.getByLabel('Reason (everybody in the room sees it)').fill('Insults in chat');
  await close.getByRole('button', { name: 'Close the room' }).click();
  await close.getByText('Done.').waitFor();
  for (const player of [ann, bob]) {
    await player.page.locator('#main').getByText('An operator has closed this room: Insults in chat').waitFor();
  }
  await shoot(ann.page, 'closed-room', true);
  await close.getByLabel('Code of the room, or a link to it').fill('nosuchroom12');
  await close.getByLabel('Reason (everybody in the room sees it)').fill('Insults');
  await close.getByRole('button', { name: 'Close the room' }).click();
  await close.getByText('Done.').waitFor({ state: 'detached' });
  await ann.page.context().close();
  await bob.page.context().close();
}

/** Nobody begins a game while new ones are paused. @param {Page} page */
async function pauses(page) {
  await page.getByRole('button', { name: 'Pause new games' }).click();
  await page.getByRole('button', { name: 'Allow new games' }).waitFor();
  await page.getByText('no: paused by an operator').waitFor();
  await shoot(page, 'paused', true);
  const ann = await guest(at, {}, 'Ann');
  await ann.page.goto('/lobby');
  await ann.page.getByRole('button', { name: 'Post and wait' }).click();
  await ann.page.getByText('New games are paused on this server. Try again later.').first().waitFor();
  await page.getByRole('button', { name: 'Allow new games' }).click();
  await page.getByRole('button', { name: 'Pause new games' }).waitFor();
  await ann.page.context().close();
}

/** What the server reads again is said, with what is wrong. @param {Page} page */
async function readsSettings(page) {
  const settings = part(page, 'Settings that can change while the server runs');
  const read = async (/** @type {string} */ content, /** @type {string[]} */ ...texts) => {
    writeFileSync(config, content);
    await settings.getByRole('button', { name: 'Read the settings again' }).click();
    for (const text of texts) await settings.getByRole('status').getByText(text).waitFor();
  };
  const held = (/** @type {string} */ text) => settings.locator('pre').getByText(text).waitFor();
  await held('trusted-proxy = "127.0.0.0/8" # FIVEFOLD_TRUSTED_PROXY');
  const changed = "allow-origin = 'https://club.example'\nsessions = 7\n";
  await read(changed, 'Changed: allow-origin.', 'These change only after a restart: sessions.');
  await held('allow-origin = "https://club.example"');
  await shoot(page, 'admin-settings', true);
  const wrong = "allow-origin = 'club.example'\nroms = 5\n";
  await read(wrong, 'nothing has changed:', `allow-origin (${config}:1:1)`, `${config}:2:1: there is no setting roms`);
  await held('allow-origin = "https://club.example"');
  await read(changed, 'Nothing has changed.');
}

test('the first operator is made by the link, and looks after the server', async () => {
  const { page, complaints } = await firstOperator();
  await page.getByText('Running for').waitFor();
  await announces(page);
  await closes(page);
  await pauses(page);
  await readsSettings(page);
  await page.getByText('What operators did since the server started').click();
  const acts = page.locator('details[open] li');
  await acts.filter({ hasText: 'Closed the room' }).getByText('Insults in chat').waitFor();
  await acts.filter({ hasText: 'Announced: A new version comes at noon' }).first().waitFor();
  await acts.filter({ hasText: 'Read the settings again: allow-origin' }).first().waitFor();
  await page.locator('summary').filter({ hasText: 'Who is online' }).click();
  await page.locator('details[open] li').filter({ hasText: 'Olga' }).getByText('signed in').waitFor();
  for (const [name, width] of /** @type {[string, number][]} */ ([
    ['desk', 1280],
    ['narrow', 320],
  ])) {
    await page.setViewportSize({ width, height: 800 });
    await shoot(page, `admin-${name}`, true);
    assert.deepEqual(await faults(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} fits`);
  }
  // Everything can be reached by the keyboard.
  await page.getByLabel('Code of the room, or a link to it').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Close the room');
  assert.deepEqual(own(complaints), []);
});
