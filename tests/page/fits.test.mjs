// Nothing is cut, at small widths and with text twice as large, with the longest names, ratings and numbers, on
// every screen and in every language: measured, not looked at.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accept, ask, begin, choose, online, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** A phone, the smallest first, a desk at 200 %, a phone on its side, and a small desk. */
const SIZES = /** @type {const} */ ([
  [320, 568],
  [360, 640],
  [390, 844],
  [720, 450],
  [844, 390],
  [1024, 768],
]);
/** As long as names may be. */
const NAMES = ['Wilhelmina Wolkenstein W', 'Maximilian Hohenzollernm'];
const MOVES = 110;

/**
 * In the page: what is cut, broken within a word, wrapped where it must not be, or behind something else.
 * @returns {string[]}
 */
function faults() {
  /** One line each. */
  const NUMBERS =
    '.plate .name, .plate .note, .clock, .move, .move-number, .step-place, .turns, .brand span, .way-to span, .rate b, .chip, .bar button:not(.game-line)';
  const WHOLE = `${NUMBERS}, button, .button, .seg label, .opponents b, .link, th, .game .mark, select`;
  /** @type {string[]} */
  const found = [];
  const seen = (/** @type {Element} */ one) =>
    one.getClientRects().length > 0 &&
    !one.closest('.spoken, [aria-hidden=true], .toasts, .board-grid, dialog:not([open])') &&
    getComputedStyle(one).visibility === 'visible' &&
    one.getBoundingClientRect().width > 1;
  const rectsOf = (/** @type {Range} */ range) => [...range.getClientRects()].filter(({ width }) => width > 0);
  const onLines = (/** @type {Range} */ range) => new Set(rectsOf(range).map(({ top }) => Math.round(top))).size;
  const area = document.querySelector('dialog[open]') ?? document;
  for (const element of area.querySelectorAll(WHOLE)) {
    if (!seen(element)) continue;
    const called = `${element.tagName.toLowerCase()}.${element.className} “${element.textContent?.trim().slice(0, 40)}”`;
    if (element instanceof HTMLInputElement && element.scrollWidth > element.clientWidth + 1)
      found.push(`cut: ${called}`);
    if (element instanceof HTMLSelectElement) {
      const [style, around] = [
        getComputedStyle(element),
        getComputedStyle(element.closest('label')?.parentElement ?? element),
      ];
      const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
      pen.font = style.font;
      const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      // A list that has its row for itself gets no wider.
      if (
        element.offsetWidth >=
        parseFloat(around.width) - parseFloat(around.paddingLeft) - parseFloat(around.paddingRight) - 3
      )
        continue;
      for (const { text } of element.options)
        if (pen.measureText(text).width > room + 1) found.push(`cut: “${text}” of ${called}`);
      continue;
    }
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      if (!text.trim() || !node.parentElement || !seen(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = rectsOf(range);
      const isWrapped = onLines(range) > 1;
      if (element.matches(NUMBERS) && isWrapped) found.push(`wrapped: ${called}`);
      // A word on two lines is broken.
      if (isWrapped) {
        for (const { index, 0: word } of text.matchAll(/[^\s\u00ad·×-]+/g)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (onLines(range) > 1) found.push(`broken: “${word}” of ${called}`);
        }
      }
      for (
        let box = /** @type {Element | null} */ (node.parentElement);
        box && box !== document.body;
        box = box.parentElement
      ) {
        const style = getComputedStyle(box);
        const [clip, { left, right, top, bottom }] = [/hidden|clip/, box.getBoundingClientRect()];
        for (const rect of rects) {
          const aside = clip.test(style.overflowX) && (rect.right > right + 1 || rect.left < left - 1);
          const below = clip.test(style.overflowY) && (rect.bottom > bottom + 3 || rect.top < top - 3);
          if (aside || below) found.push(`cut by .${box.className}: ${called}`);
        }
        if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
        if (style.position === 'fixed') break;
      }
    }
  }
  for (const first of area.querySelectorAll('.primary')) {
    if (!seen(first) || first.matches(':disabled')) continue;
    first.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = first.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    if (top && !first.contains(top)) found.push(`“${first.textContent}” is behind ${top.className || top.tagName}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  const widest = [...document.querySelectorAll('main *')].find(
    (one) =>
      one.getBoundingClientRect().right > clientWidth + 1 && one.getBoundingClientRect().right >= scrollWidth - 1,
  );
  if (scrollWidth > clientWidth)
    found.push(
      `the page is ${scrollWidth - clientWidth} px wider than its window: ${widest?.tagName}.${widest?.className}`,
    );
  return [...new Set(found)];
}

/** Measures a screen at each size. @param {Page} page @param {string} what @param {string[]} found */
async function measure(page, what, found) {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
    );
    found.push(...(await page.evaluate(faults)).map((fault) => `${what} ${width}×${height}: ${fault}`));
  }
}

/** A long game in which nobody wins, by the identities of both players: the room, and the last ply.
 * @param {Page} page @param {string[]} identities */
function playLong(page, identities, moves = MOVES) {
  return page.evaluate(
    async ([both, count]) => {
      const opened = await Promise.all(
        both.map(
          (identity) =>
            new Promise((resolve) => {
              const socket = new WebSocket(`ws://${location.host}/ws`);
              /** @type {Map<string, (answer: any) => void>} */
              const waiting = new Map();
              const send = (/** @type {object} */ command) =>
                new Promise((done) => {
                  const id = crypto.randomUUID();
                  waiting.set(id, done);
                  socket.send(JSON.stringify({ ...command, id }));
                });
              socket.onmessage = ({ data }) => {
                const answer = JSON.parse(data);
                waiting.get(answer.id)?.(answer);
              };
              socket.onopen = async () => {
                await send({ type: 'hello', protocol: 1, identity });
                resolve(send);
              };
            }),
        ),
      );
      const [ann, bob] = /** @type {((command: object) => Promise<any>)[]} */ (opened);
      if (!ann || !bob) throw new Error('two players');
      const { room } = await ann({
        type: 'create',
        rules: { variant: 'freestyle', size: [15, 15] },
        time: { type: 'fischer', main_ms: 600_000, increment_ms: 5_000 },
        colour: 'black',
      });
      await bob({ type: 'join', room });
      await bob({ type: 'sit', room, seat: 'second' });
      // No five of a color in any direction.
      const points = Array.from({ length: 225 }, (_, index) => [index % 15, Math.floor(index / 15)]);
      const [black, white] = [0, 1].map((side) =>
        points.filter(([x = 0, y = 0]) => Number(((x + 2 * y) & 3) >= 2) === side),
      );
      for (let ply = 0; ply < count; ply += 1) {
        const point = (ply % 2 ? white : black)?.[ply >> 1];
        const answer = await (ply % 2 ? bob : ann)({ type: 'play', room, ply, point });
        if (answer.type !== 'done') throw new Error(JSON.stringify(answer));
      }
      return /** @type {string} */ (room);
    },
    /** @type {const} */ ([identities, moves]),
  );
}

