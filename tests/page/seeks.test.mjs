// Strangers find each other: seeks, open challenges, challenges to a person, and what calls a player
// back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accept, ask, begin, online, PHONE, put, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */
/** @typedef {Awaited<ReturnType<typeof visitor>>} Visitor */

const at = stage();
const FIND = { name: /^((Find|Wait for) an opponent|Play now)$/ };
/** The button for the pool that a new player finds chosen. @param {Page} page */
const find = (page) => page.getByRole('button', FIND);

/** Somebody new on the home page. @param {string} name @param {import('playwright-core').BrowserContextOptions} [options] */
async function stranger(name, options) {
  const one = await visitor(at.browser, at.server, options, name);
  await one.page.goto('/');
  await find(one.page).waitFor();
  return one;
}

/** Chooses a pool that no other test uses. @param {Page} page @param {string} pool */
async function choosePool(page, pool) {
  const others = page.getByRole('button', { name: 'Other rules and clocks' });
  if (await others.isVisible()) await others.click();
  const clock = page.locator(`.seg label:has([value="${pool}"])`);
  const rules = page.locator('.seek select');
  for (let index = 0; (await clock.count()) === 0; index += 1) await rules.selectOption({ index });
  await clock.click();
}

/** Both wait in a pool, and are in a game. @param {Visitor} ann @param {Visitor} bob @param {string} pool */
async function meet(ann, bob, pool) {
  for (const { page } of [ann, bob]) {
    await choosePool(page, pool);
    await find(page).click();
  }
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL('**/r/*')));
}

/** @param {...Visitor} people */
async function leave(...people) {
  for (const { complaints, context } of people) {
    assert.deepEqual(complaints, []);
    await context.close();
  }
}

test('two strangers: one press each, and they play swap2', async (t) => {
  const begin = Date.now();
  const people = await Promise.all([visitor(at.browser, at.server), visitor(at.browser, at.server, PHONE)]);
  for (const { context, page } of people) {
    await context.addInitScript(() => localStorage.setItem('fivefold.pool', 'gomoku-5-3'));
    await context.addInitScript(() =>
      addEventListener(
        'click',
        () => sessionStorage.setItem('presses', String(Number(sessionStorage.getItem('presses')) + 1)),
        true,
      ),
    );
    await page.goto('/');
    await find(page).click();
  }
  await Promise.all(people.map(({ page }) => page.waitForURL('**/r/*')));
  for (const { page } of people) assert.equal(await page.evaluate(() => sessionStorage.getItem('presses')), '1');
  assert.equal(new Set(people.map(({ page }) => page.url())).size, 1, 'they are in one room');
  // One of them must place the stones of swap2.
  const titles = await Promise.all(
    people.map(async ({ page }) => {
      await page.getByRole('heading', { name: /places? three stones/ }).waitFor();
      return page.title();
    }),
  );
  const first = people.find((_, index) => titles[index]?.startsWith('● Your move'));
  const other = people.find((one) => one !== first);
  assert.ok(first && other, titles.join());
  await put(first.page, 'h8');
  if (first === people[1]) await put(first.page, 'h8');
  await first.page
    .getByRole('heading', { name: 'Stone 2 of 3: white' })
    .or(first.page.getByText('Stone 2 of 3'))
    .first()
    .waitFor();
  t.diagnostic(
    `from opening the page to the first stone: ${((Date.now() - begin) / 1000).toFixed(1)} s, one press to find the game and ${first === people[1] ? 'two' : 'one'} for the stone`,
  );
  await leave(...people);
});

