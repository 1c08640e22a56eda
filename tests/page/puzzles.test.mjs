// Puzzles: their files, the player's progress, and the page with the engine in the browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { texts as en } from '../../server/web/puzzles/language/en.js';
import { texts as es } from '../../server/web/puzzles/language/es.js';
import { texts as ru } from '../../server/web/puzzles/language/ru.js';
import { dayOf, noteSolved, readProgress, readWanted, streak } from '../../server/web/puzzles/puzzle-progress.js';
import {
  KINDS,
  LENGTHS,
  matching,
  nextPuzzle,
  PUZZLE_RULES,
  puzzleOfDay,
  readPuzzles,
  rulesOfId,
} from '../../server/web/puzzles/puzzle-set.js';
import { PHONE, put, Server, sees, stage, visitor } from './harness.mjs';
import { asked, called, farPoint, found, open, playSolution, sets } from './puzzle-moves.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Point } from '../../server/web/ui/protocol-types' */
/** @import { Puzzle } from '../../server/web/puzzles/puzzle-set.js' */

const at = stage();
const [freestyle, renju] = sets;

test('every shipped puzzle has its own name, and its first move lies on a free point', () => {
  for (const [index, puzzles] of sets.entries()) {
    assert.ok(puzzles.length >= 100, `${puzzles.length}`);
    assert.equal(new Set(puzzles.map(({ id }) => id)).size, puzzles.length);
    for (const { id, first, moves, rules, kind, length } of puzzles) {
      assert.equal(rulesOfId(id), PUZZLE_RULES[index]);
      assert.equal(rules.variant, PUZZLE_RULES[index]);
      assert.ok(KINDS.includes(kind) && length > 0, id);
      const all = [first, ...moves];
      assert.ok(
        all.every(([x, y]) => x >= 0 && x < 15 && y >= 0 && y < 15),
        id,
      );
      assert.equal(new Set(all.map(String)).size, all.length, id);
    }
  }
  for (const text of ['', 'fivefold puzzles 2\nrenju 15x15\nby hand', '<!doctype html>'])
    assert.throws(() => readPuzzles(text));
  assert.equal(rulesOfId('gomoku-1'), undefined);
});

test('filters leave the puzzles that fit, and the next one is not solved yet', () => {
  const any = { rules: /** @type {const} */ ('renju'), length: '', kind: '' };
  assert.equal(matching(renju, any).length, renju.length);
  assert.equal(matching(renju, { ...any, length: 'x' }).length, renju.length);
  const byLength = LENGTHS.map(([from]) => matching(renju, { ...any, length: String(from) }).length);
  assert.equal(
    byLength.reduce((sum, count) => sum + count, 0),
    renju.length,
  );
  for (const kind of KINDS) assert.ok(matching(renju, { ...any, kind }).every((puzzle) => puzzle.kind === kind));
  const [one, two, three] = /** @type {[Puzzle, Puzzle, Puzzle]} */ (freestyle.slice(0, 3));
  const few = [one, two, three];
  assert.equal(nextPuzzle(few, new Set([two.id]), one.id, 0.99), three);
  assert.equal(
    nextPuzzle(few, new Set([one.id, two.id, three.id]), one.id, 0),
    two,
    'when all are solved, another one',
  );
  assert.equal(nextPuzzle([one], new Set([one.id]), one.id, 1), one);
  assert.equal(nextPuzzle([], new Set(), undefined, 0.5), undefined);
  const days = Array.from({ length: 20 }, (_, day) => puzzleOfDay(freestyle, `2026-11-${day + 10}`));
  assert.ok(new Set(days).size > 10 && days.every((puzzle) => puzzle));
});

