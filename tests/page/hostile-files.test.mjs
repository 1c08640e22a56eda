// Hostile files in the analysis: nothing runs, nothing breaks the page, and the next good file is read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LIBRARY } from './engine-vectors.mjs';
import { stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

const NAMES = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  'W'.repeat(300),
  '\u202Egnp.sgf',
  '﷽'.repeat(60),
  '__proto__',
  '${alert(1)} {name}',
];
const COMMENTS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '</em></div></main>',
  '&lt;b&gt; &#60;i&#62;',
  '\u202Egnp.live\u202C and on',
  'W'.repeat(9_000),
  'Z\u0361\u0321\u0316'.repeat(300),
  '👩‍👩‍👧‍👦'.repeat(200),
  '\u0007\u001b[31mred',
  'line\n'.repeat(900),
  '\u0627\u0644\u0639\u0631\u0628\u064A\u0629',
  '{{alert(1)}} ${name} {point}',
  '__proto__',
];
const point = (/** @type {number} */ n) => String.fromCharCode(97 + (n % 15), 97 + (Math.floor(n / 15) % 15));
const stone = (/** @type {number} */ ply) => `;${ply % 2 === 0 ? 'B' : 'W'}[${point(ply)}]`;
const escaped = (/** @type {string} */ text) => text.replace(/[\]\\]/g, '\\$&');
const text = (/** @type {string} */ content) => Buffer.from(content);
const head = LIBRARY.slice(0, 20);
const library = (/** @type {number[]} */ ...nodes) => Buffer.from([...head, ...nodes]);
/** Bytes without an order, the same in each run. */
const noise = Array.from({ length: 20_000 }, (_, n) => (Math.imul(n + 1, 0x9e3779b1) >>> 13) & 0xff);
/** A variation at each move, one within the other. */
const nested = `${Array.from({ length: 150 }, (_, ply) => `(;${ply % 2 ? 'W' : 'B'}[${point(224 - ply)}])(${stone(ply)}C[${ply}]`).join('')}${')'.repeat(150)}`;
/** 225 first moves, and pairs of moves; all can be played. */
const wide = (/** @type {number} */ moves) =>
  `(;SZ[15]${Array.from({ length: moves - 225 }, (_, n) => `(;B[${point(n)}];W[${point(n + 1 + Math.floor(n / 225))}])`).join('')})`;
const OTHER = /^“.*” is not a game file\./s;
const BROKEN = /^Line \d+ is not part of a game/;

/** Files, and what the page says. @type {Record<string, [Buffer, RegExp]>} */
const FILES = {
  'a name and a comment for each danger': [
    text(
      `(;SZ[15]PB[${escaped(NAMES.join(' '))}]PW[</main>]C[${escaped(COMMENTS[0] ?? '')}]${COMMENTS.map((comment, ply) => `${stone(ply)}C[${escaped(comment)}]`).join('')})`,
    ),
    /^15 moves read\.$/,
  ],
  'the same in a library': [
    library(
      ...COMMENTS.flatMap((comment, n) => {
        const bytes = [...Buffer.from(comment.replaceAll('\n', '\b')), 0];
        return [16 * n + 1, n < COMMENTS.length - 1 ? 8 : 0x48, ...bytes, ...(bytes.length % 2 ? [0] : [])];
      }),
    ),
    /^15 moves read\.$/,
  ],
  'names of properties': [text('(;SZ[15]__proto__[x]CONSTRUCTOR[y]RU[<b>];B[hh])'), /./],
  'brackets deep within each other': [
    text(`${'(;XX[1]'.repeat(50_000)};B[hh]${')'.repeat(50_000)}`),
    /^1 move read\.$/,
  ],
  'variations deep within each other': [text(`(;SZ[15]${nested})`), /moves read\./],
  'one move a thousand times': [text(`(;SZ[15]${'(;B[hh];W[hi])'.repeat(1_000)})`), /^2 moves read\.$/],
  'a move that comes back': [
    text(`(;SZ[15]${';B[hh];W[hi]'.repeat(100)})`),
    /^2 moves read\. 198 moves were left out\./,
  ],
  'many moves': [text(wide(20_000)), /^20,000 moves read\.$/],
  'brackets without an end': [text('('.repeat(200_000)), BROKEN],
  'a text without an end': [text('(;SZ[15];B[hh]C[abc'), BROKEN],
  'a board too large': [text('Piskvorky 99999999999x99999999999, 0:0, 0\r\n1,1\r\n'), BROKEN],
  'numbers of any sign and size': [
    text('Piskvorky 15x15, 0:0, 0\r\n-1,99999999999999999999\r\n'),
    /^No moves were found/,
  ],
  'lists without an end': [text('['.repeat(100_000)), OTHER],
  'objects without an end': [text('{"a":'.repeat(100_000)), OTHER],
  'an object with a prototype': [
    text('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
    OTHER,
  ],
  'a page': [text('<!doctype html><script>alert(1)</script>'), OTHER],
  'a picture': [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...noise]), OTHER],
  zeros: [Buffer.alloc(1 << 20), OTHER],
  'text of two bytes a letter': [Buffer.from('\ufeff(;SZ[15];B[hh])', 'utf16le'), /^1 move read\.$/],
  'one byte too many': [Buffer.alloc((8 << 20) + 1, '('), /^The file is too large\./],
  nothing: [text(''), /^No moves were found/],
  'a library of another version': [Buffer.from([...head.slice(0, 8), 9, ...head.slice(9), 0x78, 0x40]), BROKEN],
  'half a head': [Buffer.from(head.slice(0, 12)), BROKEN],
  'a comment without an end': [library(0x78, 8, ...noise.map((byte) => byte || 1)), BROKEN],
  'half a node': [library(0x78, 0, 0x88), BROKEN],
  'promises of more variations': [
    library(...Array.from({ length: 9_000 }, (_, n) => [(n % 225) + 1 + Math.floor((n % 225) / 15), 0x80]).flat()),
    /./,
  ],
  'nodes without an order': [library(...noise), /./],
};