for (const locale of ['en-GB', 'ru-RU', 'es-ES']) {
  test(`nothing is cut in ${locale}`, async () => {
    const [ann, bob] = await Promise.all(NAMES.map((name) => visitor(at.browser, at.server, { locale }, name)));
    assert.ok(ann && bob);
    const { page } = ann;
    /** @type {string[]} */
    const found = [];
    await page.goto('/');
    await bob.page.goto('/');
    await Promise.all([ann, bob].map((one) => online(one.page)));
    for (const opponent of /** @type {const} */ (['anyone', 'friend', 'bot'])) {
      await choose(page, opponent);
      if (opponent !== 'anyone') await page.locator('.options .seg input').first().waitFor({ state: 'attached' });
      await measure(page, `home, ${opponent},`, found);
    }
    for (const path of [
      '/lobby',
      '/tv',
      '/games',
      '/collections',
      '/leaderboard',
      '/puzzles',
      '/learn',
      '/local',
      '/nowhere',
    ]) {
      await page.goto(path);
      await page.locator('main h1, main h2, .message').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      await measure(page, path, found);
    }
    await page.goto(
      `/analyse#moves=${Array.from({ length: MOVES }, (_, at) => `${String.fromCharCode(97 + (at % 15))}${1 + Math.floor(at / 15)}`).join('+')}`,
    );
    await page.locator('.tree .move').nth(20).waitFor();
    await measure(page, '/analyse', found);
    for (const dialog of ['.gear', '.me']) {
      await page.setViewportSize({ width: 1024, height: 768 });
      await page.locator(dialog).click();
      await page.locator('dialog[open] h2').first().waitFor();
      await measure(page, `the dialog of ${dialog}`, found);
      await page.keyboard.press('Escape');
    }

    // Ratings as long as they get.
    await page.routeWebSocket('**/ws', (socket) => {
      socket.connectToServer().onMessage((text) => {
        const message = JSON.parse(String(text));
        const rating = { rating: 2662, provisional: true, change: -162 };
        socket.send(
          message.type === 'joined'
            ? JSON.stringify({
                ...message,
                ratings: { game: message.snapshot?.game?.number, first: rating, second: rating },
              })
            : text,
        );
      });
    });
    await page.goto('/');
    const identities = await Promise.all(
      [ann, bob].map((one) => one.page.evaluate(() => localStorage.getItem('fivefold.identity') ?? '')),
    );
    const room = await playLong(page, identities);
    await page.goto(`/r/${room}`);
    await page
      .locator('.move')
      .nth(MOVES - 1)
      .waitFor({ state: 'attached' });
    await page.locator('.plate .note', { hasText: '2662? −162' }).first().waitFor();
    await measure(page, 'a running game', found);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.locator('.actions .danger').click();
    await page.locator('.is-over').waitFor({ timeout: 20_000 });
    await page.locator('a[href^="/game/"]').waitFor();
    await measure(page, 'a game that is over', found);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.locator('a[href^="/game/"]').click();
    await page.locator('.replay .move').first().waitFor();
    await measure(page, 'a replay', found);
    await page.goto('/');
    await choose(page, 'friend');
    await page.locator('.start').click();
    await page.locator('.link').waitFor();
    await measure(page, 'an invitation', found);
    assert.equal(found.join('\n'), '');
  });
}

