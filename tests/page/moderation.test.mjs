// People who spoil it for others: muting, blocking and reporting from a name, the list in “You”, and the
// operator's queue.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { elsewhere, own, PASSWORD, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { built, PHONE, put, sees, shoot, stage, twoPlay, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);

/** Says something in a room. @param {Page} page @param {string} text */
async function say(page, text) {
  const field = page.getByLabel('Send a message');
  await field.fill(text);
  await field.press('Enter');
}

/** The program's command, beside the running server. @param {string[]} words */
async function command(...words) {
  const program = process.env.FIVEFOLD_SERVER ?? built('fivefold-server');
  const { stdout } = await promisify(execFile)(program, ['--data', at.server.data, ...words]);
  return stdout;
}

test('a list that comes late does not take back what the player has chosen since', async () => {
  const { ann, bob } = await twoPlay(at, elsewhere(), undefined, elsewhere());
  await say(bob.page, 'Hello');
  let release = () => {};
  /** @type {Promise<void>} */
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const isList = (/** @type {import('playwright-core').Request} */ request) =>
    request.method() === 'GET' && request.url().endsWith('/api/blocks');
  await ann.page.route('**/api/blocks', async (route) => {
    if (!isList(route.request())) return route.continue();
    const response = await route.fetch();
    await released;
    return route.fulfill({ response });
  });
  const list = ann.page.waitForResponse((response) => isList(response.request()));
  await ann.page.locator('.chat-lines').getByRole('button', { name: 'Bob' }).click();
  const dialog = ann.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await dialog.getByText('You do not see messages from Bob.').waitFor();
  release();
  await (await list).finished();
  await ann.page.waitForTimeout(200);
  assert.ok(await dialog.getByText('You do not see messages from Bob.').isVisible());
  assert.ok(await dialog.getByRole('button', { name: 'Unmute' }).isVisible());
});

test('a player says in “You” who may challenge them', async () => {
  const { ann, bob } = await twoPlay(at, elsewhere(), undefined, elsewhere());
  const dialog = await you(bob.page);
  await dialog.getByText('Who may challenge you', { exact: true }).first().click();
  const choice = dialog.getByLabel('Who may challenge you');
  assert.equal(await choice.inputValue(), 'everybody');
  await choice.selectOption('People with an account');
  await dialog.getByText('Saved.').waitFor();
  assert.deepEqual(await faults(bob.page), []);
  await bob.page.reload();
  await you(bob.page);
  await dialog.getByText('Who may challenge you', { exact: true }).first().click();
  await bob.page.waitForFunction(() => {
    const choice = document.querySelector('dialog details[open] select');
    return choice instanceof HTMLSelectElement && choice.value === 'accounts';
  });
  // A guest who never played has nothing to keep it with, and reads what to do.
  const { page: eve } = await visitor(at.browser, at.server, elsewhere());
  await eve.goto('/');
  const other = await you(eve);
  await other.getByText('Who may challenge you', { exact: true }).first().click();
  await other.getByLabel('Who may challenge you').selectOption('Nobody');
  await other.getByText('Play a game first.').waitFor();
  assert.equal(await other.getByLabel('Who may challenge you').inputValue(), 'everybody');
  await ann.page.context().close();
});