test('a newcomer presses once and plays: a bot while nobody waits, and then the next who comes', async () => {
  const [ann, bob] = [
    await visitor(at.browser, at.server, PHONE, 'Ann'),
    await visitor(at.browser, at.server, {}, 'Bob'),
  ];
  await ann.page.goto('/');
  await ann.page.getByText('The first with five in a row wins · No clock').waitFor();
  assert.equal(
    await ann.page
      .locator('.seek')
      .getByText(/Swap2|Soosyrv/)
      .filter({ visible: true })
      .count(),
    0,
  );
  await ann.page.getByRole('button', { name: 'Play now' }).click();
  await ann.page.locator('.plate', { hasText: 'Bot, level 3' }).waitFor();
  await ann.page.locator('.seeking').waitFor();
  await bob.page.goto('/');
  await bob.page.locator('.seek-now').getByText('1 waiting').waitFor();
  // The button is there for five seconds, so the press waits for it.
  const goes = ann.page.locator('.ask', { hasText: 'Bob is here' }).getByRole('button', { name: 'Go now' }).click();
  await Promise.all([goes, bob.page.getByRole('button', { name: 'Find an opponent' }).click()]);
  for (const [{ page }, name] of /** @type {const} */ ([
    [ann, 'Bob'],
    [bob, 'Ann'],
  ]))
    await page.locator('.plate', { hasText: name }).waitFor();
  // Who knows more is at the pools by one press.
  const eve = await stranger('Eve');
  await eve.page.getByRole('button', { name: 'Other rules and clocks' }).click();
  await eve.page.locator('.seek').getByLabel('Rules').waitFor();
  assert.match((await eve.page.locator('.seek select option:checked').textContent()) ?? '', /Swap2/);
  await eve.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'pool');
  await leave(ann, bob, eve);
});

test('who waits is counted, and may stop', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  for (const { page } of [ann, bob]) await choosePool(page, 'renju-10-5');
  await bob.page.getByText('No one is waiting now.').waitFor();
  await bob.page.getByRole('button', { name: 'Wait for an opponent' }).waitFor();
  await find(ann.page).click();
  await ann.page.getByText('Looking for an opponent').waitFor();
  await ann.page
    .getByRole('timer')
    .getByText(/^0:0[1-9]$/)
    .waitFor();
  await bob.page.locator('.seek .seg label:has(:checked)').getByText('1 waiting').waitFor();
  await bob.page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  // Their own seek is nobody to play.
  assert.equal(await ann.page.locator('.seek .seg label:has(:checked) .waiting').textContent(), '');
  await ann.page.getByRole('button', { name: 'Cancel' }).click();
  await find(ann.page).waitFor();
  await bob.page.getByRole('button', { name: 'Wait for an opponent' }).waitFor();
  await find(bob.page).click();
  await bob.page.getByText('Looking for an opponent').waitFor();
  await ann.page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  assert.ok(ann.page.url().endsWith('/') && bob.page.url().endsWith('/'), 'nobody is paired');
  await leave(ann, bob);
});

test('a seek goes on over a lost socket, other pages and a reload', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  for (const { page } of [ann, bob]) await choosePool(page, 'caro-5-3');
  await find(ann.page).click();
  await ann.page.getByText('Looking for an opponent').waitFor();
  await bob.page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  await ann.context.setOffline(true);
  await ann.page.evaluate(() => dispatchEvent(new Event('online')));
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor();
  await ann.context.setOffline(false);
  await ann.page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'hidden' });
  await ann.page.getByRole('link', { name: 'Analysis' }).click();
  await ann.page
    .locator('.seeking')
    .getByText(/^\d+:\d\d$/)
    .waitFor();
  const waited = async () => Number((await ann.page.locator('.seeking').textContent())?.replace(':', ''));
  const before = await waited();
  await ann.page.reload();
  await ann.page
    .locator('.seeking')
    .getByText(/^\d+:\d\d$/)
    .waitFor();
  assert.ok((await waited()) >= before, 'with the time that it has waited');
  await bob.page.locator('.seek .seg label:has(:checked)').getByText('1 waiting').waitFor();
  await find(bob.page).click();
  await ann.page.waitForURL('**/r/*');
  assert.equal(
    await ann.page.evaluate(() => location.pathname),
    await bob.page.waitForURL('**/r/*').then(() => bob.page.evaluate(() => location.pathname)),
  );
  await leave(ann, bob);
});