test('the streak counts days in a row, and survives whatever lies in the storage', () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const storage = {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  const solve = (/** @type {string} */ id, /** @type {string} */ day) => {
    noteSolved(id, day);
    return streak(readProgress(), day);
  };
  assert.equal(streak(readProgress(), '2026-02-27'), 0);
  assert.deepEqual(
    ['2026-02-27', '2026-02-28', '2026-02-28', '2026-03-01'].map((day, number) => solve(`renju-${number}`, day)),
    [1, 2, 2, 3],
  );
  assert.equal(streak(readProgress(), '2026-03-02'), 3, 'today may still follow');
  assert.equal(streak(readProgress(), '2026-03-03'), 0);
  noteSolved('renju-8', '2026-03-03', false);
  assert.equal(streak(readProgress(), '2026-03-03'), 0, 'one with help does not count');
  assert.ok(readProgress().solved.has('renju-8'));
  assert.equal(solve('renju-9', '2026-03-05'), 1);
  const { longest, solved } = readProgress();
  assert.deepEqual([longest, solved.size], [3, 6]);
  assert.equal(dayOf(new Date(2026, 0, 5, 23, 59)), '2026-01-05');
  const hostile = [
    '',
    '{',
    'null',
    '[]',
    '3',
    '"x"',
    '{"solved":{}}',
    '{"solved":[1,null,"<img>","renju-a","__proto__"],"days":-4,"longest":1e99,"last":7}',
    '{"last":"9999-99-99","days":5}',
    `{"solved":${JSON.stringify(Array(30_000).fill('renju-a'))}}`,
    '{"days":"7","longest":{},"last":"2026-03-05"}',
  ];
  for (const text of hostile) {
    kept.set('fivefold.puzzles', text);
    const { solved: names, days, longest: most, last } = readProgress();
    assert.ok(
      [...names].every((id) => /^[a-z]+-[0-9a-z]+$/.test(id)) &&
        Number.isInteger(days) &&
        Number.isInteger(most) &&
        most >= days &&
        days >= 0,
      text.slice(0, 60),
    );
    assert.equal(typeof last, 'string');
    assert.equal(solve('renju-b', '2026-04-01'), 1, text.slice(0, 60));
    kept.set('fivefold.puzzles_wanted', text);
    assert.ok(Object.values(readWanted()).every((value) => typeof value === 'string'));
  }
  storage.setItem = () => {
    throw new Error('full');
  };
  storage.getItem = () => {
    throw new Error('forbidden');
  };
  assert.doesNotThrow(() => noteSolved('renju-c', '2026-04-01'));
  assert.deepEqual([...readProgress().solved], ['renju-c'], 'the page remembers it until it is closed');
});

test('the texts of puzzles have the same parameters and every plural form', () => {
  const forms = (/** @type {string | Record<string, string>} */ text) =>
    typeof text === 'string' ? [text] : Object.values(text);
  const parameters = (/** @type {string} */ text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const [code, texts] of Object.entries({ en, es, ru })) {
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    assert.deepEqual(Object.keys(texts), Object.keys(en));
    for (const [key, text] of Object.entries(texts)) {
      const expected = parameters(forms(/** @type {any} */ (en)[key])[0] ?? '');
      for (const form of forms(text)) assert.deepEqual(parameters(form), expected, `${code} ${key}`);
      if (typeof text !== 'string')
        assert.deepEqual(Object.keys(text).sort(), [...pluralCategories].sort(), `${code} ${key}`);
    }
  }
});

test('every move that wins is accepted, also one that only puts the win off', () => {
  // Black has an open three in row 8, and beside it a four to be made in row 12.
  const three = /** @type {Puzzle} */ ({
    rules: { variant: 'freestyle', size: [15, 15] },
    moves: [
      [7, 7],
      [0, 0],
      [8, 7],
      [0, 14],
      [9, 7],
      [14, 0],
      [4, 3],
      [3, 3],
      [5, 3],
      [14, 14],
      [6, 3],
      [12, 14],
    ],
  });
  for (const end of /** @type {Point[]} */ ([
    [6, 7],
    [10, 7],
  ])) {
    const { puzzle: answer } = asked('puzzle_answer', three, [end]);
    assert.ok(answer !== 'solved' && answer?.goes_on, `${end}`);
  }
  assert.deepEqual(asked('puzzle_answer', three, [[7, 3]]).puzzle, { goes_on: [8, 3] });
  const { solution } = asked('puzzle_solution', three, [
    [7, 3],
    [8, 3],
  ]);
  assert.equal(solution?.length, 3, 'an open four, its answer, and the five');
  // Where White has an open three as well, a stone elsewhere gives the win away.
  const both = {
    ...three,
    moves: /** @type {Point[]} */ ([
      [7, 7],
      [6, 12],
      [8, 7],
      [7, 12],
      [9, 7],
      [8, 12],
    ]),
  };
  assert.deepEqual(Object.keys(asked('puzzle_answer', both, [[0, 0]]).puzzle ?? {}), ['fails']);
});