test('a player mutes and reports an opponent from their line of chat, and takes it back in “You”', async () => {
  const { ann, bob } = await twoPlay(at, elsewhere(), undefined, elsewhere());
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await say(bob.page, 'You play badly');
  await ann.page.locator('.chat-lines').getByText('You play badly').waitFor();
  await ann.page.locator('.chat-lines').getByRole('button', { name: 'Bob' }).click();
  const dialog = ann.page.getByRole('dialog');
  // In a game nobody challenges the opponent to another one.
  assert.equal(await dialog.getByRole('button', { name: 'Challenge' }).count(), 0);
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await dialog.getByText('You do not see messages from Bob.').waitFor();
  await shoot(ann.page, 'person-desk');
  assert.deepEqual(await faults(ann.page), []);
  await ann.page.locator('.chat-lines').getByText('You play badly').waitFor({ state: 'detached' });
  await say(bob.page, 'Do you hear me?');
  await bob.page.locator('.chat-lines').getByText('Do you hear me?').waitFor();
  assert.equal(await ann.page.getByText('Do you hear me?').count(), 0);
  await dialog.getByRole('button', { name: 'Report…' }).click();
  await dialog.getByLabel('What is it about?').selectOption('chat');
  await dialog.getByLabel('What happened? (optional)').fill('Rude words');
  await dialog.getByText('You play badly').waitFor();
  await shoot(ann.page, 'report-desk');
  assert.deepEqual(await faults(ann.page), []);
  await dialog.getByRole('button', { name: 'Send the report' }).click();
  await ann.page.locator('.toast').getByText('Thank you. An operator will look at it.').waitFor();
  await ann.page.goto('/');
  const mine = await you(ann.page);
  await mine.getByText('Blocked people and reports').click();
  await mine.getByText('Muted').waitFor();
  await mine.getByText('Waiting').waitFor();
  await mine.getByText('Waiting').scrollIntoViewIfNeeded();
  await shoot(ann.page, 'list-desk');
  assert.deepEqual(await faults(ann.page), []);
  await mine.getByRole('button', { name: 'Remove Bob' }).click();
  await mine.getByText('You have blocked nobody.').waitFor();
  assert.deepEqual([...own(ann.complaints), ...own(bob.complaints)], []);
});

test('who is blocked is in no list', async () => {
  const ann = await visitor(at.browser, at.server, { ...PHONE, ...elsewhere() }, 'Anja');
  const bob = await visitor(at.browser, at.server, elsewhere(), 'Boris');
  await bob.page.goto('/lobby');
  await bob.page.getByRole('button', { name: 'Post and wait' }).click();
  await ann.page.goto('/lobby');
  const row = ann.page.locator('.open-seek', { hasText: 'Boris' });
  await row.getByRole('button', { name: 'Boris' }).first().click();
  const dialog = ann.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Block' }).hover();
  await shoot(ann.page, 'person-phone');
  await dialog.getByRole('button', { name: 'Block' }).click();
  await dialog.getByText('You and Boris won’t meet here any more.').waitFor();
  await row.waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Report…' }).click();
  await shoot(ann.page, 'report-phone');
  await ann.page.keyboard.press('Escape');
  const mine = await you(ann.page);
  await mine.getByText('Blocked people and reports').click();
  await mine.getByRole('button', { name: 'Remove Boris' }).click();
  await ann.page.keyboard.press('Escape');
  await row.waitFor();
  assert.deepEqual([...own(ann.complaints), ...own(bob.complaints)], []);
});

test('a guest deletes what is stored about them, and is somebody new', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, elsewhere(), 'Gustav');
  await page.goto('/');
  await page.locator('.me bdi').filter({ hasText: 'Gustav' }).waitFor({ state: 'attached' });
  const identity = () => page.evaluate(() => localStorage.getItem('fivefold.identity'));
  const before = await identity();
  const dialog = await you(page);
  await dialog.getByText('Delete me', { exact: true }).click();
  await dialog.getByText('Nothing takes that back.').waitFor();
  assert.deepEqual(await faults(page), []);
  await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', { name: 'Delete me now' }).click()]);
  await page.waitForFunction((old) => ![old, null].includes(localStorage.getItem('fivefold.identity')), before);
  assert.deepEqual(own(complaints), []);
});