/** A minute of the year in which dates are longest. */
const AT = Date.UTC(2026, 8, 30, 22, 58);
/** Names of accounts as long as they may be, and one of a bot. */
const [LONG, BROAD] = ['Wilhelmina-Wolkenste', 'WWWWWWWWWWWWWWWWWWWW'];
const RESULTS = { games: 1_234, won: 1_000, drawn: 111, lost: 123 };
/** @param {string} pool */
const ratingIn = (pool) => ({ pool, rating: 2_662, deviation: 290, provisional: true, ...RESULTS });
const POOLS = [
  'freestyle/15/normal',
  'standard/19/fast',
  'renju/15/slow',
  'caro/unbounded/normal',
  'caro_overline/unbounded/normal',
  'bot/standard/15/normal',
];
/** @param {object} more */
const gameOf = (more) => ({
  id: '0123456789abcdef',
  rules: { variant: 'caro_overline', size: 'unbounded' },
  visibility: 'public',
  black: 'first',
  seat: 'first',
  started_at: AT,
  ended_at: AT + 1,
  time: { type: 'byo_yomi', main_ms: 600_000, period_ms: 30_000, periods: 3 },
  rated: true,
  ratings: { first: 2_662, second: 2_551 },
  plies: 4_096,
  moves: [
    [0, 0],
    [1, 1],
  ],
  outcome: { reason: 'too_long', winner: null },
  first: { member: '0123456789abcdef', name: LONG },
  second: { member: 'fedcba9876543210', name: BROAD },
  ...more,
});
/** What the server says of somebody with the longest of everything. */
const PROFILE = {
  member: '0123456789abcdef',
  name: LONG,
  made_at: AT,
  ratings: POOLS.map(ratingIn),
  puzzles: { rating: 2_662, deviation: 290, provisional: true, tries: 12_345, solved: 11_111, last_at: AT },
  games: [
    gameOf({}),
    gameOf({ outcome: { reason: 'five', winner: 'first' } }),
    gameOf({ outcome: { reason: 'resigned', winner: 'second', by: 'first' }, rated: false, ratings: undefined }),
  ],
  by_stone: { black: RESULTS, white: RESULTS },
  opponents: [
    { member: 'fedcba9876543210', name: BROAD, rated: true, ...RESULTS },
    { member: '00000000000000aa', name: 'Guest 5711', ...RESULTS },
  ],
  against_you: RESULTS,
};
const BEST = {
  pool: POOLS[0],
  places: [1, 2, 1_000].map((place) => ({
    place,
    member: '0123456789abcdef',
    name: place === 2 ? BROAD : LONG,
    ...ratingIn(POOLS[0] ?? ''),
  })),
};
const HISTORY = {
  points: Array.from({ length: 40 }, (_, day) => ({
    at: AT - (40 - day) * 86_400_000,
    rating: 2_000 + 16 * day,
    deviation: 350 - 6 * day,
  })),
};
const SANCTION = {
  from: AT,
  until: AT,
  reason: 'Wolkenkuckucksheimer '.repeat(12).trim(),
  operator: LONG,
  active: true,
  seen_at: AT,
  appeal: 'Ich war es nicht. '.repeat(12).trim(),
  appealed_at: AT,
};
/** A person whom an operator sees, with every hint, a report in each state, and decisions of each kind. */
const CASE = {
  member: '0123456789abcdef',
  name: NAMES[0],
  account: true,
  account_since: AT,
  blocked_by: 1_234,
  signals: { games: 12_345, losses: 4_321, early_losses: 1_234, early_wins: 987, left: 1_234 },
  reports: ['open', 'acted', 'dismissed'].map((state) => ({
    reporter: 'fedcba9876543210',
    kind: 'sandbagging',
    game: '0123456789abcdef',
    line: { room: 'k7m2qpxw9abc', text: 'W'.repeat(200), verified: true },
    text: 'Immer wieder. '.repeat(12).trim(),
    at: AT,
    state,
    closed_at: AT,
    closed_by: LONG,
  })),
  sanctions: ['note', 'warn', 'mute', 'unrated', 'close'].map((kind, at) => ({
    ...SANCTION,
    id: `${at}`,
    kind,
    ...(at > 2 ? { answered_at: AT, answered_by: LONG } : {}),
    ...(at === 4 ? { undone_at: AT, undone_by: LONG } : {}),
  })),
  hints: {
    games: 1_248,
    kinds: ['network', 'one_sided', 'given_away', 'aborts', 'even_times', 'engine'],
    shared: [{ opponent: 'fedcba9876543210', games: 1_200, network: 1_100, device: 900 }],
    one_sided: [{ opponent: 'fedcba9876543210', games: 1_200, won: 1_200, day: 20_780 }],
    losses: 1_234,
    given_away: 1_111,
    aborted: 1_115,
    times: { moves: 81_200, mean_ms: 112_140.4, variation: 0.114 },
    agreement: {
      games: 1_041,
      choices: 37_700,
      firsts: 0.743,
      loss: 0.0124,
      usual: { firsts: 0.462, loss: 0.0513, firsts_z: 17.81, loss_z: 13.24 },
    },
  },
};

