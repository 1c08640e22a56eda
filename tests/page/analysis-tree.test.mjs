// The analysis: a tree of moves with variations and comments that nothing loses.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { put, sees, stage, visitor } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage();

/** Opens an analysis of these moves. @param {Page} page @param {string} link */
async function open(page, link) {
  await page.goto(`/analyse#${link}`);
  await page.locator('.tree .move').first().waitFor();
}

/** Waits until the tree reads so; lists are in brackets. @param {Page} page @param {string} expected */
async function reads(page, expected) {
  const read = () =>
    page.evaluate(() => {
      /** @param {Element} element @returns {string} */
      const words = (element) =>
        [...element.children]
          .map((child) => {
            if (child.matches('ul')) return `(${[...child.children].map(words).join(' | ')})`;
            if (child.matches('.n')) return '';
            return child.matches('.tree-comment') ? `"${child.textContent}"` : child.textContent;
          })
          .filter(Boolean)
          .join(' ');
      const tree = document.querySelector('.tree');
      return tree && words(tree);
    });
  const until = Date.now() + 15_000;
  let found = await read();
  while (found !== expected && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await read();
  }
  assert.equal(found, expected);
}

/** Chooses from a move's menu. @param {Page} page @param {string} move @param {string} action */
async function choose(page, move, action) {
  await page.locator('.tree').getByRole('button', { name: move, exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: action }).click();
}

test('another move becomes a variation, and a press goes to any move', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, 'freestyle/h8i9h9');
  for (let times = 0; times < 2; times += 1) await page.getByRole('button', { name: 'Previous move' }).click();
  await page.getByText('Move 1 of 3').waitFor();
  await put(page, 'g7');
  await reads(page, 'h8 i9 (g7) h9');
  await page.getByText('2 moves', { exact: true }).waitFor();
  await put(page, 'j10');
  await reads(page, 'h8 i9 (g7 j10) h9');
  await page.locator('.tree').getByRole('button', { name: '3. h9' }).click();
  await sees(page, 'h9', 'Black');
  await sees(page, 'g7', 'empty');
  assert.equal(await page.locator('.tree [aria-current=step]').textContent(), 'h9');
  assert.match(page.url(), /#freestyle\/h8i9h9$/);
  // The line that was looked at is the one to step through.
  await page.locator('.tree').getByRole('button', { name: '2. g7' }).click();
  await page.getByRole('button', { name: 'Next move' }).click();
  await sees(page, 'j10', 'Black');
  await page.getByRole('button', { name: 'First move' }).click();
  await page.getByRole('button', { name: 'Latest move' }).click();
  await sees(page, 'j10', 'Black');
  assert.deepEqual(complaints, []);
});

test('a move has a menu, and everything can be undone and done again', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, 'freestyle/h8i9h9');
  await page.locator('.tree').getByRole('button', { name: '1. h8' }).click();
  await put(page, 'g7');
  await put(page, 'g8');
  await reads(page, 'h8 i9 (g7 g8) h9');
  await choose(page, '2. g7', 'Make main line');
  await reads(page, 'h8 g7 (i9 h9) g8');
  await choose(page, '2. i9', 'Delete from here');
  await page.getByText('2 moves deleted.').waitFor();
  await reads(page, 'h8 g7 g8');
  await choose(page, '2. g7', 'Comment');
  await page.getByLabel('Comment on 2. g7').fill('  Bends\nthe line. ');
  await page.getByRole('button', { name: 'Done' }).click();
  await reads(page, 'h8 g7 "Bends\nthe line." g8');
  const undo = page.getByRole('button', { name: 'Undo' });
  for (const expected of ['h8 g7 g8', 'h8 g7 (i9 h9) g8', 'h8 i9 (g7 g8) h9']) {
    await undo.click();
    await reads(page, expected);
  }
  await page.keyboard.press('Control+z');
  await reads(page, 'h8 i9 (g7) h9');
  for (let times = 0; times < 2; times += 1) await page.keyboard.press('Control+Shift+Z');
  await reads(page, 'h8 g7 (i9 h9) g8');
  for (let times = 0; times < 2; times += 1) await page.getByRole('button', { name: 'Redo' }).click();
  await reads(page, 'h8 g7 "Bends\nthe line." g8');
  assert.ok(await page.getByRole('button', { name: 'Redo' }).isDisabled());
  // Undo in a field is the field's own.
  await choose(page, '2. g7', 'Comment');
  await page.getByLabel('Comment on 2. g7').press('Control+z');
  await reads(page, 'h8 g7 "Bends\nthe line." g8');
  await page.keyboard.press('Escape');
  await page.getByLabel('Rules').selectOption('renju');
  await page.waitForURL(/#renju/);
  await reads(page, 'h8 g7 "Bends\nthe line." g8');
  await undo.click();
  await page.waitForURL(/#freestyle/);
  assert.equal(await page.getByLabel('Rules').inputValue(), 'freestyle');
  assert.deepEqual(complaints, []);
});