/** A person with every hint, as the server would show them. */
const HINTED = {
  member: '0123456789abcdef',
  name: 'Quick',
  account: true,
  reports: [],
  sanctions: [],
  blocked_by: 2,
  signals: { games: 120, losses: 31, early_losses: 4, early_wins: 9, left: 3 },
  hints: {
    games: 48,
    kinds: ['network', 'one_sided', 'given_away', 'aborts', 'even_times', 'engine'],
    shared: [{ opponent: 'fedcba9876543210', games: 12, network: 11, device: 9 }],
    one_sided: [{ opponent: 'fedcba9876543210', games: 12, won: 12, day: 20780 }],
    losses: 14,
    given_away: 6,
    aborted: 15,
    times: { moves: 812, mean_ms: 2140.4, variation: 0.114 },
    agreement: {
      games: 41,
      choices: 377,
      firsts: 0.743,
      loss: 0.0124,
      usual: { firsts: 0.462, loss: 0.0513, firsts_z: 7.81, loss_z: 3.24 },
    },
  },
};
/** And one of whom too little is known. */
const PLAIN = {
  ...HINTED,
  member: 'fedcba9876543210',
  name: 'Slow',
  blocked_by: 0,
  hints: {
    games: 3,
    kinds: [],
    shared: [],
    one_sided: [],
    losses: 1,
    given_away: 0,
    aborted: 0,
    times: { moves: 20, mean_ms: 7050, variation: 0.9 },
    agreement: { games: 2, choices: 11, firsts: 0.4545, loss: 0.041 },
  },
};