test('a puzzle: a wrong move is refuted, the right ones solve it, and the streak begins', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const puzzle = found(freestyle.find(({ length, kind }) => length >= 3 && length <= 4 && kind === 'fours'));
  await open(page, puzzle);
  await page.getByText(`Find the win in ${puzzle.length} moves.`).waitFor();
  await page.getByText('Solve one today to start it').waitFor();
  const wrong = called(farPoint(puzzle));
  await put(page, wrong);
  await page.getByText(`${wrong} doesn’t win`).waitFor({ timeout: 30_000 });
  await sees(page, wrong, 'empty');
  await playSolution(page, puzzle);
  await page.getByText('Solved', { exact: true }).first().waitFor();
  await page.getByText('After 1 wrong move').waitFor();
  await page.getByText('1 day', { exact: true }).first().waitFor();
  const analyze = (await page.getByRole('link', { name: 'Analyze' }).getAttribute('href')) ?? '';
  assert.match(analyze, /^\/analyse#freestyle\//);
  // The solved puzzle does not come again.
  await page.getByRole('button', { name: 'Next puzzle' }).click();
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  assert.notEqual(new URL(page.url()).hash, `#${puzzle.id}`);
  await page.reload();
  await page.getByText('1 day', { exact: true }).first().waitFor();
  assert.deepEqual(complaints, []);
});

test('renju: forbidden points are shown, and a trap ends the puzzle', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const puzzle = found(renju.find(({ length, kind }) => length <= 2 && kind === 'trap'));
  await open(page, puzzle);
  await playSolution(page, puzzle);
  await page.getByText(/^Black can’t answer at \w+: the point is forbidden\./).waitFor();
  assert.deepEqual(complaints, []);
});

test('a hint shows a winning move, and the solution plays itself', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, { reducedMotion: 'reduce' });
  const puzzle = found(freestyle.find(({ length, kind }) => length >= 4 && kind === 'threes'));
  await open(page, puzzle);
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.getByText(`Try ${called(puzzle.first)}.`).waitFor();
  await page.getByRole('button', { name: 'Show solution' }).click();
  await page.getByText('The solution').waitFor({ timeout: 30_000 });
  await sees(page, called(puzzle.first), '(Black|White)');
  await page.getByRole('button', { name: 'Next puzzle' }).waitFor();
  await page.getByText('Solve one today to start it').waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await sees(page, called(puzzle.first), 'empty');
  assert.deepEqual(complaints, []);
});