test('the tree stays over a reload, with what can be undone; another link loses nothing', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, 'renju/h8i9h9');
  await page.locator('.tree').getByRole('button', { name: '1. h8' }).click();
  await put(page, 'h7');
  await reads(page, 'h8 i9 (h7) h9');
  await choose(page, '2. h7', 'Comment');
  await page.getByLabel('Comment on 2. h7').fill('not finished');
  await page.reload();
  await reads(page, 'h8 i9 (h7 "not finished") h9');
  await sees(page, 'h7', 'White');
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
  await page.getByRole('button', { name: 'Undo' }).click();
  await reads(page, 'h8 i9 (h7) h9');
  await page.goto('/');
  await page.goto('/analyse#standard-20/k10');
  await reads(page, 'k10');
  assert.equal(await page.getByRole('combobox', { name: 'Board' }).inputValue(), '20');
  await page.getByText('Your analyses (2)').click();
  await page
    .locator('.own-analyses')
    .getByRole('button', { name: /^h8 i9 h9/ })
    .click();
  await reads(page, 'h8 i9 (h7) h9');
  assert.equal(await page.getByLabel('Rules').inputValue(), 'renju');
  // Without a position in the address, the last analysis is there.
  await page.goto('/');
  await page.goto('/analyse');
  await reads(page, 'h8 i9 (h7) h9');
  assert.deepEqual(complaints, []);
});