test('a game against a bot while waiting is left without a result', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  for (const { page } of [ann, bob]) await choosePool(page, 'freestyle-5-3');
  await find(ann.page).click();
  await ann.page.getByRole('button', { name: 'Play a bot while you wait' }).click();
  await ann.page.locator('.plate').getByText('Bot, level').waitFor();
  const before = ann.page.url();
  await ann.page.locator('.seeking').waitFor();
  await find(bob.page).click();
  await ann.page.locator('.ask').getByText('Bob is here').waitFor();
  assert.match(await ann.page.title(), /^Bob is here/);
  assert.equal(ann.page.url(), before, 'there is a moment');
  // Without a press.
  await ann.page.locator('.plate').getByText('Bob').waitFor();
  assert.equal(await ann.page.locator('.ask').count(), 0);
  const { rooms } = await ask(ann.page, { type: 'own_rooms' });
  assert.deepEqual(
    rooms.map((/** @type {{ room: string }} */ { room }) => ann.page.url().endsWith(room)),
    [true],
  );
  await leave(ann, bob);
});

test('who is left alone seeks on, and who leaves does not', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  await meet(ann, bob, 'gomoku-10-5');
  await bob.page.getByRole('button', { name: 'Abort' }).click();
  await ann.page.getByText('Your opponent did not come. The search goes on.').waitFor();
  await ann.page.getByText('Looking for an opponent').waitFor();
  await bob.page.getByRole('button', { name: 'New opponent' }).waitFor();
  assert.equal(await bob.page.locator('.seeking:visible').count(), 0);
  // They meet again, as nobody else is there.
  await bob.page.getByRole('button', { name: 'New opponent' }).click();
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL('**/r/*')));
  await leave(ann, bob);
});

test('an open challenge is posted with its own settings, and played', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  await ann.page.locator('.bar').getByRole('link', { name: 'Lobby' }).click();
  const post = ann.page.locator('.post');
  await post.getByLabel('Rules').selectOption('renju');
  await post.getByText('10+5', { exact: true }).click();
  await ann.page.getByRole('button', { name: 'Post and wait' }).click();
  await ann.page.getByText('Looking for an opponent').waitFor();
  const offer = bob.page.locator('.open-seek', { hasText: 'Ann' });
  for (const text of [/^Renju/, '10+5']) await offer.getByRole('cell', { name: text }).waitFor();
  await offer.getByRole('button', { name: 'Accept' }).click();
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL('**/r/*')));
  await ann.page.locator('.about').getByText('Renju').waitFor();
  await leave(ann, bob);
});

test('a challenge to a person is declined, taken back, or accepted', async () => {
  const [ann, bob] = [await stranger('Ann of Challenges'), await stranger('Bob of Challenges')];
  await ann.page.goto('/lobby');
  await bob.page.goto('/analyse');
  await online(bob.page);
  const challenge = async () => {
    await ann.page.getByLabel('Challenge somebody by name').fill('Bob of Challenges');
    await ann.page.keyboard.press('Enter');
    await ann.page.getByText('Waiting for Bob of Challenges').waitFor();
    await bob.page.locator('.ask').getByText('Ann of Challenges challenges you').waitFor();
  };
  await challenge();
  await bob.page.getByRole('button', { name: 'Decline' }).click();
  await ann.page.getByText('Bob of Challenges declined your challenge.').waitFor();
  await ann.page.getByText('Waiting for Bob').waitFor({ state: 'hidden' });
  await challenge();
  await ann.page.getByRole('button', { name: 'Cancel' }).click();
  await bob.page.getByText('Ann of Challenges withdrew the challenge.').waitFor();
  assert.equal(await bob.page.locator('.ask').count(), 0);
  await challenge();
  // By the keyboard.
  await bob.page.getByRole('button', { name: 'Accept' }).focus();
  await bob.page.keyboard.press('Enter');
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL('**/r/*')));

  // A spectator challenges a player by the name beside the board.
  const eve = await visitor(at.browser, at.server, {}, 'Eve');
  await eve.page.goto(ann.page.url());
  await eve.page.locator('.plate').getByRole('button', { name: 'Bob of Challenges' }).click();
  await eve.page.locator('dialog').getByRole('button', { name: 'Challenge' }).click();
  await bob.page.locator('.ask').getByText('Eve challenges you').waitFor();
  await eve.page.goto('/lobby');
  await eve.page.getByLabel('Challenge somebody by name').fill('Nobody at all');
  await eve.page.keyboard.press('Enter');
  await eve.page.locator('.toast').getByText('Nobody with this name is online.').waitFor();
  await leave(ann, bob, eve);
});