for (const locale of ['en-GB', 'ru-RU', 'es-ES']) {
  test(`nothing is cut of people in ${locale}: a profile, the leaderboard, and what operators see`, async () => {
    const { page, complaints } = await visitor(at.browser, at.server, { locale });
    /** @type {string[]} */
    const found = [];
    await page.route('**/api/player/**', (route) =>
      route.fulfill({ json: /\/(history|puzzles)/.test(route.request().url()) ? HISTORY : PROFILE }),
    );
    await page.route('**/api/leaderboard**', (route) => route.fulfill({ json: BEST }));
    await page.route('**/api/moderation', (route) =>
      route.fulfill({
        json: {
          cases: [
            {
              member: CASE.member,
              name: CASE.name,
              reports: 1_234,
              guests: 1_111,
              kinds: ['chat', 'sandbagging', 'cheating'],
              appeals: 123,
              hints: CASE.hints.kinds,
              since: AT,
            },
          ],
        },
      }),
    );
    await page.route('**/api/moderation/people/*', (route) => route.fulfill({ json: CASE }));
    await page.goto(`/player/${LONG}`);
    await page.locator('.plot-band').waitFor({ state: 'attached' });
    await measure(page, 'a profile', found);
    await page.goto('/leaderboard');
    await page
      .locator('main')
      .getByText(BROAD ?? '')
      .first()
      .waitFor();
    await measure(page, 'the leaderboard', found);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.goto('/moderation');
    await page.locator('.queue button').click();
    await page.locator('.hints .chip').nth(5).waitFor();
    await measure(page, 'a case', found);
    assert.equal(found.join('\n'), '');
    assert.deepEqual(complaints, []);
  });

  test(`nothing is cut of an opening in ${locale}`, async () => {
    /** @type {string[]} */
    const found = [];
    for (const [variant, opening, steps] of /** @type {const} */ ([
      ['freestyle', 'swap2', 3],
      ['renju', 'taraguchi10', 5],
      ['renju', 'soosyrv8', 6],
    ])) {
      const kept = {
        name: 'fivefold.options',
        value: JSON.stringify({ variant, size: '15', clock: 6, colour: 'black', opening }),
      };
      const storageState = { cookies: [], origins: [{ origin: at.server.url, localStorage: [kept] }] };
      const [ann, bob] = [
        await visitor(at.browser, at.server, { locale, storageState }, NAMES[0]),
        await visitor(at.browser, at.server, { locale }, NAMES[1]),
      ];
      await ann.page.goto('/');
      await begin(ann.page, 'friend');
      await ann.page.locator('.link').waitFor();
      await accept(bob.page, ann.page.url());
      const room = ann.page.url().split('/').at(-1);
      let done = 0;
      for (; ; done += 1) {
        const { snapshot } = await ask(ann.page, { type: 'join', room });
        const { moves, opening: now } = snapshot.game;
        if (!now?.ask) break;
        for (const [who, { page }] of [ann, bob].entries()) {
          if (done > 0)
            await page
              .locator('.opening-lines li')
              .nth(done - 1)
              .waitFor({ state: 'attached' });
          await page.locator('.opening .path li').first().waitFor({ state: 'attached' });
          await measure(page, `${opening}, act ${done}, ${who === 0 ? 'who began' : 'the other'}`, found);
          await page.setViewportSize({ width: 1024, height: 768 });
        }
        const mover = snapshot.seats[now.ask.seat].name === NAMES[0] ? ann : bob;
        const answer = await ask(
          mover.page,
          { type: 'join', room },
          { type: 'choose', room, ply: moves.length, act: actFor(now.ask, moves.length) },
        );
        assert.equal(answer.type, 'done', JSON.stringify([now.ask, answer]));
      }
      assert.ok(done >= steps, `${opening}: ${done} acts`);
      assert.deepEqual([...ann.complaints, ...bob.complaints], []);
      await Promise.all([ann.context.close(), bob.context.close()]);
    }
    assert.equal(found.join('\n'), '');
  });
}

/** What somebody does whom an opening asks for this, so that it goes through as many steps as it has.
 * @param {{ put?: unknown[], take?: boolean, offer?: number, select?: unknown[], declare?: number }} asked @param {number} ply */
function actFor({ put, take, offer, select, declare }, ply) {
  const stones = [
    [7, 7],
    [7, 6],
    [9, 5],
    [6, 6],
    [9, 9],
    [3, 3],
  ];
  if (select) return { select: select[0] };
  if (offer) return { offer: Array.from({ length: offer }, (_, index) => [1 + index, index % 2 ? 1 : 13]) };
  if (put && (put.length === 2 || !take))
    return { put: stones.slice(ply, ply + put.length), ...(declare !== undefined && { declare }) };
  return { take: ply % 2 ? 'white' : 'black' };
}
