// The layout on small, low and wide screens: everything important is in sight.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, atOnce, begin, choose, PHONE, put, sees, stage, twoPlay, unfold, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

const LYING = { ...PHONE, viewport: { width: 844, height: 390 }, screen: { width: 844, height: 390 } };
const DESK = { viewport: { width: 1366, height: 768 } };
const SMALL = { ...PHONE, viewport: { width: 360, height: 640 } };

/** Where the first element that is meant lies. @param {Page} page @param {string} what */
async function boxOf(page, what) {
  const box = await page.locator(what).first().boundingBox();
  assert.ok(box, what);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** Whether two boxes have a pixel in common. @param {Awaited<ReturnType<typeof boxOf>>} a @param {typeof a} b */
function meet(a, b) {
  return a.x < b.right - 0.5 && b.x < a.right - 0.5 && a.y < b.bottom - 0.5 && b.y < a.bottom - 0.5;
}

/** By how much a page is larger than its window. @param {Page} page @returns {Promise<[number, number]>} */
function excess(page) {
  return page.evaluate(() => [
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    Math.max(0, document.documentElement.scrollHeight - document.documentElement.clientHeight),
  ]);
}

test('on a phone in landscape the board fills the height, with the rest beside it', async () => {
  const { ann, bob } = await twoPlay(at, LYING);
  const { page } = ann;
  const board = await boxOf(page, '.board-stage');
  assert.ok(board.height >= 380, `the board is ${board.height} high`);
  const [low, high] = [
    await boxOf(page, '[role=gridcell][aria-label^="a1,"]'),
    await boxOf(page, '[role=gridcell][aria-label^="o15,"]'),
  ];
  assert.ok(low.bottom - high.y > 330, `its points take ${low.bottom - high.y}`);
  for (const what of ['.bar', '.plate >> nth=0', '.plate >> nth=1', '.status', '.actions', '.talk']) {
    const box = await boxOf(page, what);
    assert.ok(
      box.x >= board.right && box.right <= 844 && box.y >= 0 && box.bottom <= 390,
      `${what} is beside the board: ${JSON.stringify(box)}`,
    );
  }
  assert.deepEqual(await excess(page), [0, 0]);
  const point = await boxOf(page, '[role=gridcell][aria-label^="h8,"]');
  await page.touchscreen.tap(point.x + 5, point.y + 5);
  const confirm = page.getByRole('button', { name: 'Place on h8' });
  await confirm.waitFor();
  const button = await boxOf(page, '.board-touch .primary');
  assert.ok(!meet(button, board) && button.bottom <= 390, 'the stone is confirmed beside the board');
  await confirm.tap();
  await sees(bob.page, 'h8', 'Black');
  for (const path of ['/analyse', '/']) {
    await page.goto(path);
    await page.locator('.table, .home').waitFor();
    assert.equal((await excess(page))[0], 0);
  }
  assert.deepEqual(ann.complaints, []);
});

test('the buttons to step through a game stay where they are at the first move', async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 390, height: 844 },
  ]) {
    const { ann, bob } = await twoPlay(at, { viewport });
    const before = await boxOf(ann.page, '.step.previous');
    await put(ann.page, 'h8');
    await sees(bob.page, 'h8', 'Black');
    await put(bob.page, 'h9');
    await ann.page.locator('.moves .move').nth(1).waitFor();
    const after = await boxOf(ann.page, '.step.previous');
    assert.deepEqual([after.x, after.y], [before.x, before.y], `${viewport.width}`);
    await Promise.all([ann.context.close(), bob.context.close()]);
  }
});

test('a game needs no scrolling on a desk', async () => {
  const { ann } = await twoPlay(at, DESK);
  for (const [width, height] of /** @type {const} */ ([
    [1366, 768],
    [1024, 768],
    [1920, 1080],
    [1280, 600],
  ])) {
    await ann.page.setViewportSize({ width, height });
    assert.deepEqual(await excess(ann.page), [0, 0], `${width} × ${height}`);
  }
});

test('after a game the chat keeps its place in a small window', async () => {
  const { ann, bob, link } = await twoPlay(at, { viewport: { width: 800, height: 600 } });
  const room = link.split('/').at(-1);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await put(bob.page, 'i9');
  await sees(ann.page, 'i9', 'White');
  await ask(bob.page, { type: 'join', room }, { type: 'resign', room });
  await ann.page.getByRole('heading', { name: 'You won' }).waitFor();
  for (const [width, height] of /** @type {const} */ ([
    [800, 600],
    [1024, 768],
  ])) {
    await ann.page.setViewportSize({ width, height });
    const field = ann.page.getByLabel('Send a message');
    await field.scrollIntoViewIfNeeded();
    const [chat, own] = [await boxOf(ann.page, '.chat'), await field.boundingBox()];
    assert.ok(chat.height >= 140, `${width} × ${height}: the chat is ${chat.height} high`);
    assert.ok(own && own.y >= chat.y && own.y + own.height <= Math.min(chat.bottom, height), 'its field is in sight');
    assert.equal((await excess(ann.page))[0], 0);
  }
});