test('a puzzle can be skipped, and the puzzle of the day is always near', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await page.addInitScript(() =>
    localStorage.setItem('fivefold.puzzles_wanted', '{"rules":"freestyle","length":"8","kind":"threes"}'),
  );
  await page.goto('/puzzles');
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  const first = new URL(page.url()).hash;
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.waitForFunction((before) => location.hash !== before, first);
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  await page.getByText('Solve one today to start it').waitFor();
  // The filter that is remembered does not hide the day's.
  const daily = puzzleOfDay(freestyle, await page.evaluate(() => new Date().toLocaleDateString('sv')));
  await page.getByRole('link', { name: 'Puzzle of the day' }).click();
  await page.waitForURL((url) => url.hash === `#${daily?.id}`);
  await page.locator('.panel > .hint', { hasText: 'Puzzle of the day' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Puzzle of the day' }).isVisible(), false);
  assert.deepEqual(complaints, []);
});

test('a refutation is drawn on the board, and a puzzle solved with a hint says so', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const puzzle = found(freestyle.find(({ length }) => length === 2));
  await open(page, puzzle);
  const picture = () => page.evaluate(() => document.querySelector('canvas')?.toDataURL());
  await sees(page, called(puzzle.first), 'empty');
  const before = await picture();
  const wrong = called(farPoint(puzzle));
  await put(page, wrong);
  const refutation =
    (
      await page
        .locator('.voice')
        .getByText(/^(Black|White) answers \w+\. Try another move\.$/)
        .textContent({ timeout: 30_000 })
    )?.match(/answers (\w+)/)?.[1] ?? '';
  await sees(page, refutation, 'empty');
  assert.notEqual(await picture(), before);
  // The stone of the refutation is drawn, and its point can still be played.
  const drawn = await page.evaluate((point) => {
    const cell = [...document.querySelectorAll('[role=gridcell]')].find((one) =>
      one.getAttribute('aria-label')?.startsWith(`${point}, `),
    );
    const canvas = document.querySelector('canvas');
    const [box, all] = [cell?.getBoundingClientRect(), canvas?.getBoundingClientRect()];
    if (!box || !all || !canvas) return undefined;
    const scale = canvas.width / all.width;
    const at = (/** @type {number} */ right, /** @type {number} */ down) =>
      [
        ...(canvas
          .getContext('2d')
          ?.getImageData(
            (box.left - all.left + right * box.width) * scale,
            (box.top - all.top + down * box.height) * scale,
            1,
            1,
          ).data ?? []),
      ].slice(0, 3);
    return { stone: at(0.5, 0.22), corner: at(0.04, 0.12) };
  }, refutation);
  const apart = (drawn?.stone ?? []).reduce(
    (sum, part, index) => sum + Math.abs(part - (drawn?.corner[index] ?? 0)),
    0,
  );
  assert.ok(apart > 90, JSON.stringify(drawn));
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.getByText(`Try ${called(puzzle.first)}.`).waitFor();
  await playSolution(page, puzzle);
  await page.getByText(/^With a hint, in .* That does not count for your streak\.$/).waitFor();
  await page.getByText('Solve one today to start it').waitFor();
  assert.deepEqual(complaints, []);
});

test('filters, the ways to the page, a wrong link, and a hostile storage', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server, PHONE);
  await context.addInitScript(() => {
    localStorage.setItem('fivefold.puzzles', '{"solved":{"a":1},"days":"<img>","last":[]}');
    if (!localStorage.getItem('fivefold.puzzles_wanted'))
      localStorage.setItem('fivefold.puzzles_wanted', '{"rules":"chess","length":7,"kind":"__proto__"}');
  });
  await page.goto('/');
  await page.locator('.tabs').getByRole('link', { name: 'Puzzles' }).click();
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  assert.match(page.url(), /\/puzzles#freestyle-/);
  await page.getByLabel('Rules').selectOption('renju');
  await page.waitForURL(/#renju-/);
  await page.getByLabel('Kind').selectOption('trap');
  await page.locator('.panel > .hint', { hasText: 'Forbidden point' }).waitFor();
  await page.reload();
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
  await page.goto('/puzzles#renju-nothing');
  await page.getByText('This link doesn’t lead to a puzzle.').first().waitFor();
  await page
    .locator('.voice')
    .getByText(/Find the win/)
    .waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  assert.deepEqual(complaints, []);
});

