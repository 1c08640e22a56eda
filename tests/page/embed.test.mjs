// Boards on another site: live, without cookies and storage, and nothing but shown. And TV, on the page and there.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { faults } from './axe.mjs';
import { ask, openBrowser, playedGame, put, putIn, Server, sees, stage, twoPlay, visitor } from './harness.mjs';

/** @import { Browser, Frame, Page } from 'playwright-core' */

const at = stage();
/** A browser that sends no cookies to another site than that of the tab. @type {Browser} */
let strict;
/** The other site. @type {import('node:http').Server} */
let site;
let siteUrl = '';

before(async () => {
  strict = await openBrowser('--test-third-party-cookie-phaseout');
  site = createServer((request, answer) => {
    const asked = new URL(request.url ?? '', 'http://localhost').searchParams;
    const [source = '', width, height] = ['src', 'width', 'height'].map((name) => asked.get(name) ?? '');
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(
      `<!doctype html><html lang="en"><title>A forum</title><body style="margin:0"><iframe title="A game" src="${source.replaceAll('&', '&amp;')}" width="${width}" height="${height}" style="border:0"></iframe>`,
    );
  });
  await new Promise((resolve) => {
    site.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = site.address();
  // Another site than that of the server, which is 127.0.0.1.
  siteUrl = `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
});

after(async () => {
  site?.closeAllConnections();
  site?.close();
  await strict?.close();
});

/**
 * Opens a page of the other site with a board in it. `sent` has the cookies that went to the server.
 * @param {string} path @param {import('playwright-core').BrowserContextOptions} [options] @param {[number, number]} [size]
 */
async function embedded(path, options = {}, [width, height] = [480, 584]) {
  const { context, page, complaints } = await visitor(strict, at.server, { viewport: { width, height }, ...options });
  // They are for the server's own pages.
  await context.addCookies([{ name: 'kept', value: 'secret', url: at.server.url }]);
  /** @type {(string | undefined)[]} */
  const sent = [];
  /** @type {string[]} */
  const opened = [];
  page.on('request', (request) => {
    if (request.url().startsWith(at.server.url)) {
      opened.push(new URL(request.url()).pathname);
      sent.push(request.headers().cookie);
    }
  });
  const query = new URLSearchParams({ src: `${at.server.url}${path}`, width: `${width}`, height: `${height}` });
  await page.goto(`${siteUrl}/?${query}`);
  const board = page.frameLocator('iframe');
  const frame = () => /** @type {Frame} */ (page.frames()[1]);
  return { board, complaints, context, frame, opened, page, sent };
}

test('a board on another site is live, and is nobody', async () => {
  const { ann, bob, link } = await twoPlay(at);
  const code = new URL(link).pathname.split('/').at(-1);
  const { board, complaints, context, frame, opened, page, sent } = await embedded(`/embed/r/${code}`);
  await sees(board, 'h8', 'empty');
  await board.getByText('Ann is thinking').waitFor();
  await putIn(page, board, 'g7');
  await put(ann.page, 'h8');
  await sees(board, 'h8', 'Black, last move');
  await sees(board, 'g7', 'empty');
  await sees(bob.page, 'h8', 'Black');
  await put(bob.page, 'i9');
  await sees(board, 'i9', 'White, last move');
  await board.getByText('Ann is thinking').waitFor();

  const denied = await frame().evaluate(() =>
    [() => localStorage, () => sessionStorage, () => document.cookie].map((read) => {
      try {
        return String(read());
      } catch (error) {
        return error instanceof DOMException ? error.name : String(error);
      }
    }),
  );
  assert.deepEqual(denied, ['SecurityError', 'SecurityError', 'SecurityError']);
  assert.equal(await frame().evaluate(() => self.origin), 'null');
  assert.deepEqual(
    (await context.cookies()).map(({ name }) => name),
    ['kept'],
    'it sets no cookie',
  );
  assert.ok(opened.length > 3, `${opened}`);
  assert.deepEqual(new Set(sent), new Set([undefined]), 'it sends no cookie');
  // The page's own files would make a guest, and ask for more.
  const foreign = opened.filter((path) => /\/(main|room-view|keys-dialog)\.js$/.test(path));
  assert.deepEqual(foreign, []);
  await board.getByRole('gridcell', { name: /^a1,/ }).focus();
  await page.keyboard.press('?');
  await page.keyboard.press('Enter');
  await page.keyboard.press('h');
  await sees(board, 'a1', 'empty');
  assert.equal(await board.locator('dialog').count(), 0);

  const open = board.getByRole('link', { name: `Open on ${new URL(at.server.url).host}` });
  assert.equal(await open.getAttribute('rel'), 'noopener');
  const [tab] = await Promise.all([context.waitForEvent('page'), open.click()]);
  // In its own tab the page has its storage, and is somebody.
  await tab.waitForURL(`${at.server.url}/r/${code}`);
  await sees(tab, 'i9', 'White');
  await tab.waitForFunction(() => localStorage.getItem('fivefold.identity'));
  assert.deepEqual([complaints, ann.complaints, bob.complaints], [[], [], []]);
});

test('a finished game and a position have buttons to step, in every size and language', async () => {
  const path = await playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']);
  const { board, complaints, context } = await embedded(`/embed${path}`);
  await sees(board, 'l8', 'Black, last move, winning line');
  await board.getByText('Black won: five in a row').waitFor();
  await board.getByRole('button', { name: 'Previous move' }).click();
  await sees(board, 'l8', 'empty');
  const open = board.getByRole('link', { name: /^Open on/ });
  assert.equal(await open.getAttribute('href'), `${path}?ply=8`);
  await board.locator('.latest').click();
  await sees(board, 'l8', 'Black, last move');
  assert.deepEqual(complaints, []);
  await context.close();

  const later = await embedded(`/embed${path}?ply=3&theme=dark`, { locale: 'ru-RU' }, [200, 304]);
  await later.board.getByText('Ход 3 из 9').waitFor();
  const dark = () => getComputedStyle(document.body).backgroundColor;
  assert.equal(await later.frame().evaluate(dark), 'rgb(21, 23, 20)');
  await later.context.close();

  const query = 'variant=renju&size=15%2C15&moves=h8+h9+i9+h9+a1';
  for (const [wide, high] of /** @type {const} */ ([
    [200, 304],
    [320, 300],
    [1000, 700],
  ])) {
    const shown = await embedded(`/embed/position?${query}&theme=light`, { locale: 'es-ES' }, [wide, high]);
    const cell = shown.board.getByRole('gridcell', { name: /^i9, Negras, última/ });
    await cell.waitFor({ state: 'attached' });
    // The line ends where two stones would stand on one point.
    await shown.board.getByRole('gridcell', { name: /^a1, vac/ }).waitFor({ state: 'attached' });
    const over = await shown.frame().evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
      return [scrollWidth - clientWidth, scrollHeight - clientHeight];
    });
    assert.deepEqual(over, [0, 0], `${wide}×${high}`);
    const box = await shown.board.locator('.board-stage').boundingBox();
    assert.ok(box && box.width > 90 && Math.abs(box.width - box.height) < 2, JSON.stringify(box));
    assert.equal(await shown.board.getByRole('link').getAttribute('href'), `/analyse?${query}`);
    assert.deepEqual(shown.complaints, []);
    await shown.context.close();
  }
});

test('what is not there is said', async () => {
  for (const path of ['/embed/r/k7m2qpxw9abc', '/embed/game/k7m2qpxw9abcdefg', '/embed/position?x=1', '/embed/r/no']) {
    const { board, context } = await embedded(path);
    await board.getByText('There is no such game, or it is gone.').waitFor();
    assert.equal(await board.getByRole('link').getAttribute('href'), '/');
    await context.close();
  }
});

test('a board alone has no serious faults', async () => {
  const { page, context } = await visitor(at.browser, at.server);
  for (const theme of ['light', 'dark']) {
    await page.goto(`/embed/position?moves=h8+i9&theme=${theme}`);
    await sees(page, 'i9', 'White');
    assert.deepEqual(await faults(page), [], theme);
  }
  await context.close();
});

/** Begins a public game of somebody against a bot. @param {Page} page @returns {Promise<string>} the room */
async function publicGame(page) {
  const create = {
    type: 'create',
    rules: { variant: 'freestyle', size: [15, 15] },
    visibility: 'public',
    colour: 'black',
    seats: ['me', { bot: { kind: 'attack' } }],
  };
  return (await ask(page, create)).room;
}

test('TV goes on to the next game, on the page and on other sites', async () => {
  const player = await visitor(at.browser, at.server, {}, 'Ann');
  await player.page.goto('/');
  const tv = await visitor(at.browser, at.server);
  await tv.page.goto('/tv');
  await tv.page.getByText('No public games right now.').waitFor();
  const first = await publicGame(player.page);
  const way = tv.page.getByRole('link', { name: 'Open the room' });
  await tv.page.locator(`a[href="/r/${first}"]`).waitFor();
  const { board, context } = await embedded('/tv?embed');
  await board.locator(`a[href="/r/${first}"]`).waitFor();

  const join = { type: 'join', room: first };
  await ask(player.page, join, { type: 'play', room: first, ply: 0, point: [7, 7] });
  await sees(tv.page, 'h8', 'Black');
  await sees(board, 'h8', 'Black');
  const second = await publicGame(player.page);
  // It stays with its game until that ends.
  assert.equal(await way.getAttribute('href'), `/r/${first}`);
  await ask(player.page, join, { type: 'resign', room: first });
  await tv.page.getByText('The next game follows in a few seconds.').waitFor();
  await tv.page.locator(`a[href="/r/${second}"]`).waitFor();
  await board.locator(`a[href="/r/${second}"]`).waitFor();
  await sees(tv.page, 'h8', 'empty');

  await tv.page.getByRole('button', { name: 'Embed' }).click();
  const code = tv.page.getByRole('dialog').getByLabel('Code for your site');
  await tv.page.getByRole('dialog').getByLabel('Colors').selectOption('dark');
  const source = `src="${at.server.url}/embed/tv?theme=dark"`;
  assert.ok((await code.inputValue()).includes(source), await code.inputValue());
  assert.deepEqual(await faults(tv.page), []);
  assert.deepEqual(tv.complaints, []);
  await context.close();
});

test('replays and the analysis have the code for another site', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const path = await playedGame(at, ['h8', 'h2', 'i8', 'j2', 'j8', 'l2', 'k8', 'n2', 'l8']);
  const code = page.getByRole('dialog').getByLabel('Code for your site');
  await page.goto(`${path}?ply=4`);
  await page.getByRole('button', { name: 'Embed' }).click();
  assert.ok((await code.inputValue()).includes(`src="${at.server.url}/embed${path}?ply=4"`), await code.inputValue());
  await page.goto('/analyse?variant=renju&size=15%2C15&moves=h8+i9');
  await sees(page, 'i9', 'White');
  await page.getByRole('button', { name: 'Embed' }).click();
  const written = await code.inputValue();
  assert.ok(written.includes('/embed/position?variant=renju&amp;size=15%2C15&amp;moves=h8+i9"'), written);
  // Its own markup brings the board.
  const [, source = ''] = /src="([^"]*)"/.exec(written) ?? [];
  const { board } = await embedded(source.replaceAll('&amp;', '&').replace(at.server.url, ''));
  await sees(board, 'i9', 'White');
  assert.deepEqual(complaints, []);
});

test('a server that lets no other site show boards says so', async () => {
  const server = await Server.start({ 'no-embeds': true });
  const { page, context } = await visitor(at.browser, server);
  await page.goto('/tv');
  await page.getByRole('button', { name: 'Embed' }).click();
  await page.getByRole('dialog').getByText('This server does not allow boards on other sites.').waitFor();
  assert.equal(await page.getByRole('dialog').getByLabel('Code for your site').count(), 0);
  await context.close();
  await server.stop();
});