test('words of the bar are never broken', async () => {
  for (const locale of ['en-GB', 'ru-RU', 'es-ES']) {
    const { page } = await visitor(at.browser, at.server, { locale }, 'Wilhelmina the Longest');
    await page.goto('/');
    await page.locator('.home').waitFor();
    for (const width of [320, 340, 360, 380, 400, 640, 700]) {
      await page.setViewportSize({ width, height: 740 });
      const broken = await page.evaluate(() =>
        [...document.querySelectorAll('.way-to')]
          .filter((way) => {
            const range = document.createRange();
            // The words alone: a tab's icon is above them.
            range.selectNodeContents(way.querySelector('span')?.firstChild ?? way);
            return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
          })
          .map((way) => way.textContent),
      );
      assert.deepEqual(broken, [], `${locale} at ${width}`);
      assert.ok((await excess(page))[0] <= 0, `${locale} at ${width}`);
      // No part of the bar lies on another.
      const parts = await page
        .locator('.bar > *:visible, .way-to')
        .evaluateAll((all) =>
          all.filter((one) => one.tagName !== 'NAV').map((one) => one.getBoundingClientRect().toJSON()),
        );
      for (const [index, part] of parts.entries())
        for (const other of parts.slice(index + 1))
          assert.ok(part && !meet(part, other), `${locale} at ${width}: ${JSON.stringify([part, other])}`);
    }
  }
});

for (const [name, options] of /** @type {const} */ ([
  ['phone', PHONE],
  ['phone on its side', LYING],
  ['desk', DESK],
])) {
  test(`on a ${name} the message about a lost connection covers neither clocks nor stones`, async () => {
    const { ann } = await twoPlay(at, options);
    await ann.context.setOffline(true);
    await ann.page.evaluate(() => dispatchEvent(new Event('online')));
    await ann.page.getByText('Connection lost. Reconnecting…').waitFor();
    const lost = await boxOf(ann.page, '.lost');
    const { width, height } = ann.page.viewportSize() ?? { width: 0, height: 0 };
    assert.ok(lost.x >= 0 && lost.y >= 0 && lost.right <= width && lost.bottom <= height);
    for (const what of ['.plate >> nth=0', '.plate >> nth=1', '.board-stage']) {
      assert.ok(!meet(lost, await boxOf(ann.page, what)), `it covers ${what}`);
    }
  });
}

test('a button counts chat that is out of sight on a phone and leads there, and an offer is in sight', async () => {
  const { ann, bob } = await twoPlay(at, SMALL);
  const { page } = ann;
  const button = page.locator('.talk-too');
  assert.equal(await button.locator('.chip').isVisible(), false);
  await bob.page.getByLabel('Send a message').fill('have fun');
  await bob.page.keyboard.press('Enter');
  await button.getByText('1 new').waitFor();
  await bob.page.getByRole('button', { name: 'Offer draw' }).click();
  const offer = page.getByRole('alertdialog', { name: 'Bob offers a draw' });
  await offer.waitFor({ timeout: 15_000 });
  const [box, answer] = [await boxOf(page, '[role=alertdialog]'), await boxOf(page, '[role=alertdialog] .primary')];
  assert.ok(box.y >= 0 && answer.bottom <= 640, JSON.stringify([box, answer]));
  assert.deepEqual(await excess(page), [0, 0]);
  for (const plate of [0, 1]) assert.ok(!meet(box, await boxOf(page, `.plate >> nth=${plate}`)));
  await button.tap();
  await page.locator('.chat-lines').getByText('have fun').waitFor();
  await button.locator('.chip').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Close' }).tap();
  await page.locator('.chat-lines').waitFor({ state: 'hidden' });
  assert.deepEqual(ann.complaints, []);
});

