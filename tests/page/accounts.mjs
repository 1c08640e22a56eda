// People with accounts, for the tests of several files: signing up and in by the dialog of the player.

import { visitor } from './harness.mjs';

/** @import { Browser, Page } from 'playwright-core' */

export const PASSWORD = 'quince lantern orbit';

let addresses = 0;

/**
 * Options of a browser at an address that no other of this file has: few accounts are made at one in an hour. The
 * server runs with `TRUST`.
 */
export function elsewhere() {
  addresses += 1;
  return { extraHTTPHeaders: { 'x-forwarded-for': `10.0.0.${addresses}` } };
}

/** Flags of a server that believes `elsewhere`. */
export const TRUST = { 'trusted-proxy': '127.0.0.0/8' };

/** Waits until the bar shows this name. @param {Page} page @param {string | RegExp} name */
export async function named(page, name) {
  await page.locator('.me bdi').filter({ hasText: name }).waitFor({ state: 'attached' });
}

/** Opens the dialog “You”. @param {Page} page */
export async function you(page) {
  await page.locator('.me, .tabs button').filter({ visible: true }).first().click();
  return page.getByRole('dialog');
}

/** Signs up, and returns the recovery codes. @param {Page} page @param {string} name */
export async function signUp(page, name) {
  const dialog = await you(page);
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Create account', exact: true }).click();
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  const codes = await dialog.locator('.codes li').allTextContents();
  await dialog.getByRole('button', { name: 'Copy and continue' }).click();
  await dialog.waitFor({ state: 'detached' });
  await named(page, name);
  return codes;
}

/**
 * Asks to sign in, and returns the dialog: it stays open after a refusal.
 * @param {Page} page @param {string} name @param {string} [password]
 */
export async function signIn(page, name, password = PASSWORD) {
  const dialog = await you(page);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  return dialog;
}

/**
 * A person at an own address on the home page, whom the server knows.
 * @param {{ server: { url: string }, browser: Browser }} stage @param {object} [options] of their browser @param {string} [name]
 */
export async function guest({ server, browser }, options = {}, name) {
  const person = await visitor(browser, server, { ...elsewhere(), ...options }, name);
  await person.page.goto('/');
  await named(person.page, name ?? /^Guest/);
  return person;
}

/** The faults of the page itself; refusals over HTTP are in the browser's console, too. @param {string[]} complaints */
export function own(complaints) {
  return complaints.filter((text) => !/status of 4\d\d/.test(text));
}