for (const [size, options] of /** @type {[string, object][]} */ ([
  ['desk', { viewport: { width: 1280, height: 800 } }],
  ['phone', PHONE],
  ['narrow', { viewport: { width: 360, height: 640 } }],
])) {
  test(`an operator sees hints with their numbers: ${size}`, async () => {
    const { page } = await visitor(at.browser, at.server, { ...options, ...elsewhere() });
    const { member, name, hints } = HINTED;
    const one = {
      member,
      name,
      reports: 0,
      guests: 0,
      kinds: [],
      appeals: 0,
      hints: hints.kinds,
      since: 1795489203000,
    };
    await page.route('**/api/moderation', (route) => route.fulfill({ json: { cases: [one] } }));
    for (const person of [HINTED, PLAIN]) {
      await page.route(`**/api/moderation/people/${person.member}`, (route) => route.fulfill({ json: person }));
    }
    await page.goto('/moderation');
    await page.locator('.queue').getByText('6 hints').waitFor();
    await page.locator('.queue').getByRole('button', { name }).click();
    await page.getByText('48 rated games examined').waitFor();
    assert.equal(await page.locator('.hints .chip').count(), 6);
    await page.getByText('First move of the engine: 74% of 377 choices in 41 games. Mean loss 0.012.').waitFor();
    await page.getByText('Usual at this rating: 46% (7.8 deviations away) and 0.051 (3.2).').waitFor();
    await page.getByText('812 moves, 2.1 s on average, variation 11%').waitFor();
    await page.getByRole('heading', { name: '48 rated games examined' }).scrollIntoViewIfNeeded();
    await shoot(page, `hints-${size}`);
    assert.deepEqual(await faults(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is too wide');
    // The opponent is a press away.
    await page.locator('.hints').getByRole('button', { name: PLAIN.member }).first().click();
    await page.getByText('Too few games at this rating to compare.').waitFor();
    assert.equal(await page.locator('.hints .chip').count(), 0);
    await shoot(page, `hints-few-${size}`);
  });
}

/** A guest who has reported somebody. @param {string} about @param {string} name */
async function reporter(about, name) {
  const guest = await visitor(at.browser, at.server, elsewhere(), 'Greta');
  await guest.page.goto('/');
  await guest.page.locator('.me bdi').filter({ hasText: 'Greta' }).waitFor({ state: 'attached' });
  const line = { room: 'k7m2qpxw9abc', number: 3, text: 'Go away' };
  const status = await guest.page.evaluate(
    async (report) => {
      const authorization = `Bearer ${localStorage.getItem('fivefold.identity')}`;
      const headers = { 'content-type': 'application/json', authorization };
      return (await fetch('/api/reports', { method: 'POST', headers, body: JSON.stringify(report) })).status;
    },
    { about, name, kind: 'chat', text: 'Insults everybody', line },
  );
  assert.equal(status, 204);
  return guest;
}

/**
 * The operator closes an account. Who signs in to it reads why, and may answer there.
 * @param {Page} page the operator's @param {Page} theirs @param {string} name @param {string} size
 */
async function closes(page, theirs, name, size) {
  await page.locator('.decide select').selectOption('close');
  await page.getByLabel('Reason, which the person reads (except a note)').fill('Plays for somebody else');
  await page.getByRole('button', { name: 'Decide' }).click();
  await theirs
    .locator('.me bdi, .toast')
    .filter({ hasText: /Guest|signed out/ })
    .first()
    .waitFor({ state: 'attached' });
  const again = await you(theirs);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByLabel('Name', { exact: true }).fill(name);
  await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByText('This account is closed. The operator says: Plays for somebody else').waitFor();
  await shoot(theirs, `closed-${size}`);
  await again.getByLabel('Your side').fill('I did not');
  await again.getByRole('button', { name: 'Send the answer' }).click();
  await again.getByText('Your answer was sent.').waitFor();
}

for (const [size, options] of /** @type {[string, object][]} */ ([
  ['desk', { viewport: { width: 1280, height: 800 } }],
  ['phone', PHONE],
])) {
  test(`an operator decides, and the person reads it and answers: ${size}`, async () => {
    const operator = await visitor(at.browser, at.server, { ...options, ...elsewhere() });
    const rude = await visitor(at.browser, at.server, { ...options, ...elsewhere() });
    await operator.page.goto('/moderation');
    await operator.page.getByText('Sign in as one.').waitFor();
    const [name, other] = [`Olga${size}`, `Rude${size}`];
    await signUp(operator.page, name);
    await rude.page.goto('/');
    await signUp(rude.page, other);
    const { account } = await rude.page.evaluate(() => fetch('/api/account').then((answer) => answer.json()));
    await command('operator', name);
    const guest = await reporter(account.id, other);
    await operator.page.goto('/');
    const dialog = await you(operator.page);
    await dialog.getByRole('link', { name: 'Operator’s queue' }).click();
    const { page } = operator;
    await page.locator('.queue').getByRole('button', { name: other }).click();
    await page.getByRole('heading', { name: other }).waitFor();
    await page.getByText('As the reporter quotes it:').waitFor();
    await shoot(page, `queue-${size}`);
    assert.deepEqual(await faults(page), []);
    await page.locator('.decide select').selectOption('mute');
    await page.getByLabel('Days (empty: without an end)').fill('7');
    await page.getByLabel('Reason, which the person reads (except a note)').fill('Insults in chat');
    await page.getByRole('button', { name: 'Decide' }).click();
    await page.getByText('holds').waitFor();
    await page.getByText(/^In force now: No chat – /).waitFor();
    const told = rude.page.getByRole('dialog');
    await told.getByText('Insults in chat').waitFor();
    await told.getByText('Do you disagree?').click();
    await shoot(rude.page, `told-${size}`);
    assert.deepEqual(await faults(rude.page), []);
    await told.getByLabel('Your side').fill('It was a joke');
    await told.getByRole('button', { name: 'Send the answer' }).click();
    await told.getByText('Your answer was sent.').waitFor();
    await told.getByRole('button', { name: 'I have read this' }).click();
    await page.getByRole('button', { name: 'Close: action taken' }).click();
    await page.getByText('Action taken').waitFor();
    await page.getByText(new RegExp(`^Closed: .* · ${name}$`)).waitFor();
    // Others may still be listed with theirs.
    await page
      .locator('.queue')
      .getByRole('button', { name: `Rude${size}` })
      .getByText('1 appeal')
      .waitFor();
    await page.getByText('It was a joke').scrollIntoViewIfNeeded();
    await shoot(page, `queue-appeal-${size}`);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('taken back').waitFor();
    await page.getByText('Nothing is in force now.').waitFor();
    await page.getByText(new RegExp(`^Ended: .* · ${name}$`)).waitFor();
    await page.locator('.queue').getByRole('button', { name: other }).waitFor({ state: 'detached' });
    await closes(page, rude.page, other, size);
    assert.match(await command('moderate'), /: 1 appeal; waits since /);
    assert.deepEqual([...own(operator.complaints), ...own(rude.complaints)], []);
    await Promise.all([operator, rude, guest].map(({ context }) => context.close()));
  });
}