test('a game on a phone needs no scrolling, and nothing lies on anything else', async () => {
  const {
    ann: { page, complaints },
    bob,
  } = await twoPlay(at, PHONE);
  await put(page, 'h8');
  await put(page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  for (const [width, height] of /** @type {const} */ ([
    [412, 839],
    [360, 640],
    [320, 568],
    [390, 844],
    [844, 390],
    [740, 360],
    [810, 1080],
  ])) {
    await page.setViewportSize({ width, height });
    await page.reload();
    await sees(page, 'h8', 'Black');
    assert.deepEqual(await excess(page), [0, 0], `${width} × ${height}`);
    const parts = await Promise.all(
      ['.board-stage', '.plate >> nth=0', '.plate >> nth=1', '.summary', '.actions'].map((what) => boxOf(page, what)),
    );
    for (const [index, part] of parts.entries()) {
      assert.ok(
        part.x >= -0.5 && part.y >= -0.5 && part.right <= width + 0.5 && part.bottom <= height + 0.5,
        `${width} × ${height}: ${JSON.stringify(part)}`,
      );
      for (const other of parts.slice(index + 1))
        assert.ok(!meet(part, other), `${width} × ${height}: ${JSON.stringify([part, other])}`);
    }
    assert.deepEqual(complaints, []);
  }
});

test('news in sight is not counted', async () => {
  const { ann, bob } = await twoPlay(at, DESK);
  await bob.page.getByLabel('Send a message').fill('have fun');
  await bob.page.keyboard.press('Enter');
  await ann.page.locator('.chat-lines').getByText('have fun').waitFor();
  await bob.page.getByRole('button', { name: 'Offer draw' }).click();
  await ann.page.getByText('Bob offers a draw').waitFor();
  assert.deepEqual(
    [await ann.page.locator('.chip.now:visible').count(), await ann.page.locator('.toast').count()],
    [0, 0],
  );
});

test('entering a room moves the keyboard focus into it', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/');
  await choose(page, 'bot');
  await page.locator('.start').focus();
  await page.keyboard.press('Enter');
  // The board has it when a game begins.
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'gridcell');
});

test('a player sees the seconds until they may claim', async () => {
  const { ann, bob } = await twoPlay(at, DESK);
  await put(ann.page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await bob.context.close();
  await ann.page.getByText(/you can claim the game in \d+ seconds?$/).waitFor();
});

test('pressing the bot key fast asks for one move only', async () => {
  const { page } = await visitor(at.browser, at.server, {}, 'Ann');
  await page.goto('/');
  await choose(page, 'friend');
  await unfold(page);
  await page.getByLabel('Your color').selectOption('black');
  await begin(page, 'bot');
  await page.getByText('Your move', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: /^h8,/ }).focus();
  await Promise.all([1, 2, 3, 4].map(() => page.keyboard.press('D')));
  await page.getByText('2 moves').waitFor();
  await page.getByText('Your move', { exact: true }).waitFor();
  assert.deepEqual(await page.locator('.toast').allTextContents(), []);
});

/** Sums up how far things jump on the pages that somebody opens from now on (Web Vitals' layout shift).
 * @param {Page} page @returns the sum on the current page, once all is there */