test('the home page has the puzzle of the day, loaded once it is in sight', async () => {
  const { page, context, complaints } = await visitor(at.browser, at.server, {
    ...PHONE,
    viewport: { width: 412, height: 420 },
  });
  /** @type {string[]} */
  const loaded = [];
  page.on('request', (request) => void loaded.push(new URL(request.url()).pathname));
  const styled = page.waitForResponse(/daily-puzzle\.css/);
  await page.goto('/');
  await styled;
  const [width, height] = await page.evaluate(() => [document.documentElement.scrollWidth, scrollY]);
  assert.ok(!loaded.some((path) => path.endsWith('.txt')), 'no puzzles yet');
  // What loads above it may move it out of sight again.
  const daily = page.locator('.daily');
  while (!(await daily.isVisible())) await page.mouse.wheel(0, 2_000).then(() => page.waitForTimeout(50));
  assert.equal(height, 0);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, 'it is as wide as the page');
  const address = (await daily.getAttribute('href')) ?? '';
  const puzzle = found(freestyle.find(({ id }) => address === `/puzzles#${id}`));
  await daily.getByText(puzzle.moves.length % 2 === 0 ? 'Black to move' : 'White to move').waitFor();
  await daily.click();
  await page.locator('.panel > .hint', { hasText: 'Puzzle of the day' }).waitFor();
  // Solved, and on the sixth day in a row.
  await page.evaluate(
    ([id, now]) =>
      localStorage.setItem('fivefold.puzzles', JSON.stringify({ solved: [id], last: now, days: 6, longest: 6 })),
    /** @type {const} */ ([puzzle.id, await page.evaluate(() => new Date().toLocaleDateString('sv'))]),
  );
  const again = await context.newPage();
  await again.goto('/');
  while (!(await again.locator('.daily').isVisible()))
    await again.mouse.wheel(0, 2_000).then(() => again.waitForTimeout(50));
  await again.locator('.daily').getByText('6 days').waitFor();
  assert.equal(await again.locator('.daily .stone.black').count(), 1);
  await again.locator('.daily b', { hasText: 'Solved' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a puzzle is solved by keyboard alone', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  const puzzle = found(freestyle.find(({ length }) => length === 2));
  await open(page, puzzle);
  const type = async (/** @type {Point} */ point) => {
    await page.getByRole('gridcell', { name: new RegExp(`^${called(point)},`) }).focus();
    await page.keyboard.press('Enter');
  };
  await type(puzzle.first);
  const { puzzle: answer } = asked('puzzle_answer', puzzle, [puzzle.first]);
  assert.ok(answer !== 'solved' && answer?.goes_on);
  await page.getByText(`answers ${called(answer.goes_on)}. Go on.`).waitFor();
  await type(asked('puzzle_solution', puzzle, [puzzle.first, answer.goes_on]).solution?.[0] ?? [0, 0]);
  await page.getByText('First try, in').waitFor();
  // The next puzzle is one key away, and the keyboard is on its board again.
  await page.locator('button:focus', { hasText: 'Next puzzle' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('[role=gridcell]:focus').waitFor({ state: 'attached' });
  assert.deepEqual(complaints, []);
});

test('puzzles work without a network after one visit, in every language', async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { page, complaints } = await visitor(at.browser, server, { serviceWorkers: 'allow', locale: 'ru-RU' });
  await page.goto('/');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await server.kill();
  const puzzle = found(renju.find(({ length, kind }) => length === 2 && kind === 'fours'));
  await page.goto(`/puzzles#${puzzle.id}`);
  await page.getByText('Найдите выигрыш в 2 хода.').waitFor();
  await playIn(page, puzzle);
  await page.getByText('Решено', { exact: true }).first().waitFor();
  const spanish = await visitor(at.browser, at.server, { locale: 'es-ES' });
  await spanish.page.goto(`/puzzles#${puzzle.id}`);
  await spanish.page.getByText('Gana en 2 jugadas.').waitFor();
  assert.deepEqual([...complaints, ...spanish.complaints], []);
});

/** Plays the two moves of a puzzle, in whatever language. @param {Page} page @param {Puzzle} puzzle */
async function playIn(page, puzzle) {
  await put(page, called(puzzle.first));
  const { puzzle: answer } = asked('puzzle_answer', puzzle, [puzzle.first]);
  assert.ok(answer !== 'solved' && answer?.goes_on);
  await page.locator('.voice').getByText(called(answer.goes_on), { exact: false }).waitFor();
  await put(page, called(asked('puzzle_solution', puzzle, [puzzle.first, answer.goes_on]).solution?.[0] ?? [0, 0]));
}