test('the tree can be used by keyboard alone, and says where it is', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  await open(page, 'freestyle/h8i9h9');
  await page.locator('.tree').getByRole('button', { name: '3. h9' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Move 1 of 3').waitFor();
  await page.getByRole('gridcell', { name: /^h8, / }).focus();
  for (const key of ['g', '7', 'Enter', 'Enter']) await page.keyboard.press(key);
  await reads(page, 'h8 i9 (g7) h9');
  await page.locator('.tree').getByRole('button', { name: '2. g7' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.getByText('Move 2 of 3').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('.tree [aria-current=step]', { hasText: 'g7' }).waitFor();
  await page.getByRole('group', { name: 'Moves and variations' }).getByRole('list', { name: 'Variations' }).waitFor();
  await page.getByRole('button', { name: 'More about this move' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Make main line' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('by keys');
  await page.keyboard.press('Control+Enter');
  await reads(page, 'h8 i9 (g7 "by keys") h9');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'More about this move');
  await page.locator('.tree').getByRole('button', { name: '2. g7' }).focus();
  await page.keyboard.press('Delete');
  await reads(page, 'h8 i9 h9');
  await page.keyboard.press('Control+z');
  await reads(page, 'h8 i9 (g7 "by keys") h9');
  assert.deepEqual(complaints, []);
});

test('hostile comments and damaged storage break nothing', async () => {
  const texts = [
    '<img src=x onerror=alert(1)>',
    '\u202Egnp.live',
    'W'.repeat(400),
    '﷽'.repeat(100),
    'Z\u0361\u0321\u0316'.repeat(60),
    '__proto__',
    '{point}',
  ];
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
  ]) {
    const { page, complaints } = await visitor(at.browser, at.server, { viewport });
    page.on('dialog', () => assert.fail('something ran'));
    const nodes = texts.map((comment, ply) => ({
      ...(ply > 0 && { parent: ply - 1 }),
      point: [ply, 2 * ply],
      comment,
    }));
    const state = {
      rules: { variant: 'freestyle', size: [15, 15] },
      path: [[0, 0]],
      nodes,
      black: '<b>B</b>'.repeat(50),
      white: '"',
    };
    await page.addInitScript((kept) => localStorage.setItem('fivefold.analysis', kept), JSON.stringify([state]));
    await page.goto('/analyse');
    await page
      .locator('.tree .tree-comment')
      .nth(texts.length - 1)
      .waitFor();
    assert.deepEqual(await page.locator('.tree .tree-comment').allTextContents(), texts);
    const { wide, marks } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      marks: document.querySelectorAll('main img, main b b, .players b').length,
    }));
    assert.deepEqual({ wide: Math.max(0, wide), marks }, { wide: 0, marks: 0 });
    assert.deepEqual(complaints, []);
  }
  for (const kept of [
    '',
    '{',
    '7',
    '[null]',
    '[{"nodes":[{"point":[0,0],"parent":9}],"path":[]}]',
    '[{"nodes":[],"path":[[1]],"rules":5}]',
    '[{"nodes":[],"path":[],"rules":{"variant":"__proto__","size":"x"}}]',
  ]) {
    const { page, complaints, context } = await visitor(at.browser, at.server);
    await page.addInitScript((text) => localStorage.setItem('fivefold.analysis', text), kept);
    await page.goto('/analyse');
    await put(page, 'h8');
    await reads(page, 'h8');
    assert.deepEqual(complaints, [], kept);
    await context.close();
  }
});

test('links to positions stay short, and old ones still work', async () => {
  const { page, complaints } = await visitor(at.browser, at.server);
  /** @type {[given: string, stones: string[], shown: string, rules: string][]} */
  const cases = [
    ['#renju/h8i9', ['h8', 'i9'], '#renju/h8i9', 'renju'],
    ['#variant=renju&size=15&moves=h8+i9+j10', ['j10'], '#renju/h8i9j10', 'renju'],
    ['#mnk4-7x6/a1b2', ['a1', 'b2'], '#mnk4-7x6/a1b2', 'mnk'],
    ['#variant=mnk&size=7%2C6&k=4&moves=a1', ['a1'], '#mnk4-7x6/a1', 'mnk'],
    ['#caro-unbounded/0,0;3,-4', ['0,0', '3,-4'], '#caro-unbounded/0,0;3,-4', 'caro'],
    ['#moves=h8', ['h8'], '#freestyle/h8', 'freestyle'],
    ['?caro_overline-20/k10', ['k10'], '#caro_overline-20/k10', 'caro_overline'],
    // What cannot be read is left out.
    ['#nonsense-999/h8%', ['h8'], '#freestyle/h8', 'freestyle'],
    ['#standard/h8z99i9', ['h8'], '#standard/h8', 'standard'],
    ['#standard/h8i9h8', ['h8', 'i9'], '#standard/h8i9', 'standard'],
  ];
  for (const [given, stones, shown, rules] of cases) {
    await page.goto('about:blank');
    await page.goto(`/analyse${given}`);
    await page.locator('.board-stage').waitFor();
    for (const name of stones) await sees(page, name, '(Black|White)');
    await page.waitForURL((url) => url.href.endsWith(`/analyse${url.search}${shown}`));
    assert.equal(await page.getByLabel('Rules').inputValue(), rules, given);
  }
  assert.deepEqual(
    complaints.filter((text) => !/status of 4/.test(text)),
    [],
  );
});