async function watchShifts(page) {
  await page.addInitScript(() => {
    const all = Object.assign(window, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) all.shifted += /** @type {any} */ (entry).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return async () => {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    return page.evaluate(() => Number(Reflect.get(window, 'shifted')));
  };
}

test('what loads late moves nothing on a phone', async () => {
  const fresh = await visitor(at.browser, at.server, PHONE);
  const first = await watchShifts(fresh.page);
  await fresh.page.goto('/');
  await fresh.page.locator('.find:enabled').waitFor();
  assert.ok((await first()) < 0.02, `a first visit: ${await first()}`);

  const { ann, bob } = await twoPlay(at, PHONE);
  const { page } = ann;
  await put(page, 'h8');
  await put(page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  await bob.page.getByLabel('Send a message').fill('have fun');
  await bob.page.keyboard.press('Enter');
  await page.locator('.talk').getByText('have fun').waitFor();
  const shifts = await watchShifts(page);
  await page.reload();
  await sees(page, 'h8', 'Black');
  await page.locator('.talk').getByText('have fun').waitFor();
  await page.locator('.actions .danger').waitFor();
  assert.ok((await shifts()) < 0.02, `a running game: ${await shifts()}`);
  await page.goto('/');
  await page.locator('.own-room').waitFor();
  await page.locator('.options .seg input').first().waitFor({ state: 'attached' });
  assert.ok((await shifts()) < 0.02, `home with a running game: ${await shifts()}`);
});

test('plates keep their height, and the board its place, from one game to the next', async () => {
  await atOnce(
    /** @type {const} */ ([
      ['en-GB', 390, 844],
      ['ru-RU', 320, 568],
      ['es-ES', 1024, 768],
    ]),
    async ([locale, width, height]) => {
      const { page, context, complaints } = await visitor(at.browser, at.server, {
        locale,
        viewport: { width, height },
      });
      await page.goto('/');
      await begin(page, 'bot');
      await page.locator('.actions .danger').waitFor();
      /** Where the parts are, and whether each name stands beside its stone. */
      const places = async () => {
        const boxes = await Promise.all(
          ['.plate >> nth=0', '.plate >> nth=1', '.board-stage'].map(async (what) => {
            const { y, height: high } = await boxOf(page, what);
            return [y, high];
          }),
        );
        for (const plate of [0, 1]) {
          const [stone, name] = [
            await boxOf(page, `.plate >> nth=${plate} >> .stone`),
            await boxOf(page, `.plate >> nth=${plate} >> .name`),
          ];
          assert.ok(stone.right <= name.x && stone.bottom > name.y, `${locale} ${width}: the name is beside its stone`);
          const note = page.locator('.plate .note').nth(plate);
          assert.ok(
            await note.evaluate((one) => one.scrollWidth <= one.clientWidth),
            `${locale} ${width}: the note fits`,
          );
        }
        return boxes;
      };
      const before = await places();
      await page.locator('.actions .danger').click();
      await page.locator('.is-over').waitFor();
      assert.deepEqual(await places(), before, `${locale} ${width}: over`);
      await page.locator('.actions a[href="/"]').click();
      await page.locator('.own-room a').click();
      const again = page.locator('.again button, .invitation .big').first();
      await again.waitFor();
      assert.deepEqual(await places(), before, `${locale} ${width}: looked at`);
      await again.click();
      await page.locator('.actions .danger').waitFor();
      assert.deepEqual(await places(), before, `${locale} ${width}: again`);
      assert.deepEqual(complaints, []);
      await context.close();
    },
  );
});

test('buttons of a game keep their places, and those without a use are disabled', async () => {
  const { ann, bob } = await twoPlay(at, { viewport: { width: 390, height: 844 } });
  const { page } = ann;
  const row = () =>
    page
      .locator('.actions > :visible')
      .evaluateAll((all) => all.map((one) => [one.textContent, Math.round(one.getBoundingClientRect().x)]));
  const before = await row();
  assert.deepEqual(
    before.map(([name]) => name),
    ['Take back', 'Offer draw', 'Resign'],
  );
  assert.equal(await page.getByRole('button', { name: 'Take back' }).isDisabled(), true, 'nothing to take back');
  await put(page, 'h8');
  await sees(bob.page, 'h8', 'Black');
  for (const name of ['Take back', 'Offer draw']) {
    await page.getByRole('button', { name }).click();
    await page.locator(`.actions :disabled:text-is("${name}")`).waitFor();
    assert.deepEqual(await row(), before, name);
  }
});

test('on a phone the chat leaves the board in sight', async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 360, height: 640 },
  ]) {
    const { ann, bob } = await twoPlay(at, { ...PHONE, viewport });
    const { page } = ann;
    await page.locator('.talk:visible, .talk-too:visible').first().tap();
    const [chat, board, field] = [
      await boxOf(page, '.side'),
      await boxOf(page, '.board-stage'),
      await boxOf(page, '.chat input:not([type=checkbox])'),
    ];
    assert.ok(
      chat.y >= board.y + 0.8 * board.height,
      `the chat begins at ${chat.y}, the board ends at ${board.bottom}`,
    );
    assert.ok(field.y >= chat.y && field.bottom <= viewport.height, 'its field is in sight');
    await page.getByRole('button', { name: 'Close' }).tap();
    await page.locator('.side').waitFor({ state: 'hidden' });
    await Promise.all([ann.context.close(), bob.context.close()]);
  }
});

test('a list of moves cuts no row, and the last move is in sight', async () => {
  const { ann, bob } = await twoPlay(at, { viewport: { width: 1024, height: 768 } });
  const moves = ['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1', 'i1', 'j1', 'k1', 'l1', 'm1', 'n1'];
  for (const [ply, name] of moves.entries()) {
    await put((ply % 2 ? bob : ann).page, name);
    await sees(bob.page, name, ply % 2 ? 'White' : 'Black');
    await sees(ann.page, name, ply % 2 ? 'White' : 'Black');
  }
  for (const height of [768, 730, 701, 790]) {
    await ann.page.setViewportSize({ width: 1024, height });
    // The list scrolls in a later frame.
    await ann.page.waitForFunction(() => {
      const list = document.querySelector('.moves');
      if (!list) return false;
      const { top, bottom } = list.getBoundingClientRect();
      const rows = [...list.querySelectorAll('.move')].map((move) => move.getBoundingClientRect());
      const last = rows.at(-1);
      return rows.every((row) => row.top >= top - 1 || row.bottom <= top + 6) && last && last.bottom <= bottom + 1;
    });
  }
});

test('a room says what its rules are at every width of a desk', async () => {
  const { ann } = await twoPlay(at, { viewport: { width: 1024, height: 768 } });
  for (const [width, height] of /** @type {const} */ ([
    [800, 600],
    [1024, 768],
    [1440, 900],
  ])) {
    await ann.page.setViewportSize({ width, height });
    await ann.page.locator('.about').getByText('Gomoku (freestyle)').waitFor();
    await ann.page.locator('.about').getByText('Five or more in a row wins.').waitFor();
  }
});