/** @param {Page} page @param {string} name @param {Buffer} content */
const drop = (page, name, content) =>
  page.evaluate(
    ([called, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], called));
      for (const step of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(step, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    /** @type {const} */ ([name, content.toString('base64')]),
  );

/** @param {Page} page @param {string} label */
async function assertWhole(page, label) {
  const found = await page.evaluate(() => ({
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    scripts: document.querySelectorAll('script:not([src])').length,
    foreign: document.querySelectorAll(
      'main img, main script, main iframe, main a[href^="javascript"], .tree svg, .tree a',
    ).length,
    polluted: 'polluted' in {},
    board: Math.round(document.querySelector('.board-stage')?.getBoundingClientRect().width ?? 0),
  }));
  const { board, ...rest } = found;
  assert.deepEqual(rest, { wide: 0, scripts: 0, foreign: 0, polluted: false }, label);
  return board;
}

for (const viewport of [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
]) {
  test(`no file breaks an analysis ${viewport.width} wide`, async () => {
    const { page, complaints } = await visitor(at.browser, at.server, { viewport });
    page.on('dialog', () => assert.fail('something ran'));
    page.on('framenavigated', (frame) => assert.match(frame.url(), /\/analyse/));
    await page.goto('/analyse');
    await page.getByRole('button', { name: 'Open a file' }).waitFor();
    const status = page.locator('.file-status');
    const board = await assertWhole(page, 'at first');
    for (const [index, [label, [content, expected]]] of Object.entries(FILES).entries()) {
      await status.evaluate((element) => element.replaceChildren());
      await drop(page, `${NAMES[index % NAMES.length]}.sgf`, content);
      await page.waitForFunction(() => !/^($|Reading)/.test(document.querySelector('.file-status')?.textContent ?? ''));
      // A button may follow.
      assert.match(await status.evaluate((element) => element.firstChild?.textContent ?? ''), expected, label);
      assert.equal(await assertWhole(page, label), board, label);
      if (index === 0) {
        assert.match(
          (await page.locator('.tree').textContent()) ?? '',
          /<img src=x onerror=alert\(1\)>/,
          'it is shown as it was written',
        );
      }
    }
    // What was kept in the browser is no better.
    await drop(page, 'good.sgf', text('(;SZ[15];B[hh](;W[ig])(;W[hi]))'));
    await status.getByText('3 moves read.').waitFor();
    assert.deepEqual(await page.locator('.tree .move').allTextContents(), ['h8', 'i9', 'h7']);
    assert.deepEqual(
      complaints.filter((complaint) => !/status of 4/.test(complaint)),
      [],
    );
  });
}

test('an analysis that was kept in any form leaves the page whole', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  page.on('dialog', () => assert.fail('something ran'));
  await page.goto('/');
  const tree = (/** @type {unknown} */ nodes) =>
    JSON.stringify([{ rules: { variant: 'freestyle', size: [15, 15] }, path: [], comment: '', nodes }]);
  const kept = [
    '',
    '{',
    '[]',
    'null',
    '[null]',
    '{"__proto__":{"polluted":1}}',
    tree([
      { parent: 1, point: [0, 0] },
      { parent: 0, point: [1, 1] },
    ]),
    tree([{ parent: 0, point: [0, 0] }]),
    tree([{ point: [1e9, -1e9] }]),
    tree([{ point: ['<img src=x onerror=alert(1)>', 0] }]),
    tree({ length: 1e9 }),
  ];
  for (const value of kept) {
    await page.evaluate((content) => localStorage.setItem('fivefold.analysis', content), value);
    await page.goto('/analyse');
    await page.getByRole('button', { name: 'Open a file' }).waitFor();
    await assertWhole(page, value);
    await page.goto('/');
  }
  assert.deepEqual(complaints, []);
});