/** Keeps what the page asks of the browser's notifications, and makes its tab hidden. @param {Visitor} one */
async function watchNotifications({ context }) {
  await context.addInitScript(() => {
    /** @type {string[]} */
    const shown = [];
    let permission = 'default';
    const fake = class {
      /** @param {string} _ @param {{ body: string }} options */
      constructor(_, { body }) {
        shown.push(body);
      }

      static get permission() {
        return permission;
      }

      static async requestPermission() {
        shown.push('asked');
        permission = 'granted';
        return permission;
      }
    };
    Object.assign(window, { Notification: fake, shown });
    let hidden = false;
    Object.defineProperty(document, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible') });
    Object.assign(window, {
      hide: () => {
        hidden = true;
      },
    });
  });
}

test('a hidden tab is called back by a notification, which is asked for only at a press', async () => {
  const ann = await visitor(at.browser, at.server, {}, 'Ann');
  await watchNotifications(ann);
  await ann.page.goto('/');
  const bob = await stranger('Bob');
  const shown = () =>
    ann.page.evaluate(() => /** @type {{ shown: string[] }} */ (/** @type {unknown} */ (window)).shown);
  for (const { page } of [ann, bob]) await choosePool(page, 'gomoku-3-2');
  await find(ann.page).click();
  await ann.page.getByText('Looking for an opponent').waitFor();
  assert.deepEqual(await shown(), []);
  await ann.page.getByRole('button', { name: 'Notify me about my games' }).click();
  await ann.page.getByRole('button', { name: 'Notify me about my games' }).waitFor({ state: 'hidden' });
  assert.deepEqual(await shown(), ['asked']);
  await ann.page.evaluate(() => /** @type {any} */ (window).hide());
  await find(bob.page).click();
  await ann.page.waitForURL('**/r/*');
  await ann.page.waitForFunction(() => /** @type {any} */ (window).shown.length > 1);
  await leave(ann, bob);
});

test('games that wait for a move are counted on every page and in the title', async () => {
  const [ann, bob] = [await stranger('Ann'), await stranger('Bob')];
  await begin(ann.page, 'friend');
  const link = await ann.page.getByLabel('Link to this room').inputValue();
  await accept(bob.page, link);
  await ann.page.locator('.plate').getByText('Bob').waitFor();
  const black = (await ann.page.title()).startsWith('● Your move') ? ann : bob;
  assert.match(await black.page.title(), /^● Your move/);
  await black.page.getByRole('link', { name: 'Analysis' }).click();
  await black.page.getByLabel('Your move in 1 game').waitFor();
  assert.match(await black.page.title(), /^\(1\) /);
  await black.page.goBack();
  await black.page.getByLabel('Your move in 1 game').waitFor({ state: 'hidden' });
  await put(black.page, 'h8');
  await black.page.getByRole('heading', { name: /is thinking$/ }).waitFor();
  // Not even for a moment is the game counted that no longer waits for them.
  const titles = await black.page.evaluateHandle(() => {
    /** @type {string[]} */
    const seen = [];
    new MutationObserver(() => seen.push(document.title)).observe(
      /** @type {Element} */ (document.querySelector('title')),
      { childList: true },
    );
    return seen;
  });
  await black.page.getByRole('link', { name: 'Analysis' }).click();
  await black.page.waitForFunction(() => location.pathname === '/analyse' && document.title.startsWith('Analysis'));
  await ask(black.page, { type: 'own_rooms' });
  assert.deepEqual(
    (await titles.jsonValue()).filter((title) => title.startsWith('(')),
    [],
  );
  await leave(ann, bob);
});
