// Friends: asking on a profile and by name, the list in “You”, watching and challenging, and who sees whom online.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { elsewhere, guest, own, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { PHONE, stage } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);

/** Somebody with an account. @param {string} name @param {object} [options] */
async function person(name, options) {
  const someone = await guest(at, { ...elsewhere(), ...options });
  await signUp(someone.page, name);
  return someone;
}

/** Opens the list of friends in “You”. @param {Page} page */
async function openFriends(page) {
  const dialog = await you(page);
  await dialog.locator('summary').getByText('Friends', { exact: true }).click();
  return dialog;
}

test('two players become friends, watch and challenge each other, and part', async () => {
  const [ann, bob] = await Promise.all([person('Anja'), person('Boris', PHONE)]);
  await ann.page.goto('/player/Boris');
  const add = ann.page.getByRole('button', { name: 'Add friend: Boris' });
  await add.click();
  await ann.page.getByText('Waiting for an answer').waitFor();
  assert.deepEqual(await faults(ann.page), []);
  await bob.page.getByText('Anja wants to be your friend. Answer in “You”.').waitFor();
  const bobs = await openFriends(bob.page);
  await bobs.getByText('Wants to be your friend').waitFor();
  assert.deepEqual(await faults(bob.page), []);
  await bobs.getByRole('button', { name: 'Accept: Anja' }).click();
  await bobs.getByText('Online', { exact: true }).waitFor();
  await bobs.getByRole('button', { name: 'Challenge: Anja' }).click();
  await bob.page.getByRole('dialog', { name: 'Challenge Anja' }).waitFor();
  await bob.page.keyboard.press('Escape');
  await ann.page.getByText('Boris is your friend now.').waitFor();

  // Boris plays for all to see.
  const room = await bob.page.evaluate(async () => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws`);
    /** @param {object} command @returns {Promise<any>} */
    const ask = (command) =>
      new Promise((resolve) => {
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.id === '1') resolve(message);
        };
        socket.send(JSON.stringify({ id: '1', ...command }));
      });
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    await ask({ type: 'hello', protocol: 1 });
    const create = { rules: { variant: 'freestyle', size: [15, 15] }, visibility: 'public', colour: 'black' };
    return (await ask({ type: 'create', ...create, seats: ['me', { bot: { kind: 'engine', level: 1 } }] })).room;
  });
  await ann.page.goto('/');
  const anns = await openFriends(ann.page);
  await anns.getByText('Playing').waitFor();
  assert.deepEqual(await faults(ann.page), []);
  await anns.getByRole('link', { name: 'Watch' }).click();
  await ann.page.waitForURL(`**/r/${room}`);

  // Boris hides, and sees Anja nevertheless.
  const hidden = await openFriends(bob.page);
  await hidden.getByLabel('Who may see that you are online').selectOption('Nobody');
  await hidden.getByText('Saved.').waitFor();
  await ann.page.goto('/');
  const again = await openFriends(ann.page);
  await again.getByText('Offline').waitFor();
  assert.equal(await again.getByRole('link', { name: 'Watch' }).count(), 0);
  await again.getByRole('button', { name: 'Remove friend: Boris' }).click();
  await again.getByText('You have no friends here yet.').waitFor();
  for (const { complaints } of [ann, bob]) assert.deepEqual(own(complaints), []);
});

test('a request by name that is declined cannot be repeated at once, and a guest has no friends', async () => {
  const [ann, bob] = await Promise.all([person('Carla'), person('Dennis')]);
  const anns = await openFriends(ann.page);
  await anns.getByLabel('Name of a player').fill('Nobody here');
  await anns.getByRole('button', { name: 'Add friend', exact: true }).click();
  await anns.getByText('Nobody has an account with this name.').waitFor();
  await anns.getByLabel('Name of a player').fill('dennis');
  await anns.getByRole('button', { name: 'Add friend', exact: true }).click();
  await anns.getByText('Waiting for an answer').waitFor();
  const bobs = await openFriends(bob.page);
  await bobs.getByRole('button', { name: 'Decline: Carla' }).click();
  await bobs.getByText('You have no friends here yet.').waitFor();
  await anns.getByLabel('Name of a player').fill('Dennis');
  await anns.getByRole('button', { name: 'Add friend', exact: true }).click();
  await anns.getByText(/^This player has declined your request. You can ask again in (7d|6d 23h)/).waitFor();
  const { page: eve } = await guest(at);
  await eve.goto('/player/Carla');
  await eve.getByRole('heading', { name: 'Carla' }).waitFor();
  assert.equal(await eve.getByRole('button', { name: /Add friend/ }).count(), 0);
  const eves = await you(eve);
  assert.equal(await eves.getByText('Friends', { exact: true }).count(), 0);
});

test('a challenge to a daily game waits for a friend who is away', async () => {
  const [ann, bob] = await Promise.all([person('Edda'), person('Falk')]);
  await ann.page.goto('/player/Falk');
  await ann.page.getByRole('button', { name: 'Add friend: Falk' }).click();
  await bob.page.getByText('Edda wants to be your friend.').waitFor();
  await bob.page.goto('/player/Edda');
  await bob.page.getByRole('button', { name: 'Accept: Edda' }).click();
  await bob.page.getByText('You are friends').waitFor();
  await bob.page.goto('about:blank');

  const anns = await openFriends(ann.page);
  await anns.getByText('Offline').waitFor();
  await anns.getByRole('button', { name: 'Challenge: Falk' }).click();
  const options = ann.page.getByRole('dialog', { name: 'Challenge Falk' });
  await options.getByLabel('Another time control').selectOption({ label: '3d a move' });
  await options.getByRole('button', { name: 'Challenge', exact: true }).click();
  await ann.page.getByText('Falk sees your challenge at the next visit.').waitFor();
  const own = await openFriends(ann.page);
  await own.getByText('Your challenge waits:').waitFor();

  await bob.page.goto('/');
  await bob.page.getByText('Edda challenges you to a daily game. Answer in “You”.').waitFor();
  const bobs = await openFriends(bob.page);
  await bobs.getByText('Challenges you:').waitFor();
  assert.deepEqual(await faults(bob.page), []);
  await bobs.getByRole('button', { name: 'Accept: Edda' }).click();
  await bob.page.waitForURL('**/r/*');
  await ann.page.getByText('Falk has accepted your challenge.').waitFor();

  // In the game, each of them can note something.
  const note = bob.page.locator('.note');
  await note.locator('summary').click();
  await note.getByLabel('Your note').fill('Watch k6.');
  await note.getByLabel('Your note').blur();
  await note.getByText('Saved. Only you see it.').waitFor();
  assert.deepEqual(await faults(bob.page), []);
  await bob.page.reload();
  await bob.page.locator('.note[open]').waitFor();
  assert.equal(await bob.page.getByLabel('Your note').inputValue(), 'Watch k6.');
  await ann.page.goto(bob.page.url());
  await ann.page.locator('.note summary').click();
  assert.equal(await ann.page.getByLabel('Your note').inputValue(), '');
  // It is stored without leaving the field, too.
  await ann.page.getByLabel('Your note').pressSequentially('Mine');
  await ann.page.getByText('Saved. Only you see it.').waitFor();
});

test('each challenge of a friend is told once', async () => {
  const [ann, bob] = await Promise.all([person('Gerda'), person('Horst')]);
  await ann.page.goto('/player/Horst');
  await ann.page.getByRole('button', { name: 'Add friend: Horst' }).click();
  await bob.page.goto('/player/Gerda');
  await bob.page.getByRole('button', { name: 'Accept: Gerda' }).click();
  // Other news of the same friend comes first.
  await ann.page.getByText('Horst is your friend now.').waitFor();
  const toasts = await ann.page.evaluateHandle(() => {
    /** @type {(string | null)[]} */
    const seen = [];
    const see = (/** @type {MutationRecord[]} */ records) => {
      for (const { addedNodes } of records) seen.push(...[...addedNodes].map((node) => node.textContent));
    };
    new MutationObserver(see).observe(/** @type {Element} */ (document.querySelector('.toasts')), { childList: true });
    return seen;
  });
  const told = (/** @type {number} */ count) =>
    ann.page.waitForFunction(([seen, least]) => seen.length >= least, /** @type {const} */ ([toasts, count]));
  const member = await ann.page.evaluate(async () => (await (await fetch('/api/account')).json()).account.id);
  /** @param {string} method @param {string} path @param {object} [body] */
  const asks = async (method, path, body) => {
    const sent = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) };
    const status = await bob.page.evaluate(
      async ([url, init]) => (await fetch(url, init)).status,
      /** @type {const} */ ([`/api/friends${path}`, sent]),
    );
    assert.ok(status < 300, `${method} ${path}: ${status}`);
  };
  const rules = { variant: 'freestyle', size: [15, 15] };
  const settings = { rules, time: { type: 'daily', move_ms: 259_200_000 } };
  const challenge = () => asks('POST', `/${member}/challenge`, { settings });
  const takeBack = () => asks('DELETE', `/${member}/challenge`);

  await challenge();
  await told(1);
  await takeBack();
  await challenge();
  await told(2);
  // The server repeats the one that waits.
  await at.server.kill();
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor();
  await at.server.again();
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'hidden' });
  await takeBack();
  await challenge();
  await told(3);
  await asks('DELETE', `/${member}`);
  await asks('POST', '', { member });
  await told(4);
  const text = 'Horst challenges you to a daily game. Answer in “You”.';
  const last = 'Horst wants to be your friend. Answer in “You”.';
  assert.deepEqual(await toasts.jsonValue(), [text, text, text, last]);
});
