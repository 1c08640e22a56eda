// The page without a network: kept by the service worker after the first visit, and never an old one where
// there is a server.

import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { accept, begin, put, Server, sees, stage, visitor } from './harness.mjs';

const at = stage();

/** A visitor whose browser has kept the page of a server. @param {{ url: string }} server */
async function keeper(server) {
  const { page, complaints } = await visitor(at.browser, server, { serviceWorkers: 'allow' });
  await page.goto('/');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  return { page, complaints };
}

test('after one visit a bot plays and the engine analyses without a network', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page, complaints } = await keeper(server);
  await server.kill();
  await page.goto('/local');
  await page.locator('.level label', { hasText: /^5$/ }).click();
  await page.getByRole('button', { name: 'Play the bot (level 5)' }).click();
  await page
    .getByRole('heading', { name: 'Your move' })
    .or(page.getByText('1 move', { exact: true }))
    .first()
    .waitFor();
  await page.goto('/analyse#moves=h8+i9+h9');
  await page.locator('.lines li').nth(2).waitFor();
  await put(page, 'h10');
  await page.getByText('4 moves', { exact: true }).waitFor();
  await page.locator('.lines li').nth(2).waitFor();
  assert.deepEqual(complaints, []);
});

test('a new server is met by its own page', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page } = await keeper(server);
  const script = () => page.locator('script').getAttribute('src');
  const old = await script();
  await server.kill();
  await page.reload();
  assert.equal(await script(), old, 'the kept page');
  // The same page from a folder has another address, as another build has.
  server.settings['page-folder'] = fileURLToPath(new URL('../../server/web', import.meta.url));
  await server.again();
  await page.reload();
  assert.equal(await script(), '/web/live/main.js');
  await page.locator('.opponents').waitFor();
});

test('without a network every page says what works, bots play at once, and lists and a running game come back by themselves', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page, complaints } = await keeper(server);
  const bob = await visitor(at.browser, server, {}, 'Bob');
  await begin(page, 'friend');
  const link = await page.getByLabel('Link to this room').inputValue();
  await accept(bob.page, link);
  const [black, white] =
    (await page
      .getByRole('heading', { name: 'Your move' })
      .or(page.getByRole('heading', { name: 'Bob is thinking' }))
      .textContent()) === 'Your move'
      ? [page, bob.page]
      : [bob.page, page];
  await put(black, 'h8');
  await sees(white, 'h8', 'Black');
  await page.goto('/');
  await server.kill();
  await page.reload();
  const strip = page.locator('.strip');
  await strip.getByText('Connection lost').waitFor();
  await strip.getByText('These work without it:').waitFor();
  // The strip covers nothing of the bar.
  const [bar, below] = await Promise.all(['.bar', '.strip'].map((what) => page.locator(what).boundingBox()));
  assert.ok(bar && below && bar.y + bar.height <= below.y);
  for (const way of ['Bots', 'Analysis', 'Puzzles', 'Learn']) await strip.getByRole('link', { name: way }).waitFor();
  // The form is alive.
  await page.locator('.opponents label', { hasText: 'A friend' }).click();
  await page.locator('.start').click();
  await page.locator('.toast').getByText('Connection lost').waitFor();
  await page.locator('.opponents label', { hasText: 'A bot' }).click();
  await page.locator('.level label', { hasText: /^2$/ }).click();
  await page.locator('.start').click();
  await page.locator('.plate').getByText('Bot, level 2').waitFor();
  for (const [path, there] of /** @type {const} */ ([
    ['/analyse#moves=h8+i9', '.lines li'],
    ['/puzzles', '.puzzling .voice'],
    ['/learn', '.learn .lessons a'],
    ['/learn#pro', '.learn .lessons a'],
  ])) {
    await page.goto(path);
    await page.locator(there).first().waitFor();
    await page.locator('.board-stage').waitFor();
    assert.equal(await strip.getByText('needs a connection').count(), 0, path);
  }
  // A lesson is solved.
  await put(page, 'h8');
  await page.getByText('Place stone 2 of 3.').waitFor();
  for (const path of ['/leaderboard', '/games', '/lobby', '/r/k7m2qpxw9abc', new URL(link).pathname]) {
    await page.goto(path);
    await strip.getByText('This page needs a connection').waitFor();
  }
  const leaders = await page.context().newPage();
  await leaders.goto('/leaderboard');
  const needs = leaders.locator('.strip').getByText('This page needs a connection');
  await needs.waitFor();
  await server.again();
  await leaders
    .getByText(/Nobody|No one/)
    .first()
    .waitFor();
  await needs.waitFor({ state: 'detached' });
  await strip.getByText('This page needs a connection').waitFor({ state: 'detached' });
  await sees(page, 'h8', 'Black');
  await put(white, 'i9');
  await sees(black, 'i9', 'White');
  assert.deepEqual([...complaints, ...bob.complaints], []);
});

test('an old tab without a service worker loads the wanted page again after an upgrade', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page } = await visitor(at.browser, server);
  await page.goto('/');
  await page.locator('.opponents').waitFor();
  await server.kill();
  server.settings['page-folder'] = fileURLToPath(new URL('../../server/web', import.meta.url));
  await server.again();
  await page.locator('a[href="/leaderboard"]').first().click();
  await page.locator('script[src="/web/live/main.js"]').waitFor({ state: 'attached' });
  assert.equal(new URL(page.url()).pathname, '/leaderboard');
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('the kept page opens while a proxy has no server behind it', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  /** What the proxy answers; without it, what the server does. @type {number | undefined} */
  let status;
  const proxy = createServer((asked, answer) => {
    if (status) return void answer.writeHead(status).end('no server here');
    const passed = request(server.url + asked.url, { method: asked.method, headers: asked.headers }, (theirs) => {
      answer.writeHead(theirs.statusCode ?? 500, theirs.headers);
      theirs.pipe(answer);
    });
    return void asked.pipe(passed);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  assert.ok(address && typeof address === 'object');
  const { page } = await keeper({ url: `http://127.0.0.1:${address.port}` });
  for (status of [502, 503, 504]) {
    await page.goto('/local');
    await page.getByRole('button', { name: /^Play the bot/ }).waitFor();
  }
  status = 500;
  await page.goto('/local');
  await page.getByText('no server here').waitFor();
});

test('the page can be installed', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/');
  const address = (await page.locator('link[rel=manifest]').getAttribute('href')) ?? '';
  const answer = await page.request.get(address);
  assert.equal(answer.headers()['content-type'], 'application/manifest+json');
  const { start_url, display, icons } = await answer.json();
  assert.deepEqual([start_url, display], ['/', 'standalone']);
  for (const { src, type, sizes } of icons) {
    const url = new URL(src, new URL(address, page.url())).href;
    assert.equal((await page.request.get(url)).headers()['content-type'], type);
    // Phones take no picture whose size is another one.
    const side = await page.evaluate(async (from) => {
      const it = new Image();
      it.src = from;
      await it.decode();
      return `${it.naturalWidth}x${it.naturalHeight}`;
    }, url);
    if (type === 'image/png') assert.equal(side, sizes);
  }
  const touch = (await page.locator('link[rel=apple-touch-icon]').getAttribute('href')) ?? '';
  assert.equal((await page.request.get(touch)).headers()['content-type'], 'image/png');
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(
    installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
    [],
  );
});
